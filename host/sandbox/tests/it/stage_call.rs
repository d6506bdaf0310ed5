//! Calls of a component that writes: what stays staged follows from how the call ends.

use crate::built;
use crate::fence_guest::Project;
use crate::guests::{Bench, WASI};
use crate::stage_guest::Run;
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, DenialReason, Digest, GrantedTree, LimitKind, Limits, Outcome,
    SandboxConfig, WrittenChange,
};
use serde_json::json;
use std::sync::{Arc, LazyLock};

const WIT: &str = r#"
package test:writer;
world writer {
    import wasi:filesystem/types@0.2.6;
    import wasi:filesystem/preopens@0.2.6;
    export put: func(path: string, text: string, then: u32) -> result<u32, string>;
}
package wasi:filesystem@0.2.6 {
    interface types {
        enum error-code {
            access, would-block, already, bad-descriptor, busy, deadlock, quota, exist, file-too-large,
            illegal-byte-sequence, in-progress, interrupted, invalid, io, is-directory, loop,
            too-many-links, message-size, name-too-long, no-device, no-entry, no-lock,
            insufficient-memory, insufficient-space, not-directory, not-empty, not-recoverable,
            unsupported, no-tty, no-such-device, overflow, not-permitted, pipe, read-only, invalid-seek,
            text-file-busy, cross-device,
        }
        flags path-flags { symlink-follow }
        flags open-flags { create, directory, exclusive, truncate }
        flags descriptor-flags {
            read, write, file-integrity-sync, data-integrity-sync, requested-write-sync, mutate-directory,
        }
        resource descriptor {
            open-at: func(path-flags: path-flags, path: string, open-flags: open-flags, %flags: descriptor-flags)
                -> result<descriptor, error-code>;
            write: func(buffer: list<u8>, offset: u64) -> result<u64, error-code>;
        }
    }
    interface preopens {
        use types.{descriptor};
        get-directories: func() -> list<tuple<descriptor, string>>;
    }
}
"#;

