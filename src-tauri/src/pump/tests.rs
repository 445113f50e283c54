#![allow(clippy::unwrap_used)]

use kandev_transcript::EventBody;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;

/// A source that a test feeds.
struct Fed(UnboundedReceiver<Vec<Arc<Event>>>);

impl Source for Fed {
    async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
        self.0.recv().await
    }
}

fn event(seq: u64, text: &str) -> Arc<Event> {
    Arc::new(Event {
        seq,
        through: None,
        at: "1970-01-01T00:00:00.000Z".to_owned(),
        session_id: None,
        parent_tool_call_id: None,
        body: EventBody::MessageChunk {
            text: text.to_owned(),
            message_id: "m".to_owned(),
        },
    })
}

fn events(seqs: std::ops::RangeInclusive<u64>) -> Vec<Arc<Event>> {
    seqs.map(|seq| event(seq, "word")).collect()
}

struct Page {
    pump: Pump,
    heard: UnboundedReceiver<(Instant, StreamMsg)>,
    list: watch::Sender<List>,
}

impl Page {
    fn open() -> Self {
        let (list, list_rx) = watch::channel(List::default());
        let (say, heard) = unbounded_channel();
        let pump = Pump::start(list_rx, move |message| {
            say.send((Instant::now(), message)).is_ok()
        });
        Self { pump, heard, list }
    }

    fn watch(&self, session: &str) -> UnboundedSender<Vec<Arc<Event>>> {
        let (feed, source) = unbounded_channel();
        self.pump.watch(session, Fed(source));
        feed
    }

    /// The next message, acknowledged.
    async fn next(&mut self) -> StreamMsg {
        let (_, message) = self.heard.recv().await.unwrap();
        self.pump.acknowledge(1);
        message
    }

    /// The next batch of events, acknowledged: its session and its numbers.
    async fn next_events(&mut self) -> (String, Vec<u64>) {
        loop {
            if let StreamMsg::Events { session, events } = self.next().await {
                return (session, seqs(&events));
            }
        }
    }

    /// The numbers of one session's events up to `last`.
    async fn seqs_until(&mut self, last: u64) -> Vec<u64> {
        let mut seen = Vec::new();
        while seen.last() != Some(&last) {
            seen.extend(self.next_events().await.1);
        }
        seen
    }
}

fn seqs(events: &[Box<RawValue>]) -> Vec<u64> {
    events
        .iter()
        .map(|raw| serde_json::from_str::<Event>(raw.get()).unwrap().seq)
        .collect()
}

#[tokio::test(start_paused = true)]
async fn the_list_comes_first_and_again_only_when_it_changed() {
    let mut page = Page::open();
    assert!(matches!(page.next().await, StreamMsg::Sessions { .. }));
    tokio::time::sleep(TICK * 10).await;
    assert!(page.heard.try_recv().is_err());
    page.list.send_replace(List::default());
    assert!(matches!(page.next().await, StreamMsg::Sessions { .. }));
}

