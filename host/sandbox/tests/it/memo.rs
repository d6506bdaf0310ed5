//! Answers of deterministic calls that are given again: which calls are equal, which answers are
//! kept, and what becomes of one when something has changed.

use crate::guests::{guest, join_all};
use crate::watchdog::ends;
use ringfence_sandbox::reflect::append_custom_section;
use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, ComponentSource, Digest, DirGrant, EgressContext, GrantPath,
    GrantedTree, Grants, Limits, MaskPattern, Memo, Outcome, ProjectDir, Sandbox, SandboxConfig, Toolset,
    standard,
};
use serde_json::{Value, json};
use std::fs;
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;

static SANDBOX: LazyLock<(Sandbox, Toolset)> = LazyLock::new(|| {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let load = |source: ComponentSource| sandbox.load(source).unwrap();
    let mut components: Vec<_> =
        standard::components().iter().map(|one| load(one.source().unwrap())).collect();
    components.push(load(ComponentSource::from_bytes("guest", guest())));
    let tools = Toolset::new(components).unwrap();
    (sandbox, tools)
});

/// A project with a few files.
struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { dir: tempfile::tempdir().unwrap() };
        desk.write("src/a.py", "import os\n\ndef one():\n    return 1\n");
        desk.write("src/b.py", "def two():\n    return 2\n");
        desk
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn tree(&self, grants: &Grants) -> Arc<GrantedTree> {
        GrantedTree::open(&ProjectDir::open(self.dir.path()).unwrap(), grants).unwrap()
    }

    fn request(&self, tool: &str, input: Value) -> CallRequest {
        self.under(&steady(), tool, input)
    }

    fn under(&self, grants: &Grants, tool: &str, input: Value) -> CallRequest {
        CallRequest {
            tool: SANDBOX.1.get(tool).unwrap_or_else(|| panic!("no tool {tool}")).clone(),
            input,
            tree: self.tree(grants),
            limits: grants.limits.clone(),
            stage: None,
            known: Default::default(),
            egress: EgressContext::default(),
            env: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }
}

fn steady() -> Grants {
    let limits = Limits { time_ms: 600_000, ..Limits::default() };
    Grants { deterministic: true, limits, ..Grants::whole_project() }
}

fn key(request: &CallRequest) -> Option<Digest> {
    SANDBOX.0.memo_key(request).unwrap()
}

async fn call(request: &CallRequest) -> CallReport {
    ends(SANDBOX.0.call(request.clone())).await.unwrap()
}

/// Makes the call and keeps its answer as a file would.
async fn memo(request: &CallRequest) -> Memo {
    let memo = Memo::of(&call(request).await, 1_000).expect("it can be kept");
    serde_json::from_str(&serde_json::to_string(&memo).unwrap()).unwrap()
}

async fn recall(memo: &Memo, request: &CallRequest) -> Option<CallReport> {
    SANDBOX.0.recall(memo.clone(), &request.tree).await
}

/// Every standard tool, with what it is usually asked.
fn usual() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"file_path": "src/a.py"})),
        ("list_files", json!({"directory": "src", "recursive": true})),
        ("search_text", json!({"pattern": "return", "directory": "src"})),
        ("analyze_code", json!({"file_path": "src/a.py"})),
    ]
}

#[tokio::test]
async fn an_answer_is_given_again_with_a_fresh_receipt() {
    let desk = Desk::new();
    for (tool, input) in usual() {
        let request = desk.request(tool, input);
        let made = call(&request).await;
        assert!(matches!(made.outcome, Outcome::Done(_)), "{tool}: {:?}", made.outcome);
        let memo = Memo::of(&made, 1_000).unwrap_or_else(|| panic!("{tool}: {:?}", made.receipt));
        let again = recall(&memo, &request).await.unwrap_or_else(|| panic!("{tool}: nothing has changed"));
        assert_eq!(
            (&again.outcome, &again.stdout, &again.stderr),
            (&made.outcome, &made.stdout, &made.stderr)
        );
        assert_eq!(again.receipt.opened, made.receipt.opened, "{tool}");
        assert_eq!(again.receipt.dirs, made.receipt.dirs, "{tool}");
        assert_eq!(again.receipt.cached.map(|cached| cached.from_ms), Some(1_000), "{tool}");
        assert_eq!((again.receipt.cpu_us, again.receipt.peak_memory_bytes), (0, 0), "no guest ran");
        assert_eq!(made.receipt.cached, None);
        assert!(Memo::of(&again, 2_000).is_none(), "what was remembered isn't remembered anew");
    }
}

#[tokio::test]
async fn an_answer_ends_with_what_it_rests_on() {
    for (tool, input) in usual() {
        let desk = Desk::new();
        let request = desk.request(tool, input);
        let memo = memo(&request).await;
        assert!(recall(&memo, &request).await.is_some(), "{tool}");
        match tool {
            "list_files" => desk.write("src/new.py", ""),
            _ => desk.write("src/a.py", "changed\n"),
        }
        assert!(recall(&memo, &request).await.is_none(), "{tool}");
    }
}

