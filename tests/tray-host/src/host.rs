//! The panel: who registers, what its menu says, and a click on it.

use std::collections::HashMap;
use std::io::BufRead as _;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::json;
use zbus::blocking::{Connection, Proxy, connection};
use zbus::interface;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Structure, Value};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";
const WITHIN: Duration = Duration::from_secs(15);

/// An icon: whose connection, and where on it.
struct Icon {
    owner: String,
    path: String,
}

struct Watcher {
    icons: Sender<Icon>,
    shown: bool,
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    /// The service is a path, or a name whose icon is at the usual place.
    fn register_status_notifier_item(&self, #[zbus(header)] header: Header<'_>, service: &str) {
        let (owner, path) = if service.starts_with('/') {
            let owner = header.sender().map(ToString::to_string).unwrap_or_default();
            (owner, service.to_owned())
        } else {
            (service.to_owned(), "/StatusNotifierItem".to_owned())
        };
        // Nobody listens any more when the program ends.
        let _ = self.icons.send(Icon { owner, path });
    }

    fn register_status_notifier_host(&self, _service: &str) {}

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        self.shown
    }

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }

    #[zbus(signal)]
    async fn status_notifier_host_registered(emitter: &SignalEmitter<'_>) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn status_notifier_host_unregistered(emitter: &SignalEmitter<'_>) -> zbus::Result<()>;
}

struct Item {
    id: i32,
    label: String,
    enabled: bool,
}

type Node = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

pub fn run() -> anyhow::Result<()> {
    let (icons, registered) = mpsc::channel();
    let watcher = Watcher { icons, shown: true };
    let connection = connection::Builder::session()?
        .serve_at(PATH, watcher)?
        .name(WATCHER)?
        .build()?;
    println!("ready");
    let mut newest = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("menu", _) => {
                let items = items(&connection, icon(&registered, &mut newest)?)?;
                let said: Vec<_> = items
                    .iter()
                    .map(|item| json!({"label": item.label, "enabled": item.enabled}))
                    .collect();
                println!("{}", json!(said));
            }
            ("click", label) => {
                click(&connection, icon(&registered, &mut newest)?, label)?;
                println!("clicked");
            }
            ("hide", _) => show(&connection, false)?,
            ("show", _) => show(&connection, true)?,
            _ => bail!("neither menu, click, hide nor show: {line}"),
        }
    }
    Ok(())
}

/// The icon that was registered last; waits for the first.
fn icon<'a>(registered: &Receiver<Icon>, newest: &'a mut Option<Icon>) -> anyhow::Result<&'a Icon> {
    if newest.is_none() {
        *newest = Some(
            registered
                .recv_timeout(WITHIN)
                .context("there is no icon")?,
        );
    }
    while let Ok(icon) = registered.try_recv() {
        *newest = Some(icon);
    }
    newest.as_ref().context("there is no icon")
}

fn show(connection: &Connection, shown: bool) -> anyhow::Result<()> {
    let watcher = connection.object_server().interface::<_, Watcher>(PATH)?;
    watcher.get_mut().shown = shown;
    let emitter = watcher.signal_emitter();
    zbus::block_on(async {
        if shown {
            Watcher::status_notifier_host_registered(emitter).await
        } else {
            Watcher::status_notifier_host_unregistered(emitter).await
        }
    })?;
    println!("{}", if shown { "shown" } else { "hidden" });
    Ok(())
}

fn menu(connection: &Connection, icon: &Icon) -> anyhow::Result<Proxy<'static>> {
    let item = Proxy::new(connection, icon.owner.as_str(), icon.path.as_str(), ITEM)?;
    let path: OwnedObjectPath = item.get_property("Menu")?;
    Ok(Proxy::new(connection, icon.owner.clone(), path, MENU)?)
}

fn items(connection: &Connection, icon: &Icon) -> anyhow::Result<Vec<Item>> {
    let menu = menu(connection, icon)?;
    let names: Vec<&str> = Vec::new();
    let (_, (_, _, children)): (u32, Node) = menu.call("GetLayout", &(0, -1, names))?;
    let items = children
        .into_iter()
        .map(item)
        .collect::<anyhow::Result<Vec<_>>>()?;
    Ok(items.into_iter().flatten().collect())
}

/// `None`: a line between items.
fn item(child: OwnedValue) -> anyhow::Result<Option<Item>> {
    let (id, properties, _): Node = Structure::try_from(Value::from(child))?.try_into()?;
    let Some(label) = properties.get("label") else {
        return Ok(None);
    };
    Ok(Some(Item {
        id,
        label: label.try_clone()?.try_into()?,
        // Only what differs from the usual is told.
        enabled: match properties.get("enabled") {
            Some(enabled) => enabled.try_into()?,
            None => true,
        },
    }))
}

fn click(connection: &Connection, icon: &Icon, label: &str) -> anyhow::Result<()> {
    let item = items(connection, icon)?
        .into_iter()
        .find(|item| item.label == label)
        .with_context(|| format!("the menu has no {label}"))?;
    let nothing = Value::from(0);
    menu(connection, icon)?.call::<_, _, ()>("Event", &(item.id, "clicked", nothing, 0_u32))?;
    Ok(())
}
