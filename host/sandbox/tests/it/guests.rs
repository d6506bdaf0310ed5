//! The guests that the call tests use: one well-behaved and hostile component in WebAssembly text,
//! and the sandbox that calls it.

use crate::built;
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, CancellationToken, ComponentSource, EgressContext, GrantedTree,
    Grants, LimitKind, Limits, LoadedComponent, Outcome, ProjectDir, Sandbox, SandboxConfig, Tool, Toolset,
};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::task::Poll;
use tempfile::TempDir;

/// The parts of WASI that the guests import.
pub(crate) const WASI: &str = r#"
package wasi:io@0.2.6 {
    interface error { resource error; }
    interface poll { resource pollable { block: func(); } }
    interface streams {
        use error.{error};
        variant stream-error { last-operation-failed(error), closed }
        resource output-stream {
            blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
        }
    }
}
package wasi:clocks@0.2.6 {
    interface monotonic-clock {
        use wasi:io/poll@0.2.6.{pollable};
        now: func() -> u64;
        subscribe-duration: func(when: u64) -> pollable;
    }
}
package wasi:cli@0.2.6 {
    interface stdout {
        use wasi:io/streams@0.2.6.{output-stream};
        get-stdout: func() -> output-stream;
    }
    interface stderr {
        use wasi:io/streams@0.2.6.{output-stream};
        get-stderr: func() -> output-stream;
    }
    interface environment {
        get-environment: func() -> list<tuple<string, string>>;
        get-arguments: func() -> list<string>;
    }
    interface exit { exit: func(status: result); }
}
package wasi:sockets@0.2.6 {
    interface network {
        enum error-code {
            unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout,
            concurrency-conflict, not-in-progress, would-block, invalid-state, new-socket-limit,
            address-not-bindable, address-in-use, remote-unreachable, connection-refused,
            connection-reset, connection-aborted, datagram-too-large, name-unresolvable,
            temporary-resolver-failure, permanent-resolver-failure,
        }
        enum ip-address-family { ipv4, ipv6 }
    }
    interface tcp { resource tcp-socket; }
    interface tcp-create-socket {
        use network.{error-code, ip-address-family};
        use tcp.{tcp-socket};
        create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
    }
}
"#;

const WIT: &str = r#"
package test:guest;

interface things {
    resource thing;
    fill: func();
}

world guest {
    import wasi:clocks/monotonic-clock@0.2.6;
    import wasi:io/poll@0.2.6;
    import wasi:io/streams@0.2.6;
    import wasi:cli/stdout@0.2.6;
    import wasi:cli/environment@0.2.6;
    import wasi:cli/exit@0.2.6;
    import wasi:sockets/tcp-create-socket@0.2.6;

    export forever: func();
    export forever-with-calls: func();
    export sleep: func(nanos: u64);
    export count: func() -> u32;
    export grow: func(pages: u32) -> s32;
    export grow-until-it-crashes: func();
    export recurse: func();
    export crash: func();
    export text: func(bytes: u32) -> string;
    export length: func(text: string) -> u32;
    export refuse: func(bytes: u32) -> result<u32, string>;
    export write: func(times: u32);
    export poll-handles: func();
    export surroundings: func() -> u32;
    export leave: func();
    export connect: func() -> result<u32, string>;
    export connect-and-crash: func();
    export not-a-number: func() -> f64;
    export things;
}
"#;

