//! Components that do harm before they are called, or that are none.

use crate::bench::{BENCH, Fence, tools_of};
use crate::made;
use crate::threat::threats;
use ringfence_sandbox::{ComponentSource, LoadError, Outcome, Sandbox, SandboxConfig, Toolset};
use serde_json::json;
use std::sync::Arc;

threats! {
    "A file that is no component: empty, a script, a program, a core module, another version",
        Loading, "what it is instead, and what to do"
        => Made a_file_that_is_no_component;
    "A component cut short at every hundredth byte, and one with bytes changed",
        Loading, "that it is cut short or damaged; or fewer tools"
        => Made a_damaged_component;
    "A component of 200 MB",
        Loading, "its size, and how large a component may be"
        => Made a_component_of_two_hundred_megabytes;
    "A component that takes longer to compile than it may",
        Loading, "that it can't be compiled in time; others go on meanwhile"
        => Made a_component_that_compiles_for_minutes;
    "A component that needs a feature that is off: memory shared between threads, switching stacks, odd pages",
        Loading, "which feature is off"
        => Made a_component_that_needs_a_feature_that_is_off;
    "A component that imports what isn't offered: a host function, a newer WASI, its own invention",
        Loading, "which import isn't offered"
        => Made a_component_that_imports_what_is_not_offered;
    "A component that exports nothing, or only resources",
        Loading, "no tools, and which functions can't be tools"
        => Made a_component_without_tools;
    "Two components with a tool of the same name, or one that differs by case only",
        Loading, "the name and both components; nothing is called"
        => Made two_tools_of_one_name;
    "Types that explode when written out, nest without end, and thousands of functions",
        Loading, "which function can't be a tool, and why"
        => Made types_that_explode;
    "A start function that never ends, or crashes",
        Limits, "that the limit of time was exceeded, or that the tool crashed"
        => Made a_start_function_that_never_ends;
    "A component whose bytes are swapped between being looked at and being called",
        Loading, "that it isn't the component that it should be"
        => Made a_component_that_is_swapped;
}

fn load(bytes: Vec<u8>) -> Result<Arc<ringfence_sandbox::LoadedComponent>, LoadError> {
    BENCH.load(ComponentSource::from_bytes("made", bytes))
}

const ONE: &str = "package test:made; world tools { /** Docs. */ export one: func() -> s32; }";

fn answering(module: &str) -> Vec<u8> {
    made::over(ONE, &format!("(module (memory (export \"memory\") 1) {module})"))
}

fn a_file_that_is_no_component() {
    let whole = answering("(func (export \"one\") (result i32) (i32.const 1))");
    let mut newer = whole.clone();
    newer[4] = 0x20;
    for bytes in [
        Vec::new(),
        b"#!/bin/sh\nrm -rf /\n".to_vec(),
        b"\x7fELF\x02\x01\x01\0".to_vec(),
        b"\0asm\x01\0\0\0".to_vec(),
        newer,
        whole[..9].to_vec(),
    ] {
        let told = load(bytes).unwrap_err().to_string();
        assert!(told.starts_with("made: ") && told.len() < 600, "{told}");
    }
}

fn a_damaged_component() {
    let whole = made::trapping(
        "package test:made; interface a { record r { x: list<tuple<string, option<u8>>> } go: func(r: r) -> result<r, string>; }
         world tools { /** Docs. */ export start: func(a: char); export a; }",
    );
    for end in (0..whole.len()).step_by(101) {
        let _ = load(whole[..end].to_vec());
    }
    for at in (8..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x15;
        let Ok(component) = load(damaged) else { continue };
        let Ok(tools) = Toolset::new([component]) else { continue };
        for tool in tools.iter() {
            // Whatever comes of it, the host goes on.
            let _ = BENCH.block_on(BENCH.call(Fence::new().request(tool, json!({ "a": "x" }))));
        }
    }
    assert_eq!(load(whole).unwrap().tools().tools.len(), 2);
}

fn a_component_of_two_hundred_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.wasm");
    std::fs::File::create(&path).unwrap().set_len(200_000_000).unwrap();
    let told = ComponentSource::from_file(&path).unwrap_err().to_string();
    assert!(told.contains("has 200000000 bytes; a component may have at most"), "{told}");
}

fn a_component_that_compiles_for_minutes() {
    let sandbox = Sandbox::new(SandboxConfig { compile_ms: 1, ..SandboxConfig::for_few_calls() }).unwrap();
    let body = "(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 3)) (i32.const 7)))".repeat(3_000);
    let functions = format!("(func (param $x i32) (result i32) {body} (local.get $x))").repeat(40);
    let slow = answering(&format!("{functions} (func (export \"one\") (result i32) (i32.const 1))"));
    let loaded = sandbox.load(ComponentSource::from_bytes("slow", slow)).unwrap();
    let tools = Toolset::new([loaded]).unwrap();
    let told = sandbox
        .block_on(sandbox.call(Fence::new().request(tools.get("one").unwrap(), json!({}))))
        .unwrap_err()
        .to_string();
    assert!(told.starts_with("slow can't be compiled: "), "{told}");
}

