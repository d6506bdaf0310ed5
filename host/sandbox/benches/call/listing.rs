//! Listing a project of many files.

use crate::node_server::NodeServer;
use crate::rows::{Fenced, Spawned};
use crate::sample::Sample;
use ringfence_sandbox::{DirGrant, Grants, Masks, Outcome};
use serde_json::json;
use std::fs;
use std::path::Path;

pub(crate) const FOLDERS: usize = 50;
pub(crate) const FILES: usize = 50_000;

/// Of the ways that are compared, those that a promise is about.
pub(crate) struct Listed {
    /// Native code that asks every file for its size.
    pub(crate) walked: Sample,
    /// The standard tool.
    pub(crate) fenced: Sample,
}

pub(crate) fn rows(calls: &Fenced) -> Listed {
    let project = tempfile::tempdir().unwrap();
    for folder in 0..FOLDERS {
        let folder = project.path().join(format!("folder_{folder:02}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..FILES / FOLDERS {
            fs::write(folder.join(format!("file_{file:04}.txt")), "x").unwrap();
        }
    }
    let walked = Sample::of(20, || assert_eq!(walk(project.path()), FILES + FOLDERS));
    walked.print("native: names, kinds and sizes", None);

    let fenced = |grants: &Grants| {
        let tree = calls.on(project.path(), grants);
        Sample::of(20, || {
            let report = calls.call("list_files", json!({"recursive": true}), &tree);
            let Outcome::Done(listing) = report.outcome else { panic!("{report:?}") };
            assert_eq!(listing["total"], json!(FILES + FOLDERS));
        })
    };
    let masked = fenced(&Grants::whole_project());
    masked.print("list_files: counts all, shows the first thousand", Some(&walked));
    let whole = Grants::whole_project();
    let bare = |dir: DirGrant| DirGrant { masks: Masks { defaults: false, patterns: Vec::new() }, ..dir };
    let unmasked = fenced(&Grants { dirs: whole.dirs.clone().into_iter().map(bare).collect(), ..whole });
    unmasked.print("  the same, nothing masked by default", Some(&walked));

    let find = Spawned::new("find", &[project.path().as_os_str(), "-printf".as_ref(), "%p %s".as_ref()]);
    let _ = find.sample(20, "spawned: find, with sizes", &masked);
    if let Some(mut server) = NodeServer::start(project.path()) {
        let sample = Sample::of(5, || server.tree());
        sample.print("Node's MCP filesystem server: directory_tree", Some(&masked));
    }
    Listed { walked, fenced: masked }
}

fn walk(folder: &Path) -> usize {
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        seen += 1;
        if metadata.is_dir() {
            seen += walk(&entry.path());
        }
        std::hint::black_box(metadata.len());
    }
    seen
}
