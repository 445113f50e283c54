//! Stdout: events as JSON lines, or as text.

use std::io::{self, Write};

use kandev_transcript::Event;

use super::asker::Asker;
use super::paint::Palette;
use super::text::Text;

pub enum Page {
    Json,
    Text {
        palette: Palette,
        text: Box<Text>,
        asker: Box<Asker>,
        /// Something was printed since the question was.
        dirty: bool,
    },
}

impl Page {
    pub fn json() -> Self {
        Self::Json
    }

    pub fn text(palette: Palette) -> Self {
        Self::Text {
            palette,
            text: Box::new(Text::new(palette)),
            asker: Box::default(),
            dirty: false,
        }
    }

    /// Whether a line of stdin would be an answer now. In JSON each line says for itself what it answers.
    pub fn reads(&self) -> bool {
        match self {
            Self::Json => true,
            Self::Text { asker, .. } => asker.waits(),
        }
    }

    /// Prints an event.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        match self {
            Self::Json => {
                let mut line = serde_json::to_string(event)?;
                line.push('\n');
                io::stdout().lock().write_all(line.as_bytes())
            }
            Self::Text {
                palette,
                text,
                dirty,
                ..
            } => {
                let words = palette.steady(&text.event(event));
                *dirty |= !words.is_empty();
                io::stdout().lock().write_all(words.as_bytes())
            }
        }
    }

    /// Says something that is no event. In JSON there is no place for it but stderr.
    pub fn say(&mut self, words: &str) -> io::Result<()> {
        match self {
            Self::Json => {
                eprintln!("kandev: {words}");
                Ok(())
            }
            Self::Text {
                palette,
                text,
                dirty,
                ..
            } => {
                *dirty = true;
                let before = text.break_off();
                writeln!(io::stdout().lock(), "{before}{}", palette.steady(words))
            }
        }
    }

    /// Puts the question that is open at the end of the page, and all of it on the screen.
    pub fn settle(&mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if let Self::Text {
            palette,
            text,
            asker,
            dirty,
        } = self
            && *dirty
            && let Some(prompt) = asker.prompt()
        {
            *dirty = false;
            write!(out, "{}{}", text.break_off(), palette.steady(&prompt))?;
        }
        out.flush()
    }
}
