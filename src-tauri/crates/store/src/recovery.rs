//! Opening the database, whatever has become of it.

use std::path::Path;

use crate::db::{self, Db, migrations};
use crate::{Opened, Store};

pub(crate) fn open(data_dir: &Path) -> Opened {
    let path = data_dir.join("kandev.db");
    let _ = std::fs::create_dir_all(data_dir);
    let opened = db::open_file(&path).and_then(|mut conn| {
        migrations::migrate(&mut conn, migrations::STEPS)?;
        Ok(conn)
    });
    match opened {
        Ok(conn) => Opened {
            store: Store::new(Db::new(conn, Some(&path)), data_dir),
            problems: Vec::new(),
        },
        Err(error) => {
            let mut conn = db::open_memory().expect("memory");
            migrations::migrate(&mut conn, migrations::STEPS).expect("memory");
            Opened {
                store: Store::new(Db::new(conn, None), data_dir),
                problems: vec![error.to_string()],
            }
        }
    }
}
