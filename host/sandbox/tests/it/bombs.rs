//! Guests that take as much of everything as they can get: each is stopped by the limit that it
//! exceeds, and calls beside it don't notice.

use crate::built;
use crate::guests::{Bench, WASI, exceeded, guest, join_all};
use crate::standard::tree;
use crate::watchdog::ends;
use ringfence_sandbox::{
    CallReport, CallRequest, ComponentSource, Exceeded, GrantedTree, LimitKind, Limits, LoadError,
    MAX_COMPONENT_BYTES, Outcome, SandboxConfig, Tool, Toolset, standard,
};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;

/// Grows in all its memories, or all its tables, one after the other until it gets no more; hands
/// over a long list; writes and writes.
fn greedy() -> Vec<u8> {
    let wit = r#"
        package test:greedy;
        world greedy {
            import wasi:io/streams@0.2.6;
            import wasi:cli/stdout@0.2.6;
            import wasi:cli/stderr@0.2.6;
            export memories: func();
            export elements: func();
            export numbers: func(count: u32) -> list<u64>;
            export take: func(numbers: list<u64>) -> u32;
            export write: func(errors: bool, bytes: u32, times: u32);
        }"#;
    let module = r#"(module
      (import "wasi:cli/stdout@0.2.6" "get-stdout" (func $stdout (result i32)))
      (import "wasi:cli/stderr@0.2.6" "get-stderr" (func $stderr (result i32)))
      (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-write-and-flush"
        (func $write (param i32 i32 i32 i32)))
      (memory (export "memory") 2)
      (memory $two 1) (memory $three 1)
      (table $t1 1 funcref) (table $t2 1 externref)
      (global $free (mut i32) (i32.const 65536))
      (func $reach (param $end i32)
        (local $missing i32)
        (local.set $missing (i32.sub
          (i32.shr_u (i32.add (local.get $end) (i32.const 65535)) (i32.const 16)) (memory.size 0)))
        (if (i32.gt_s (local.get $missing) (i32.const 0)) (then
          (if (i32.eq (memory.grow 0 (local.get $missing)) (i32.const -1)) (then unreachable)))))
      (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
        (global.set $free (i32.add (local.get $at) (local.get $size)))
        (call $reach (global.get $free))
        (local.get $at))
      (func $got (param i32) (if (i32.eq (local.get 0) (i32.const -1)) (then unreachable)))
      (func (export "memories")
        (loop $again
          (call $got (memory.grow 0 (i32.const 16)))
          (call $got (memory.grow $two (i32.const 16)))
          (call $got (memory.grow $three (i32.const 16)))
          (br $again)))
      (func (export "elements")
        (loop $again
          (call $got (table.grow $t1 (ref.null func) (i32.const 10000)))
          (call $got (table.grow $t2 (ref.null extern) (i32.const 10000)))
          (br $again)))
      (func (export "numbers") (param $count i32) (result i32)
        (call $reach (i32.add (i32.const 65536) (i32.mul (local.get $count) (i32.const 8))))
        (i32.store (i32.const 16) (i32.const 65536))
        (i32.store (i32.const 20) (local.get $count))
        (i32.const 16))
      (func (export "take") (param i32 i32) (result i32) (local.get 1))
      (func (export "write") (param $errors i32) (param $bytes i32) (param $times i32)
        (local $out i32)
        (local.set $out (if (result i32) (local.get $errors) (then (call $stderr)) (else (call $stdout))))
        (memory.fill (i32.const 4096) (i32.const 97) (local.get $bytes))
        (loop $again
          (if (local.get $times) (then
            (call $write (local.get $out) (i32.const 4096) (local.get $bytes) (i32.const 48))
            (local.set $times (i32.sub (local.get $times) (i32.const 1)))
            (br $again)))))
    )"#;
    built::over(&format!("{wit}{WASI}"), "greedy", module)
}

/// Has so many memories, or tables, of which it needs none.
fn hoarder(export: &str, what: &str, count: usize) -> Vec<u8> {
    let wit = format!("package test:hoarder; world hoarder {{ export {export}: func(); }}");
    let module = format!(
        r#"(module (memory (export "memory") 1) {} (func (export "{export}")))"#,
        format!("{what} ").repeat(count)
    );
    built::over(&wit, "hoarder", &module)
}

/// Is made of so many core instances.
fn crowd(count: usize) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "f")))
            {}
            (core instance $i (instantiate $m))
            (func (export "crowd") (canon lift (core func $i "f"))))"#,
        "(core instance (instantiate $m)) ".repeat(count)
    );
    wat::parse_str(text).unwrap()
}

/// All of them in one sandbox, with the standard tools and a project.
struct Yard {
    bench: Bench,
    tools: Toolset,
    _project: TempDir,
    tree: Arc<GrantedTree>,
}

