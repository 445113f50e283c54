//! The thread that writes. What waits for it when it is free goes into one transaction; each part of it can fail alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::place::Place;
use crate::StoreError;

/// How many jobs may wait before whoever brings another waits too.
const QUEUE: usize = 1_024;
/// How many of them share a transaction at most.
const TOGETHER: usize = 64;
/// After so long without a job, what stands in the write-ahead log is moved into the file.
const IDLE: Duration = Duration::from_secs(1);

/// Something to write, and what is to happen when it is kept or lost.
trait Job: Send {
    fn run(&mut self, conn: &Connection) -> Result<(), StoreError>;
    fn done(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Write<F, T, R> {
    work: Option<F>,
    value: Option<T>,
    reply: R,
}

impl<F, T, R> Job for Write<F, T, R>
where
    F: FnOnce(&Connection) -> Result<T, StoreError> + Send,
    T: Send,
    R: FnOnce(Result<T, StoreError>) + Send,
{
    fn run(&mut self, conn: &Connection) -> Result<(), StoreError> {
        let work = self.work.take().ok_or(StoreError::Closed)?;
        self.value = Some(work(conn)?);
        Ok(())
    }

    fn done(self: Box<Self>, committed: Result<(), StoreError>) {
        let value = self.value.ok_or(StoreError::Closed);
        (self.reply)(committed.and(value));
    }
}

pub(crate) struct Writer {
    jobs: Mutex<Option<SyncSender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// `place` is where the file is, for one that lasts.
    pub fn spawn(conn: Arc<Mutex<Connection>>, place: Option<Place>) -> Self {
        let (jobs, queue) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("kandev-store".to_owned())
            .spawn(move || run(&conn, place.as_ref(), &queue));
        Self {
            // Without a thread nobody takes a job, and each is answered with `Closed`.
            jobs: Mutex::new(thread.is_ok().then_some(jobs)),
            thread: Mutex::new(thread.ok()),
        }
    }

    /// One that has no database.
    pub fn none() -> Self {
        Self {
            jobs: Mutex::default(),
            thread: Mutex::default(),
        }
    }

    /// Queues `work`, which runs in an IMMEDIATE transaction; `reply` is called on the writer's thread when that is
    /// committed, or when it was not.
    pub fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        reply: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let job = Box::new(Write {
            work: Some(work),
            value: None,
            reply,
        });
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = jobs.clone();
        match jobs {
            Some(jobs) => {
                if let Err(refused) = jobs.send(job) {
                    refused.0.done(Err(StoreError::Closed));
                }
            }
            None => job.done(Err(StoreError::Closed)),
        }
    }

    /// The same, and waits for it.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = sync_channel(1);
        self.submit(work, move |result| {
            let _ = reply.send(result);
        });
        answer.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// Writes what waits, then ends the thread.
    pub fn close(&self) {
        drop(
            self.jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

fn run(conn: &Mutex<Connection>, place: Option<&Place>, queue: &Receiver<Box<dyn Job>>) {
    let mut unmoved = false;
    loop {
        let first = match queue.recv_timeout(if unmoved { IDLE } else { Duration::MAX }) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => {
                let conn = conn.lock().unwrap_or_else(PoisonError::into_inner);
                // Who reads meanwhile keeps it from being complete, and the next one comes soon.
                let _ = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
                unmoved = false;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut jobs = vec![first];
        jobs.extend(queue.try_iter().take(TOGETHER - 1));
        let mut conn = conn.lock().unwrap_or_else(PoisonError::into_inner);
        let outcomes = match place.map_or(Ok(()), Place::is_held) {
            Ok(()) => together(&mut conn, &mut jobs),
            Err(gone) => vec![Err(gone); jobs.len()],
        };
        drop(conn);
        unmoved = true;
        for (job, outcome) in jobs.into_iter().zip(outcomes) {
            job.done(outcome);
        }
    }
}

/// What became of each job.
fn together(conn: &mut Connection, jobs: &mut [Box<dyn Job>]) -> Vec<Result<(), StoreError>> {
    let mut outcomes = Vec::with_capacity(jobs.len());
    let committed = (|| {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let [job] = jobs {
            // What undoes one among others costs a copy of every page.
            let outcome = run_job(&tx, job.as_mut());
            if outcome.is_ok() {
                tx.commit()?;
            }
            outcomes.push(outcome);
            return Ok(());
        }
        for job in jobs.iter_mut() {
            outcomes.push(alone(&tx, job.as_mut()));
        }
        tx.commit()?;
        Ok::<_, StoreError>(())
    })();
    match committed {
        Ok(()) => outcomes,
        // What failed by itself says why; for the rest it is the transaction.
        Err(error) => (0..jobs.len())
            .map(|at| match outcomes.get(at) {
                Some(Err(own)) => Err(own.clone()),
                _ => Err(error.clone()),
            })
            .collect(),
    }
}

fn run_job(tx: &Connection, job: &mut dyn Job) -> Result<(), StoreError> {
    catch_unwind(AssertUnwindSafe(|| job.run(tx)))
        .unwrap_or_else(|_| Err(StoreError::Other("a write panicked".to_owned())))
}

fn alone(tx: &Connection, job: &mut dyn Job) -> Result<(), StoreError> {
    tx.execute_batch("SAVEPOINT job")?;
    let outcome = run_job(tx, job);
    match outcome {
        Ok(()) => tx.execute_batch("RELEASE job")?,
        // A full disk may have ended the whole transaction already.
        Err(_) if tx.is_autocommit() => {}
        Err(_) => tx.execute_batch("ROLLBACK TO job; RELEASE job")?,
    }
    outcome
}
