//! An empty Tauri window: what the start of the app is measured against (`npm run bench -- window`).

use tauri::http::Response;
use tauri::{WebviewUrl, WebviewWindowBuilder};

const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Empty</title><p>An empty window, and nothing but these words.</p>";

fn main() {
    let ended = tauri::Builder::default()
        .register_uri_scheme_protocol("empty", |_, _| {
            Response::builder()
                .header("Content-Type", "text/html")
                .body(PAGE.as_bytes().to_vec())
                .unwrap_or_default()
        })
        .setup(|app| {
            let page = WebviewUrl::CustomProtocol("empty://localhost/".parse()?);
            WebviewWindowBuilder::new(app, "empty", page)
                .title("Empty window")
                .inner_size(1440.0, 900.0)
                .build()?;
            Ok(())
        })
        .run(tauri::generate_context!());
    if let Err(error) = ended {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
