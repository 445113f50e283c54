//! The subscriptions of the windows: at most one channel each.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tauri::ipc::Channel;
use tokio::sync::{Notify, watch};

use crate::api::{CommandError, StreamMsg};
use crate::pump::{List, Pump, Source};

/// Managed state. A window that subscribes again, as a reloaded page does, drops what it had.
#[derive(Default)]
pub struct Subscriptions {
    inner: Mutex<Inner>,
    opened: Notify,
}

#[derive(Default)]
struct Inner {
    count: u32,
    by_window: HashMap<String, Subscription>,
}

struct Subscription {
    id: u32,
    channel: Channel<StreamMsg>,
    pump: Pump,
}

impl Subscriptions {
    /// Opens the window's channel and tells the subscription's number.
    pub fn open(
        &self,
        window: &str,
        channel: Channel<StreamMsg>,
        list: watch::Receiver<List>,
    ) -> u32 {
        let mut inner = self.inner();
        inner.count = inner.count.wrapping_add(1);
        let id = inner.count;
        let out = channel.clone();
        let pump = Pump::start(list, move |message| out.send(message).is_ok());
        inner
            .by_window
            .insert(window.to_owned(), Subscription { id, channel, pump });
        drop(inner);
        self.opened.notify_waiters();
        id
    }

    pub fn watch(
        &self,
        subscription: u32,
        session: &str,
        source: impl Source,
    ) -> Result<(), CommandError> {
        self.with(subscription, |subscription| {
            subscription.pump.watch(session, source)
        })
        .ok_or_else(|| {
            CommandError::new(
                "not_subscribed",
                "the window's channel was replaced by a newer one",
            )
        })
    }

    pub fn unwatch(&self, subscription: u32, session: &str) {
        self.with(subscription, |subscription| {
            subscription.pump.unwatch(session)
        });
    }

    pub fn acknowledge(&self, subscription: u32, count: u32) {
        self.with(subscription, |subscription| {
            subscription.pump.acknowledge(count)
        });
    }

    /// Tells every window, and says whether there was one. Rare and small, so it passes by the pumps.
    pub fn broadcast(&self, message: &StreamMsg) -> bool {
        let inner = self.inner();
        let sent = inner
            .by_window
            .values()
            .filter(|subscription| subscription.channel.send(message.clone()).is_ok());
        sent.count() > 0
    }

    /// Tells one window, and says whether it has a channel.
    pub fn tell(&self, window: &str, message: &StreamMsg) -> bool {
        self.inner()
            .by_window
            .get(window)
            .is_some_and(|subscription| subscription.channel.send(message.clone()).is_ok())
    }

    /// Tells one window as soon as it has a channel: its page may be loading.
    pub async fn tell_once_open(&self, window: &str, message: &StreamMsg) {
        loop {
            let mut opened = std::pin::pin!(self.opened.notified());
            opened.as_mut().enable();
            if self.tell(window, message) {
                return;
            }
            opened.await;
        }
    }

    /// The window is gone, or its page is.
    pub fn close(&self, window: &str) {
        self.inner().by_window.remove(window);
    }

    fn with<T>(&self, id: u32, act: impl FnOnce(&Subscription) -> T) -> Option<T> {
        self.inner()
            .by_window
            .values()
            .find(|subscription| subscription.id == id)
            .map(act)
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use kandev_transcript::Event;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;

    fn channel() -> (Channel<StreamMsg>, UnboundedReceiver<String>) {
        let (say, heard) = unbounded_channel();
        let channel = Channel::new(move |body| {
            let tauri::ipc::InvokeResponseBody::Json(json) = body else {
                panic!("not JSON")
            };
            say.send(json).map_err(|_| tauri::Error::WebviewNotFound)
        });
        (channel, heard)
    }

    struct Silent;
    impl Source for Silent {
        async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn a_page_that_subscribes_again_replaces_what_it_had() {
        let subscriptions = Subscriptions::default();
        let (_list, list) = watch::channel(List::default());
        let (first, mut first_heard) = channel();
        let first = subscriptions.open("main", first, list.clone());
        assert_eq!(
            first_heard.recv().await.unwrap(),
            r#"{"type":"sessions","list":[]}"#
        );
        let (second, mut second_heard) = channel();
        let second = subscriptions.open("main", second, list);
        assert_eq!(
            first_heard.recv().await,
            None,
            "the replaced channel is dropped"
        );
        assert_eq!(
            subscriptions.watch(first, "s", Silent).unwrap_err().code,
            "not_subscribed"
        );
        assert_eq!(subscriptions.watch(second, "s", Silent), Ok(()));
        assert!(second_heard.recv().await.is_some());
    }

    #[tokio::test]
    async fn a_page_that_is_still_loading_is_told_once_it_listens() {
        let subscriptions = Subscriptions::default();
        let (_list, list) = watch::channel(List::default());
        let message = StreamMsg::Open {
            session: None,
            folder: None,
        };
        let telling = subscriptions.tell_once_open("main", &message);
        tokio::pin!(telling);
        let soon = tokio::time::timeout(std::time::Duration::ZERO, &mut telling);
        assert!(soon.await.is_err(), "nobody listens yet");
        let (channel, mut heard) = channel();
        subscriptions.open("main", channel, list);
        telling.await;
        let open = r#"{"type":"open","session":null,"folder":null}"#;
        while heard.recv().await.unwrap() != open {}
    }

    #[tokio::test]
    async fn what_everyone_shall_know_reaches_every_window_and_the_rest_only_its_own() {
        let subscriptions = Subscriptions::default();
        let (_list, list) = watch::channel(List::default());
        let mut heard = Vec::new();
        for window in ["main", "other"] {
            let (channel, mut receiver) = channel();
            subscriptions.open(window, channel, list.clone());
            receiver.recv().await.unwrap();
            heard.push(receiver);
        }
        let message = StreamMsg::Open {
            session: None,
            folder: Some("/work".into()),
        };
        assert!(!Subscriptions::default().broadcast(&message));
        assert!(subscriptions.broadcast(&message));
        assert!(!subscriptions.tell("third", &message));
        assert!(subscriptions.tell("other", &message));
        for receiver in &mut heard {
            assert_eq!(
                receiver.recv().await.unwrap(),
                r#"{"type":"open","session":null,"folder":"/work"}"#
            );
        }
        assert!(heard[0].try_recv().is_err(), "it was for the other alone");
        assert!(heard[1].try_recv().is_ok());
    }
}
