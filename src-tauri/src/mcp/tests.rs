#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::*;
use crate::secrets::tests::Pretend;

const SECRET: &str = "s3cret-value";

struct Desk {
    keyring: Arc<Pretend>,
    mcp: Mcp,
    written: Arc<Mutex<Vec<String>>>,
    _home: tempfile::TempDir,
}

fn desk() -> Desk {
    let home = tempfile::tempdir().unwrap();
    let keyring = Arc::<Pretend>::default();
    let secrets = Secrets::new(Arc::clone(&keyring) as _, home.path());
    let written = Arc::<Mutex<Vec<String>>>::default();
    let file = Arc::clone(&written);
    let persist = move |servers: &[McpServer]| {
        file.lock()
            .unwrap()
            .push(serde_json::to_string(servers).unwrap());
        Ok(())
    };
    Desk {
        keyring,
        mcp: Mcp::new(Vec::new(), secrets, Box::new(persist)),
        written,
        _home: home,
    }
}

fn entry(name: &str, value: Option<&str>, secret: bool) -> McpEntry {
    McpEntry {
        name: name.to_owned(),
        value: value.map(str::to_owned),
        secret,
    }
}

fn stdio(name: &str, command: &str, env: Vec<McpEntry>) -> McpServer {
    McpServer {
        name: name.to_owned(),
        enabled: true,
        transport: McpTransport::Stdio {
            command: command.to_owned(),
            args: vec!["--verbose".to_owned()],
            env,
        },
    }
}

fn http(name: &str, url: &str, headers: Vec<McpEntry>) -> McpServer {
    McpServer {
        name: name.to_owned(),
        enabled: true,
        transport: McpTransport::Http {
            url: url.to_owned(),
            headers,
        },
    }
}

fn lab(value: Option<&str>) -> McpServer {
    let env = vec![
        entry("TOKEN", value, true),
        entry("LEVEL", Some("debug"), false),
    ];
    stdio("lab", "serve", env)
}

fn refused<T: fmt::Debug>(outcome: Result<T, CommandError>) -> String {
    let error = outcome.unwrap_err();
    assert_eq!(error.code, "bad_mcp_server");
    error.message
}

#[tokio::test]
async fn a_secret_goes_to_the_keyring_and_never_comes_back_to_the_page() {
    let desk = desk();
    let saved = desk.mcp.save(vec![lab(Some(SECRET))]).await.unwrap();
    assert_eq!(saved.servers, [lab(None)]);
    assert_eq!(saved.secrets_in, SecretsIn::Keyring);
    assert_eq!(saved.warning, None);
    let everything = format!(
        "{:?} {} {:?} {:?}",
        saved,
        serde_json::to_string(&saved).unwrap(),
        desk.written.lock().unwrap(),
        lab(Some(SECRET)),
    );
    assert!(!everything.contains(SECRET), "{everything}");
    assert!(everything.contains("debug"), "{everything}");
    let read = desk.mcp.read().await;
    assert_eq!(
        read.servers["lab"],
        json!({ "type": "stdio", "command": "serve", "args": ["--verbose"],
            "env": { "TOKEN": SECRET, "LEVEL": "debug" } })
    );
}