/// Writes a file; then returns (0), fails (1), crashes (2) or goes on for ever (3). Fails as well if
/// it can't be written.
const MODULE: &str = r#"(module
  (import "wasi:filesystem/preopens@0.2.6" "get-directories" (func $roots (param i32)))
  (import "wasi:filesystem/types@0.2.6" "[method]descriptor.open-at"
    (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (import "wasi:filesystem/types@0.2.6" "[method]descriptor.write"
    (func $write (param i32 i32 i32 i64 i32)))
  (memory (export "memory") 8)
  (global $free (mut i32) (i32.const 1024))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (local.get $at))
  (func $answer (param $failed i32) (result i32)
    (i32.store (i32.const 64) (local.get $failed))
    (i32.store (i32.const 68) (i32.const 0))
    (i32.store (i32.const 72) (i32.const 0))
    (i32.const 64))
  (func (export "put") (param $path i32) (param $length i32) (param $text i32) (param $size i32)
      (param $then i32) (result i32)
    (call $roots (i32.const 16))
    (call $open (i32.load (i32.load (i32.const 16))) (i32.const 1) (local.get $path) (local.get $length)
      (i32.const 9) (i32.const 2) (i32.const 32))
    (if (i32.load8_u (i32.const 32)) (then (return (call $answer (i32.const 1)))))
    (call $write (i32.load (i32.const 36)) (local.get $text) (local.get $size) (i64.const 0) (i32.const 48))
    (if (i32.load8_u (i32.const 48)) (then (return (call $answer (i32.const 1)))))
    (if (i32.eq (local.get $then) (i32.const 2)) (then unreachable))
    (if (i32.eq (local.get $then) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (local.get $then))))"#;

static WRITER: LazyLock<Bench> = LazyLock::new(|| {
    let component = built::over(&format!("{WIT}{WASI}"), "writer", MODULE);
    Bench::new(SandboxConfig::for_few_calls(), component)
});

fn run() -> Run {
    let project = Project::empty();
    project.file("src/a.txt", "old").folder("docs");
    Run::on(project, &["src"])
}

fn request(run: &Run, file: &str, then: u32) -> CallRequest {
    CallRequest {
        tree: GrantedTree::open(&run.dir(), &run.grants).unwrap(),
        stage: Some(run.stage.clone()),
        known: Arc::new(run.known.clone()),
        limits: Limits { time_ms: 300, ..run.limits.clone() },
        ..WRITER.request("put", json!({"path": file, "text": "new text", "then": then}))
    }
}

async fn put(run: &Run, file: &str, then: u32) -> CallReport {
    WRITER.sandbox.prepare(WRITER.component()).await.unwrap();
    WRITER.sandbox.call(request(run, file, then)).await.unwrap()
}

#[tokio::test]
async fn a_call_that_is_done_or_failed_keeps_what_it_wrote() {
    let run = run();
    let report = put(&run, "src/x", 0).await;
    assert_eq!(report.outcome, Outcome::Done(json!(0)));
    let [written] = &report.receipt.written[..] else { panic!("{report:?}") };
    assert_eq!((written.path.as_str(), &written.change), ("src/x", &WrittenChange::Created));
    assert_eq!((written.before, written.after, written.bytes), (None, Some(Digest::of(b"new text")), 8));
    assert!(matches!(put(&run, "src/y", 1).await.outcome, Outcome::Failed(_)));
    assert_eq!(run.guest().names("src"), ["a.txt", "x", "y"]);
    assert_eq!(run.in_project("src/x"), None);
}

#[tokio::test]
async fn a_call_that_was_stopped_keeps_nothing() {
    let run = run();
    let report = put(&run, "src/x", 2).await;
    assert!(matches!(report.outcome, Outcome::Trapped(_)), "{report:?}");
    assert_eq!(report.receipt.written, []);
    let stopped = put(&run, "src/x", 3).await.outcome;
    assert!(matches!(stopped, Outcome::Exceeded(it) if it.which == LimitKind::Time), "{stopped:?}");
    let mut small = request(&run, "src/x", 0);
    small.limits.write_bytes = 7;
    let report = WRITER.sandbox.call(small).await.unwrap();
    assert!(
        matches!(report.outcome, Outcome::Exceeded(it) if it.which == LimitKind::WriteBytes),
        "{report:?}"
    );
    let cancelled = request(&run, "src/x", 3);
    cancelled.cancel.cancel();
    assert_eq!(WRITER.sandbox.call(cancelled).await.unwrap().outcome, Outcome::Cancelled);
    assert!(run.stage.is_empty().unwrap());
}

#[tokio::test]
async fn a_refused_write_says_what_would_help() {
    let run = run();
    let report = put(&run, "src/a.txt", 0).await;
    let Outcome::Denied { denials, .. } = &report.outcome else { panic!("{report:?}") };
    assert_eq!(denials[0].reason, DenialReason::NotRead);
    assert_eq!(
        report.outcome.message(&report.receipt),
        "src/a.txt can't be changed: it was not read first; read it whole, then write"
    );
    let report = put(&run, "docs/x", 0).await;
    assert_eq!(
        report.outcome.message(&report.receipt),
        "docs/x is outside the granted folders (src, write); `--dir docs:write` would allow it"
    );
}

#[tokio::test]
async fn what_earlier_receipts_show_to_be_read_may_be_written() {
    let mut run = run();
    let mut report = put(&run, "src/x", 0).await;
    report.receipt.opened = {
        let mut guest = run.guest();
        guest.read_first("src/a.txt");
        guest.log().opened
    };
    run.known.learn(&report.receipt);
    let report = put(&run, "src/a.txt", 0).await;
    assert_eq!(report.outcome, Outcome::Done(json!(0)));
    assert_eq!(report.receipt.written[0].before, Some(Digest::of(b"old")));
}

#[tokio::test]
async fn a_grant_to_write_without_a_stage_is_an_error_before_the_call() {
    let run = run();
    let without = CallRequest { stage: None, ..request(&run, "src/x", 0) };
    let error = WRITER.sandbox.call(without).await.unwrap_err();
    assert!(matches!(error, CallError::NoStage { .. }), "{error}");
    let turn = run.guest();
    let error = WRITER.sandbox.call(request(&run, "src/x", 0)).await.unwrap_err();
    assert!(matches!(error, CallError::Stage { .. }), "{error}");
    drop(turn);
}

#[tokio::test]
async fn a_call_that_fills_the_stage_is_told_the_limit_and_what_makes_room() {
    let run = run();
    let mut folder = "src".to_owned();
    let mut guest = run.guest();
    for _ in 0..15 {
        folder = format!("{folder}/{}", "\u{1}".repeat(250));
        guest.make_folder(&folder).unwrap();
    }
    // Each name takes six bytes a letter in the record.
    for nth in 0..(32 << 20) / (6 * 15 * 250) - 20 {
        guest.make_folder(&format!("{folder}/{nth}")).unwrap();
    }
    guest.settle(true);
    WRITER.sandbox.prepare(WRITER.component()).await.unwrap();
    let mut ended = None;
    for nth in 0..30 {
        let mut slow = request(&run, &format!("{folder}/new{nth}"), 0);
        slow.limits.time_ms = 60_000;
        let report = WRITER.sandbox.call(slow).await.unwrap();
        if report.outcome != Outcome::Done(json!(0)) {
            ended = Some(report);
            break;
        }
    }
    let report = ended.expect("it has no room for so many");
    assert!(
        matches!(report.outcome, Outcome::Exceeded(it) if it.which == LimitKind::StageRecord),
        "{:?}",
        report.outcome
    );
    let told = report.outcome.message(&report.receipt);
    assert!(told.ends_with("applying or discarding the run's changes makes room"), "{told}");
    assert_eq!(report.receipt.written, []);
}

#[tokio::test]
async fn contents_that_the_stage_has_no_room_for_are_no_matter_of_a_calls_own_limit() {
    let mut run = run();
    run.stage = ringfence_sandbox::Stage::open(&run.stage_path()).unwrap().within(7).into();
    let report = put(&run, "src/x", 0).await;
    let it = ringfence_sandbox::Exceeded { which: LimitKind::StageBytes, limit: 7, used: 8 };
    assert_eq!(report.outcome, Outcome::Exceeded(it));
}

#[test]
fn grants_to_write_are_facts_and_grants_to_read_keep_their_digest() {
    let mut grants = run().grants;
    assert!(grants.facts().writes);
    grants.dirs[0].access = ringfence_sandbox::Access::Read;
    assert!(!grants.facts().writes);
    let json = serde_json::to_string(&grants).unwrap();
    assert!(!json.contains("write"), "{json}");
    grants.limits.write_bytes = 5;
    let json = serde_json::to_string(&grants).unwrap();
    assert_eq!(serde_json::from_str::<ringfence_sandbox::Grants>(&json).unwrap(), grants);
}
