//! The network: there for a component to import, and closed to it but for what is granted.

use crate::bench::{Called, Fence, SECRET, tools_of};
use crate::guests::Guest;
use crate::made;
use crate::threat::threats;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::{
    CallRequest, EgressContext, HostGrant, LimitKind, Limits, Outcome, SecretGrant, SecretValue, Secrets,
    Toolset,
};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, LazyLock};

threats! {
    "A request to another host, to this machine, to the address of a cloud's metadata",
        ClosedNetwork, "the request, that no host is granted, and the grant that would allow it"
        => Made a_request;
    "A request with a user and a password in its host",
        ClosedNetwork, "what is wrong with the request, without the password"
        => Made a_request_with_a_password;
    "A name look-up, with a secret in the name",
        ClosedNetwork, "the name, and that look-ups are closed"
        => Made a_name_look_up;
    "A socket for connections, and one for datagrams",
        ClosedNetwork, "the kind of socket, and that sockets are closed"
        => Made a_socket;
    "A thousand requests, and an answer as if nothing were",
        ClosedNetwork, "the answer; the receipt has the first requests and counts the rest"
        => Made a_thousand_requests;
    "A path that some server could read as leading out of the granted one: `..%20`, full-width dots, `%252e`",
        ClosedNetwork, "the request, that its path isn't granted, and the grant that would allow it"
        => Made a_path_out_of_the_granted_one;
    "Thousands of requests that are never sent, with as much in their bodies as they take",
        Limits, "that the limit of sent data was exceeded"
        => Made bodies_that_are_never_sent;
    "A host that hands its secret back: escaped, encoded, in wide letters, as the password in it, cut short",
        Secrets, "the reply, with a mark in place of the secret"
        => Made an_echo_of_a_secret;
    "A host's log, read by a tool without that host's secret",
        Secrets, "the log, with a mark in place of the secret"
        => Made a_log_of_a_host;
    "A connection and a look-up with a language's own library",
        ClosedNetwork, "the language's own error, or what was tried; nothing is connected"
        => Python a_connection_by_a_language_s_own_library;
}

/// A guest that asks what it is told to.
static ASKING: LazyLock<Toolset> = LazyLock::new(|| {
    let wit = include_str!("../../host/sandbox/tests/it/asking/asking.wit");
    let module = include_str!("../../host/sandbox/tests/it/asking/asking.wat");
    tools_of("asking", made::over(&wit.replace("world asking", "world tools"), module))
});

/// One that keeps bodies.
static KEEPING: LazyLock<Toolset> = LazyLock::new(|| {
    let wit = include_str!("../../host/sandbox/tests/it/asking/bodies.wit");
    let module = include_str!("../../host/sandbox/tests/it/asking/bodies.wat");
    tools_of("bodies", made::over(&wit.replace("world bodies", "world tools"), module))
});