#[tokio::test]
async fn a_secret_without_a_value_is_kept_and_one_that_is_named_no_more_is_forgotten() {
    let desk = desk();
    let web = |value| {
        http(
            "web",
            "https://example.org/mcp",
            vec![entry("Authorization", value, true)],
        )
    };
    desk.mcp
        .save(vec![lab(Some(SECRET)), web(Some("b"))])
        .await
        .unwrap();
    let mut off = lab(None);
    off.enabled = false;
    desk.mcp
        .save(vec![off.clone(), web(Some("c"))])
        .await
        .unwrap();
    let kept: Vec<_> = desk
        .keyring
        .kept
        .lock()
        .unwrap()
        .values()
        .cloned()
        .collect();
    assert_eq!(kept, [SECRET, "c"]);
    let read = desk.mcp.read().await;
    assert_eq!(read.servers.keys().collect::<Vec<_>>(), ["web"]);
    assert_eq!(read.servers["web"]["headers"]["Authorization"], "c");
    desk.mcp.save(vec![web(None)]).await.unwrap();
    assert_eq!(desk.keyring.kept.lock().unwrap().len(), 1);
    desk.mcp.save(Vec::new()).await.unwrap();
    assert!(desk.keyring.kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_secret_does_not_follow_a_new_name_or_become_readable() {
    let desk = desk();
    desk.mcp.save(vec![lab(Some(SECRET))]).await.unwrap();
    let mut renamed = lab(None);
    renamed.name = "other".to_owned();
    let mut readable = lab(None);
    readable.transport.entries_mut()[0].secret = false;
    for changed in [renamed, readable] {
        let sentence = refused(desk.mcp.save(vec![changed]).await);
        assert!(sentence.contains("TOKEN"), "{sentence}");
    }
    assert_eq!(desk.mcp.list(), [lab(None)]);
}

#[tokio::test]
async fn without_a_keyring_the_page_is_warned_and_a_lost_secret_leaves_its_server_out() {
    let desk = desk();
    desk.keyring.gone.store(true, Ordering::Relaxed);
    let saved = desk.mcp.save(vec![lab(Some(SECRET))]).await.unwrap();
    assert_eq!(saved.secrets_in, SecretsIn::File);
    assert!(saved.warning.unwrap().contains("unencrypted"));
    assert_eq!(desk.mcp.read().await.servers["lab"]["env"]["TOKEN"], SECRET);

    desk.keyring.gone.store(false, Ordering::Relaxed);
    let plain = stdio("plain", "/bin/serve", Vec::new());
    desk.mcp.save(vec![lab(None), plain]).await.unwrap();
    desk.keyring.kept.lock().unwrap().clear();
    let read = desk.mcp.read().await;
    assert_eq!(read.servers.keys().collect::<Vec<_>>(), ["plain"]);
    assert!(read.left_out[0].contains("lab"), "{:?}", read.left_out);
}

#[test]
fn names_are_plain_and_unique_and_none_is_ours() {
    let ok = |names: &[&str]| {
        let list: Vec<_> = names
            .iter()
            .map(|name| stdio(name, "serve", Vec::new()))
            .collect();
        check::servers(&list)
    };
    assert_eq!(ok(&["a", "A", "with_all-kinds0", &"x".repeat(64)]), Ok(()));
    for name in [
        "",
        "a b",
        "a.b",
        "é",
        "a/b",
        "kandev",
        "Kandev",
        &"x".repeat(65),
    ] {
        refused(ok(&[name]));
    }
    assert!(refused(ok(&["a", "a"])).contains("two servers named a"));
}

#[test]
fn a_command_does_not_depend_on_the_folder_that_is_open() {
    let ok = |command| check::servers(&[stdio("lab", command, Vec::new())]);
    let absolute = std::env::current_exe().unwrap();
    for command in ["npx", "node", "mcp-server.v2", absolute.to_str().unwrap()] {
        assert_eq!(ok(command), Ok(()), "{command}");
    }
    for command in [
        "",
        " ",
        ".",
        "..",
        "./serve",
        "bin/serve",
        "../serve",
        "~/serve",
        r"bin\serve",
        "C:serve",
        "-rf",
        "a\0b",
        " npx",
    ] {
        refused(ok(command));
    }
}

#[test]
fn addresses_are_of_the_web_and_hold_no_password() {
    let ok = |url| check::servers(&[http("web", url, Vec::new())]);
    for url in ["https://example.org/mcp?x=1", "http://127.0.0.1:8080/"] {
        assert_eq!(ok(url), Ok(()), "{url}");
    }
    for url in [
        "",
        "example.org",
        "file:///etc/passwd",
        "ws://example.org",
        "javascript:1",
        "https://",
        "https://user:pass@example.org/",
        "https://token@example.org/",
    ] {
        let sentence = refused(ok(url));
        assert!(!sentence.contains("pass@"), "{sentence}");
    }
}

#[test]
fn entries_have_names_that_can_be_passed_on_and_each_once() {
    let env = |name: &str, value: &str| {
        check::servers(&[stdio("lab", "serve", vec![entry(name, Some(value), false)])])
    };
    let header = |name: &str, value: &str| {
        check::servers(&[http(
            "web",
            "https://a.b",
            vec![entry(name, Some(value), false)],
        )])
    };
    assert_eq!(env("_A1", "any\nthing"), Ok(()));
    assert_eq!(header("X-Api-Key", "value"), Ok(()));
    for name in ["", "1A", "A=B", "A B", "A-B", "É"] {
        refused(env(name, "x"));
    }
    for name in ["", "A B", "A:", "A\r\nB", "É"] {
        refused(header(name, "x"));
    }
    assert!(!refused(env("A", "s3cret\0")).contains("s3cret"));
    assert!(!refused(header("A", "s3cret\r\nB: c")).contains("s3cret"));
    let twice = vec![entry("A", Some("1"), false), entry("A", Some("2"), false)];
    refused(check::servers(&[stdio("lab", "serve", twice)]));
    let twice = vec![entry("A", Some("1"), false), entry("a", Some("2"), false)];
    refused(check::servers(&[http("web", "https://a.b", twice)]));
}

#[test]
fn a_list_that_cannot_be_read_costs_only_what_is_odd_and_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("mcp.json");
    assert_eq!(load(&path), (Vec::new(), None));
    let good = serde_json::to_value(lab(None)).unwrap();
    let file = json!({ "servers": [good, { "name": "half" }, 7, good] });
    std::fs::write(&path, file.to_string()).unwrap();
    let (servers, problem) = load(&path);
    assert_eq!(servers, [lab(None)]);
    assert!(problem.unwrap().contains("3 of the entries"));
    assert!(home.path().join("mcp.json.bad").exists());
    for garbage in ["", "{", "[]", "{\"servers\": 1}"] {
        std::fs::write(&path, garbage).unwrap();
        let (servers, problem) = load(&path);
        assert!(servers.is_empty() && problem.is_some(), "{garbage:?}");
    }
}

#[tokio::test]
async fn the_status_has_no_configuration_and_no_secret_in_its_errors() {
    let desk = desk();
    desk.mcp
        .save(vec![lab(Some(SECRET)), stdio("later", "serve", Vec::new())])
        .await
        .unwrap();
    desk.mcp.read().await;
    let told = json!({ "mcpServers": [
        { "name": "lab", "status": "failed", "error": format!("exit 1: bad token {SECRET}"),
          "config": { "type": "stdio", "env": { "TOKEN": SECRET } }, "transport": "stdio", "scope": "dynamic", "source": "dynamic" },
        { "name": "kandev", "status": "connected", "serverInfo": { "name": "kandev", "version": "0.1.0" },
          "tools": [{ "name": "notify_user", "annotations": {} }, {}] },
        {},
    ] });
    let list = status(serde_json::from_value(told).unwrap(), &desk.mcp);
    let shown = serde_json::to_string(&list).unwrap();
    assert!(!shown.contains(SECRET), "{shown}");
    let states: Vec<_> = list
        .iter()
        .map(|server| (server.name.as_str(), server.status.as_str()))
        .collect();
    assert_eq!(
        states,
        [
            ("lab", "failed"),
            ("kandev", "connected"),
            ("later", "not_started")
        ]
    );
    assert_eq!(list[0].error.as_deref(), Some("exit 1: bad token [secret]"));
    assert_eq!(list[1].version.as_deref(), Some("0.1.0"));
    assert_eq!(list[1].tools.len(), 1);
}

#[test]
fn a_file_in_which_nothing_was_ever_set_is_no_problem() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("mcp.json");
    std::fs::write(&path, "{}").unwrap();
    assert_eq!(load(&path), (Vec::new(), None));
    assert!(!home.path().join("mcp.json.bad").exists());
}
