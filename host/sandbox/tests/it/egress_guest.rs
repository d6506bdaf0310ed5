//! A guest that asks what it is told to, and says what came of it.

use crate::built;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, CancellationToken, ComponentSource, EgressContext, GrantedTree,
    Grants, HostGrant, Limits, Outcome, ProjectDir, RequestLimits, Sandbox, SandboxConfig, SecretGrant,
    Toolset,
};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

const WIT: &str = r#"
package test:asking;
world asking {
    import wasi:io/error@0.2.6;
    import wasi:io/poll@0.2.6;
    import wasi:io/streams@0.2.6;
    import wasi:http/types@0.2.6;
    import wasi:http/outgoing-handler@0.2.6;
    record answer { status: u16, headers: list<tuple<string, list<u8>>>, body: list<u8> }
    /// Asks once. The error is the code that the runtime gives, or 100 and more for what it
    /// refused before there was a request.
    export ask: func(method: string, scheme: string, authority: string, path: string,
        headers: list<tuple<string, list<u8>>>, body: list<u8>) -> result<answer, u8>;
    /// Asks so many times and counts the answers, whatever else happens.
    export ask-often: func(method: string, scheme: string, authority: string, path: string,
        headers: list<tuple<string, list<u8>>>, body: list<u8>, times: u32) -> u32;
    export count: func() -> u32;
}
package wasi:io@0.2.6 {
    interface error { resource error; }
    interface poll { resource pollable { block: func(); } }
    interface streams {
        use error.{error};
        variant stream-error { last-operation-failed(error), closed }
        resource input-stream { blocking-read: func(len: u64) -> result<list<u8>, stream-error>; }
        resource output-stream { blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>; }
    }
}
package wasi:http@0.2.6 {
    interface types {
        use wasi:io/error@0.2.6.{error as io-error};
        use wasi:io/poll@0.2.6.{pollable};
        use wasi:io/streams@0.2.6.{input-stream, output-stream};
        record DNS-error-payload { rcode: option<string>, info-code: option<u16> }
        record TLS-alert-received-payload { alert-id: option<u8>, alert-message: option<string> }
        record field-size-payload { field-name: option<string>, field-size: option<u32> }
        variant error-code {
            DNS-timeout, DNS-error(DNS-error-payload), destination-not-found,
            destination-unavailable, destination-IP-prohibited, destination-IP-unroutable,
            connection-refused, connection-terminated, connection-timeout,
            connection-read-timeout, connection-write-timeout, connection-limit-reached,
            TLS-protocol-error, TLS-certificate-error,
            TLS-alert-received(TLS-alert-received-payload), HTTP-request-denied,
            HTTP-request-length-required, HTTP-request-body-size(option<u64>),
            HTTP-request-method-invalid, HTTP-request-URI-invalid, HTTP-request-URI-too-long,
            HTTP-request-header-section-size(option<u32>),
            HTTP-request-header-size(option<field-size-payload>),
            HTTP-request-trailer-section-size(option<u32>),
            HTTP-request-trailer-size(field-size-payload), HTTP-response-incomplete,
            HTTP-response-header-section-size(option<u32>),
            HTTP-response-header-size(field-size-payload), HTTP-response-body-size(option<u64>),
            HTTP-response-trailer-section-size(option<u32>),
            HTTP-response-trailer-size(field-size-payload),
            HTTP-response-transfer-coding(option<string>),
            HTTP-response-content-coding(option<string>), HTTP-response-timeout,
            HTTP-upgrade-failed, HTTP-protocol-error, loop-detected, configuration-error,
            internal-error(option<string>),
        }
        variant header-error { invalid-syntax, forbidden, immutable }
        variant method { get, head, post, put, delete, connect, options, trace, patch, other(string) }
        variant scheme { HTTP, HTTPS, other(string) }
        http-error-code: func(err: borrow<io-error>) -> option<error-code>;
        resource fields {
            constructor();
            append: func(name: string, value: list<u8>) -> result<_, header-error>;
            entries: func() -> list<tuple<string, list<u8>>>;
        }
        resource outgoing-request {
            constructor(headers: fields);
            body: func() -> result<outgoing-body>;
            set-method: func(method: method) -> result;
            set-path-with-query: func(path: option<string>) -> result;
            set-scheme: func(scheme: option<scheme>) -> result;
            set-authority: func(authority: option<string>) -> result;
        }
        resource outgoing-body {
            write: func() -> result<output-stream>;
            finish: static func(this: outgoing-body, trailers: option<fields>) -> result<_, error-code>;
        }
        resource request-options;
        resource incoming-body { %stream: func() -> result<input-stream>; }
        resource incoming-response {
            status: func() -> u16;
            headers: func() -> fields;
            consume: func() -> result<incoming-body>;
        }
        resource future-incoming-response {
            subscribe: func() -> pollable;
            get: func() -> option<result<result<incoming-response, error-code>>>;
        }
    }
    interface outgoing-handler {
        use types.{outgoing-request, request-options, future-incoming-response, error-code};
        handle: func(request: outgoing-request, options: option<request-options>)
            -> result<future-incoming-response, error-code>;
    }
}
"#;