const WIT: &str = r#"
package test:made;
world tools {
    import wasi:http/types@0.2.6;
    import wasi:http/outgoing-handler@0.2.6;
    import wasi:sockets/instance-network@0.2.6;
    import wasi:sockets/ip-name-lookup@0.2.6;
    import wasi:sockets/tcp-create-socket@0.2.6;
    import wasi:sockets/udp-create-socket@0.2.6;
    export fetch: func(host: string, times: u32) -> result<u32, u32>;
    export look-up: func(name: string) -> result<u32, u32>;
    export connect: func() -> result<u32, u32>;
    export send: func() -> result<u32, u32>;
    export fetch-and-ignore: func(host: string, times: u32);
}
package wasi:http@0.2.6 {
    interface types {
        record DNS-error-payload { rcode: option<string>, info-code: option<u16> }
        record TLS-alert-received-payload { alert-id: option<u8>, alert-message: option<string> }
        record field-size-payload { field-name: option<string>, field-size: option<u32> }
        variant error-code {
            DNS-timeout, DNS-error(DNS-error-payload), destination-not-found, destination-unavailable,
            destination-IP-prohibited, destination-IP-unroutable, connection-refused, connection-terminated,
            connection-timeout, connection-read-timeout, connection-write-timeout, connection-limit-reached,
            TLS-protocol-error, TLS-certificate-error, TLS-alert-received(TLS-alert-received-payload),
            HTTP-request-denied, HTTP-request-length-required, HTTP-request-body-size(option<u64>),
            HTTP-request-method-invalid, HTTP-request-URI-invalid, HTTP-request-URI-too-long,
            HTTP-request-header-section-size(option<u32>), HTTP-request-header-size(option<field-size-payload>),
            HTTP-request-trailer-section-size(option<u32>), HTTP-request-trailer-size(field-size-payload),
            HTTP-response-incomplete, HTTP-response-header-section-size(option<u32>),
            HTTP-response-header-size(field-size-payload), HTTP-response-body-size(option<u64>),
            HTTP-response-trailer-section-size(option<u32>), HTTP-response-trailer-size(field-size-payload),
            HTTP-response-transfer-coding(option<string>), HTTP-response-content-coding(option<string>),
            HTTP-response-timeout, HTTP-upgrade-failed, HTTP-protocol-error, loop-detected, configuration-error,
            internal-error(option<string>),
        }
        resource fields { constructor(); }
        resource outgoing-request {
            constructor(headers: fields);
            set-authority: func(authority: option<string>) -> result;
            set-path-with-query: func(path: option<string>) -> result;
        }
        resource request-options;
        resource future-incoming-response;
    }
    interface outgoing-handler {
        use types.{outgoing-request, request-options, future-incoming-response, error-code};
        handle: func(request: outgoing-request, options: option<request-options>)
            -> result<future-incoming-response, error-code>;
    }
}
package wasi:sockets@0.2.6 {
    interface network {
        resource network;
        enum error-code {
            unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout,
            concurrency-conflict, not-in-progress, would-block, invalid-state, new-socket-limit,
            address-not-bindable, address-in-use, remote-unreachable, connection-refused,
            connection-reset, connection-aborted, datagram-too-large, name-unresolvable,
            temporary-resolver-failure, permanent-resolver-failure,
        }
        enum ip-address-family { ipv4, ipv6 }
    }
    interface instance-network { use network.{network}; instance-network: func() -> network; }
    interface ip-name-lookup {
        use network.{network, error-code};
        resource resolve-address-stream;
        resolve-addresses: func(network: borrow<network>, name: string) -> result<resolve-address-stream, error-code>;
    }
    interface tcp { resource tcp-socket; }
    interface udp { resource udp-socket; }
    interface tcp-create-socket {
        use network.{error-code, ip-address-family}; use tcp.{tcp-socket};
        create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
    }
    interface udp-create-socket {
        use network.{error-code, ip-address-family}; use udp.{udp-socket};
        create-udp-socket: func(address-family: ip-address-family) -> result<udp-socket, error-code>;
    }
}
"#;

