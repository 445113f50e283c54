//! An MCP server over stdio, as small as one can be: it offers a tool `echo`, and writes the value of its variable `TOKEN`
//! into the file that its variable `PROOF` names, so that a test sees what arrived. Started with `fail` it ends at once.

use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("fail") {
        eprintln!("this server does not start");
        std::process::exit(3);
    }
    if let Some(proof) = std::env::var_os("PROOF") {
        std::fs::write(proof, std::env::var("TOKEN").unwrap_or_default())?;
    }
    let mut stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else {
            continue;
        };
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "stand-in", "version": "1.2.3" },
            }),
            "tools/list" => json!({ "tools": [{
                "name": "echo", "description": "Says it again",
                "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
            }] }),
            "tools/call" => json!({ "content": [{
                "type": "text", "text": message["params"]["arguments"]["text"],
            }] }),
            _ => json!({}),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}
