//! `kandev doctor`: which CLI a session would get, what its version can do, where it was looked for, what is missing and what
//! to do next.

mod page;

use std::path::{PathBuf, absolute};
use std::process::ExitCode;

use anyhow::Result;
use kandev_session::abilities::{self, Abilities, Support};
use kandev_session::{CliFound, CliReport, cli_report};
use kandev_transport::{Guard, Search, Version};

use page::Page;

/// Variables that carry a login. Only whether they are set is told.
const LOGINS: [&str; 5] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
];

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The `claude` to look at, in place of the one that is found.
    #[arg(long, value_name = "PATH", env = "KANDEV_CLI")]
    cli: Option<PathBuf>,
}

/// Exit status 0 when a session can start, 3 when not.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut search = Search::from_environment();
    search.chosen = args.cli.as_ref().map(absolute).transpose()?;
    let guard = Guard::this_executable()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let report = runtime.block_on(cli_report(search, &guard));
    let set = LOGINS
        .into_iter()
        .filter(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    print!("{}", text(&report, &set.collect::<Vec<_>>()));
    Ok(if report.problem.is_some() {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    })
}

fn text(report: &CliReport, logins: &[&str]) -> String {
    let mut page = Page::default();
    match &report.found {
        Some(found) => cli(&mut page, found),
        None => page.row("Claude Code", "not found"),
    }
    let login = match logins {
        [] => "unknown until a session asks; `/login` in a terminal `claude` signs in".to_owned(),
        names => format!(
            "by {}, which is set; whether it is accepted shows in a session",
            names.join(" and ")
        ),
    };
    page.row("Login", &login);
    page.row(
        "Node.js",
        report
            .node
            .as_deref()
            .unwrap_or("not found; only a CLI that is a script needs it"),
    );
    page.row(
        "git",
        report
            .git
            .as_deref()
            .unwrap_or("not found; changes that are not committed go unnoticed"),
    );
    page.row("Protocol", &protocol());
    page.row("PATH used", &report.path_used);
    page.row("Looked at", "");
    for tried in &report.tried {
        page.row(
            "",
            &format!("{} ({}): {}", tried.path, tried.source, tried.outcome),
        );
    }
    match (&report.problem, &report.next_step) {
        (Some(problem), next_step) => {
            page.row("Problem", problem);
            page.row(
                "Next",
                next_step
                    .as_deref()
                    .unwrap_or("Choose another file with --cli."),
            );
        }
        (None, _) => page.row("Next", "nothing: a session can start"),
    }
    page.text()
}

fn cli(page: &mut Page, found: &CliFound) {
    page.row("Claude Code", &found.path);
    let version = found.version.as_deref().and_then(Version::of_numbers);
    let known = Abilities::of(version);
    let word = match (version, known.support()) {
        (None, _) => "unknown, taken for the newest".to_owned(),
        (Some(version), _) if known.is_newer_than_known() => format!(
            "{version}, newer than {}, which this program knows; what is new is shown as it comes",
            abilities::newest_known()
        ),
        (Some(version), Support::Full) => format!("{version}, supported"),
        (Some(version), Support::Warned) => format!("{version}, usable with limits"),
        (Some(version), Support::Refused) => format!("{version}, too old"),
    };
    page.row("  version", &word);
    page.row("  found by", &found.source);
    if let Some(warning) = &found.warning {
        page.paragraph("  note", warning);
    }
    if version.is_none() || known.support() == Support::Refused {
        return;
    }
    let lacks: Vec<_> = known.lacks().collect();
    if lacks.is_empty() {
        page.row("  can", "everything that this program knows of");
    } else {
        let can: Vec<_> = known.has_of_table().map(|row| row.means).collect();
        page.paragraph("  can", &can.join("; "));
        let mut name = "  cannot";
        for row in lacks {
            page.pair(name, row.means, &format!("since {}", row.since));
            name = "";
        }
    }
    page.row(
        "  requests",
        &format!(
            "{} of {} control requests",
            known.requests().len(),
            abilities::request_count()
        ),
    );
}

