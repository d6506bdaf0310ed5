//! Files of each schema, kept as they were written.

use crate::sample::*;
use ringfence_engine::*;
use ringfence_store::{Entry, SCHEMA_VERSION, Store};
use serde_json::json;
use std::path::PathBuf;

fn fixture(version: i64) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.db"))
}

/// A run of three events that goes on, and one that came to its end.
fn fill(store: &Store) {
    let first = started("going");
    let call = tool_call(2);
    let executing = Stage::Executing { call: call.clone() };
    let wish = [Effect::CallTool(call)];
    let mut lease = store
        .create_run(
            &new_run("going"),
            &Entry { event: &first, intents: &wish, receipts: &[], stage: &executing },
        )
        .unwrap();
    let event = receipted(2, json!({"entries": ["Cargo.toml", "src"]}));
    let receipts = [(receipt_id(2), json!({"tool": "list_files", "wall_us": 120}))];
    lease.append(&Entry { event: &event, intents: &wish, receipts: &receipts, stage: &executing }).unwrap();
    lease.append(&entry(&tool_finished(3, json!(null)), &planning())).unwrap();

    let mut lease = store.create_run(&new_run("ended"), &entry(&started("ended"), &planning())).unwrap();
    let ending = Stage::Failed { ending: Ending::Aborted };
    lease.append(&entry(&tool_finished(1, json!("x".repeat(5_000))), &ending)).unwrap();
}

#[test]
#[ignore = "writes tests/fixtures/v{SCHEMA_VERSION}.db"]
fn write() {
    let folder = Folder::new();
    fill(&folder.store());
    std::fs::copy(folder.file(), fixture(SCHEMA_VERSION)).unwrap();
}