const MODULE: &str = r#"(module
  (import "wasi:io/poll@0.2.6" "[method]pollable.block" (func $block (param i32)))
  (import "wasi:io/poll@0.2.6" "[resource-drop]pollable" (func $drop_pollable (param i32)))
  (import "wasi:io/streams@0.2.6" "[method]input-stream.blocking-read" (func $read (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-write-and-flush"
    (func $write (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.6" "[resource-drop]output-stream" (func $drop_output (param i32)))
  (import "wasi:io/streams@0.2.6" "[resource-drop]input-stream" (func $drop_input (param i32)))
  (import "wasi:http/types@0.2.6" "[resource-drop]incoming-body" (func $drop_body (param i32)))
  (import "wasi:http/types@0.2.6" "http-error-code" (func $error_code (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.6" "[method]fields.append" (func $append (param i32 i32 i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]fields.entries" (func $entries (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.body" (func $request_body (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-method"
    (func $set_method (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-path-with-query"
    (func $set_path (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-scheme"
    (func $set_scheme (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-authority"
    (func $set_authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-body.write" (func $body_write (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[static]outgoing-body.finish" (func $body_finish (param i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-response.status" (func $status (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-response.headers" (func $headers (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-response.consume" (func $consume (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-body.stream" (func $body_stream (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]future-incoming-response.subscribe"
    (func $subscribe (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]future-incoming-response.get" (func $get (param i32 i32)))
  (import "wasi:http/outgoing-handler@0.2.6" "handle" (func $handle (param i32 i32 i32 i32)))

  (memory (export "memory") 2)
  (global $count (mut i32) (i32.const 0))
  (global $free (mut i32) (i32.const 65536))
  ;; Where the answer is put together: a result<answer, u8>.
  (global $answer i32 (i32.const 256))
  ;; Where host calls leave what they return.
  (global $back i32 (i32.const 64))

  (func (export "cabi_realloc") (param i32 i32) (param $align i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and
      (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (block $enough
      (loop $grow
        (br_if $enough (i32.le_u (global.get $free) (i32.shl (memory.size) (i32.const 16))))
        (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
        (br $grow)))
    (local.get $at))

  (func $failed (param $code i32) (result i32)
    (i32.store8 (global.get $answer) (i32.const 1))
    (i32.store8 (i32.add (global.get $answer) (i32.const 4)) (local.get $code))
    (global.get $answer))

  (func $back_tag (result i32) (i32.load8_u (global.get $back)))
  (func $back_at (param $at i32) (result i32) (i32.load (i32.add (global.get $back) (local.get $at))))
  (func $back_byte (param $at i32) (result i32) (i32.load8_u (i32.add (global.get $back) (local.get $at))))

  (func $ask (export "ask")
    (param $method i32) (param $method_len i32) (param $scheme i32) (param $scheme_len i32)
    (param $host i32) (param $host_len i32) (param $path i32) (param $path_len i32)
    (param $list i32) (param $list_len i32) (param $body i32) (param $body_len i32) (result i32)
    (local $fields i32) (local $request i32) (local $out i32) (local $stream i32) (local $future i32)
    (local $reply i32) (local $piece i32) (local $start i32) (local $length i32)
    (local.set $fields (call $fields))
    (block $all
      (loop $each
        (br_if $all (i32.eqz (local.get $list_len)))
        (call $append (local.get $fields)
          (i32.load (local.get $list)) (i32.load offset=4 (local.get $list))
          (i32.load offset=8 (local.get $list)) (i32.load offset=12 (local.get $list)) (global.get $back))
        (if (call $back_tag)
          (then (return (call $failed (i32.add (i32.const 200) (call $back_byte (i32.const 1)))))))
        (local.set $list (i32.add (local.get $list) (i32.const 16)))
        (local.set $list_len (i32.sub (local.get $list_len) (i32.const 1)))
        (br $each)))
    (local.set $request (call $request (local.get $fields)))
    (if (call $set_method (local.get $request) (i32.const 9) (local.get $method) (local.get $method_len))
      (then (return (call $failed (i32.const 101)))))
    (if (call $set_scheme (local.get $request)
          (i32.const 1) (i32.const 2) (local.get $scheme) (local.get $scheme_len))
      (then (return (call $failed (i32.const 102)))))
    (if (call $set_authority (local.get $request) (i32.const 1) (local.get $host) (local.get $host_len))
      (then (return (call $failed (i32.const 103)))))
    (if (call $set_path (local.get $request) (i32.const 1) (local.get $path) (local.get $path_len))
      (then (return (call $failed (i32.const 104)))))
    (if (local.get $body_len) (then
      (call $request_body (local.get $request) (global.get $back))
      (local.set $out (call $back_at (i32.const 4)))))
    (call $handle (local.get $request) (i32.const 0) (i32.const 0) (global.get $back))
    (if (call $back_tag) (then (return (call $failed (call $back_byte (i32.const 8))))))
    (local.set $future (call $back_at (i32.const 8)))
    (if (local.get $body_len) (then
      (call $body_write (local.get $out) (global.get $back))
      (local.set $stream (call $back_at (i32.const 4)))
      (block $written
        (loop $more
          (br_if $written (i32.eqz (local.get $body_len)))
          (local.set $piece (select (local.get $body_len) (i32.const 4096)
            (i32.lt_u (local.get $body_len) (i32.const 4096))))
          (call $write (local.get $stream) (local.get $body) (local.get $piece) (global.get $back))
          (br_if $written (call $back_tag))
          (local.set $body (i32.add (local.get $body) (local.get $piece)))
          (local.set $body_len (i32.sub (local.get $body_len) (local.get $piece)))
          (br $more)))
      (call $drop_output (local.get $stream))
      (call $body_finish (local.get $out) (i32.const 0) (i32.const 0) (global.get $back))))
    (local.set $piece (call $subscribe (local.get $future)))
    (call $block (local.get $piece))
    (call $drop_pollable (local.get $piece))
    (call $get (local.get $future) (global.get $back))
    (if (call $back_byte (i32.const 16)) (then (return (call $failed (call $back_byte (i32.const 24))))))
    (local.set $reply (call $back_at (i32.const 24)))
    (i32.store8 (global.get $answer) (i32.const 0))
    (i32.store16 offset=4 (global.get $answer) (call $status (local.get $reply)))
    (call $entries (call $headers (local.get $reply)) (i32.add (global.get $answer) (i32.const 8)))
    (call $consume (local.get $reply) (global.get $back))
    (local.set $out (call $back_at (i32.const 4)))
    (call $body_stream (local.get $out) (global.get $back))
    (local.set $stream (call $back_at (i32.const 4)))
    (block $ended
      (loop $more
        (call $read (local.get $stream) (i64.const 65536) (global.get $back))
        (if (call $back_tag) (then
          (br_if $ended (call $back_byte (i32.const 4)))
          (call $error_code (call $back_at (i32.const 8)) (global.get $back))
          (return (call $failed (select (call $back_byte (i32.const 8)) (i32.const 250) (call $back_tag))))))
        (if (i32.eqz (local.get $start)) (then (local.set $start (call $back_at (i32.const 4)))))
        (local.set $length (i32.add (local.get $length) (call $back_at (i32.const 8))))
        (br $more)))
    (call $drop_input (local.get $stream))
    (call $drop_body (local.get $out))
    (i32.store offset=16 (global.get $answer) (local.get $start))
    (i32.store offset=20 (global.get $answer) (local.get $length))
    (global.get $answer))

  (func (export "ask-often") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (param $times i32)
    (result i32) (local $answers i32)
    (block $enough
      (loop $again
        (br_if $enough (i32.eqz (local.get $times)))
        (drop (call $ask (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4) (local.get 5)
          (local.get 6) (local.get 7) (local.get 8) (local.get 9) (local.get 10) (local.get 11)))
        (if (i32.eqz (i32.load8_u (global.get $answer))) (then
          (local.set $answers (i32.add (local.get $answers) (i32.const 1)))))
        (local.set $times (i32.sub (local.get $times) (i32.const 1)))
        (br $again)))
    (local.get $answers))
  (func (export "count") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (global.get $count))
)"#;

/// Codes of `wasi:http` that the tests name.
pub(crate) mod code {
    pub(crate) const IP_PROHIBITED: u64 = 4;
    pub(crate) const CONNECTION_REFUSED: u64 = 6;
    pub(crate) const CONNECTION_TERMINATED: u64 = 7;
    pub(crate) const CONNECTION_TIMEOUT: u64 = 8;
    pub(crate) const TLS_PROTOCOL: u64 = 12;
    pub(crate) const TLS_CERTIFICATE: u64 = 13;
    pub(crate) const DENIED: u64 = 15;
    pub(crate) const RESPONSE_INCOMPLETE: u64 = 25;
    pub(crate) const CONTENT_CODING: u64 = 32;
    pub(crate) const UPGRADE_FAILED: u64 = 34;
    pub(crate) const PROTOCOL: u64 = 35;
    /// A body that broke off; the runtime gives no code for it.
    pub(crate) const STREAM_FAILED: u64 = 250;
    /// The runtime's own refusal of a header.
    pub(crate) const FORBIDDEN_HEADER: u64 = 201;
    /// The same of a path.
    pub(crate) const PATH: u64 = 104;
}

struct Shared {
    sandbox: Sandbox,
    tools: Toolset,
    project: ProjectDir,
    _folder: tempfile::TempDir,
}

/// One sandbox for all tests, as one server has.
static SHARED: LazyLock<Shared> = LazyLock::new(|| {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let guest = built::over(WIT, "asking", MODULE);
    let guest = sandbox.load(ComponentSource::from_bytes("asking", guest)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let project = ProjectDir::open(folder.path()).unwrap();
    Shared { sandbox, tools: Toolset::new([guest]).unwrap(), project, _folder: folder }
});

/// What a call is given.
#[derive(Clone, Default)]
pub(crate) struct Given {
    pub(crate) hosts: Vec<HostGrant>,
    pub(crate) secrets: Vec<SecretGrant>,
    pub(crate) limits: RequestLimits,
    pub(crate) time_ms: Option<u64>,
    pub(crate) egress: EgressContext,
}

/// One request of the guest's.
#[derive(Clone)]
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a [u8],
}

impl<'a> Ask<'a> {
    pub(crate) fn get(url: &'a str) -> Self {
        Self { method: "GET", url, headers: &[], body: b"" }
    }

    fn input(&self) -> Value {
        let (scheme, rest) = self.url.split_once("://").unwrap();
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| json!([name, STANDARD.encode(value)])).collect();
        json!({"method": self.method, "scheme": scheme, "authority": authority, "path": path,
            "headers": headers, "body": STANDARD.encode(self.body)})
    }
}

/// A grant as a configuration file has it.
pub(crate) fn grant(value: Value) -> HostGrant {
    serde_json::from_value(value).unwrap()
}

impl Given {
    /// This host, which is private here.
    pub(crate) fn host(url: &str) -> Self {
        Self { hosts: vec![grant(json!({"url": url, "private": true}))], ..Self::default() }
    }

    pub(crate) fn request(&self, tool: &str, input: Value) -> CallRequest {
        let limits = Limits {
            requests: self.limits.clone(),
            time_ms: self.time_ms.unwrap_or(20_000),
            memory_bytes: 64 << 20,
            output_bytes: 4 << 20,
            ..Limits::default()
        };
        let grants = Grants {
            hosts: self.hosts.clone(),
            secrets: self.secrets.clone(),
            limits: limits.clone(),
            ..Grants::whole_project()
        };
        CallRequest {
            tool: SHARED.tools.get(tool).unwrap().clone(),
            input,
            tree: GrantedTree::open(&SHARED.project, &grants).unwrap(),
            limits,
            egress: self.egress.clone(),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> CallReport {
        SHARED.sandbox.call(self.request(tool, input)).await.unwrap()
    }

    pub(crate) async fn ask(&self, ask: &Ask<'_>) -> CallReport {
        self.call("ask", ask.input()).await
    }

    /// Why the call isn't made.
    pub(crate) async fn refused(&self, ask: &Ask<'_>) -> CallError {
        SHARED.sandbox.call(self.request("ask", ask.input())).await.unwrap_err()
    }

    pub(crate) async fn get(&self, url: &str) -> CallReport {
        self.ask(&Ask::get(url)).await
    }

    pub(crate) async fn ask_often(&self, ask: &Ask<'_>, times: u32) -> CallReport {
        let mut input = ask.input();
        input["times"] = json!(times);
        self.call("ask_often", input).await
    }

    /// Asks, and cancels when told to.
    pub(crate) async fn get_until(&self, url: &str, cancel: impl Future<Output = ()>) -> CallReport {
        let request = self.request("ask", Ask::get(url).input());
        let token = request.cancel.clone();
        let cancelling = async {
            cancel.await;
            token.cancel();
        };
        tokio::join!(SHARED.sandbox.call(request), cancelling).0.unwrap()
    }
}

/// Other calls go on.
pub(crate) async fn others_go_on() {
    let report = SHARED.sandbox.call(Given::default().request("count", json!({}))).await.unwrap();
    assert_eq!(report.outcome, Outcome::Done(json!(1)));
}

/// What the guest was answered.
pub(crate) struct Answer {
    pub(crate) status: u64,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn of(report: &CallReport) -> Self {
        let Outcome::Done(value) = &report.outcome else {
            panic!("{:?}: {:?}", report.outcome, report.crash)
        };
        let decoded = |value: &Value| STANDARD.decode(value.as_str().unwrap()).unwrap();
        let header = |pair: &Value| {
            (pair[0].as_str().unwrap().to_owned(), String::from_utf8(decoded(&pair[1])).unwrap())
        };
        Self {
            status: value["status"].as_u64().unwrap(),
            headers: value["headers"].as_array().unwrap().iter().map(header).collect(),
            body: decoded(&value["body"]),
        }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The code of a guest's error, without a refusal of the fence.
pub(crate) fn failed(report: &CallReport) -> u64 {
    let Outcome::Failed(error) = &report.outcome else { panic!("{:?}", report.outcome) };
    error.as_u64().unwrap()
}

/// The one refusal, and the code that the guest saw.
pub(crate) fn denied(report: &CallReport) -> (u64, ringfence_sandbox::Denial) {
    let Outcome::Denied { error, denials } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(denials.len(), 1, "{denials:?}");
    assert!(report.receipt.requests.iter().all(|request| request.status.is_none()));
    (error.as_u64().unwrap(), denials[0].clone())
}

/// For an `Arc` of something that resolves.
pub(crate) fn resolving(resolver: impl ringfence_sandbox::Resolve + 'static) -> EgressContext {
    EgressContext::default().resolving_by(Arc::new(resolver))
}