#[tokio::test]
async fn a_failure_is_kept_until_what_was_missing_appears() {
    let desk = Desk::new();
    let request = desk.request("read_file", json!({"file_path": "src/none.py"}));
    let memo = memo(&request).await;
    let again = recall(&memo, &request).await.expect("it is missing still");
    assert!(matches!(again.outcome, Outcome::Failed(_)), "{:?}", again.outcome);
    desk.write("src/none.py", "here\n");
    assert!(recall(&memo, &request).await.is_none());
}

#[tokio::test]
async fn only_what_came_to_its_own_end_whole_is_kept() {
    let desk = Desk::new();
    let tight = |limits: Limits| Grants { limits, ..steady() };
    let cut = tight(Limits { output_bytes: 100, ..steady().limits });
    let brief = tight(Limits { time_ms: 20, ..steady().limits });
    let cancelled = desk.request("forever", json!({}));
    cancelled.cancel.cancel();
    let ordinary = Grants { deterministic: false, ..steady() };
    for request in [
        desk.request("crash", json!({})),
        desk.request("read_file", json!({"file_path": "../outside"})),
        desk.under(&brief, "forever", json!({})),
        desk.under(&cut, "text", json!({"bytes": 1_000})),
        desk.under(&ordinary, "count", json!({})),
        cancelled,
    ] {
        let report = call(&request).await;
        assert!(Memo::of(&report, 1_000).is_none(), "{:?}", report.outcome);
    }
    assert!(Memo::of(&call(&desk.request("count", json!({}))).await, 1_000).is_some());
}

#[test]
fn only_deterministic_calls_have_equals() {
    let desk = Desk::new();
    let count = |grants: &Grants| key(&desk.under(grants, "count", json!({})));
    assert!(count(&steady()).is_some());
    assert_eq!(count(&Grants { deterministic: false, ..steady() }), None);
}

#[test]
fn equal_calls_are_those_with_all_the_same_terms() {
    let desk = Desk::new();
    let input = json!({"pattern": "x", "directory": "src"});
    let usual = key(&desk.request("search_text", input.clone()));
    assert_eq!(usual, key(&desk.request("search_text", json!({"directory": "src", "pattern": "x"}))));
    let with = |grants: Grants| key(&desk.under(&grants, "search_text", input.clone()));
    assert_eq!(usual, with(steady()));
    // What is left of a run's time shortens a call, and is no other question.
    let hurried = desk.request("search_text", input.clone());
    let limits = Limits { time_ms: 5, ..hurried.limits.clone() };
    assert_eq!(usual, key(&CallRequest { limits, ..hurried }));

    let src = DirGrant::read(GrantPath::parse("src").unwrap());
    let mut masked = steady();
    masked.dirs[0].masks.patterns.push(MaskPattern::parse("*.csv").unwrap());
    let limited = |limits: Limits| with(Grants { limits, ..steady() });
    let all = steady().limits;
    let others = [
        key(&desk.request("search_text", json!({"pattern": "y", "directory": "src"}))),
        key(&desk.request("list_files", json!({"directory": "src"}))),
        with(Grants { dirs: vec![src], ..steady() }),
        with(masked),
        limited(Limits { memory_bytes: 64 << 20, ..all.clone() }),
        limited(Limits { output_bytes: 1_000, ..all.clone() }),
        limited(Limits { time_ms: 1_000, ..all.clone() }),
        limited(Limits { fuel: Some(1_000_000), ..all }),
        key(&Desk::new().request("search_text", input.clone())),
    ];
    let mut known = std::collections::HashSet::from([usual]);
    for (at, other) in others.into_iter().enumerate() {
        assert!(other.is_some() && known.insert(other), "{at}");
    }
}

#[test]
fn another_component_of_the_same_tools_gives_other_answers() {
    let desk = Desk::new();
    let request = desk.request("count", json!({}));
    let mut bytes = guest();
    append_custom_section(&mut bytes, "note", b"another build");
    let other = SANDBOX.0.load(ComponentSource::from_bytes("other", bytes)).unwrap();
    let tool = Toolset::new([other]).unwrap().get("count").unwrap().clone();
    assert_ne!(key(&request), key(&CallRequest { tool, ..request.clone() }));
}

#[tokio::test]
async fn a_grant_that_no_longer_shows_what_was_read_ends_the_answer() {
    let desk = Desk::new();
    let request = desk.request("read_file", json!({"file_path": "src/a.py"}));
    let memo = memo(&request).await;
    let mut masked = steady();
    masked.dirs[0].masks.patterns.push(MaskPattern::parse("a.py").unwrap());
    assert!(SANDBOX.0.recall(memo, &desk.tree(&masked)).await.is_none());
}

#[tokio::test]
async fn answers_can_be_asked_for_many_times_at_once() {
    let desk = Desk::new();
    let request = desk.request("read_file", json!({"file_path": "src/a.py"}));
    let memo = memo(&request).await;
    let all = join_all((0..64).map(|_| recall(&memo, &request))).await;
    assert!(all.iter().all(Option::is_some));
}
