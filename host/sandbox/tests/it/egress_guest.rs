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

const WIT: &str = include_str!("asking/asking.wit");
const MODULE: &str = include_str!("asking/asking.wat");

/// Codes of `wasi:http` that the tests name.
pub(crate) mod code {
    pub(crate) const IP_PROHIBITED: u64 = 4;
    pub(crate) const CONNECTION_REFUSED: u64 = 6;
    pub(crate) const CONNECTION_TIMEOUT: u64 = 8;
    pub(crate) const TLS_PROTOCOL: u64 = 12;
    pub(crate) const TLS_CERTIFICATE: u64 = 13;
    pub(crate) const DENIED: u64 = 15;
    pub(crate) const RESPONSE_INCOMPLETE: u64 = 25;
    pub(crate) const TRANSFER_CODING: u64 = 31;
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
            stage: None,
            known: Arc::default(),
            egress: self.egress.clone(),
            env: Arc::default(),
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
    let Outcome::Denied { error, denials, .. } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(denials.len(), 1, "{denials:?}");
    assert!(report.receipt.requests.iter().all(|request| request.status.is_none()));
    (error.as_u64().unwrap(), denials[0].clone())
}

/// For an `Arc` of something that resolves.
pub(crate) fn resolving(resolver: impl ringfence_sandbox::Resolve + 'static) -> EgressContext {
    EgressContext::default().resolving_by(Arc::new(resolver))
}