fn a_component_that_needs_a_feature_that_is_off() {
    let one = "(func (export \"one\") (result i32) (i32.const 1))";
    for needed in [
        format!("(memory 1 1 shared) {one}"),
        format!("(type $f (func)) (type (cont $f)) {one}"),
        format!("(memory 1 1 (pagesize 1)) {one}"),
    ] {
        let text = format!(
            "(component (core module $m {needed}) (core instance $i (instantiate $m))
               (func (export \"one\") (result s32) (canon lift (core func $i \"one\"))))"
        );
        let tools = tools_of("made", wat::parse_str(&text).unwrap());
        let came = BENCH.block_on(BENCH.call(Fence::new().request(tools.get("one").unwrap(), json!({}))));
        let told = came.map_or_else(|error| error.to_string(), |report| format!("{:?}", report.outcome));
        assert!(told.contains("disabled") || told.contains("must be enabled"), "{told}");
    }
}

fn a_component_that_imports_what_is_not_offered() {
    for (import, wit) in [
        (
            "run",
            "package test:made; world tools { import run: func(command: string); export one: func() -> s32; }",
        ),
        (
            "test:made/host",
            "package test:made; interface host { spawn: func(command: string) -> u32; }
             world tools { import host; export one: func() -> s32; }",
        ),
    ] {
        let tools = tools_of("needy", made::trapping(wit));
        let told = BENCH
            .block_on(BENCH.call(Fence::new().request(tools.get("one").unwrap(), json!({}))))
            .unwrap_err()
            .to_string();
        assert!(
            told.starts_with("needy needs something that isn't offered here: ") && told.contains(import),
            "{told}"
        );
    }
}

fn a_component_without_tools() {
    let nothing = load(made::trapping("package test:made; world tools { }")).unwrap();
    assert!(nothing.tools().tools.is_empty());
    let resources =
        "package test:made; interface things { resource thing { constructor(); get: func() -> u32; } }
      world tools { export things; }";
    let resources = load(made::trapping(resources)).unwrap();
    assert!(resources.tools().tools.is_empty(), "{:?}", resources.tools().tools);
    assert!(!resources.tools().unsupported.is_empty());
}

fn two_tools_of_one_name() {
    let named = |name: &str| {
        let wit = format!("package test:made; world tools {{ export {name}: func(); }}");
        BENCH.load(ComponentSource::from_bytes(format!("with-{name}"), made::trapping(&wit))).unwrap()
    };
    for (one, other) in [("read-it", "read-it"), ("read-it", "READ-IT")] {
        let told = Toolset::new([named(one), named(other)]).unwrap_err().to_string();
        let both = told.contains(&format!("with-{one}")) && told.contains(&format!("with-{other}"));
        assert!(both && told.contains("leave one of them out"), "{told}");
    }
    let standard = made::standard("read_file").component().clone();
    let told = Toolset::new([standard, named("read-file")]).unwrap_err().to_string();
    assert!(told.contains("two components have a tool named `read_file`"), "{told}");
}

fn types_that_explode() {
    let mut wit = String::from("package test:made; world tools {\nrecord r0 { a: u8 }\n");
    for at in 1..15 {
        wit.push_str(&format!("record r{at} {{ a: r{0}, b: r{0} }}\n", at - 1));
    }
    let deep = format!("{}u8{}", "list<".repeat(80), ">".repeat(80));
    wit.push_str(&format!(
        "export boom: func(x: r14);\nexport deep: func(x: {deep}); export fine: func(x: r3); }}"
    ));
    let found = load(made::trapping(&wit)).unwrap();
    let names: Vec<_> = found.tools().tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["fine"]);
    let reasons: Vec<_> = found.tools().unsupported.iter().map(|function| function.reason.as_str()).collect();
    assert!(
        reasons.len() == 2 && reasons.iter().all(|reason| reason.contains("parameter `x`")),
        "{reasons:?}"
    );
    let many: String = (0..5_000).map(|at| format!("export fun{at}: func();")).collect();
    let told = load(made::trapping(&format!("package test:made; world tools {{ {many} }}")))
        .unwrap_err()
        .to_string();
    assert!(told.contains("functions"), "{told}");
}

fn a_start_function_that_never_ends() {
    let one = "(func (export \"one\") (result i32) (i32.const 1))";
    for (start, expected) in
        [("(loop $again (br $again))", "limit of time"), ("unreachable", "the tool crashed")]
    {
        let component = answering(&format!("(func $begin {start}) (start $begin) {one}"));
        let tools = tools_of("starting", component);
        let fence = Fence::new().within(ringfence_sandbox::Limits { time_ms: 300, ..Default::default() });
        let called = fence.call_tool(tools.get("one").unwrap(), json!({}));
        assert!(called.message().contains(expected), "{called}");
    }
}

fn a_component_that_is_swapped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tool.wasm");
    std::fs::write(&path, answering("(func (export \"one\") (result i32) (i32.const 1))")).unwrap();
    let source = ComponentSource::from_file(&path).unwrap();
    let tools = Toolset::new([BENCH.load(source).unwrap()]).unwrap();
    std::fs::write(&path, answering("(func (export \"one\") (result i32) (i32.const 666))")).unwrap();
    let called = BENCH.block_on(BENCH.call(Fence::new().request(tools.get("one").unwrap(), json!({}))));
    match called {
        // Its bytes were kept.
        Ok(report) => assert_eq!(report.outcome, Outcome::Done(json!(1))),
        Err(error) => assert!(error.to_string().contains("isn't the component it should be"), "{error}"),
    }
}
