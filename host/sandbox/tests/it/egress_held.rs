//! What a guest makes the host hold of bodies that are never sent, and of replies that aren't read.

use crate::built;
use crate::egress_guest::Given;
use crate::egress_server::{Server, reply};
use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, ComponentSource, EgressContext, Exceeded, GrantedTree,
    Grants, LimitKind, Limits, Outcome, ProjectDir, RequestLimits, Sandbox, SandboxConfig, Toolset,
};
use serde_json::{Value, json};
use std::sync::Arc;

async fn call(given: &Given, open_files: u64, input: Value) -> CallReport {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let guest = built::over(include_str!("asking/bodies.wit"), "bodies", include_str!("asking/bodies.wat"));
    let guest = sandbox.load(ComponentSource::from_bytes("bodies", guest)).unwrap();
    let tools = Toolset::new([guest]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let project = ProjectDir::open(folder.path()).unwrap();
    let limits =
        Limits { memory_bytes: 16 << 20, open_files, requests: given.limits.clone(), ..Limits::default() };
    let grants = Grants { hosts: given.hosts.clone(), limits: limits.clone(), ..Grants::whole_project() };
    let request = CallRequest {
        tool: tools.get(if input.get("authority").is_some() { "replies" } else { "bodies" }).unwrap().clone(),
        input,
        tree: GrantedTree::open(&project, &grants).unwrap(),
        limits,
        stage: None,
        known: Arc::default(),
        egress: EgressContext::default(),
        env: Arc::default(),
        cancel: CancellationToken::new(),
    };
    sandbox.call(request).await.unwrap()
}

fn exceeded(report: &CallReport) -> Exceeded {
    let Outcome::Exceeded(exceeded) = report.outcome else { panic!("{:?}", report.outcome) };
    exceeded
}

#[tokio::test]
async fn bodies_that_are_never_sent_are_bounded_together() {
    let server = Server::echoing().await;
    for given in [Given::default(), Given::host(&server.url(""))] {
        for open_files in [512, 65_000] {
            let report = call(&given, open_files, json!({ "times": 100 })).await;
            assert_eq!(report.outcome, Outcome::Done(json!(100)));
            let report = call(&given, open_files, json!({ "times": 20_000 })).await;
            let Exceeded { which, limit, used } = exceeded(&report);
            assert_eq!((which, limit), (LimitKind::SentBytes, 4 << 20));
            // Sixteen more at most.
            assert!(used <= limit + (512 << 10), "{used}");
        }
    }
    assert!(server.heard().is_empty());
}

#[tokio::test]
async fn as_much_as_may_be_sent_may_wait() {
    let limits = RequestLimits { sent_bytes: 32 << 20, ..RequestLimits::default() };
    let given = Given { limits, ..Given::default() };
    let report = call(&given, 512, json!({ "times": 900 })).await;
    assert_eq!(report.outcome, Outcome::Done(json!(900)));
}

#[tokio::test]
async fn replies_that_are_never_read_are_bounded_together() {
    let server = Server::saying(reply("x", &[b'x'; 1000])).await;
    let limits = RequestLimits { count: 1000, ..RequestLimits::default() };
    let given = Given { limits, ..Given::host(&server.url("")) };
    let url = server.url("");
    let authority = url.strip_prefix("http://").unwrap();
    let ask = |times: u32| call(&given, 512, json!({ "authority": authority, "times": times }));
    let report = ask(100).await;
    assert_eq!(report.outcome, Outcome::Done(json!(100)), "{report:?}");
    let report = ask(600).await;
    assert_eq!(exceeded(&report).which, LimitKind::ReceivedBytes);
    assert_eq!(report.receipt.requests.len(), 256);
}
