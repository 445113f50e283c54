//! `kandev doctor`: which CLI a session would get, where it was looked for, what is missing and what to do next.

use std::path::{PathBuf, absolute};
use std::process::ExitCode;

use anyhow::Result;
use kandev_session::{CliReport, cli_report};
use kandev_transport::{Guard, Search};

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
    let mut page = String::new();
    let mut row = |name: &str, value: &str| page.push_str(&format!("{name:<13}{value}\n"));
    match &report.found {
        Some(found) => {
            row("Claude Code", &found.path);
            row("  version", found.version.as_deref().unwrap_or("unknown"));
            row("  found by", &found.source);
            if let Some(warning) = &found.warning {
                row("  note", warning);
            }
        }
        None => row("Claude Code", "not found"),
    }
    let login = match logins {
        [] => "unknown until a session asks; `/login` in a terminal `claude` signs in".to_owned(),
        names => format!(
            "by {}, which is set; whether it is accepted shows in a session",
            names.join(" and ")
        ),
    };
    row("Login", &login);
    row(
        "Node.js",
        report
            .node
            .as_deref()
            .unwrap_or("not found; only a CLI that is a script needs it"),
    );
    row(
        "git",
        report
            .git
            .as_deref()
            .unwrap_or("not found; changes that are not committed go unnoticed"),
    );
    row("PATH used", &report.path_used);
    row("Looked at", "");
    for tried in &report.tried {
        row(
            "",
            &format!("{} ({}): {}", tried.path, tried.source, tried.outcome),
        );
    }
    match (&report.problem, &report.next_step) {
        (Some(problem), next_step) => {
            row("Problem", problem);
            row(
                "Next",
                next_step
                    .as_deref()
                    .unwrap_or("Choose another file with --cli."),
            );
        }
        (None, _) => row("Next", "nothing: a session can start"),
    }
    page
}

#[cfg(test)]
mod tests {
    use kandev_session::{CliFound, CliTried};

    use super::*;

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
        let found = CliFound {
            path: "/a/claude".to_owned(),
            version: Some("2.1.332".to_owned()),
            source: "PATH".to_owned(),
            warning: None,
        };
        let report = CliReport {
            found: Some(found),
            ..CliReport::default()
        };
        let text = text(&report, &["ANTHROPIC_API_KEY"]);
        assert!(
            text.contains("by ANTHROPIC_API_KEY, which is set"),
            "{text}"
        );
        assert!(text.contains("a session can start"), "{text}");
    }
}
