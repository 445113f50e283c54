//! The arguments that tell an editor a place.

use std::ffi::OsString;

use super::At;
use super::known::Form;

pub(super) fn arguments(form: Form, at: At<'_>) -> Vec<OsString> {
    let column = at.line.and(at.column);
    let file = || at.file.as_os_str().to_owned();
    let place = || {
        let mut text = file();
        // A name that ends like a place would be taken for one.
        let like_a_place = at.line.is_none() && ends_with_number(&text.to_string_lossy());
        let first = at.line.or(like_a_place.then_some(1));
        for number in first.into_iter().chain(column) {
            text.push(format!(":{number}"));
        }
        text
    };
    match form {
        Form::Goto => vec!["--goto".into(), place()],
        Form::Colons => vec![place()],
        Form::Options => {
            let mut arguments = Vec::new();
            for (name, number) in [("--line", at.line), ("--column", column)] {
                if let Some(number) = number {
                    arguments.extend([name.into(), number.to_string().into()]);
                }
            }
            arguments.push(file());
            arguments
        }
        Form::Cursor => {
            let jump = at.line.map(|line| match column {
                Some(column) => format!("+call cursor({line},{column})").into(),
                None => format!("+{line}").into(),
            });
            jump.into_iter().chain([file()]).collect()
        }
    }
}

fn ends_with_number(name: &str) -> bool {
    name.rsplit_once(':')
        .is_some_and(|(_, end)| !end.is_empty() && end.chars().all(|digit| digit.is_ascii_digit()))
}
