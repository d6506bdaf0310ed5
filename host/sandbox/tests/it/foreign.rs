//! Components as other toolchains make them: what they import, what gives their makers away, and
//! what can't run here, told before any of it is compiled.

use crate::built;
use crate::fan_out_guest::{HOST, nested};
use crate::watchdog::ends;
use ringfence_sandbox::{
    CallRequest, CancellationToken, ComponentSource, EgressContext, GrantedTree, Grants, LoadError,
    LoadedComponent, Outcome, ProjectDir, Sandbox, SandboxConfig, Toolset,
};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(SandboxConfig::for_few_calls()).unwrap());

fn load(text: &str) -> Result<Arc<LoadedComponent>, LoadError> {
    let bytes = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"));
    SANDBOX.load(ComponentSource::from_bytes("foreign.wasm", bytes))
}

/// A component with this among its imports, whose `go` does nothing.
fn importing(import: &str) -> Arc<LoadedComponent> {
    load(&format!(
        r#"(component
            {import}
            (core module $m (func (export "go")))
            (core instance $i (instantiate $m))
            (func (export "go") (canon lift (core func $i "go"))))"#
    ))
    .unwrap()
}

fn obstacles(component: &LoadedComponent) -> Vec<String> {
    component.tools().obstacles.iter().map(ToString::to_string).collect()
}

/// That what was said of it before is what comes of compiling it.
fn compiles(component: &Arc<LoadedComponent>) -> bool {
    SANDBOX.block_on(SANDBOX.prepare(component)).is_ok()
}

async fn call(component: Arc<LoadedComponent>, tool: &str, input: Value) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let grants = Grants { entropy: true, ..Grants::whole_project() };
    let request = CallRequest {
        tool: Toolset::new([component]).unwrap().get(tool).unwrap().clone(),
        input,
        tree: GrantedTree::open(&ProjectDir::open(folder.path()).unwrap(), &grants).unwrap(),
        limits: grants.limits.clone(),
        stage: None,
        known: Arc::default(),
        egress: EgressContext::default(),
        env: Arc::default(),
        cancel: CancellationToken::new(),
    };
    ends(SANDBOX.call(request)).await.unwrap().outcome
}

/// A component that reads a clock of this version.
fn clock(version: &str) -> Arc<LoadedComponent> {
    load(&format!(
        r#"(component
            (import "wasi:clocks/monotonic-clock@{version}" (instance $clock (export "now" (func (result u64)))))
            (core func $now (canon lower (func $clock "now")))
            (core module $m
                (import "clock" "now" (func $now (result i64)))
                (func (export "ticks") (result i64) call $now))
            (core instance $i (instantiate $m (with "clock" (instance (export "now" (func $now))))))
            (func (export "ticks") (result u64) (canon lift (core func $i "ticks"))))"#
    ))
    .unwrap()
}

#[tokio::test]
async fn every_patch_version_of_wasi_0_2_is_offered_and_works() {
    for version in ["0.2.0", "0.2.3", "0.2.6", "0.2.12", "0.2.99"] {
        let component = clock(version);
        assert_eq!(obstacles(&component), [""; 0], "{version}");
        let outcome = call(component, "ticks", json!({})).await;
        assert!(
            matches!(outcome, Outcome::Done(Value::Number(_) | Value::String(_))),
            "{version}: {outcome:?}"
        );
    }
}

#[test]
fn other_versions_of_wasi_are_named_and_nothing_is_compiled_for_that() {
    for version in ["0.3.0", "0.2.0-rc-2023-11-10", "1.0.0"] {
        let component = clock(version);
        assert_eq!(
            obstacles(&component),
            [format!(
                "it imports `wasi:clocks/monotonic-clock@{version}`: version {version} isn't offered here; build \
                 it for WASI 0.2"
            )]
        );
        let error = component.can_run().unwrap_err().to_string();
        assert!(error.starts_with("foreign.wasm can't run here: it imports `wasi:clocks/"), "{error}");
        assert!(!compiles(&component));
    }
}

