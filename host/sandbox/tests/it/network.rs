//! The network is there for a component to import, and closed to it.

use crate::built;
use crate::guests::{Bench, WASI};
use ringfence_sandbox::{
    CallRequest, DenialReason, GrantedTree, Grants, HostGrant, Outcome, ProjectDir, RequestRuling,
    SandboxConfig,
};
use serde_json::json;

const WIT: &str = r#"
package test:online;
world online {
    import wasi:http/types@0.2.6;
    import wasi:http/outgoing-handler@0.2.6;
    import wasi:sockets/instance-network@0.2.6;
    import wasi:sockets/ip-name-lookup@0.2.6;
    export fetch: func(host: string) -> result<u32, u32>;
    export look-up: func(name: string) -> result<u32, u32>;
    export fetch-and-ignore: func(host: string, times: u32);
}
package wasi:http@0.2.6 {
    interface types {
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
"#;

const SOCKETS: &str = r#"
    interface instance-network {
        use network.{network};
        instance-network: func() -> network;
    }
    interface ip-name-lookup {
        use network.{network, error-code};
        resource resolve-address-stream;
        resolve-addresses: func(network: borrow<network>, name: string)
            -> result<resolve-address-stream, error-code>;
    }
    interface network { resource network; "#;

const MODULE: &str = r#"(module
  (import "wasi:http/types@0.2.6" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.6" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-authority"
    (func $authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-path-with-query"
    (func $path (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/outgoing-handler@0.2.6" "handle" (func $handle (param i32 i32 i32 i32)))
  (import "wasi:sockets/instance-network@0.2.6" "instance-network" (func $network (result i32)))
  (import "wasi:sockets/ip-name-lookup@0.2.6" "resolve-addresses" (func $resolve (param i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (data (i32.const 8) "/a?b=c")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
  (func $fetch (param $host i32) (param $length i32)
    (local $sent i32)
    (local.set $sent (call $request (call $fields)))
    (drop (call $authority (local.get $sent) (i32.const 1) (local.get $host) (local.get $length)))
    (drop (call $path (local.get $sent) (i32.const 1) (i32.const 8) (i32.const 6)))
    (call $handle (local.get $sent) (i32.const 0) (i32.const 0) (i32.const 64)))
  (func (export "fetch") (param i32 i32) (result i32)
    (call $fetch (local.get 0) (local.get 1))
    (i32.store (i32.const 16) (i32.const 1))
    (i32.store (i32.const 20) (i32.const 7))
    (i32.const 16))
  (func (export "look-up") (param i32 i32) (result i32)
    (call $resolve (call $network) (local.get 0) (local.get 1) (i32.const 16))
    (i32.store (i32.const 20) (i32.load8_u (i32.const 20)))
    (i32.const 16))
  (func (export "fetch-and-ignore") (param i32 i32 i32)
    (loop $again
      (call $fetch (local.get 0) (local.get 1))
      (local.set 2 (i32.sub (local.get 2) (i32.const 1)))
      (br_if $again (local.get 2))))
)"#;

fn online() -> Bench {
    let wasi = WASI.replace("interface network {", SOCKETS);
    let component = built::over(&format!("{WIT}{wasi}"), "online", MODULE);
    Bench::new(SandboxConfig::for_few_calls(), component)
}

#[tokio::test]
async fn a_request_is_refused_and_recorded() {
    let report = online().call("fetch", json!({"host": "api.example.com:8443"})).await;
    let Outcome::Denied { error, denials, .. } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(*error, json!(7));
    assert_eq!(denials.len(), 1);
    assert_eq!(denials[0].operation, "request");
    assert_eq!(denials[0].asked, "GET https://api.example.com:8443/a?b=c");
    assert_eq!(denials[0].reason, DenialReason::Network);
    let grant = "--allow-host https://api.example.com:8443";
    assert_eq!(denials[0].would_allow.as_deref(), Some(grant));
}

#[tokio::test]
async fn a_name_look_up_is_refused_and_recorded() {
    let report = online().call("look_up", json!({"name": "example.com"})).await;
    let Outcome::Denied { error, denials, .. } = &report.outcome else { panic!("{:?}", report.outcome) };
    // `access-denied`
    assert_eq!(*error, json!(1));
    assert_eq!((denials[0].operation.as_str(), denials[0].asked.as_str()), ("resolve", "example.com"));
}

#[tokio::test]
async fn name_look_ups_stay_closed_where_hosts_are_granted() {
    let bench = online();
    let hosts = vec![HostGrant::parse("https://example.com").unwrap()];
    let grants = Grants { hosts, ..Grants::whole_project() };
    let tree = GrantedTree::open(&ProjectDir::open(bench.project()).unwrap(), &grants).unwrap();
    let request = CallRequest { tree, ..bench.request("look_up", json!({"name": "example.com"})) };
    let report = bench.sandbox.call(request).await.unwrap();
    assert!(matches!(report.outcome, Outcome::Denied { .. }), "{:?}", report.outcome);
    assert_eq!(
        report.outcome.message(&report.receipt),
        "resolve example.com: sockets and name look-ups are closed to tools"
    );
}

#[tokio::test]
async fn a_guest_that_carries_on_without_the_network_is_done_and_its_attempts_are_on_record() {
    let report = online().call("fetch_and_ignore", json!({"host": "example.com", "times": 100})).await;
    assert_eq!(report.outcome, Outcome::Done(json!(null)));
    assert_eq!(report.receipt.denials.len() as u64 + report.receipt.omitted, 100);
}

#[tokio::test]
async fn a_deterministic_call_asks_no_host_whatever_is_granted() {
    let bench = online();
    let hosts = vec![HostGrant::parse("https://api.example.com").unwrap()];
    let grants = Grants { hosts, deterministic: true, ..Grants::whole_project() };
    let facts = grants.facts();
    assert!(facts.deterministic && !facts.egress);
    let folder = tempfile::tempdir().unwrap();
    let tree = GrantedTree::open(&ProjectDir::open(folder.path()).unwrap(), &grants).unwrap();
    let request = CallRequest { tree, ..bench.request("fetch", json!({"host": "api.example.com"})) };
    let report = bench.sandbox.call(request).await.unwrap();
    let Outcome::Denied { denials, .. } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!((denials[0].reason, &denials[0].would_allow), (DenialReason::Network, &None));
    assert!(report.receipt.hosts.is_empty() && report.receipt.requests.is_empty());
}

#[test]
fn a_request_is_explained_as_it_would_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let project = ProjectDir::open(folder.path()).unwrap();
    let hosts = vec![HostGrant::parse("https://api.example.com/v1").unwrap()];
    let grants = Grants { hosts: hosts.clone(), ..Grants::whole_project() };
    let tree = GrantedTree::open(&project, &grants).unwrap();
    let allowed = RequestRuling::Allowed { grant: hosts[0].clone(), secrets: Vec::new() };
    assert_eq!(tree.explain_request("GET", "https://api.example.com/v1/x?q=1"), allowed);
    for (method, url, reason) in [
        ("GET", "https://api.example.com/", DenialReason::UrlPath),
        ("POST", "https://api.example.com/v1", DenialReason::Method),
        ("GET", "https://other.example/v1", DenialReason::Network),
        ("GET", "ftp://api.example.com/v1", DenialReason::Malformed),
        ("GET", "https://a b/", DenialReason::Malformed),
    ] {
        match tree.explain_request(method, url) {
            RequestRuling::Refused(denial) => assert_eq!(denial.reason, reason, "{method} {url}"),
            other @ RequestRuling::Allowed { .. } => panic!("{method} {url}: {other:?}"),
        }
    }
    let closed = GrantedTree::open(&project, &Grants { deterministic: true, ..grants }).unwrap();
    let RequestRuling::Refused(denial) = closed.explain_request("GET", "https://api.example.com/v1") else {
        panic!("it is closed")
    };
    assert_eq!((denial.reason, denial.would_allow), (DenialReason::Network, None));
}