#[tokio::test(start_paused = true)]
async fn many_changes_of_the_list_cost_one_message_a_frame() {
    let mut page = Page::open();
    page.next().await;
    let start = Instant::now();
    let changes = page.list.clone();
    let changing = tokio::spawn(async move {
        for _ in 0..100 {
            changes.send_replace(List::default());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    let mut messages = 0;
    while !changing.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
        while page.heard.try_recv().is_ok() {
            page.pump.acknowledge(1);
            messages += 1;
        }
    }
    let frames = start.elapsed().as_millis() / TICK.as_millis();
    assert!(
        (frames / 2..=frames + 1).contains(&messages),
        "{messages} messages in {frames} frames"
    );
}

#[tokio::test(start_paused = true)]
async fn a_single_event_after_a_pause_waits_for_nothing() {
    let mut page = Page::open();
    page.next().await;
    let feed = page.watch("s");
    tokio::time::sleep(TICK * 2).await;
    let said = Instant::now();
    feed.send(events(1..=1)).unwrap();
    let (heard, _) = page.heard.recv().await.unwrap();
    assert_eq!(heard, said);
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_events_is_gathered_into_one_message_a_frame() {
    let mut page = Page::open();
    page.next().await;
    let feed = page.watch("s");
    let start = Instant::now();
    tokio::spawn(async move {
        for seq in 1..=320 {
            feed.send(events(seq..=seq)).unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let mut messages = 0;
    let mut seen = Vec::new();
    while seen.len() < 320 {
        seen.extend(page.next_events().await.1);
        messages += 1;
    }
    assert_eq!(seen, (1..=320).collect::<Vec<_>>());
    let frames = start.elapsed().as_millis() / TICK.as_millis();
    assert!(
        messages <= frames + 1,
        "{messages} messages in {frames} frames"
    );
}

#[tokio::test(start_paused = true)]
async fn a_flood_comes_whole_in_order_and_in_messages_of_bounded_size() {
    let mut page = Page::open();
    let feed = page.watch("s");
    feed.send(events(1..=25_000)).unwrap();
    let mut seen = Vec::new();
    while seen.len() < 25_000 {
        let (_, batch) = page.next_events().await;
        assert!(batch.len() <= BATCH_MAX);
        seen.extend(batch);
    }
    assert_eq!(seen, (1..=25_000).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn large_events_do_not_pile_up_in_one_message() {
    let mut page = Page::open();
    let feed = page.watch("s");
    let text = "x".repeat(BATCH_BYTES / 2);
    feed.send((1..=6).map(|seq| event(seq, &text)).collect())
        .unwrap();
    let mut seen = Vec::new();
    while seen.len() < 6 {
        let (_, batch) = page.next_events().await;
        assert!(batch.len() <= 2, "{batch:?}");
        seen.extend(batch);
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_acknowledge_gets_four_messages_and_then_everything_it_missed() {
    let mut page = Page::open();
    let feed = page.watch("s");
    for seq in 1..=100 {
        feed.send(events(seq..=seq)).unwrap();
        tokio::time::sleep(TICK).await;
    }
    let mut open = Vec::new();
    while let Ok((_, message)) = page.heard.try_recv() {
        open.push(message);
    }
    assert_eq!(open.len(), OPEN_MAX as usize);
    let mut seen = Vec::new();
    for message in open {
        if let StreamMsg::Events { events, .. } = message {
            seen.extend(seqs(&events));
        }
    }
    page.pump.acknowledge(OPEN_MAX);
    seen.extend(page.seqs_until(100).await);
    assert_eq!(seen, (1..=100).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_held_pump_stops_reading_the_journal() {
    let (list, list_rx) = watch::channel(List::default());
    let pump = Pump::start(list_rx, |_| true);
    let read = Arc::new(Mutex::new(0));
    struct Endless(Arc<Mutex<u64>>);
    impl Source for Endless {
        async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
            let mut read = self.0.lock().unwrap();
            *read += 1;
            Some(vec![event(*read, "word")])
        }
    }
    pump.watch("s", Endless(Arc::clone(&read)));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let most = QUEUE + (OPEN_MAX as usize + 1) * BATCH_MAX + 1;
    assert!(*read.lock().unwrap() <= most as u64);
    drop(list);
}

#[tokio::test(start_paused = true)]
async fn watching_again_replaces_the_earlier_watch_and_what_it_had_queued() {
    let mut page = Page::open();
    let earlier = page.watch("s");
    earlier.send(events(1..=2000)).unwrap();
    tokio::time::sleep(TICK * 20).await;
    while page.heard.try_recv().is_ok() {}
    let later = page.watch("s");
    later.send(events(7..=9)).unwrap();
    page.pump.acknowledge(OPEN_MAX);
    assert_eq!(page.next_events().await, ("s".to_owned(), vec![7, 8, 9]));
    assert!(earlier.is_closed());
}

#[tokio::test(start_paused = true)]
async fn an_unwatched_session_falls_silent() {
    let mut page = Page::open();
    page.next().await;
    let feed = page.watch("s");
    page.pump.unwatch("s");
    tokio::time::sleep(TICK).await;
    assert!(feed.is_closed());
    assert!(page.heard.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_flooding_session_does_not_starve_another() {
    let mut page = Page::open();
    let flood = page.watch("flood");
    flood.send(events(1..=200_000)).unwrap();
    page.next_events().await;
    let quiet = page.watch("quiet");
    quiet.send(events(1..=1)).unwrap();
    let mut waited = 0;
    while page.next_events().await.0 != "quiet" {
        waited += 1;
    }
    assert!(
        waited <= 2 * QUEUE / BATCH_MAX,
        "{waited} messages of the flood came first"
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_the_pump_ends_its_tasks() {
    let page = Page::open();
    let feed = page.watch("s");
    drop(page.pump);
    feed.closed().await;
    let mut heard = page.heard;
    while heard.recv().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn a_long_output_crosses_as_its_beginning_and_end_and_says_so() {
    let stdout = "a line of it\n".repeat(100_000);
    let call = serde_json::json!({
        "seq": 1, "at": "1970-01-01T00:00:00.000Z", "type": "tool_update", "tool_call_id": "t", "tool_name": "Bash",
        "tool_title": "Bash", "tool_status": "complete", "normalized": { "kind": "shell_exec", "shell_exec": {
            "command": "c", "work_dir": null, "description": null, "timeout": null, "background": false, "output": {
                "exit_code": 0, "stdout": stdout, "stderr": "", "interrupted": false, "truncated": false,
            },
        } },
    });
    let call: Event = serde_json::from_value(call).unwrap();
    let mut page = Page::open();
    let feed = page.watch("a");
    feed.send(vec![Arc::new(call.clone()), event(2, "word")])
        .unwrap();
    let crossed = loop {
        if let StreamMsg::Events { events, .. } = page.next().await {
            break events;
        }
    };
    assert!(crossed[0].get().len() <= 2 * FIELD_MAX);
    let slimmed: serde_json::Value = serde_json::from_str(crossed[0].get()).unwrap();
    let expected =
        serde_json::json!([{ "field": "stdout", "bytes": stdout.len(), "lines": 100_001 }]);
    assert_eq!(slimmed["slimmed"], expected);
    assert!(!serde_json::to_string(&call).unwrap().contains("slimmed"));
}
