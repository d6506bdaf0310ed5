//! A component that has the host work on files: what it does with one is said by the file's first
//! letter.

use crate::built;
use crate::fence_guest::Project;
use crate::guests::WASI;
use crate::watchdog::ends;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, ComponentSource, Digest, EgressContext, FileMemory,
    GrantedTree, Grants, Limits, Outcome, ProjectDir, Sandbox, SandboxConfig, Toolset, VariableName,
    VariableValue, Variables,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// What the host offers.
pub(crate) const HOST: &str = include_str!("../../../../wit/host.wit");

const WIT: &str = r#"
package test:many;
world many {
    import wasi:cli/environment@0.2.6;
    import wasi:filesystem/types@0.2.6;
    import wasi:filesystem/preopens@0.2.6;
    import wasi:config/store@0.2.0-draft;
    import ringfence:host/fan-out@0.1.0;
    export ringfence:host/each-file@0.1.0;
    /// Has files worked on.
    export go: func(task: list<u8>, paths: list<string>) -> list<outcome>;
    use ringfence:host/fan-out@0.1.0.{outcome};
    /// Asks for more at once than there can be.
    export large-task: func(bytes: u32) -> list<outcome>;
    /// What the call itself sees: as `work` tells of a file with an `s`.
    export surroundings: func() -> list<u8>;
}
package wasi:config@0.2.0-draft {
    interface store {
        variant error { upstream(string), io(string) }
        get-all: func() -> result<list<tuple<string, string>>, error>;
    }
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
        }
    }
    interface preopens {
        use types.{descriptor};
        get-directories: func() -> list<tuple<descriptor, string>>;
    }
}
"#;