const MODULE: &str = r#"
  (import "wasi:http/types@0.2.6" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.6" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-authority"
    (func $authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-path-with-query"
    (func $path (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/outgoing-handler@0.2.6" "handle" (func $handle (param i32 i32 i32 i32)))
  (import "wasi:sockets/instance-network@0.2.6" "instance-network" (func $network (result i32)))
  (import "wasi:sockets/ip-name-lookup@0.2.6" "resolve-addresses" (func $resolve (param i32 i32 i32 i32)))
  (import "wasi:sockets/tcp-create-socket@0.2.6" "create-tcp-socket" (func $tcp (param i32 i32)))
  (import "wasi:sockets/udp-create-socket@0.2.6" "create-udp-socket" (func $udp (param i32 i32)))
  (data (i32.const 8) "/a?b=c")
  ;; An error with whatever lies at 20.
  (func $failed (result i32) (i32.store (i32.const 16) (i32.const 1)) (i32.const 16))
  (func $fetch (param $host i32) (param $length i32) (param $times i32) (local $sent i32)
    (loop $again
      (local.set $sent (call $request (call $fields)))
      (drop (call $authority (local.get $sent) (i32.const 1) (local.get $host) (local.get $length)))
      (drop (call $path (local.get $sent) (i32.const 1) (i32.const 8) (i32.const 6)))
      (call $handle (local.get $sent) (i32.const 0) (i32.const 0) (i32.const 64))
      (local.set $times (i32.sub (local.get $times) (i32.const 1)))
      (br_if $again (local.get $times))))
  (func (export "fetch") (param i32 i32 i32) (result i32)
    (call $fetch (local.get 0) (local.get 1) (local.get 2)) (call $failed))
  (func (export "fetch-and-ignore") (param i32 i32 i32) (call $fetch (local.get 0) (local.get 1) (local.get 2)))
  (func (export "look-up") (param i32 i32) (result i32)
    (call $resolve (call $network) (local.get 0) (local.get 1) (i32.const 32)) (call $failed))
  (func (export "connect") (result i32) (call $tcp (i32.const 0) (i32.const 32)) (call $failed))
  (func (export "send") (result i32) (call $udp (i32.const 1) (i32.const 32)) (call $failed))"#;

static ONLINE: LazyLock<Toolset> =
    LazyLock::new(|| tools_of("online", made::over(WIT, &format!("(module {MODULE} {})", made::ALLOCATOR))));

fn closed(tool: &str, input: serde_json::Value, operation: &str, asked: &str) {
    let called = Fence::new().call_tool(ONLINE.get(tool).unwrap(), input);
    called.is_denied(&["network"], &[asked, "closed to tools"]);
    let denial = &called.report.receipt.denials[0];
    assert_eq!((denial.operation.as_str(), &denial.would_allow), (operation, &None), "{called}");
}

fn fetched(host: &str) -> Called {
    Fence::new().call_tool(ONLINE.get("fetch").unwrap(), json!({ "host": host, "times": 1 }))
}

fn a_request() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let here = listener.local_addr().unwrap().to_string();
    for host in ["api.example.com:8443", "127.0.0.1", "[::1]:80", "0.0.0.0:1", "169.254.169.254", &here] {
        let called = fetched(host);
        called.is_denied(&["network"], &["GET https://", host, "no host is granted"]);
        assert_eq!(called.report.receipt.denials[0].operation, "request", "{called}");
        assert!(called.report.receipt.requests.is_empty(), "{called}");
    }
    assert!(listener.accept().is_err(), "nobody connected");
}

fn a_request_with_a_password() {
    let called = fetched("user:pw@example.com");
    called.is_denied(&["malformed"], &["was not requested"]);
    assert!(!called.message().contains("pw"), "{called}");
}

fn a_name_look_up() {
    for name in ["example.com", "c2VjcmV0.attacker.example", "localhost"] {
        closed("look_up", json!({ "name": name }), "resolve", name);
    }
}

fn a_socket() {
    closed("connect", json!({}), "socket", "tcp");
    closed("send", json!({}), "socket", "udp");
}

fn a_thousand_requests() {
    let input = json!({ "host": "example.com", "times": 1_000 });
    let called = Fence::new().call_tool(ONLINE.get("fetch_and_ignore").unwrap(), input);
    assert_eq!(*called.done(), json!(null), "{called}");
    let receipt = &called.report.receipt;
    assert!(receipt.denials.len() <= 64, "{}", receipt.denials.len());
    assert_eq!(receipt.denials.len() as u64 + receipt.omitted, 1_000);
}

fn a_connection_by_a_language_s_own_library(guest: &Guest) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let fence = Fence::new();
    let dialled = fence.call(guest, "dial", json!({ "host": "127.0.0.1", "port": port }));
    let found = fence.call(guest, "look_up", json!({ "name": "example.com" }));
    for called in [dialled, found] {
        let outcome = &called.report.outcome;
        assert!(!matches!(outcome, ringfence_sandbox::Outcome::Done(_)), "{called}");
        assert!(called.denials().iter().all(|reason| reason == "network"), "{called}");
    }
    assert!(listener.accept().is_err(), "nobody connected");
}

/// A host that says to every request what this makes of its head; it serves until the process ends.
fn host(says: impl Fn(&str) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = String::new();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).unwrap_or(0) > 0 {}
            let said = says(&head);
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", said.len());
            let _ = stream.write_all(&said);
        }
    });
    authority
}

