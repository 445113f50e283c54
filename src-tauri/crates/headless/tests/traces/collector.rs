//! A collector for the tests: takes spans by OTLP over HTTP on the loopback and keeps them.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The path of a request and its body.
type Posted = (String, Vec<u8>);

pub struct Collector {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Posted>>>,
    _runtime: Runtime,
}

impl Collector {
    pub fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<_>>>::default();
        let kept = Arc::clone(&requests);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                let take = service_fn(move |request: Request<Incoming>| {
                    let kept = Arc::clone(&kept);
                    async move {
                        let path = request.uri().path().to_owned();
                        let body = request.into_body().collect().await.unwrap().to_bytes();
                        kept.lock().unwrap().push((path, body.to_vec()));
                        Ok::<_, Infallible>(Response::new(Full::new(Bytes::new())))
                    }
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), take),
                );
            }
        });
        Self {
            address,
            requests,
            _runtime: runtime,
        }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All that was received, as text in which a secret would be seen.
    pub fn bytes(&self) -> String {
        let requests = self.requests.lock().unwrap();
        let all: Vec<u8> = requests.iter().flat_map(|(_, body)| body.clone()).collect();
        String::from_utf8_lossy(&all).into_owned()
    }

    /// The spans, in the order of their ends, and the name of the service that sent them.
    pub fn spans(&self) -> (Vec<Span>, String) {
        let mut spans = Vec::new();
        let mut service = String::new();
        for (path, body) in &*self.requests.lock().unwrap() {
            assert_eq!(path, "/v1/traces");
            let request = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
            for resource in request.resource_spans {
                let attributes = resource.resource.unwrap().attributes;
                service = text(&attributes, "service.name").unwrap();
                spans.extend(
                    resource
                        .scope_spans
                        .into_iter()
                        .flat_map(|scope| scope.spans),
                );
            }
        }
        (spans, service)
    }
}

pub fn text(attributes: &[KeyValue], name: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.key == name)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some(text.clone()),
        any_value::Value::IntValue(number) => Some(number.to_string()),
        any_value::Value::BoolValue(value) => Some(value.to_string()),
        _ => None,
    }
}

/// What a span's event of this name carries. Every span has exactly one of each.
pub fn data(span: &Span, event: &str) -> String {
    let events: Vec<_> = span.events.iter().filter(|one| one.name == event).collect();
    assert_eq!(events.len(), 1, "{} has one {event}", span.name);
    text(&events[0].attributes, "data").unwrap()
}

pub fn normalized(span: &Span) -> Value {
    serde_json::from_str(&data(span, "normalized")).unwrap()
}
