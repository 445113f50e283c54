//! What programs printed, for a window that reads some lines of it at a time: from the journal, or from the files that the
//! CLI keeps. The page names a call or a task; which file that is, and whether it may be read, is decided here.

mod cache;
mod places;
mod reader;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use kandev_transcript::{Event, EventBody, ToolCall, ToolStatus};
use kandev_wire::request::GetTaskOutput;
use regex::Regex;

use crate::api::{CommandError, Exported, OutputHits, OutputPart, OutputSource, OutputStream};
use crate::export;
use crate::sessions::Sessions;
use cache::{Cache, Key};
use places::{Places, Refused};
use reader::{NoText, Reader, TEXT_MAX};

/// Managed state.
#[derive(Clone, Default)]
pub struct Outputs {
    cache: Cache,
}

/// An output that somebody asks for.
struct Found {
    reader: Arc<Mutex<Reader>>,
    /// Nothing more will come.
    ended: bool,
    /// What a person should know of it.
    note: Option<String>,
}

/// Where one is.
enum Place {
    Text(String),
    File(PathBuf),
}

/// The same as it was found, without a look at what is kept open.
struct Looked {
    place: Result<Place, String>,
    version: u64,
    ended: bool,
    note: Option<String>,
}

impl Outputs {
    /// # Errors
    /// `no_such_session`, `no_output` when nothing is known of it.
    pub async fn part(
        &self,
        sessions: &Sessions,
        session: &str,
        source: OutputSource,
        from: i32,
        count: u32,
    ) -> Result<OutputPart, CommandError> {
        let found = match self.find(sessions, session, source).await? {
            Ok(found) => found,
            Err(problem) => {
                return Ok(OutputPart {
                    done: true,
                    problem: Some(problem),
                    ..OutputPart::default()
                });
            }
        };
        let part = read(&found, move |reader| reader.part(from.into(), count)).await?;
        Ok(match part {
            Ok(part) => OutputPart {
                done: part.done && found.ended,
                problem: found.note,
                ..part
            },
            Err(error) => OutputPart {
                problem: Some(unreadable(&error)),
                ..OutputPart::default()
            },
        })
    }