#[test]
fn configuration_is_offered_in_every_draft() {
    for interface in
        ["store@0.2.0-rc.1", "store@0.2.0-draft", "store@0.2.0-draft-2024-09-27", "runtime@0.2.0-draft"]
    {
        let component = importing(&format!(
            r#"(import "wasi:config/{interface}" (instance
                (type $error' (variant (case "upstream" string) (case "io" string)))
                (export "error" (type $error (eq $error')))
                (export "get" (func (param "key" string) (result (result (option string) (error $error)))))))"#
        ));
        assert_eq!(obstacles(&component), [""; 0], "{interface}");
        assert!(compiles(&component), "{interface}");
    }
}

#[test]
fn everything_that_is_imported_and_not_offered_is_named_with_what_to_do() {
    let component = importing(
        r#"(import "wasi:io/error@0.2.6" (instance (export "error" (type (sub resource)))))
           (import "acme:db/store@1.0.0" (instance (export "get" (func (param "key" string) (result string)))))
           (import "wasi:random/random@0.2.0" (instance (export "get-random-u64" (func (result u64)))))
           (import "wasi:keyvalue/store@0.2.0-draft" (instance
               (export "bucket" (type $b (sub resource)))
               (export "open" (func (param "name" string) (result (own $b))))))
           (import "wasi:io/streams@0.3.0" (instance (export "flush" (func))))
           (import "host-log" (func (param "text" string)))"#,
    );
    insta::assert_snapshot!(obstacles(&component).join("\n"));
    assert!(!compiles(&component));
}

#[test]
fn a_function_that_came_later_or_is_another_is_named() {
    let clock = |functions: &str| {
        importing(&format!(r#"(import "wasi:clocks/monotonic-clock@0.2.99" (instance {functions}))"#))
    };
    let later = clock(r#"(export "now" (func (result u64))) (export "later" (func (result u64)))"#);
    let other = clock(r#"(export "now" (func (result u32)))"#);
    for (component, wanted) in [
        (later, "it imports `wasi:clocks/monotonic-clock@0.2.99`: its `later` isn't offered here"),
        (other, "its `now` has the wrong type: type mismatch with results: expected `u64` found `u32`"),
    ] {
        let obstacles = obstacles(&component);
        assert!(obstacles.len() == 1 && obstacles[0].ends_with(wanted), "{obstacles:?}");
        assert!(!compiles(&component));
    }
}

#[test]
fn an_interface_with_types_alone_is_nobody_s_to_offer() {
    let component = importing(
        r#"(import "acme:db/types@1.0.0" (instance
            (type (record (field "a" u8))) (export "row" (type (eq 0)))))"#,
    );
    assert_eq!(obstacles(&component), [""; 0]);
    assert!(compiles(&component));
}

#[test]
fn asynchronous_functions_are_listed_and_keep_the_whole_component_from_running() {
    let component = load(
        r#"(component
            (core module $m
                (func (export "run") (result i32) i32.const 0)
                (func (export "fine"))
                (func (export "callback") (param i32 i32 i32) (result i32) i32.const 0))
            (core instance $i (instantiate $m))
            (type $f (func async))
            (func $run (type $f) (canon lift (core func $i "run") async (callback (core func $i "callback"))))
            (func (export "fine") (canon lift (core func $i "fine")))
            (export "run" (func $run)))"#,
    )
    .unwrap();
    let tools = component.tools();
    assert_eq!((tools.tools.len(), tools.unsupported.len()), (1, 1));
    assert!(tools.unsupported[0].reason.starts_with("it is async"), "{:?}", tools.unsupported);
    assert!(obstacles(&component)[0].starts_with("it uses asynchronous functions, streams or futures"));
    assert!(!compiles(&component));
    let sync_type = load(
        r#"(component
            (core module $m
                (func (export "run") (result i32) i32.const 0)
                (func (export "callback") (param i32 i32 i32) (result i32) i32.const 0))
            (core instance $i (instantiate $m))
            (type $f (func))
            (func $run (type $f) (canon lift (core func $i "run") async (callback (core func $i "callback"))))
            (export "run" (func $run)))"#,
    );
    let error = sync_type.unwrap_err().to_string();
    assert!(error.contains("the `async` canonical option requires an async function type"), "{error}");
}

#[test]
fn a_stream_in_an_import_or_an_export_keeps_a_component_from_running() {
    let imported =
        importing(r#"(import "acme:s/s" (instance (type (stream u8)) (export "x" (func (param "s" 0)))))"#);
    let exported = load(
        r#"(component
            (core module $m (func (export "run") (param i32)))
            (core instance $i (instantiate $m))
            (type $s (stream u8))
            (func $f (param "s" $s) (canon lift (core func $i "run")))
            (export "run" (func $f)))"#,
    )
    .unwrap();
    for component in [imported, exported] {
        assert!(obstacles(&component)[0].contains("WASI 0.3"), "{:?}", obstacles(&component));
        assert!(!compiles(&component));
    }
}

#[tokio::test]
async fn functions_of_components_inside_a_component_are_tools_like_others() {
    let component = load(
        r#"(component
            (component $inner
                (core module $m (func (export "twice") (param i32) (result i32)
                    local.get 0 local.get 0 i32.add))
                (core instance $i (instantiate $m))
                (func $f (param "of" u32) (result u32) (canon lift (core func $i "twice")))
                (export "twice" (func $f))
                (instance $e (export "again" (func $f)))
                (export "acme:x/y@1.0.0" (instance $e)))
            (instance $n (instantiate $inner))
            (export "acme:x/y@1.0.0" (instance $n "acme:x/y@1.0.0"))
            (export "twice" (func $n "twice")))"#,
    )
    .unwrap();
    for tool in ["twice", "again"] {
        assert_eq!(call(component.clone(), tool, json!({ "of": 21 })).await, Outcome::Done(json!(42)));
    }
}

#[test]
fn a_component_that_hands_out_a_component_can_t_run_and_one_with_a_module_can() {
    let exporting = |export: &str| {
        load(&format!(
            r#"(component
                (core module $m (func (export "run")))
                (component $c)
                (core instance $i (instantiate $m))
                (func $f (canon lift (core func $i "run")))
                {export}
                (export "run" (func $f)))"#
        ))
        .unwrap()
    };
    let inner = exporting(r#"(export "inner" (component $c))"#);
    assert!(obstacles(&inner)[0].starts_with("it exports a whole component, `inner`"));
    assert!(!compiles(&inner));
    let module = exporting(r#"(export "inner" (core module $m))"#);
    assert_eq!(obstacles(&module), [""; 0]);
    assert!(compiles(&module));
}

#[test]
fn who_made_it_is_told_without_the_adapter_that_the_toolchain_put_in() {
    let made = |inside: &str| {
        let component = load(&format!("(component {inside})")).unwrap();
        (component.tools().maker.clone(), component.tools().producers.len())
    };
    let adapter = r#"(core module (func (export "cabi_import_realloc"))
        (@producers (language "Rust" "") (processed-by "rustc" "1.97.0 (2d8144b78 2026-07-07)")))"#;
    let go = r#"(core module (@producers
        (language "Go" "go1.27.3") (processed-by "Go cmd/compile" "go1.27.3")))"#;
    assert_eq!(made(&format!("{go}{adapter}")), (Some("Go by go 1.27.3".to_owned()), 2));
    assert_eq!(made(adapter), (None, 0));
    for (inside, wanted) in [
        (
            r#"(core module (@producers (language "Rust" "") (processed-by "rustc" "1.96.0 (ac68faa20)")))"#,
            "Rust by rustc 1.96.0",
        ),
        (
            r#"(core module (@producers (processed-by "wit-bindgen-rust" "0.61.1")))"#,
            "Rust by wit-bindgen 0.61.1",
        ),
        (
            r#"(core module (@producers (language "C99" "") (processed-by "Debian clang" "14.0.6")))"#,
            "C by clang 14.0.6",
        ),
        (
            r#"(core module (@producers (language "C11" "") (language "C_plus_plus_14" "") (processed-by "clang" "22.1.0")))"#,
            "C++ by clang 22.1.0",
        ),
        (r#"(core module (@name "libpython3.14.so"))"#, "Python 3.14 by componentize-py"),
        (
            r#"(core module (func (export "componentize_qjs_runtime.wasm:memory_base")))"#,
            "JavaScript by jco (QuickJS)",
        ),
        (
            r#"(@producers (language "JavaScript" "") (processed-by "ComponentizeJS" "0.23.0"))"#,
            "JavaScript by ComponentizeJS 0.23.0",
        ),
        (
            r#"(core module (@producers (processed-by "wit-bindgen-c" "0.63.0")))"#,
            "unknown, with wit-bindgen-c 0.63.0",
        ),
        (r#"(core module (@producers (language "Moon\1b[2JBit" "0.9")))"#, "Moon[2JBit 0.9"),
    ] {
        assert_eq!(made(inside).0.as_deref(), Some(wanted), "{inside}");
    }
}

#[test]
fn work_on_files_is_offered_to_who_says_what_is_done_with_one() {
    let wit = |world: &str| {
        format!("package test:many; world many {{ {world} export go: func(); }} {}", nested(HOST))
    };
    let world = |imports: &str| {
        let component = built::trapping(&wit(imports), "many");
        SANDBOX.load(ComponentSource::from_bytes("many", component)).unwrap()
    };
    let whole = world("import ringfence:host/fan-out@0.1.0; export ringfence:host/each-file@0.1.0;");
    assert_eq!(obstacles(&whole), [""; 0]);
    let tools = whole.tools();
    let names: Vec<_> = tools.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names == ["go"] && tools.unsupported.is_empty(), "what the host calls is no tool");
    assert!(compiles(&whole));

    let half = world("import ringfence:host/fan-out@0.1.0;");
    assert_eq!(
        obstacles(&half),
        ["it imports `ringfence:host/fan-out@0.1.0`: who has the host work on files says what is done with \
          one: export `ringfence:host/each-file@0.1.0` as well"]
    );
    let later = importing(r#"(import "ringfence:host/fan-out@0.2.0" (instance (export "run" (func))))"#);
    assert_eq!(
        obstacles(&later),
        ["it imports `ringfence:host/fan-out@0.2.0`: of this host's own interfaces only \
          `ringfence:host/fan-out@0.1.0` is offered here"]
    );
    assert!(!compiles(&later));
}
