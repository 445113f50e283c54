//! WebFetch and WebSearch.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::ToolResult;
use super::result::lax;
use crate::detail::{HttpRequest, NormalizedPayload};

#[derive(Deserialize)]
struct FetchInput {
    url: String,
    prompt: Option<String>,
}

#[derive(Deserialize)]
struct SearchInput {
    query: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WebData<'a> {
    #[serde(deserialize_with = "lax")]
    code: Option<Number>,
    #[serde(deserialize_with = "lax")]
    result: Option<String>,
    /// WebSearch: texts, and lists of pages.
    #[serde(borrow, deserialize_with = "lax")]
    results: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Found {
    content: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    title: String,
    url: String,
}

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    let http_request = match name {
        "WebFetch" => {
            let FetchInput { url, prompt } = FetchInput::deserialize(input).ok()?;
            HttpRequest {
                url: Some(url),
                method: Some("GET".to_owned()),
                query: prompt,
                ..HttpRequest::default()
            }
        }
        _ => {
            let SearchInput { query } = SearchInput::deserialize(input).ok()?;
            HttpRequest {
                query: Some(query),
                ..HttpRequest::default()
            }
        }
    };
    Some(NormalizedPayload::HttpRequest { http_request })
}

pub(super) fn finish(call: HttpRequest, result: &ToolResult<'_>) -> HttpRequest {
    let data: WebData<'_> = result.data().unwrap_or_default();
    if let Some(error) = result.error() {
        return HttpRequest {
            response: Some(error),
            status: data.code,
            is_error: true,
            ..call
        };
    }
    let found = data.results.map(|results| pages(&results));
    let response = data.result.or(found.filter(|text| !text.is_empty()));
    HttpRequest {
        response: Some(response.unwrap_or_else(|| result.text())),
        status: data.code,
        ..call
    }
}

/// The search's texts, and its pages as Markdown links.
fn pages(results: &[&RawValue]) -> String {
    let parts = results.iter().filter_map(|raw| {
        if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
            return Some(text);
        }
        let Found { content } = serde_json::from_str(raw.get()).ok()?;
        let links = content
            .iter()
            .map(|Page { title, url }| format!("- [{title}]({url})"));
        Some(links.collect::<Vec<_>>().join("\n"))
    });
    parts
        .filter(|part| !part.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}
