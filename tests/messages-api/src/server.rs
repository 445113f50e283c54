//! The server: HTTP on 127.0.0.1, at a port that the system chooses.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::pick::{Picker, Thread};
use crate::script::{Reply, Script};
use crate::stream::{self, Broken};

type Body = UnsyncBoxBody<Bytes, Broken>;

/// One request to `/v1/messages`.
#[derive(Debug, Clone)]
pub struct Asked {
    pub body: Value,
    /// The main thread's; else a subagent's or one beside the conversation.
    pub main: bool,
    /// Neither the main thread's nor a subagent's: a title, a summary.
    pub side: bool,
}

/// A running server. Dropped, it answers no more.
pub struct MessagesApi {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    picker: Mutex<Picker>,
    asked: watch::Sender<Vec<Asked>>,
}

impl MessagesApi {
    /// Starts to answer by the script, at a free port.
    ///
    /// # Errors
    /// When no port of the loopback can be had.
    pub async fn start(script: Script) -> io::Result<Self> {
        Self::start_at(script, 0).await
    }

    /// The same at a port of the caller's choice.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub async fn start_at(script: Script, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            picker: Mutex::new(Picker::new(script)),
            asked: watch::Sender::new(Vec::new()),
        });
        let serving = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            // Dropped with this task, and with them every open connection.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                connections.spawn(async move {
                    let service = service_fn(move |request| answer(Arc::clone(&shared), request));
                    // A connection that breaks is the client's affair, or the script's.
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        });
        Ok(Self {
            address,
            shared,
            accepting,
        })
    }

    /// What `ANTHROPIC_BASE_URL` has to be.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, in the order in which they came.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.borrow().clone()
    }

    /// Those of the main thread.
    pub fn asked_by_main(&self) -> Vec<Value> {
        self.asked()
            .into_iter()
            .filter(|asked| asked.main)
            .map(|asked| asked.body)
            .collect()
    }

    /// Waits until the main thread has asked so often.
    pub async fn main_requests(&self, count: usize) -> Vec<Value> {
        let mut asked = self.shared.asked.subscribe();
        // The sender lives as long as `self`, so there always is an answer.
        let _ = asked
            .wait_for(|asked| asked.iter().filter(|asked| asked.main).count() >= count)
            .await;
        self.asked_by_main()
    }
}

impl Drop for MessagesApi {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    fn picker(&self) -> MutexGuard<'_, Picker> {
        self.picker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reply_to(&self, request: &Value) -> Reply {
        let mut picker = self.picker();
        let thread = picker.thread(request);
        let reply = picker.pick(&thread, request);
        drop(picker);
        let asked = Asked {
            body: request.clone(),
            main: thread == Thread::Main,
            side: thread == Thread::Side,
        };
        self.asked.send_modify(|all| all.push(asked));
        reply
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path().to_owned();
    let Ok(body) = request.into_body().collect().await else {
        return Ok(json_response(StatusCode::BAD_REQUEST, &json!({})));
    };
    let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
    Ok(match path.as_str() {
        "/v1/messages/count_tokens" => json_response(
            StatusCode::OK,
            &json!({"input_tokens": body.to_string().len() / 4}),
        ),
        "/v1/messages" => message(shared.reply_to(&body), &body),
        _ => json_response(StatusCode::OK, &json!({})),
    })
}

fn message(reply: Reply, request: &Value) -> Response<Body> {
    if let Some(status) = reply.status {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return json_response(status, &reply.error_body());
    }
    let model = request["model"].as_str().unwrap_or("scripted").to_owned();
    if request["stream"] != true {
        return json_response(StatusCode::OK, &stream::whole(&reply, &model));
    }
    let (sender, body) = stream::body();
    tokio::spawn(async move { stream::stream(reply, &model, sender).await });
    let mut response = Response::new(body.boxed_unsync());
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
        .headers_mut()
        .insert("request-id", HeaderValue::from_static("req_scripted"));
    response
}

fn json_response(status: StatusCode, body: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(body.to_string()))
        .map_err(|never| match never {})
        .boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
