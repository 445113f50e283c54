//! Opening the database, whatever has become of it.
//!
//! A file up to [`SMALL`] is looked through every time, which stays under 100 ms. A larger one is if it was not closed
//! cleanly, for at most [`LOOK`], and wholly if damage was met in it before.

#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use crate::db::{self, Db, migrations};
use crate::salvage::{self, Salvaged};
use crate::{Opened, Store, StoreError, private};

const NAME: &str = "kandev.db";
/// Stands beside a database in which damage was met.
const SUSPECT: &str = "kandev.db.suspect";
/// In bytes.
const SMALL: u64 = 16 << 20;
const LOOK: Duration = Duration::from_millis(1500);
/// How long another program is given to finish opening the same file.
const TURN: Duration = Duration::from_secs(10);

pub(crate) fn open(data_dir: &Path) -> Opened {
    let mut problems = Vec::new();
    let db = file(data_dir, &mut problems).unwrap_or_else(|error| {
        problems.push(format!(
            "The database in {} cannot be used: {error}. Sessions go on without it, and what they say is lost when the app is \
             closed.",
            data_dir.display()
        ));
        memory()
    });
    let store = Store::new(db, data_dir);
    if store.lasts()
        && let Err(error) = store.recover()
    {
        problems.push(format!(
            "Sessions that ended with their program could not be closed: {error}."
        ));
    }
    Opened { store, problems }
}

/// Has the file looked through when it is opened next.
pub(crate) fn suspect(data_dir: &Path) {
    // Where this fails, nothing is written any more that could be lost.
    let _ = File::create(data_dir.join(SUSPECT));
}

fn memory() -> Db {
    let conn = db::open_memory().and_then(|mut conn| {
        migrations::migrate(&mut conn, migrations::STEPS)?;
        Ok(conn)
    });
    match conn {
        Ok(conn) => Db::new(conn, None),
        Err(_) => Db::none(),
    }
}

fn file(data_dir: &Path, problems: &mut Vec<String>) -> Result<Db, StoreError> {
    private::make_folder(data_dir)?;
    let path = data_dir.join(NAME);
    let _turn = turn(data_dir);
    match sound(&path) {
        Ok(Some(conn)) => Ok(Db::new(conn, Some(&path))),
        Ok(None) => Err(StoreError::Newer),
        Err(StoreError::Damaged(why)) => {
            let aside = set_aside(&path)?;
            private::make_file(&path);
            let mut conn = db::open_file(&path)?;
            migrations::migrate(&mut conn, migrations::STEPS)?;
            let salvaged = salvage::take_over(&aside, &mut conn);
            problems.push(told(&why, &aside, &salvaged));
            let _ = fs::remove_file(data_dir.join(SUSPECT));
            Ok(Db::new(conn, Some(&path)))
        }
        Err(error) => {
            let (conn, readers) = match db::open_read_only(&path) {
                Ok(still) if migrations::version(&still.0)? == migrations::STEPS.len() => still,
                _ => return Err(error),
            };
            problems.push(format!(
                "The database {} can be read and not written: {error}. Sessions go on, and what they say is lost when the \
                 app is closed.",
                path.display()
            ));
            Ok(Db::read_only(conn, readers))
        }
    }
}

/// One program after the other looks at the file, migrates it and sets it aside.
fn turn(data_dir: &Path) -> Option<File> {
    let file = File::create(data_dir.join("kandev.db.opening")).ok()?;
    let begun = Instant::now();
    while file.try_lock().is_err() && begun.elapsed() < TURN {
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(file)
}

/// The file, looked at and with today's tables. None if it is of a newer version of this program, and then it is as it was.
fn sound(path: &Path) -> Result<Option<Connection>, StoreError> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            return Err(StoreError::Damaged("a folder has its name".to_owned()));
        }
        // Opening a pipe waits for somebody to write into it.
        Ok(meta) if !meta.is_file() => {
            return Err(StoreError::Damaged("it is no file".to_owned()));
        }
        _ => private::make_file(path),
    }
    for ending in ["-wal", "-shm"] {
        private::narrow(&beside(path, ending));
    }
    let suspect = path.with_file_name(SUSPECT);
    let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let log = size(&beside(path, "-wal"));
    let whole = suspect.exists() || size(path) + log <= SMALL;
    if path.exists() {
        // Opening to write would turn a file of an older form into one that has a log.
        let conn = db::readers::open(path)?;
        if migrations::version(&conn)? > migrations::STEPS.len() {
            return Ok(None);
        }
    }
    let mut conn = db::open_file(path)?;
    if whole || log > 0 {
        look(&mut conn, (!whole).then_some(LOOK))?;
    }
    migrations::migrate(&mut conn, migrations::STEPS)?;
    let _ = fs::remove_file(suspect);
    Ok(Some(conn))
}

/// Looks for damage; with a limit, what was looked at in that time is whole.
fn look(conn: &mut Connection, limit: Option<Duration>) -> Result<(), StoreError> {
    if let Some(limit) = limit {
        let begun = Instant::now();
        conn.progress_handler(10_000, Some(move || begun.elapsed() > limit))?;
    }
    let found = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    conn.progress_handler(0, None::<fn() -> bool>)?;
    match found {
        Ok(found) if found == "ok" => Ok(()),
        Ok(found) => Err(StoreError::Damaged(found)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// `kandev.db-wal` and its like.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Renames the file and its log; gives the new name.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let now = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = |count: u32| match count {
        0 => beside(path, &format!(".broken-{now}")),
        more => beside(path, &format!(".broken-{now}-{more}")),
    };
    let aside = (0..)
        .map(name)
        .find(|name| !name.exists())
        .unwrap_or_else(|| name(0));
    fs::rename(path, &aside)?;
    for ending in ["-wal", "-shm"] {
        let old = beside(path, ending);
        if old.exists() {
            fs::rename(&old, beside(&aside, ending))?;
        }
    }
    Ok(aside)
}

fn told(why: &str, aside: &Path, salvaged: &Salvaged) -> String {
    let Salvaged {
        sessions,
        events,
        lost,
    } = salvaged;
    let missing = match lost {
        true => " Parts of them could not be read.",
        false => "",
    };
    format!(
        "The database was damaged ({why}). It is kept as {}. {sessions} sessions with {events} events were taken over from it.\
         {missing} Other conversations are listed from Claude Code's own files.",
        aside.display()
    )
}