/// What this program knows, whatever CLI there is.
fn protocol() -> String {
    let table = kandev_wire::protocol();
    format!(
        "{} kinds of messages, {} control requests to the CLI and {} from it, {} hook events; as of {}",
        table.messages.len(),
        table.to_cli.len(),
        table.from_cli.len(),
        table.hook_events.len(),
        abilities::newest_known()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use kandev_session::CliTried;

    use super::*;

    fn of_version(version: Option<&str>) -> CliReport {
        CliReport {
            found: Some(CliFound {
                path: "/a/claude".to_owned(),
                version: version.map(str::to_owned),
                source: "PATH".to_owned(),
                warning: None,
            }),
            ..CliReport::default()
        }
    }

    #[test]
    fn a_missing_cli_is_told_with_every_place_and_what_to_do() {
        let tried = CliTried {
            path: "/a/claude".to_owned(),
            source: "PATH".to_owned(),
            outcome: "not there".to_owned(),
        };
        let report = CliReport {
            tried: vec![tried],
            problem: Some("Not found.".to_owned()),
            next_step: Some("Install it.".to_owned()),
            ..CliReport::default()
        };
        let text = text(&report, &[]);
        for words in [
            "not found",
            "/a/claude (PATH): not there",
            "Problem      Not found.",
            "Next         Install it.",
        ] {
            assert!(text.contains(words), "{words} is missing in\n{text}");
        }
    }

    #[test]
    fn a_login_is_told_by_the_name_of_its_variable_alone() {
        let text = text(&of_version(Some("2.1.332")), &["ANTHROPIC_API_KEY"]);
        assert!(
            text.contains("by ANTHROPIC_API_KEY, which is set"),
            "{text}"
        );
        assert!(text.contains("a session can start"), "{text}");
    }

    #[test]
    fn what_the_found_version_can_and_cannot_do_is_told() {
        let newest = text(&of_version(Some("2.1.332")), &[]);
        assert!(
            newest.contains("  version    2.1.332, supported\n"),
            "{newest}"
        );
        assert!(newest.contains("  can        everything that this program knows of\n"));
        assert!(!newest.contains("cannot"), "{newest}");

        let old = text(&of_version(Some("2.1.0")), &[]);
        assert!(
            old.contains("  version    2.1.0, usable with limits\n"),
            "{old}"
        );
        let lack = old
            .lines()
            .find(|line| line.contains("the policy autonomous"))
            .unwrap();
        assert!(lack.ends_with("since 2.1.88"), "{lack}");
        assert!(old.contains("questions with choices"), "{old}");
        assert_ne!(
            newest.lines().find(|line| line.contains("requests")),
            old.lines().find(|line| line.contains("requests"))
        );

        let refused = text(&of_version(Some("2.0.59")), &[]);
        assert!(refused.contains("2.0.59, too old") && !refused.contains("cannot"));
        let unknown = text(&of_version(None), &[]);
        assert!(unknown.contains("unknown, taken for the newest"));
        let newer = text(&of_version(Some("9.0.0")), &[]);
        assert!(newer.contains("9.0.0, newer than 2.1.332"), "{newer}");
    }

    #[test]
    fn the_protocol_is_summed_up_whatever_was_found() {
        let text = text(&CliReport::default(), &[]);
        let line = text
            .lines()
            .find(|line| line.starts_with("Protocol"))
            .unwrap();
        let table = kandev_wire::protocol();
        for count in [
            table.messages.len(),
            table.to_cli.len(),
            table.hook_events.len(),
        ] {
            assert!(line.contains(&format!(" {count} ")), "{count} in {line}");
        }
        assert!(line.ends_with("as of 2.1.332"), "{line}");
    }

    #[test]
    fn the_second_column_stands_straight() {
        for version in ["2.1.332", "2.1.0"] {
            let text = text(&of_version(Some(version)), &[]);
            for line in text.lines() {
                let (name, value) = line.split_at_checked(13).unwrap_or((line, ""));
                assert!(value.is_empty() || name.ends_with(' '), "{line:?}");
                assert!(!value.starts_with(' '), "{line:?}");
            }
        }
    }
}
