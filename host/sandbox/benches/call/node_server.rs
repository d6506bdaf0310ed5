//! Node's MCP filesystem server, asked over its standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The server, ready to be asked. Dropped, it is killed.
pub(crate) struct NodeServer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    folder: String,
    asked: u64,
}

impl NodeServer {
    /// None, and a line that says so, where it isn't named.
    pub(crate) fn start(folder: &Path) -> Option<Self> {
        let Some(script) = std::env::var_os("RINGFENCE_NODE_SERVER") else {
            println!("Node's MCP filesystem server: not named in RINGFENCE_NODE_SERVER");
            return None;
        };
        let mut command = Command::new("node");
        command.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("node can be run");
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let folder = folder.canonicalize().unwrap().to_str().unwrap().to_owned();
        let mut server = Self { child, to, from, folder, asked: 0 };
        let client = json!({"name": "bench", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.ask("initialize", params);
        server.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        Some(server)
    }

    /// Reads a file of its folder.
    pub(crate) fn read(&mut self, name: &str) {
        let path = format!("{}/{name}", self.folder);
        self.call("read_text_file", json!({"path": path}), 4096);
    }

    /// Lists its whole folder.
    pub(crate) fn tree(&mut self) {
        let path = self.folder.clone();
        self.call("directory_tree", json!({"path": path}), 50_000);
    }

    /// Memory that it holds, in MiB.
    pub(crate) fn resident(&self) -> u64 {
        resident_of(&self.child.id().to_string())
    }

    fn call(&mut self, tool: &str, arguments: Value, least: usize) {
        let reply = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}"));
        assert!(reply["result"]["isError"] != true && text.len() >= least, "{reply}");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn send(&mut self, message: Value) {
        writeln!(self.to, "{message}").unwrap();
        self.to.flush().unwrap();
    }
}

impl Drop for NodeServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Memory that a process holds, in MiB.
pub(crate) fn resident_of(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