static YARD: LazyLock<Yard> = LazyLock::new(|| {
    let bench = Bench::new(SandboxConfig { max_calls: 32, ..SandboxConfig::default() }, guest());
    let load =
        |name: &str, bytes: Vec<u8>| bench.sandbox.load(ComponentSource::from_bytes(name, bytes)).unwrap();
    let mut components = vec![
        load("greedy", greedy()),
        load("memories", hoarder("many-memories", "(memory 1)", 40)),
        load("tables", hoarder("many-tables", "(table 1 funcref)", 100)),
        load("crowd", crowd(400)),
    ];
    components
        .extend(standard::components().iter().map(|one| bench.sandbox.load(one.source().unwrap()).unwrap()));
    let project = tempfile::tempdir().unwrap();
    std::fs::create_dir(project.path().join("src")).unwrap();
    for name in ["a", "b", "c"] {
        std::fs::write(project.path().join("src").join(name), "some text\n").unwrap();
    }
    let tree = tree(project.path(), &["src"]);
    Yard { bench, tools: Toolset::new(components).unwrap(), _project: project, tree }
});

impl Yard {
    fn tool(&self, name: &str) -> Tool {
        self.tools.get(name).cloned().unwrap_or_else(|| self.bench.tool(name))
    }

    async fn call(&self, tool: &str, input: Value, limits: Limits) -> CallReport {
        let (tool, tree) = (self.tool(tool), self.tree.clone());
        let request = CallRequest { tool, tree, limits, ..self.bench.request("count", input) };
        ends(self.bench.sandbox.call(request)).await.unwrap()
    }
}

/// Whole minutes, so that no other limit's test runs out of time.
fn patient() -> Limits {
    Limits { time_ms: 600_000, ..Limits::default() }
}

/// For each limit a call that exceeds it.
fn offences() -> Vec<(LimitKind, &'static str, Value, Limits)> {
    let none = || json!({});
    vec![
        (LimitKind::Time, "forever_with_calls", none(), Limits { time_ms: 50, ..patient() }),
        (LimitKind::Cpu, "forever", none(), Limits { cpu_ms: Some(20), ..patient() }),
        (LimitKind::Fuel, "forever", none(), Limits { fuel: Some(100_000), ..patient() }),
        (LimitKind::Memory, "memories", none(), Limits { memory_bytes: 16 << 20, ..patient() }),
        (LimitKind::Memories, "many_memories", none(), patient()),
        (LimitKind::Tables, "many_tables", none(), patient()),
        (LimitKind::TableElements, "elements", none(), patient()),
        (LimitKind::Instances, "crowd", none(), patient()),
        (LimitKind::Stack, "recurse", none(), patient()),
        (LimitKind::Exchange, "text", json!({"bytes": 100 << 20}), patient()),
        (LimitKind::Handles, "fill", none(), patient()),
        (LimitKind::Resources, "poll_handles", none(), patient()),
        (
            LimitKind::OpenFiles,
            "list_files",
            json!({"directory": "src"}),
            Limits { open_files: 1, ..patient() },
        ),
        (
            LimitKind::DirEntries,
            "list_files",
            json!({"directory": "src"}),
            Limits { dir_entries: 2, ..patient() },
        ),
        (
            LimitKind::ReadBytes,
            "read_file",
            json!({"file_path": "src/a"}),
            Limits { read_bytes: 3, ..patient() },
        ),
    ]
}

#[tokio::test]
async fn every_limit_ends_the_call_that_exceeds_it_and_no_other_of_sixteen() {
    for (which, tool, input, limits) in offences() {
        let offender = YARD.call(tool, input, limits);
        let others = join_all((0..15).map(|_| YARD.bench.goes_on()));
        let (report, _) = tokio::join!(offender, others);
        assert_eq!(exceeded(&report), which, "{tool}");
    }
}

#[tokio::test]
async fn all_limits_exceeded_at_once_end_all_these_calls_and_none_besides() {
    let offenders = offences().into_iter().map(async |(which, tool, input, limits)| {
        let report = YARD.call(tool, input, limits).await;
        assert_eq!(exceeded(&report), which, "{tool}");
    });
    let others = async {
        for _ in 0..100 {
            YARD.bench.goes_on().await;
        }
    };
    tokio::join!(join_all(offenders), others);
}

#[tokio::test]
async fn several_memories_share_the_limit() {
    let limits = Limits { memory_bytes: 16 << 20, ..patient() };
    let report = YARD.call("memories", json!({}), limits).await;
    // Each asked for another MiB in turn: none of the three alone had a third of the limit.
    let page = 64 << 10;
    let over = Exceeded { which: LimitKind::Memory, limit: 16 << 20, used: (16 << 20) + 4 * page };
    assert_eq!(report.outcome, Outcome::Exceeded(over));
    assert_eq!(report.receipt.peak_memory_bytes, (15 << 20) + 4 * page);
}

