//! One connection to the server: JSON-RPC in, JSON-RPC out, over channels of this process.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServiceExt, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::tools::Server;
use super::{Said, acknowledgement, refusal};

/// The control requests that wait, by the JSON-RPC id of what they brought.
type Waiting = Arc<Mutex<HashMap<RequestId, String>>>;

/// Whatever still waits when it is dropped is answered with an error.
pub(super) struct Connection {
    inbox: mpsc::UnboundedSender<ClientJsonRpcMessage>,
    waiting: Waiting,
    say: mpsc::UnboundedSender<Said>,
    serving: AbortHandle,
}

impl Connection {
    pub(super) fn open(server: Server, say: mpsc::UnboundedSender<Said>) -> Self {
        let (inbox, heard) = mpsc::unbounded_channel();
        let waiting = Waiting::default();
        let pipe = Pipe {
            heard,
            waiting: Arc::clone(&waiting),
            say: say.clone(),
        };
        let serving = tokio::spawn(async move {
            // A handshake that failed was answered with the reason.
            if let Ok(service) = server.serve(pipe).await {
                let _ = service.waiting().await;
            }
        });
        Self {
            inbox,
            waiting,
            say,
            serving: serving.abort_handle(),
        }
    }

    pub(super) fn hear(&self, request_id: String, message: Value) {
        let parsed = match serde_json::from_value::<ClientJsonRpcMessage>(message.clone()) {
            Ok(parsed) => parsed,
            Err(_) => return self.answer(request_id, refusal(&message, "this is not JSON-RPC")),
        };
        match &parsed {
            JsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                let mut waiting = lock(&self.waiting);
                if waiting.contains_key(&id) {
                    return self.answer(
                        request_id,
                        refusal(&message, "a request with this id is open"),
                    );
                }
                waiting.insert(id.clone(), request_id);
                drop(waiting);
                if self.inbox.send(parsed).is_err() {
                    self.give_up(&id, "the server has ended");
                }
            }
            JsonRpcMessage::Notification(notification) => {
                let cancelled = match &notification.notification {
                    ClientNotification::CancelledNotification(cancelled) => {
                        cancelled.params.request_id.clone()
                    }
                    _ => None,
                };
                // It must not be lost that somebody waits: of a cancelled request the server says nothing more.
                let _ = self.inbox.send(parsed);
                if let Some(id) = cancelled {
                    self.give_up(&id, "the request was cancelled");
                }
                self.answer(request_id, acknowledgement());
            }
            // Answers to questions that this server never asks.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
                self.answer(request_id, acknowledgement());
            }
        }
    }

    fn give_up(&self, id: &RequestId, reason: &str) {
        if let Some(request_id) = lock(&self.waiting).remove(id) {
            let message = json!({ "id": id });
            self.answer(request_id, refusal(&message, reason));
        }
    }

    fn answer(&self, request_id: String, message: Value) {
        let _ = self.say.send(Said::Answer {
            request_id,
            message,
        });
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.serving.abort();
        let open: Vec<RequestId> = lock(&self.waiting).keys().cloned().collect();
        for id in &open {
            self.give_up(id, "the connection was replaced by a newer one");
        }
    }
}

/// The server's end.
struct Pipe {
    heard: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    waiting: Waiting,
    say: mpsc::UnboundedSender<Said>,
}

impl Transport<RoleServer> for Pipe {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.pass_on(&message);
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.heard.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Pipe {
    fn pass_on(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            // This server asks nothing and announces no changes.
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let Some(id) = id else { return };
        let Some(request_id) = lock(&self.waiting).remove(id) else {
            return;
        };
        let message = serde_json::to_value(message)
            .unwrap_or_else(|_| refusal(&json!({ "id": id }), "the answer cannot be written"));
        let _ = self.say.send(Said::Answer {
            request_id,
            message,
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
