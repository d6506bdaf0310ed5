//! The environment that a guest finds: what is granted and set, and nothing else of the host's.

use crate::built;
use crate::guests::WASI;
use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, ComponentSource, EgressContext, Facts, GrantedTree, Grants,
    HostGrant, Limits, Outcome, ProjectDir, Sandbox, SandboxConfig, Toolset, VariableName, VariableValue,
    Variables,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const SEES: &str = r#"
package test:guest;
world guest {
    import wasi:cli/environment@0.2.6;
    export variables: func() -> list<tuple<string, string>>;
}
"#;
const SEES_CODE: &str = r#"(module
  (import "wasi:cli/environment@0.2.6" "get-environment" (func $environment (param i32)))
  (memory (export "memory") 2)
  (global $free (mut i32) (i32.const 1024))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (local.get $at))
  (func (export "variables") (result i32) (call $environment (i32.const 16)) (i32.const 16)))"#;

const BLIND: &str = "package test:guest; world guest { export variables: func() -> u32; }";
const BLIND_CODE: &str =
    r#"(module (memory (export "memory") 1) (func (export "variables") (result i32) (i32.const 0)))"#;

fn names(names: &[&str]) -> BTreeSet<VariableName> {
    names.iter().map(|name| VariableName::parse(name).unwrap()).collect()
}

fn values(values: &[(&str, &str)]) -> Arc<Variables> {
    let mut all = Variables::default();
    for (name, value) in values {
        all.insert(VariableName::parse(name).unwrap(), VariableValue::new((*value).into()).unwrap());
    }
    Arc::new(all)
}

/// Calls `variables` of the component, and says what the grants let it do.
async fn call(component: Vec<u8>, grants: Grants, env: Arc<Variables>) -> (CallReport, Facts) {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let component = sandbox.load(ComponentSource::from_bytes("guest", component)).unwrap();
    let tools = Toolset::new([component]).unwrap();
    let tool = tools.get("variables").unwrap().clone();
    let project = tempfile::tempdir().unwrap();
    let tree = GrantedTree::open(&ProjectDir::open(project.path()).unwrap(), &grants).unwrap();
    let facts = grants.facts_of(&tool);
    let request = CallRequest {
        tool,
        input: json!({}),
        tree,
        limits: Limits { time_ms: 20_000, ..Limits::default() },
        egress: EgressContext::default(),
        env,
        stage: None,
        known: Arc::default(),
        cancel: CancellationToken::new(),
    };
    (sandbox.call(request).await.unwrap(), facts)
}

fn sees() -> Vec<u8> {
    built::over(&format!("{SEES}{WASI}"), "guest", SEES_CODE)
}

fn granting(env: &[&str]) -> Grants {
    Grants { dirs: Vec::new(), env: names(env), ..Grants::whole_project() }
}

fn returned(report: &CallReport) -> &Value {
    let Outcome::Done(value) = &report.outcome else { panic!("{report:?}") };
    value
}

#[tokio::test]
async fn a_guest_sees_the_variables_that_are_granted_and_set_and_no_other() {
    let env = values(&[("LANG", "de_DE.UTF-8"), ("EMPTY", ""), ("API_KEY", "hunter2-hunter2")]);
    let (report, facts) = call(sees(), granting(&["TZ", "LANG", "EMPTY"]), env).await;
    assert_eq!(*returned(&report), json!([["EMPTY", ""], ["LANG", "de_DE.UTF-8"]]));
    assert_eq!(report.receipt.env, names(&["EMPTY", "LANG"]).into_iter().collect::<Vec<_>>());
    let receipt = serde_json::to_string(&report.receipt).unwrap();
    assert!(!receipt.contains("de_DE") && !receipt.contains("hunter2"), "{receipt}");
    assert!(facts.reads && !facts.deterministic && !facts.egress, "{facts:?}");
}

#[tokio::test]
async fn without_a_grant_a_guest_sees_no_variable() {
    let (report, facts) = call(sees(), granting(&[]), values(&[("LANG", "de_DE.UTF-8")])).await;
    assert_eq!(*returned(&report), json!([]));
    assert!(report.receipt.env.is_empty() && facts.deterministic && !facts.reads, "{facts:?}");
    let receipt = serde_json::to_value(&report.receipt).unwrap();
    assert!(receipt.get("env").is_none(), "{receipt}");
}

#[tokio::test]
async fn a_deterministic_call_sees_no_variable_whatever_is_granted() {
    let grants = Grants { deterministic: true, ..granting(&["LANG"]) };
    let (report, facts) = call(sees(), grants, values(&[("LANG", "de_DE.UTF-8")])).await;
    assert_eq!(*returned(&report), json!([]));
    assert!(report.receipt.env.is_empty() && facts.deterministic && !facts.reads, "{facts:?}");
}

#[tokio::test]
async fn a_component_that_can_t_ask_for_variables_sees_none() {
    let component = built::over(BLIND, "guest", BLIND_CODE);
    let (report, facts) = call(component, granting(&["LANG"]), values(&[("LANG", "de_DE.UTF-8")])).await;
    assert!(report.receipt.env.is_empty() && facts.deterministic && !facts.reads, "{report:?}");
}

#[test]
fn who_sees_variables_and_asks_hosts_can_send_what_it_read() {
    let hosts = vec![HostGrant::parse("https://a.example").unwrap()];
    let facts = Grants { hosts, ..granting(&["LANG"]) }.facts();
    assert!(facts.reads && facts.egress && !facts.deterministic, "{facts:?}");
}

#[test]
fn names_are_part_of_the_grants_and_grants_without_any_are_written_as_before() {
    assert_ne!(granting(&["LANG"]).digest(), granting(&["TZ"]).digest());
    assert_ne!(granting(&["LANG"]).digest(), granting(&[]).digest());
    assert_eq!(granting(&["LANG", "TZ"]).digest(), granting(&["TZ", "LANG"]).digest());
    let written = serde_json::to_value(granting(&[])).unwrap();
    assert!(written.get("env").is_none(), "{written}");
    let read: Grants = serde_json::from_value(written).unwrap();
    assert_eq!(read, granting(&[]));
}