const MODULE: &str = r#"(module
  (import "wasi:clocks/monotonic-clock@0.2.6" "now" (func $now (result i64)))
  (import "wasi:clocks/monotonic-clock@0.2.6" "subscribe-duration" (func $after (param i64) (result i32)))
  (import "wasi:io/poll@0.2.6" "[method]pollable.block" (func $block (param i32)))
  (import "wasi:cli/stdout@0.2.6" "get-stdout" (func $stdout (result i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-write-and-flush"
    (func $write (param i32 i32 i32 i32)))
  (import "wasi:cli/environment@0.2.6" "get-environment" (func $environment (param i32)))
  (import "wasi:cli/environment@0.2.6" "get-arguments" (func $arguments (param i32)))
  (import "wasi:cli/exit@0.2.6" "exit" (func $exit (param i32)))
  (import "wasi:sockets/tcp-create-socket@0.2.6" "create-tcp-socket" (func $socket (param i32 i32)))
  (import "[export]test:guest/things" "[resource-new]thing" (func $thing (param i32) (result i32)))

  (memory (export "memory") 2)
  (global $count (mut i32) (i32.const 0))
  (global $free (mut i32) (i32.const 65536))

  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (call $reach (global.get $free))
    (local.get $at))

  ;; Makes memory reach up to an address, or crashes.
  (func $reach (param $end i32)
    (local $missing i32)
    (local.set $missing (i32.sub
      (i32.shr_u (i32.add (local.get $end) (i32.const 65535)) (i32.const 16)) (memory.size)))
    (if (i32.gt_s (local.get $missing) (i32.const 0)) (then
      (if (i32.eq (memory.grow (local.get $missing)) (i32.const -1)) (then unreachable)))))

  (func (export "forever") (loop $again (br $again)))
  (func (export "forever-with-calls") (loop $again (drop (call $now)) (br $again)))
  (func (export "sleep") (param i64) (call $block (call $after (local.get 0))))
  (func (export "count") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
    (i32.add (global.get $count) (i32.load (i32.const 0))))
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func $grow_until_it_crashes (export "grow-until-it-crashes")
    (loop $again
      (if (i32.eq (memory.grow (i32.const 64)) (i32.const -1)) (then unreachable))
      (br $again)))
  (func $recurse (export "recurse") (call $recurse))
  (func $inner (unreachable))
  (func $crash (export "crash") (call $inner))

  ;; A string of that many letters, as pointer and length at address 16.
  (func $letters (param $bytes i32)
    (call $reach (i32.add (i32.const 65536) (local.get $bytes)))
    (memory.fill (i32.const 65536) (i32.const 97) (local.get $bytes))
    (i32.store (i32.const 16) (i32.const 65536))
    (i32.store (i32.const 20) (local.get $bytes)))
  (func (export "text") (param i32) (result i32) (call $letters (local.get 0)) (i32.const 16))
  (func (export "length") (param i32 i32) (result i32) (local.get 1))
  (func (export "refuse") (param i32) (result i32)
    (call $letters (local.get 0))
    (i32.store8 (i32.const 12) (i32.const 1))
    (i32.store (i32.const 32) (i32.const 1))
    (i32.store (i32.const 36) (i32.const 65536))
    (i32.store (i32.const 40) (local.get 0))
    (i32.const 32))

  (func (export "write") (param $times i32)
    (local $out i32)
    (local.set $out (call $stdout))
    (call $letters (i32.const 4096))
    (loop $again
      (if (local.get $times) (then
        (call $write (local.get $out) (i32.const 65536) (i32.const 4096) (i32.const 48))
        (local.set $times (i32.sub (local.get $times) (i32.const 1)))
        (br $again)))))

  (func (export "poll-handles")
    (loop $again (drop (call $after (i64.const 1000000000))) (br $again)))
  (func (export "surroundings") (result i32)
    (call $environment (i32.const 16))
    (call $arguments (i32.const 24))
    (i32.add (i32.load (i32.const 20)) (i32.load (i32.const 28))))
  (func (export "leave") (call $exit (i32.const 0)))
  (func (export "connect") (result i32)
    (call $socket (i32.const 0) (i32.const 16))
    (i32.store (i32.const 32) (i32.load8_u (i32.const 16)))
    (i32.store (i32.const 36) (i32.const 65536))
    (i32.store (i32.const 40) (i32.const 0))
    (i32.const 32))
  (func (export "connect-and-crash") (call $socket (i32.const 0) (i32.const 16)) unreachable)
  (func (export "not-a-number") (result f64) (f64.const nan))
  (func (export "test:guest/things#fill")
    (loop $again (drop (call $thing (i32.const 1))) (br $again)))
)"#;

/// The component's bytes.
pub(crate) fn guest() -> Vec<u8> {
    built::over(&format!("{WIT}{WASI}"), "guest", MODULE)
}

/// The limit that ended a call; as much was used as it allows, or more was asked for.
#[track_caller]
pub(crate) fn exceeded(report: &CallReport) -> LimitKind {
    let Outcome::Exceeded(exceeded) = &report.outcome else {
        panic!("{:?}: {:?}", report.outcome, report.crash)
    };
    assert!(exceeded.used >= exceeded.limit, "{exceeded:?}");
    assert_eq!(report.receipt.exceeded, Some(*exceeded));
    exceeded.which
}

/// A sandbox with the guest loaded and an empty project.
pub(crate) struct Bench {
    pub(crate) sandbox: Sandbox,
    pub(crate) tools: Toolset,
    pub(crate) tree: Arc<GrantedTree>,
    project: TempDir,
}

/// Shared by the tests, as calls of one server share it: what one guest does mustn't harm others.
pub(crate) static SHARED: LazyLock<Bench> =
    LazyLock::new(|| Bench::new(SandboxConfig { max_calls: 128, ..SandboxConfig::default() }, guest()));

impl Bench {
    pub(crate) fn new(config: SandboxConfig, component: Vec<u8>) -> Self {
        let sandbox = Sandbox::new(config).unwrap();
        let component = sandbox.load(ComponentSource::from_bytes("guest", component)).unwrap();
        let tools = Toolset::new([component]).unwrap();
        let project = tempfile::tempdir().unwrap();
        let tree =
            GrantedTree::open(&ProjectDir::open(project.path()).unwrap(), &Grants::whole_project()).unwrap();
        Self { sandbox, tools, tree, project }
    }

    pub(crate) fn project(&self) -> &std::path::Path {
        self.project.path()
    }

    pub(crate) fn component(&self) -> &Arc<LoadedComponent> {
        &self.tools.components()[0]
    }

    pub(crate) fn tool(&self, name: &str) -> Tool {
        self.tools.get(name).unwrap_or_else(|| panic!("no tool {name}")).clone()
    }

    pub(crate) fn request(&self, tool: &str, input: Value) -> CallRequest {
        CallRequest {
            tool: self.tool(tool),
            input,
            tree: self.tree.clone(),
            limits: Limits { time_ms: 20_000, ..Limits::default() },
            egress: EgressContext::default(),
            env: Arc::default(),
            stage: None,
            known: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> CallReport {
        self.sandbox.call(self.request(tool, input)).await.unwrap()
    }

    pub(crate) async fn call_within(&self, tool: &str, input: Value, limits: Limits) -> CallReport {
        let request = CallRequest { limits, ..self.request(tool, input) };
        self.sandbox.call(request).await.unwrap()
    }

    pub(crate) async fn refused_input(&self, tool: &str, input: Value) -> String {
        match self.sandbox.call(self.request(tool, input)).await {
            Err(error @ CallError::Input { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// The sandbox still does what it should, in a fresh instance.
    pub(crate) async fn goes_on(&self) {
        assert_eq!(self.call("count", json!({})).await.outcome, Outcome::Done(json!(2)));
    }
}

/// Awaits them all at once.
pub(crate) async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in &mut waiting {
            if output.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if waiting.iter().all(|(_, output)| output.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, output)| output).collect()
}