    /// # Errors
    /// As [`Outputs::part`], and `not_readable`.
    pub async fn hits(
        &self,
        sessions: &Sessions,
        session: &str,
        source: OutputSource,
        words: &str,
        limit: u32,
    ) -> Result<OutputHits, CommandError> {
        let Some(pattern) = pattern(words) else {
            return Ok(OutputHits::default());
        };
        let Ok(found) = self.find(sessions, session, source).await? else {
            return Ok(OutputHits::default());
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        read_all(&found, move |reader| reader.find(&pattern, limit)).await
    }

    /// # Errors
    /// As [`Outputs::hits`], and `too_large`.
    pub async fn text(
        &self,
        sessions: &Sessions,
        session: &str,
        source: OutputSource,
    ) -> Result<String, CommandError> {
        let found = self.find(sessions, session, source).await?;
        let found = found.map_err(not_readable)?;
        let text = read_all(&found, |reader| match reader.text() {
            Err(NoText::Io(error)) => Err(error),
            Err(NoText::TooLarge) => Ok(None),
            Ok(text) => Ok(Some(text)),
        });
        text.await?.ok_or_else(|| {
            let mb = TEXT_MAX >> 20;
            let text = format!("the output is more than {mb} MB: save it as a file instead");
            CommandError::new("too_large", text)
        })
    }

    /// # Errors
    /// As [`Outputs::hits`], and `not_exported`.
    pub async fn save(
        &self,
        sessions: &Sessions,
        session: &str,
        source: OutputSource,
        downloads: Option<PathBuf>,
    ) -> Result<Exported, CommandError> {
        let found = self.find(sessions, session, source).await?;
        let found = found.map_err(not_readable)?;
        let own = sessions.records().data_dir();
        let saved = read_all(&found, move |reader| {
            let write = |file: &mut std::fs::File| reader.save(file);
            Ok(export::write_file(&own, downloads, "output", "txt", write))
        });
        saved.await?
    }

    /// What is asked for, or what a person is told instead.
    async fn find(
        &self,
        sessions: &Sessions,
        session: &str,
        source: OutputSource,
    ) -> Result<Result<Found, String>, CommandError> {
        let looked = match &source {
            OutputSource::Call {
                tool_call_id,
                stream,
            } => of_call(sessions, session, tool_call_id, *stream).await?,
            OutputSource::Stored { tool_call_id } => {
                of_file(sessions, session, tool_call_id).await?
            }
            OutputSource::Task { task_id } => of_task(sessions, session, task_id).await?,
        };
        let key = Key {
            session: session.to_owned(),
            source,
            version: looked.version,
        };
        let place = match looked.place {
            Ok(place) => place,
            Err(problem) => return Ok(Err(problem)),
        };
        let reader = match (self.cache.get(&key), place) {
            (Some(reader), _) => reader,
            (None, Place::Text(text)) => self.cache.put(key, Reader::of_text(text)),
            (None, Place::File(path)) => {
                let opened = tokio::task::spawn_blocking(move || Reader::of_file(&path));
                match opened.await.map_err(failed)? {
                    Ok(reader) => self.cache.put(key, reader),
                    Err(error) => return Ok(Err(unreadable(&error))),
                }
            }
        };
        Ok(Ok(Found {
            reader,
            ended: looked.ended,
            note: looked.note,
        }))
    }
}

async fn read<T: Send + 'static>(
    found: &Found,
    work: impl FnOnce(&mut Reader) -> T + Send + 'static,
) -> Result<T, CommandError> {
    let reader = Arc::clone(&found.reader);
    let work = move || work(&mut reader.lock().unwrap_or_else(PoisonError::into_inner));
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

/// Reads all of it, while others go on reading parts.
async fn read_all<T: Send + 'static>(
    found: &Found,
    work: impl FnOnce(&mut Reader) -> io::Result<T> + Send + 'static,
) -> Result<T, CommandError> {
    let reader = Arc::clone(&found.reader);
    let work = move || {
        let another = {
            let reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.another()
        };
        work(&mut another?)
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(failed)?;
    done.map_err(|error| not_readable(unreadable(&error)))
}

fn failed(error: tokio::task::JoinError) -> CommandError {
    CommandError::new("failed", error.to_string())
}

fn not_readable(problem: String) -> CommandError {
    CommandError::new("not_readable", problem)
}

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => gone(),
        _ => format!("The output cannot be read: {error}."),
    }
}

fn gone() -> String {
    "The file with this output is not there any more. Claude Code clears such files after some time.".to_owned()
}

fn refused(refused: &Refused) -> String {
    match refused {
        Refused::Gone => gone(),
        Refused::Outside => {
            "The file with this output is not where Claude Code keeps outputs, so it is not opened."
                .to_owned()
        }
    }
}

/// Words as they stand, large and small letters alike. None of nothing.
fn pattern(words: &str) -> Option<Regex> {
    /// Characters that are looked at.
    const LONGEST: usize = 1_000;
    let words: String = words.chars().take(LONGEST).collect();
    (!words.is_empty()).then(|| Regex::new(&format!("(?i){}", regex::escape(&words))).ok())?
}

/// The newest event about a call or a task.
async fn newest(
    sessions: &Sessions,
    session: &str,
    about: &str,
) -> Result<Option<Event>, CommandError> {
    let (id, about) = (session.to_owned(), about.to_owned());
    let records = sessions.records();
    records
        .with(move |store| store.newest_about(&id, &about))
        .await
}

fn call_of(event: &Event) -> Option<&ToolCall> {
    match &event.body {
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => Some(call),
        _ => None,
    }
}