#[tokio::test]
async fn several_tables_share_the_limit_where_there_is_no_pool() {
    let bench = Bench::new(SandboxConfig::for_few_calls(), greedy());
    let report = ends(bench.call_within("elements", json!({}), patient())).await;
    assert_eq!(exceeded(&report), LimitKind::TableElements);
    let over = report.receipt.exceeded.unwrap();
    // Both grew by 10,000 in turn: neither alone had much more than half of the limit.
    assert_eq!((over.limit, over.used / 10_000), (1 << 20, 105), "{over:?}");
}

#[tokio::test]
async fn counts_say_how_many_there_would_have_been() {
    for (tool, which, limit, least) in [
        ("many_memories", LimitKind::Memories, 16, 41),
        ("many_tables", LimitKind::Tables, 64, 100),
        ("crowd", LimitKind::Instances, 256, 257),
    ] {
        let report = YARD.call(tool, json!({}), patient()).await;
        let Outcome::Exceeded(over) = &report.outcome else { panic!("{report:?}") };
        assert_eq!((over.which, over.limit), (which, limit));
        assert!(over.used >= least, "{over:?}");
        let said = report.outcome.message(&report.receipt);
        assert!(said.ends_with("this limit is the same for every tool"), "{said}");
    }
}

#[tokio::test]
async fn a_list_too_long_to_hand_over_is_refused_in_both_directions() {
    let report = YARD.call("numbers", json!({"count": 10_000_000}), patient()).await;
    assert_eq!(exceeded(&report), LimitKind::Exchange);
    let report = YARD.call("numbers", json!({"count": 1_000}), patient()).await;
    assert!(matches!(&report.outcome, Outcome::Done(Value::Array(list)) if list.len() == 1_000));
    let numbers = vec![7; 500_000];
    let limits = Limits { memory_bytes: 2 << 20, ..patient() };
    let report = YARD.call("take", json!({"numbers": numbers}), limits).await;
    assert_eq!(exceeded(&report), LimitKind::Memory, "it has no room for what it is given");
}

#[tokio::test]
async fn an_argument_of_many_megabytes_fits_into_memory_or_is_refused() {
    let text = "x".repeat(40 << 20);
    let report = YARD.call("length", json!({"text": text}), patient()).await;
    assert_eq!(report.outcome, Outcome::Done(json!(40 << 20)));
    let limits = Limits { memory_bytes: 32 << 20, ..patient() };
    let report = YARD.call("length", json!({"text": text}), limits).await;
    assert_eq!(exceeded(&report), LimitKind::Memory);
}

#[tokio::test]
async fn whoever_writes_without_end_is_stopped_and_a_beginning_is_kept() {
    let limits = Limits { time_ms: 100, stdio_bytes: 1_000, ..Limits::default() };
    for errors in [false, true] {
        let input = json!({"errors": errors, "bytes": 4096, "times": u32::MAX});
        let report = YARD.call("write", input, limits.clone()).await;
        assert_eq!(exceeded(&report), LimitKind::Time);
        let (kept, other) =
            if errors { (report.stderr, report.stdout) } else { (report.stdout, report.stderr) };
        let (text, mark) = kept.split_once('\n').expect("a mark");
        assert_eq!((text.len(), other.as_str()), (1_000, ""));
        assert!(mark.starts_with("[cut: ") && mark.ends_with(" bytes dropped]\n"), "{mark}");
        assert!(report.receipt.stdio_bytes >= 4096);
    }
}

#[tokio::test]
async fn five_megabytes_are_cut_and_no_failure() {
    for errors in [false, true] {
        let input = json!({"errors": errors, "bytes": 4096, "times": 1_280});
        let report = YARD.call("write", input, patient()).await;
        assert_eq!(report.outcome, Outcome::Done(json!(null)));
        assert_eq!(report.receipt.stdio_bytes, 5 << 20);
        let kept = if errors { &report.stderr } else { &report.stdout };
        assert!(kept.len() < (64 << 10) + 60 && kept.ends_with("of 5242880 bytes dropped]\n"));
    }
}

#[tokio::test]
async fn writing_nothing_again_and_again_is_work_like_any_other() {
    let input = json!({"errors": false, "bytes": 0, "times": u32::MAX});
    let limits = Limits { cpu_ms: Some(50), ..patient() };
    let report = YARD.call("write", input, limits).await;
    assert_eq!(exceeded(&report), LimitKind::Cpu);
    assert_eq!((report.stdout.as_str(), report.receipt.stdio_bytes), ("", 0));
}

#[test]
fn a_component_of_too_many_bytes_is_not_loaded() {
    let bytes = MAX_COMPONENT_BYTES + 1;
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(bytes).unwrap();
    let error = ComponentSource::from_file(file.path()).unwrap_err();
    assert!(matches!(error, LoadError::TooLarge { bytes: found, .. } if found == bytes), "{error}");
    let source = ComponentSource::from_bytes("large", vec![0; usize::try_from(bytes).unwrap()]);
    let error = YARD.bench.sandbox.load(source).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("large has {bytes} bytes; a component may have at most {MAX_COMPONENT_BYTES}")
    );
}