const MODULE: &str = r#"(module
  (import "ringfence:host/fan-out@0.1.0" "run" (func $run (param i32 i32 i32 i32 i32)))
  (import "wasi:cli/environment@0.2.6" "get-environment" (func $environment (param i32)))
  (import "wasi:config/store@0.2.0-draft" "get-all" (func $settings (param i32)))
  (import "wasi:filesystem/preopens@0.2.6" "get-directories" (func $roots (param i32)))
  (import "wasi:filesystem/types@0.2.6" "[method]descriptor.open-at"
    (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (data (i32.const 512) "seen.txt")
  (global $count (mut i32) (i32.const 0))
  (global $free (mut i32) (i32.const 65536))
  (func $reach (param $end i32) (local $missing i32)
    (local.set $missing (i32.sub
      (i32.shr_u (i32.add (local.get $end) (i32.const 65535)) (i32.const 16)) (memory.size)))
    (if (i32.gt_s (local.get $missing) (i32.const 0)) (then
      (if (i32.eq (memory.grow (local.get $missing)) (i32.const -1)) (then unreachable)))))
  (func $take (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (call $reach (global.get $free))
    (local.get $at))
  (func (export "go") (param i32 i32 i32 i32) (result i32)
    (call $run (local.get 0) (local.get 1) (local.get 2) (local.get 3) (i32.const 16))
    (i32.const 16))
  (func (export "large-task") (param $bytes i32) (result i32)
    (call $run (call $take (i32.const 0) (i32.const 0) (i32.const 1) (local.get $bytes)) (local.get $bytes)
      (i32.const 0) (i32.const 0) (i32.const 16))
    (i32.const 16))
  ;; Three bytes at 256: variables, settings, and 1 where the file can be opened.
  (func $look
    (call $environment (i32.const 32))
    (i32.store8 (i32.const 256) (i32.load (i32.const 36)))
    (call $settings (i32.const 48))
    (i32.store8 (i32.const 257) (i32.load (i32.const 56)))
    (call $roots (i32.const 32))
    (call $open (i32.load (i32.load (i32.const 32))) (i32.const 1) (i32.const 512) (i32.const 8)
      (i32.const 0) (i32.const 1) (i32.const 48))
    (i32.store8 (i32.const 258) (i32.eqz (i32.load8_u (i32.const 48)))))
  (func (export "surroundings") (result i32)
    (call $look)
    (i32.store (i32.const 64) (i32.const 256))
    (i32.store (i32.const 68) (i32.const 3))
    (i32.const 64))
  (func $answer (param $failed i32) (param $at i32) (param $size i32) (result i32)
    (i32.store (i32.const 64) (local.get $failed))
    (i32.store (i32.const 68) (local.get $at))
    (i32.store (i32.const 72) (local.get $size))
    (i32.const 64))
  (func (export "ringfence:host/each-file@0.1.0#work")
      (param $task i32) (param $tasklen i32) (param $path i32) (param $pathlen i32)
      (param $at i32) (param $size i32) (result i32) (local $how i32) (local $left i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (local.set $how (i32.load8_u (local.get $at)))
    ;; t: crashes. l: goes on for ever. e: fails with the content. r: has files worked on itself.
    (if (i32.eq (local.get $how) (i32.const 116)) (then unreachable))
    (if (i32.eq (local.get $how) (i32.const 108)) (then (loop $again (br $again))))
    (if (i32.eq (local.get $how) (i32.const 101))
      (then (return (call $answer (i32.const 1) (local.get $at) (local.get $size)))))
    (if (i32.eq (local.get $how) (i32.const 114))
      (then (call $run (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 16))))
    ;; s: what it sees. p: its path.
    (if (i32.eq (local.get $how) (i32.const 115)) (then
      (call $look)
      (return (call $answer (i32.const 0) (i32.const 256) (i32.const 3)))))
    (if (i32.eq (local.get $how) (i32.const 112))
      (then (return (call $answer (i32.const 0) (local.get $path) (local.get $pathlen)))))
    ;; b: 5 MiB. a: 3 MiB.
    (if (i32.eq (local.get $how) (i32.const 98)) (then
      (call $reach (i32.const 0x600000))
      (return (call $answer (i32.const 0) (i32.const 65536) (i32.const 0x500000)))))
    (if (i32.eq (local.get $how) (i32.const 97)) (then
      (call $reach (i32.const 0x400000))
      (return (call $answer (i32.const 0) (i32.const 65536) (i32.const 0x300000)))))
    ;; w: takes a while, then as c. c: which file of this instance it is.
    (if (i32.eq (local.get $how) (i32.const 119)) (then
      (local.set $left (i32.const 30000000))
      (loop $again
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $again (local.get $left)))))
    (i32.store8 (i32.const 256) (global.get $count))
    (call $answer (i32.const 0) (i32.const 256) (i32.const 1))))"#;

pub(crate) fn component() -> Vec<u8> {
    static COMPONENT: LazyLock<Vec<u8>> =
        LazyLock::new(|| built::over(&format!("{WIT}{}{WASI}", nested(HOST)), "many", MODULE));
    COMPONENT.clone()
}

/// A package of a file of its own, as one among several in a file.
pub(crate) fn nested(wit: &str) -> String {
    let (head, body) = wit.split_once(';').expect("it begins with its name");
    format!("{head} {{{body}}}")
}

/// A memory as a file would be one.
#[derive(Debug, Default)]
pub(crate) struct InHand(Mutex<HashMap<Digest, Vec<u8>>>);

impl FileMemory for InHand {
    fn get(&self, keys: &[Digest], _: usize) -> Vec<Option<Vec<u8>>> {
        let kept = self.0.lock().unwrap();
        keys.iter().map(|key| kept.get(key).cloned()).collect()
    }

    fn put(&self, values: Vec<(Digest, Vec<u8>)>) {
        self.0.lock().unwrap().extend(values);
    }
}

/// A sandbox with that component, and a project.
pub(crate) struct Desk {
    pub(crate) sandbox: Sandbox,
    pub(crate) project: Project,
    pub(crate) grants: Grants,
    pub(crate) tools: Toolset,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(SandboxConfig::for_few_calls())
    }

    /// One that remembers.
    pub(crate) fn with_memory(memory: &Arc<InHand>) -> Self {
        Self::with(SandboxConfig { file_memory: Some(memory.clone()), ..SandboxConfig::for_few_calls() })
    }

    pub(crate) fn with(config: SandboxConfig) -> Self {
        let sandbox = Sandbox::new(config).unwrap();
        let loaded = sandbox.load(ComponentSource::from_bytes("many", component())).unwrap();
        loaded.can_run().unwrap();
        let tools = Toolset::new([loaded]).unwrap();
        let grants = Grants { deterministic: true, ..Grants::whole_project() };
        Self { sandbox, project: Project::empty(), grants, tools }
    }

    /// Writes files with these contents; gives their paths.
    pub(crate) fn files(&self, contents: &[&str]) -> Vec<String> {
        let write = |(number, content): (usize, &&str)| {
            let path = format!("f{number:04}.txt");
            self.project.file(&path, content);
            path
        };
        contents.iter().enumerate().map(write).collect()
    }

    pub(crate) fn request(&self, tool: &str, input: Value) -> CallRequest {
        let mut env = Variables::default();
        env.insert(VariableName::parse("SEEN").unwrap(), VariableValue::new("x".into()).unwrap());
        CallRequest {
            tool: self.tools.get(tool).unwrap_or_else(|| panic!("no tool {tool}")).clone(),
            input,
            tree: GrantedTree::open(&ProjectDir::open(&self.project.root()).unwrap(), &self.grants).unwrap(),
            limits: Limits { time_ms: 600_000, output_bytes: 16 << 20, ..Limits::default() },
            egress: EgressContext::default(),
            env: Arc::new(env),
            stage: None,
            known: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn going(&self, paths: &[String]) -> CallRequest {
        self.request("go", json!({"task": "", "paths": paths}))
    }

    pub(crate) async fn go(&self, paths: &[String]) -> CallReport {
        self.call(self.going(paths)).await
    }

    pub(crate) async fn call(&self, request: CallRequest) -> CallReport {
        ends(self.sandbox.call(request)).await.unwrap()
    }
}

/// What came of each file, in short: `done 1`, with the bytes of the value; `failed …`.
pub(crate) fn outcomes(report: &CallReport) -> Vec<String> {
    let Outcome::Done(Value::Array(all)) = &report.outcome else {
        panic!("{:?} {:?}", report.outcome, report.crash)
    };
    all.iter().map(in_short).collect()
}

fn in_short(outcome: &Value) -> String {
    let name = outcome["case"].as_str().unwrap();
    match &outcome["value"] {
        Value::Null => name.to_owned(),
        Value::Object(made) => {
            let bytes = STANDARD.decode(made["value"].as_str().unwrap()).unwrap();
            let bytes: Vec<_> = bytes.iter().take(8).map(ToString::to_string).collect();
            format!("{name} {}", bytes.join(" "))
        }
        Value::String(text) => format!("{name} {text}"),
        other => format!("{name} {other}"),
    }
}
