//! The network: there for a component to import, and closed to it but for what is granted.

use crate::bench::{Called, Fence, tools_of};
use crate::guests::Guest;
use crate::made;
use crate::threat::threats;
use ringfence_sandbox::Toolset;
use serde_json::json;
use std::net::TcpListener;
use std::sync::LazyLock;

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
    "A connection and a look-up with a language's own library",
        ClosedNetwork, "the language's own error, or what was tried; nothing is connected"
        => Python a_connection_by_a_language_s_own_library;
}

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
