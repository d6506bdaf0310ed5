//! The ways to read one file that are compared.

use crate::sample::Sample;
use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, EgressContext, GrantedTree, Grants, Outcome, ProjectDir,
    Sandbox, SandboxConfig, Toolset, standard,
};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(crate) const NAME: &str = "f4k.txt";

/// Open, read, close.
pub(crate) fn native_read(file: &Path) {
    let mut bytes = [0; 8192];
    let read = std::fs::File::open(file).unwrap().read(&mut bytes).unwrap();
    assert_eq!(std::hint::black_box(read), 4096);
}

/// The product's own file tools on a project with one file to read.
pub(crate) struct Fenced {
    project: TempDir,
    sandbox: Sandbox,
    tools: Toolset,
    tree: Arc<GrantedTree>,
    outside: Runtime,
}

impl Fenced {
    pub(crate) fn new() -> Self {
        Self::with(SandboxConfig::default())
    }

    pub(crate) fn on_demand(&self) -> Self {
        Self::with(SandboxConfig { pool: false, ..SandboxConfig::default() })
    }

    fn with(config: SandboxConfig) -> Self {
        let project = tempfile::tempdir().unwrap();
        let lines = (0..64).map(|line| format!("{line:062}\n\n")).collect::<String>();
        assert_eq!(lines.len(), 4096);
        std::fs::write(project.path().join(NAME), lines).unwrap();

        let sandbox = Sandbox::new(config).unwrap();
        let components = standard::components().iter().map(|it| sandbox.load(it.source().unwrap()).unwrap());
        let tools = Toolset::new(components).unwrap();
        let root = ProjectDir::open(project.path()).unwrap();
        let tree = GrantedTree::open(&root, &Grants::whole_project()).unwrap();
        let outside = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        outside.block_on(sandbox.prepare(tools.get("read_file").unwrap().component())).unwrap();
        Self { project, sandbox, tools, tree, outside }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.project.path()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.project.path().join(NAME)
    }

    /// The same tools with other grants on another project.
    pub(crate) fn on(&self, project: &Path, grants: &Grants) -> Arc<GrantedTree> {
        GrantedTree::open(&ProjectDir::open(project).unwrap(), grants).unwrap()
    }

    /// One call, as the command line makes it.
    pub(crate) fn call(&self, tool: &str, input: Value, tree: &Arc<GrantedTree>) -> CallReport {
        let request = CallRequest { tree: tree.clone(), ..self.request_for(tool, input) };
        self.sandbox.block_on(self.sandbox.call(request)).unwrap()
    }

    pub(crate) fn sample(&self, times: usize, how: impl Fn(&Self, usize) -> Vec<Duration>) -> Sample {
        how(self, times / 10);
        Sample::from_times(how(self, times))
    }

    /// As the command line makes it.
    pub(crate) fn direct(&self, times: usize) -> Vec<Duration> {
        self.sandbox.block_on(timed_calls(&self.sandbox, self.request(), times))
    }

    /// From another runtime: there and back are two hops between threads.
    pub(crate) fn on_another_runtime(&self, times: usize) -> Vec<Duration> {
        self.outside.block_on(timed_calls(&self.sandbox, self.request(), times))
    }

    fn request(&self) -> CallRequest {
        self.request_for("read_file", json!({"file_path": NAME, "max_lines": 1000}))
    }

    fn request_for(&self, tool: &str, input: Value) -> CallRequest {
        CallRequest {
            tool: self.tools.get(tool).unwrap().clone(),
            input,
            tree: self.tree.clone(),
            limits: Grants::whole_project().limits,
            egress: EgressContext::default(),
            env: Arc::default(),
            stage: None,
            known: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }

    /// A whole process for one call, its compiled code cached by a first run.
    pub(crate) fn tool_call(&self, binary: &Path) -> Option<Spawned> {
        let input = format!(r#"{{"file_path": "{NAME}"}}"#);
        let mut spawned = Spawned::new(binary, &["tool", "call", "read_file", &input].map(OsStr::new));
        spawned.folder = Some(self.project.path().to_owned());
        match spawned.run() {
            Ok(true) => Some(spawned),
            other => {
                println!("{}: {other:?}", binary.display());
                None
            }
        }
    }
}

async fn timed_calls(sandbox: &Sandbox, request: CallRequest, times: usize) -> Vec<Duration> {
    let mut all = Vec::with_capacity(times);
    for _ in 0..times {
        let request = request.clone();
        let started = Instant::now();
        let report = sandbox.call(request).await.unwrap();
        all.push(started.elapsed());
        assert!(matches!(report.outcome, Outcome::Done(_)), "{report:?}");
        assert_eq!(report.receipt.opened.len(), 1);
    }
    all
}

/// A process, from its start to its end.
pub(crate) struct Spawned {
    program: PathBuf,
    args: Vec<std::ffi::OsString>,
    folder: Option<PathBuf>,
}

impl Spawned {
    pub(crate) fn new(program: impl AsRef<Path>, args: &[&OsStr]) -> Self {
        let spawned = Self { program: program.as_ref().to_owned(), args: Vec::new(), folder: None };
        spawned.args(args)
    }

    pub(crate) fn args(mut self, args: &[&OsStr]) -> Self {
        self.args.extend(args.iter().map(|arg| arg.into()));
        self
    }

    fn run(&self) -> std::io::Result<bool> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::null()).stderr(Stdio::null());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.output().map(|output| output.status.success())
    }

    /// None, and a line that says so, where it can't be run.
    pub(crate) fn sample(&self, times: usize, what: &str, beside: &Sample) -> Option<Sample> {
        match self.run() {
            Ok(true) => {
                let sample = Sample::of(times, || assert!(self.run().unwrap()));
                sample.print(what, Some(beside));
                Some(sample)
            }
            Ok(false) => {
                println!("{what}: it fails here");
                None
            }
            Err(error) => {
                println!("{what}: not here ({error})");
                None
            }
        }
    }
}
