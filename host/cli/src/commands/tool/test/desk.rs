//! Where a component is tested: a folder, and calls that see nothing else.
//!
//! Owns: the made-up project, and how a call is made in a test: reading only, no network, time and
//! chance made up, the usual bounds. Doesn't own: which calls are made.

use crate::exit::OrUsage;
use anyhow::{Context, Result};
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, CancellationToken, EgressContext, GrantedTree, Grants, Limits,
    ProjectDir, Sandbox, Tool,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The files of the made-up project.
const FILES: [(&str, &[u8]); 8] = [
    ("README.md", b"# A project\n\nIt was made up to test a tool.\n"),
    ("notes.txt", b"one two three\nfour five\n\nsix\n"),
    ("empty.txt", b""),
    ("picture.bin", b"\x89PNG\r\n\x1a\n\0\0\xff\xfe\x80"),
    ("data.json", b"{\"name\": \"x\", \"values\": [1, 2, 3]}\n"),
    ("src/main.rs", b"fn main() {\n    println!(\"hello\");\n}\n"),
    (".env", b"SECRET=not-to-be-seen\n"),
    ("中文/说明.txt", "你好，世界。\n".as_bytes()),
];

/// A folder to test on.
pub(super) struct Desk {
    tree: Arc<GrantedTree>,
    limits: Limits,
    /// Kept until the test's end, where the folder was made for it.
    _made_up: Option<TempDir>,
}

impl Desk {
    /// A folder of the user's, for reading.
    pub(super) fn on(folder: &Path, time: Option<Duration>) -> Result<Self> {
        Self::opened(folder, time, None)
    }

    /// A folder made up for the test.
    pub(super) fn made_up(time: Option<Duration>) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let made = || -> std::io::Result<()> {
            let project = folder.path().join("project");
            for (path, text) in FILES {
                let path = project.join(path);
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(path, text)?;
            }
            fs::write(folder.path().join("outside.txt"), "not part of the project\n")?;
            std::os::unix::fs::symlink("../outside.txt", project.join("outside-link"))
        };
        made().context("the made-up project can't be written")?;
        let project = folder.path().join("project");
        Self::opened(&project, time, Some(folder))
    }

    fn opened(folder: &Path, time: Option<Duration>, made_up: Option<TempDir>) -> Result<Self> {
        let mut grants = Grants { deterministic: true, ..Grants::whole_project() };
        if let Some(time) = time {
            grants.limits.time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        }
        let project = ProjectDir::open(folder).or_usage()?;
        let limits = grants.limits.clone();
        Ok(Self { tree: GrantedTree::open(&project, &grants).or_usage()?, limits, _made_up: made_up })
    }

    /// The bounds of every call.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Makes one call in a fresh instance.
    pub(super) async fn call(
        &self,
        sandbox: &Sandbox,
        tool: &Tool,
        input: Value,
        cancel: &CancellationToken,
    ) -> Result<CallReport, CallError> {
        let request = CallRequest {
            tool: tool.clone(),
            input,
            tree: self.tree.clone(),
            limits: self.limits.clone(),
            stage: None,
            known: Arc::default(),
            egress: EgressContext::default(),
            env: Arc::default(),
            cancel: cancel.clone(),
        };
        sandbox.call(request).await
    }
}