fn unknown() -> CommandError {
    CommandError::new("no_output", "nothing is known of this output")
}

async fn of_call(
    sessions: &Sessions,
    session: &str,
    call: &str,
    stream: OutputStream,
) -> Result<Looked, CommandError> {
    let event = newest(sessions, session, call).await?.ok_or_else(unknown)?;
    let call = call_of(&event).ok_or_else(unknown)?;
    let text = call.normalized.output(stream).unwrap_or_default();
    Ok(Looked {
        place: Ok(Place::Text(text.into_owned())),
        version: event.seq,
        ended: call.tool_status != ToolStatus::Running,
        note: None,
    })
}

async fn of_file(sessions: &Sessions, session: &str, call: &str) -> Result<Looked, CommandError> {
    let event = newest(sessions, session, call).await?.ok_or_else(unknown)?;
    let path = places::stored_path(&event).ok_or_else(unknown)?;
    let places = places_of(sessions, session, &event).await?;
    let place = tokio::task::spawn_blocking(move || places.stored(&path))
        .await
        .map_err(failed)?;
    Ok(Looked {
        place: place.map(Place::File).map_err(|why| refused(&why)),
        version: event.seq,
        ended: true,
        note: None,
    })
}

async fn of_task(sessions: &Sessions, session: &str, task: &str) -> Result<Looked, CommandError> {
    let event = newest(sessions, session, task).await?;
    let ended = matches!(
        event.as_ref().map(|event| &event.body),
        Some(EventBody::TaskNotification(_))
    );
    let living = sessions.get(session).ok().filter(|_| !ended);
    let told = match event.as_ref().map(|event| &event.body) {
        Some(
            EventBody::TaskStarted(fields)
            | EventBody::TaskProgress(fields)
            | EventBody::TaskNotification(fields),
        ) => fields.tool_use_id.clone(),
        _ => None,
    };
    let call = match told {
        Some(call) => newest(sessions, session, &call).await?,
        None => None,
    };
    let path = event.as_ref().and_then(places::task_path);
    let path = path.or_else(|| call.as_ref().and_then(places::task_path));
    let known = event.as_ref().or(call.as_ref());
    let place = match known {
        Some(known) => {
            let places = places_of(sessions, session, known).await?;
            let task = task.to_owned();
            let look = move || match path {
                Some(path) => places.task(&path, &task),
                None => places.find_task(&task).ok_or(Refused::Gone),
            };
            tokio::task::spawn_blocking(look).await.map_err(failed)?
        }
        None => Err(Refused::Gone),
    };
    let looked = |place, version, note| Looked {
        place,
        version,
        ended: living.is_none(),
        note,
    };
    match (place, &living) {
        (Ok(path), _) => Ok(looked(Ok(Place::File(path)), 0, None)),
        // The CLI itself tells the end of what the file would have.
        (Err(_), Some(living)) => {
            let request = GetTaskOutput {
                task_id: task.to_owned(),
            };
            let answer = living.request(request).await?;
            let output = answer.output.unwrap_or_default();
            let note = (answer.truncated == Some(true))
                .then(|| format!("Only the last {} bytes of it can be read.", output.len()));
            let bytes = answer.total_bytes.unwrap_or(output.len() as u64);
            Ok(looked(Ok(Place::Text(output)), bytes.wrapping_add(1), note))
        }
        (Err(why), None) if known.is_some() => Ok(looked(Err(refused(&why)), 0, None)),
        (Err(_), None) => Err(unknown()),
    }
}

async fn places_of(
    sessions: &Sessions,
    session: &str,
    event: &Event,
) -> Result<Places, CommandError> {
    let roots = sessions.records().projects().roots().to_vec();
    Ok(Places {
        roots,
        workspace: sessions.workspace(session).await?,
        cli_sessions: event.session_id.iter().cloned().collect(),
        temporary: places::temporary(),
    })
}
