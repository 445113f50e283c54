//! Runs the scripted Messages API by hand: `kandev-messages-api SCRIPT.json [PORT]`; `examples/by-hand.json` is such a script. Point a CLI at it with
//! `ANTHROPIC_BASE_URL` and any `ANTHROPIC_API_KEY`.

use anyhow::Context;
use kandev_messages_api::{MessagesApi, Script};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let file = args
        .next()
        .context("usage: kandev-messages-api SCRIPT.json [PORT]")?;
    let port = args
        .next()
        .map_or(Ok(0), |port| port.parse())
        .context("the port is not a number")?;
    let text = std::fs::read_to_string(&file).with_context(|| file.clone())?;
    let script: Script = serde_json::from_str(&text).with_context(|| file.clone())?;
    let api = MessagesApi::start_at(script, port).await?;
    println!("{}", api.base_url());
    std::future::pending().await
}
