//! How late a guest that never ends is stopped.

use crate::sample::Sample;
use ringfence_sandbox::{
    CallRequest, CancellationToken, ComponentSource, EgressContext, GrantedTree, Grants, Limits, Outcome,
    ProjectDir, Sandbox, SandboxConfig, Toolset,
};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_millis(50);

const FOREVER: &str = r#"(component
  (core module $code (func (export "forever") (loop (br 0))))
  (core instance $code (instantiate $code))
  (func (export "forever") (canon lift (core func $code "forever"))))"#;

/// Times past the deadline, with so many runaways at once.
pub(crate) fn lateness(at_once: usize, rounds: usize) -> Sample {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sandbox = Arc::new(Sandbox::new(SandboxConfig::default()).unwrap());
    let source = ComponentSource::from_bytes("forever", wat::parse_str(FOREVER).unwrap());
    let component = sandbox.load(source).unwrap();
    runtime.block_on(sandbox.prepare(&component)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let project = ProjectDir::open(folder.path()).unwrap();
    let request = CallRequest {
        tool: Toolset::new([component]).unwrap().get("forever").unwrap().clone(),
        input: json!({}),
        tree: GrantedTree::open(&project, &Grants::whole_project()).unwrap(),
        limits: Limits { time_ms: DEADLINE.as_millis() as u64, ..Limits::default() },
        egress: EgressContext::default(),
        env: Arc::default(),
        stage: None,
        known: Arc::default(),
        cancel: CancellationToken::new(),
    };
    let times = runtime.block_on(async {
        let mut times = Vec::new();
        for _ in 0..rounds {
            let calls = (0..at_once).map(|_| {
                let (sandbox, request) = (sandbox.clone(), request.clone());
                tokio::spawn(async move {
                    let started = Instant::now();
                    let report = sandbox.call(request).await.unwrap();
                    assert!(matches!(report.outcome, Outcome::Exceeded(_)), "{:?}", report.outcome);
                    started.elapsed().saturating_sub(DEADLINE)
                })
            });
            for call in calls.collect::<Vec<_>>() {
                times.push(call.await.unwrap());
            }
        }
        times
    });
    Sample::from_times(times)
}
