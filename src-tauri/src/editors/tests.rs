#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;

use kandev_transport::Os;

use super::arguments::arguments;
use super::finding::{more, there};
use super::known::{Form, KNOWN};
use super::terminals::{TERMINALS, Terminal};
use super::*;

/// A desktop that keeps what was asked of it.
#[derive(Clone, Default)]
pub(crate) struct Seen(pub(crate) Arc<Mutex<Vec<String>>>);

impl Seen {
    fn note(&self, what: &str, file: &Path) -> Result<(), String> {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        self.0.lock().unwrap().push(format!("{what} {name}"));
        Ok(())
    }
}

impl System for Seen {
    fn open(&self, file: &Path) -> Result<(), String> {
        self.note("open", file)
    }
    fn reveal(&self, file: &Path) -> Result<(), String> {
        self.note("reveal", file)
    }
}

fn machine(os: Os, path: &Path) -> Machine {
    Machine {
        os,
        path: path.as_os_str().to_owned(),
        more: Vec::new(),
        variables: BTreeMap::new(),
        applications: Vec::new(),
    }
}

#[cfg(unix)]
fn program(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(folder).unwrap();
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
struct Desk {
    home: tempfile::TempDir,
    seen: Seen,
}

#[cfg(unix)]
impl Desk {
    fn new() -> Self {
        let desk = Self {
            home: tempfile::tempdir().unwrap(),
            seen: Seen::default(),
        };
        std::fs::create_dir(desk.bin()).unwrap();
        desk
    }

    fn bin(&self) -> PathBuf {
        self.home.path().join("bin")
    }

    /// Of a Linux machine, without the folders that every machine has.
    fn machine(&self) -> Machine {
        machine(Os::Linux, &self.bin())
    }

    fn has(&self, name: &str) {
        let told = self.home.path().join("told");
        let script = format!("printf '%s\\n' \"{name}\" \"$@\" > '{}'", told.display());
        program(&self.bin(), name, &script);
    }

    fn told(&self) -> Vec<String> {
        let told = std::fs::read_to_string(self.home.path().join("told")).unwrap();
        told.lines().map(str::to_owned).collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        let file = self.home.path().join(name);
        std::fs::write(&file, "words").unwrap();
        file
    }

    async fn open(&self, file: &Path, choice: Choice<'_>) -> Result<String, String> {
        let at = At {
            file,
            line: Some(7),
            column: Some(2),
        };
        let system = Arc::new(self.seen.clone());
        open(Arc::new(self.machine()), &system, at, choice).await
    }

    fn ids(&self) -> BTreeSet<String> {
        let found = found(&self.machine());
        found.into_iter().map(|editor| editor.id).collect()
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_editor_gets_the_place_as_arguments_whatever_the_name_holds() {
    let desk = Desk::new();
    desk.has("zed");
    let file = desk.file("a b;$(touch hit)'\".txt");
    let said = desk.open(&file, Choice::default()).await.unwrap();
    assert_eq!(said, "in Zed");
    assert_eq!(
        desk.told(),
        ["zed".to_owned(), format!("{}:7:2", file.display())]
    );
    assert!(!desk.home.path().join("hit").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn the_asked_one_is_taken_then_the_one_of_the_settings_then_the_first() {
    let desk = Desk::new();
    for name in ["code", "zed", "subl"] {
        desk.has(name);
    }
    let file = desk.file("a.txt");
    let first = |choice| {
        let (desk, file) = (&desk, &file);
        async move {
            desk.open(file, choice)
                .await
                .map(|_| desk.told()[0].clone())
        }
    };
    let choice = |only, rather| Choice { only, rather };
    assert_eq!(first(choice(None, None)).await.unwrap(), "code");
    assert_eq!(first(choice(None, Some("sublime"))).await.unwrap(), "subl");
    assert_eq!(
        first(choice(Some("zed"), Some("sublime"))).await.unwrap(),
        "zed"
    );
    assert_eq!(first(choice(None, Some("helix"))).await.unwrap(), "code");
    let error = first(choice(Some("idea"), None)).await.unwrap_err();
    assert!(
        error.contains("IntelliJ IDEA is not on this machine"),
        "{error}"
    );
    let error = first(choice(Some("../../bin/sh"), None)).await.unwrap_err();
    assert!(error.contains("not on this machine"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn an_editor_without_a_window_is_listed_and_opened_where_there_is_a_terminal() {
    let desk = Desk::new();
    desk.has("nvim");
    desk.has("hx");
    let terminals = BTreeSet::from(["helix".to_owned(), "neovim".to_owned()]);
    assert!(desk.ids().is_disjoint(&terminals));
    desk.has("konsole");
    assert!(desk.ids().is_superset(&terminals));
    let listed = found(&desk.machine());
    assert!(
        listed
            .iter()
            .all(|editor| editor.terminal == terminals.contains(&editor.id) || editor.id == "vim")
    );
    let file = desk.file("a b.txt");
    desk.open(
        &file,
        Choice {
            only: Some("neovim"),
            rather: None,
        },
    )
    .await
    .unwrap();
    let nvim = desk.bin().join("nvim");
    let want = [
        "konsole",
        "-e",
        nvim.to_str().unwrap(),
        "+call cursor(7,2)",
        file.to_str().unwrap(),
    ];
    assert_eq!(desk.told(), want);
}

#[cfg(unix)]
#[tokio::test]
async fn one_that_fails_at_once_is_told_and_one_of_the_current_folder_is_never_run() {
    let desk = Desk::new();
    program(&desk.bin(), "subl", "exit 3");
    let mut machine = desk.machine();
    machine.path = OsString::from(format!(".::{}", desk.bin().display()));
    let file = desk.file("a.txt");
    let at = At {
        file: &file,
        line: None,
        column: None,
    };
    let choice = Choice {
        only: Some("sublime"),
        rather: None,
    };
    let error = open(Arc::new(machine), &Arc::new(desk.seen.clone()), at, choice)
        .await
        .unwrap_err();
    assert!(error.contains("subl") && error.contains('3'), "{error}");
}

#[cfg(unix)]
#[test]
fn the_scripts_of_the_toolbox_are_found() {
    let desk = Desk::new();
    let home = desk.home.path();
    for (os, folder) in [
        (Os::Linux, ".local/share/JetBrains/Toolbox/scripts"),
        (
            Os::MacOs,
            "Library/Application Support/JetBrains/Toolbox/scripts",
        ),
    ] {
        let mut machine = machine(os, Path::new(""));
        machine.more = more(os, Some(home));
        machine.more.retain(|folder| folder.starts_with(home));
        let rider = |machine: &Machine| found(machine).iter().any(|editor| editor.id == "rider");
        assert!(!rider(&machine));
        program(&home.join(folder), "rider", "");
        assert!(rider(&machine), "{folder}");
    }
}

#[cfg(unix)]
#[test]
fn bundles_are_found_with_what_they_have_more_to_their_names() {
    let desk = Desk::new();
    let mut machine = machine(Os::MacOs, Path::new(""));
    machine.applications = vec![desk.home.path().to_owned()];
    let has = |machine: &Machine, id: &str| found(machine).iter().any(|editor| editor.id == id);
    assert!(!has(&machine, "idea") && !has(&machine, "vscode"));
    program(
        &desk.home.path().join("IntelliJ IDEA CE.app/Contents/MacOS"),
        "idea",
        "",
    );
    let code = "Visual Studio Code.app/Contents/Resources/app/bin";
    program(&desk.home.path().join(code), "code", "");
    assert!(has(&machine, "idea") && has(&machine, "vscode"));
}

#[test]
fn on_windows_the_usual_places_are_named_by_their_variables() {
    let mut machine = machine(Os::Windows, Path::new(""));
    let set = |machine: &mut Machine, name: &str, value: &str| {
        machine.variables.insert(name.to_owned(), value.to_owned());
    };
    let known = |id: &str| KNOWN.iter().find(|known| known.id == id).unwrap();
    assert_eq!(machine.places(known("vscode")), [""; 0]);
    set(&mut machine, "LOCALAPPDATA", r"C:\Users\p\AppData\Local");
    set(&mut machine, "ProgramFiles", r"C:\Program Files");
    assert_eq!(
        machine.places(known("vscode")),
        [
            r"C:\Users\p\AppData\Local\Programs\Microsoft VS Code\Code.exe",
            r"C:\Program Files\Microsoft VS Code\Code.exe"
        ]
    );
    assert_eq!(
        machine.places(known("idea"))[1],
        r"C:\Program Files\JetBrains\IntelliJ IDEA*\bin\idea64.exe"
    );
    assert_eq!(
        machine.places(known("vim")),
        [r"C:\Program Files\Vim\vim*\vim.exe"]
    );
}

#[test]
fn of_several_versions_the_last_is_taken() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().to_str().unwrap().to_owned();
    for name in [
        "IDEA 2023.1",
        "IDEA 2024.2",
        "IDEA 2025 broken",
        "Other 2026",
    ] {
        std::fs::create_dir_all(home.path().join(name).join("bin")).unwrap();
    }
    for name in ["IDEA 2023.1", "IDEA 2024.2", "Other 2026"] {
        std::fs::write(home.path().join(name).join("bin/x"), "").unwrap();
    }
    let found = there(&format!("{root}/IDEA*/bin/x")).unwrap();
    assert_eq!(found, home.path().join("IDEA 2024.2/bin/x"));
    assert_eq!(there(&format!("{root}/IDEA*.app/bin/x")), None);
    assert_eq!(there(&format!("{root}/none/IDEA*/bin/x")), None);
}

#[test]
fn each_form_tells_the_place_or_leaves_it_out() {
    let words = |form, file: &str, line, column| {
        let file = Path::new(file);
        let all = arguments(form, At { file, line, column });
        all.join(std::ffi::OsStr::new(" ")).into_string().unwrap()
    };
    let file = "/project/a.rs";
    assert_eq!(
        words(Form::Goto, file, Some(3), None),
        "--goto /project/a.rs:3"
    );
    assert_eq!(words(Form::Colons, file, None, Some(9)), "/project/a.rs");
    assert_eq!(words(Form::Colons, "/a:7", None, None), "/a:7:1");
    assert_eq!(
        words(Form::Options, file, Some(3), Some(9)),
        "--line 3 --column 9 /project/a.rs"
    );
    assert_eq!(words(Form::Options, file, None, None), "/project/a.rs");
    assert_eq!(
        words(Form::Cursor, file, Some(3), Some(9)),
        "+call cursor(3,9) /project/a.rs"
    );
    assert_eq!(words(Form::Cursor, file, Some(3), None), "+3 /project/a.rs");
    assert_eq!(words(Form::Cursor, file, None, None), "/project/a.rs");
}

#[test]
fn every_terminal_gets_the_program_and_its_arguments_one_by_one() {
    let around = |terminal: &Terminal| {
        let arguments = vec![OsString::from("+1"), OsString::from("/a b;c")];
        terminal.around(Path::new("/bin/vim"), arguments)
    };
    for (name, before) in TERMINALS {
        let (program, arguments) = around(&Terminal::Program(PathBuf::from(name), before));
        assert_eq!(program, Path::new(name));
        let (head, tail) = arguments.split_at(before.len());
        assert_eq!(head, before.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(tail, ["/bin/vim", "+1", "/a b;c"]);
    }
    let (program, arguments) = around(&Terminal::AppleScript);
    assert_eq!(program, Path::new("/usr/bin/osascript"));
    assert_eq!(arguments[2..], ["/bin/vim", "+1", "/a b;c"]);
    assert!(arguments[1].to_str().unwrap().contains("quoted form of"));
    let (program, arguments) = around(&Terminal::Console);
    assert_eq!(
        (program.as_path(), arguments.len()),
        (Path::new("/bin/vim"), 2)
    );
}

#[test]
fn ids_are_unique_and_what_needs_a_terminal_comes_last() {
    let ids: BTreeSet<_> = KNOWN.iter().map(|known| known.id).collect();
    assert_eq!(ids.len(), KNOWN.len());
    assert!(KNOWN.is_sorted_by_key(|known| known.terminal));
}

#[tokio::test]
async fn without_an_editor_the_systems_program_opens_it_and_nothing_is_run() {
    let home = tempfile::tempdir().unwrap();
    let seen = Seen::default();
    for name in ["notes.txt", "run.sh"] {
        let file = home.path().join(name);
        std::fs::write(&file, "words").unwrap();
        with_the_system(&Arc::new(seen.clone()), &file)
            .await
            .unwrap();
    }
    assert_eq!(*seen.0.lock().unwrap(), ["open notes.txt", "reveal run.sh"]);
}