/// Asks there, below this path of it, with a call that has this secret or another call has it.
fn asked(authority: &str, below: &str, path: &str, prefix: &str, value: &str, is_own: bool) -> Vec<u8> {
    let url = format!("http://{authority}");
    let granted: HostGrant =
        serde_json::from_value(json!({ "url": format!("{url}{below}"), "private": true })).unwrap();
    let secret = json!({ "name": "key", "host": url, "header": "authorization", "prefix": prefix });
    let secret: SecretGrant = serde_json::from_value(secret).unwrap();
    let mut secrets = Secrets::default();
    secrets.insert(secret.clone(), SecretValue::new(value.to_owned()).unwrap());
    let fence = Fence::asking(vec![granted], if is_own { vec![secret] } else { Vec::new() });
    let input = json!({ "method": "GET", "scheme": "http", "authority": authority, "path": path, "headers": [], "body": "" });
    let request = fence.request(ASKING.get("ask").unwrap(), input);
    let called = fence.call_as(CallRequest { egress: EgressContext::new(Arc::new(secrets)), ..request });
    let Outcome::Done(answer) = &called.report.outcome else { panic!("{called}") };
    STANDARD.decode(answer["body"].as_str().unwrap()).expect("what the guest was handed has no secret")
}

fn a_path_out_of_the_granted_one() {
    let authority = host(|_| b"reached".to_vec());
    let url = format!("http://{authority}/v1");
    let granted: HostGrant = serde_json::from_value(json!({ "url": url, "private": true })).unwrap();
    let fence = Fence::asking(vec![granted], Vec::new());
    for path in [
        "/v1/../x",
        "/v1/%2e%2e/x",
        "/v1/..%20/x",
        "/v1/%EF%BC%8E%EF%BC%8E/x",
        "/v1/..;/x",
        "/v1/..%5cx",
        "/v1/%252e./x",
    ] {
        let input = json!({ "method": "GET", "scheme": "http", "authority": authority, "path": path, "headers": [], "body": "" });
        let called = fence.call_tool(ASKING.get("ask").unwrap(), input);
        called.is_denied(&["url_path"], &[path]);
        assert!(called.report.receipt.requests.is_empty(), "{called}");
    }
}

fn bodies_that_are_never_sent() {
    let fence = Fence::new().within(Limits { memory_bytes: 16 << 20, ..Limits::default() });
    let called = fence.call_tool(KEEPING.get("bodies").unwrap(), json!({ "times": 100_000 }));
    let exceeded = called.report.receipt.exceeded.unwrap();
    assert_eq!(exceeded.which, LimitKind::SentBytes, "{called}");
    // No more than a few MiB, whatever its own memory is.
    assert!(exceeded.used < 8 << 20, "{called}");
}

fn an_echo_of_a_secret() {
    let value = format!("{SECRET}+\"/of mine");
    let escaped = |escape: fn(u8) -> String| value.bytes().map(escape).collect::<String>().into_bytes();
    let forms = [
        value.clone().into_bytes(),
        value.to_uppercase().into_bytes(),
        json!(json!(value).to_string()).to_string().into_bytes(),
        escaped(|byte| format!("%{byte:02x}")),
        escaped(|byte| format!("%25{byte:02X}")),
        escaped(|byte| format!("&#{byte};")),
        escaped(|byte| format!("{byte:02x} ")),
        STANDARD.encode(format!("user:{value}")).into_bytes(),
        STANDARD.encode(STANDARD.encode(&value)).into_bytes(),
        value.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        value.as_bytes()[..12].to_vec(),
    ];
    for form in forms {
        let told = [b"you sent ", form.as_slice()].concat();
        let authority = host(move |_| told.clone());
        let seen = asked(&authority, "", "/", "Bearer ", &value, true);
        let seen = String::from_utf8_lossy(&seen).into_owned();
        // And the quotes around it, or the user before it.
        assert!(seen.contains("[secret key]") && seen.len() < 32, "{seen}");
    }
    let coded = STANDARD.encode(format!("alice:{SECRET}"));
    let authority = host(|head| {
        let coded = head.lines().find_map(|line| line.strip_prefix("authorization: Basic ")).unwrap();
        STANDARD.decode(coded).unwrap()
    });
    assert_eq!(asked(&authority, "", "/", "Basic ", &coded, true), b"[secret key]");
}

fn a_log_of_a_host() {
    let authority = host(|_| format!("GET /api, authorization: Bearer {SECRET}, 200").into_bytes());
    let seen = asked(&authority, "/log", "/log", "Bearer ", SECRET, false);
    assert_eq!(seen, b"GET /api, authorization: Bearer [secret key], 200");
}
