//! The sandbox under test and a project with secrets all around what is granted.

use crate::guests::Guest;
use crate::made;
use crate::standing::Standing;
use ringfence_sandbox::{
    Applied, ApplyError, CallReport, CallRequest, CancellationToken, ComponentSource, DirGrant,
    EgressContext, GrantPath, GrantedTree, Grants, HostGrant, KnownReads, Limits, MaskPattern, Outcome,
    ProjectDir, Sandbox, SandboxConfig, SecretGrant, Stage, Tool, Toolset, VariableName, VariableValue,
    Variables,
};
use ringfence_tests::product::Product;
use serde_json::{Value, json};
use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, Once};
use tempfile::TempDir;

/// What no guest may ever get to see.
pub(crate) const SECRET: &str = "zebra-secret-4711";

/// One sandbox for all rows, as one run has it: what one guest does mustn't harm others.
pub(crate) static BENCH: LazyLock<Sandbox> = LazyLock::new(|| {
    listen_for_panics();
    let cache_dir = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("fence-code"));
    Sandbox::new(SandboxConfig { cache_dir, ..SandboxConfig::default() }).unwrap()
});

/// Panics of threads that belong to the host and not to a test.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn listen_for_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("unnamed");
            // A test's own thread has the test's name.
            if !name.contains("::") && name != "main" {
                PANICS.lock().unwrap().push(format!("{name}: {panic}"));
            }
            usual(panic);
        }));
    });
}

/// No thread of the host's has panicked so far.
pub(crate) fn no_thread_panicked() {
    let panics = PANICS.lock().unwrap();
    assert!(panics.is_empty(), "the host panicked: {panics:?}");
}

/// A standard tool on a project of its own is answered, in the same sandbox.
pub(crate) fn innocent_call_goes_on() {
    let fence = Fence::new();
    let called = fence.call_tool(&made::standard("read_file"), json!({ "file_path": "src/a.txt" }));
    assert_eq!(called.done()["text"], "granted", "{called}");
}

/// A project of which some of it is granted; with a stage, as a run has one, if it may be changed.
pub(crate) struct Fence {
    home: TempDir,
    /// Where its stages lie.
    kept: TempDir,
    tree: Arc<GrantedTree>,
    limits: Limits,
    stage: Option<Arc<Stage>>,
    /// The values of variables, granted or not.
    env: Arc<Variables>,
    /// What its calls have read.
    known: Mutex<Arc<KnownReads>>,
}

impl Fence {
    /// With `src` granted.
    pub(crate) fn new() -> Self {
        Self::granting(&["src"])
    }

    /// With these folders granted, for reading where they don't end in `:write`.
    pub(crate) fn granting(folders: &[&str]) -> Self {
        Self::under(&Grants { dirs: granted(folders), ..Grants::whole_project() })
    }

    /// With `src` granted to be changed.
    pub(crate) fn writing() -> Self {
        Self::granting(&["src:write"])
    }

    /// With `src` granted, and real time.
    pub(crate) fn with_real_time() -> Self {
        Self::under(&Grants { dirs: granted(&["src"]), entropy: true, ..Grants::whole_project() })
    }

    /// With `src` granted, and answers that equal calls have in common.
    pub(crate) fn deterministic() -> Self {
        Self::under(&Grants { dirs: granted(&["src"]), deterministic: true, ..Grants::whole_project() })
    }

    /// With `src` granted and these variables, out of those that have values.
    pub(crate) fn seeing(granted: &[&str], values: &[(&str, &str)]) -> Self {
        let named = |name: &&str| VariableName::parse(name).unwrap();
        let mut env = Variables::default();
        for (name, value) in values {
            env.insert(named(name), VariableValue::new((*value).into()).unwrap());
        }
        let grants = Grants {
            dirs: self::granted(&["src"]),
            env: granted.iter().map(named).collect(),
            ..Grants::whole_project()
        };
        Self { env: Arc::new(env), ..Self::under(&grants) }
    }

    /// The same grants for calls that equal calls may be answered by.
    pub(crate) fn made_deterministic(self) -> Self {
        let grants = Grants { deterministic: true, ..self.tree.grants().clone() };
        Self { tree: open_under(&self.project(), &grants).unwrap(), ..self }
    }

    /// With `src` granted, and these requests with these secrets.
    pub(crate) fn asking(hosts: Vec<HostGrant>, secrets: Vec<SecretGrant>) -> Self {
        Self::under(&Grants { dirs: granted(&["src"]), hosts, secrets, ..Grants::whole_project() })
    }

    fn under(grants: &Grants) -> Self {
        Self::at_home(tempfile::tempdir().unwrap(), grants)
    }

    /// In this folder, with these granted.
    pub(crate) fn granting_in(folder: &Path, folders: &[&str]) -> Self {
        Self::masking_in(folder, folders, &[])
    }

    /// The same, and the last of them hides these.
    pub(crate) fn masking_in(folder: &Path, folders: &[&str], masks: &[&str]) -> Self {
        let mut dirs = granted(folders);
        if let Some(last) = dirs.last_mut() {
            last.masks.patterns = masks.iter().map(|mask| MaskPattern::parse(mask).unwrap()).collect();
        }
        let grants = Grants { dirs, ..Grants::whole_project() };
        Self::at_home(tempfile::tempdir_in(folder).unwrap(), &grants)
    }

    fn at_home(home: TempDir, grants: &Grants) -> Self {
        let kept = tempfile::tempdir().unwrap();
        lay_out(&home.path().join("project"));
        fs::write(home.path().join("secret.txt"), SECRET).unwrap();
        let tree = open_under(&home.path().join("project"), grants).unwrap();
        let stage = tree.grants().facts().writes.then(|| open_stage(&kept.path().join("stage")));
        let limits = Limits { time_ms: 60_000, ..Limits::default() };
        Self { home, kept, tree, limits, stage, env: Arc::default(), known: Mutex::default() }
    }

    pub(crate) fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Where the project lies.
    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    /// A path in the project.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.project().join(path)
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        symlink(target, self.at(path)).unwrap();
        self
    }

    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// All that stands in the project.
    pub(crate) fn content(&self) -> Standing {
        Standing::of(&self.project())
    }

    /// The run's stage.
    pub(crate) fn stage(&self) -> &Arc<Stage> {
        self.stage.as_ref().expect("a grant to write")
    }

    /// The places that are staged.
    pub(crate) fn staged(&self) -> Vec<String> {
        let changes = self.stage().changes().unwrap();
        changes.iter().map(|change| change.path.to_string()).collect()
    }

    /// Nothing is staged, and no content lies in the stage's folder.
    pub(crate) fn nothing_stays(&self) {
        assert_eq!(self.staged(), [""; 0]);
        let contents = fs::read_dir(self.stage().path().join("contents")).unwrap();
        assert_eq!(contents.count(), 0, "contents that nobody needs");
    }

    /// What is granted.
    pub(crate) fn tree(&self) -> &GrantedTree {
        &self.tree
    }

    /// Puts what is staged into the project, as a person does.
    pub(crate) fn apply(&self) -> Result<Applied, ApplyError> {
        self.stage().apply(&self.tree, None)
    }

    /// The same calls from now on, in a run of its own on the same project.
    pub(crate) fn as_another_run(&mut self) {
        self.stage = Some(open_stage(&self.kept.path().join("other stage")));
        self.known = Mutex::default();
    }

    /// Calls a tool of a hostile component.
    pub(crate) fn call(&self, guest: &Guest, tool: &str, input: Value) -> Called {
        let mut called = self.call_tool(guest.tools.get(tool).unwrap(), input);
        called.context = format!("{} {}", guest.language, called.context);
        called
    }

    /// Calls any tool.
    pub(crate) fn call_tool(&self, tool: &Tool, input: Value) -> Called {
        self.call_as(self.request(tool, input))
    }

    /// Makes a call that the row has prepared.
    pub(crate) fn call_as(&self, request: CallRequest) -> Called {
        let (tool, input) = (request.tool.clone(), request.input.clone());
        let mut shown = input.to_string();
        shown.truncate(shown.floor_char_boundary(300));
        let context = format!("{} {shown}", tool.name());
        let report = BENCH.block_on(BENCH.call(request)).unwrap();
        Arc::make_mut(&mut self.known.lock().unwrap()).learn(&report.receipt);
        let told = format!("{report:?}");
        assert!(!told.contains(SECRET), "{context} got a secret");
        Called { context, report }
    }

    /// What a call needs, to be made by the row itself.
    pub(crate) fn request(&self, tool: &Tool, input: Value) -> CallRequest {
        CallRequest {
            tool: tool.clone(),
            input,
            tree: self.tree.clone(),
            limits: self.limits.clone(),
            stage: self.stage.clone(),
            known: self.known.lock().unwrap().clone(),
            egress: EgressContext::default(),
            env: self.env.clone(),
            cancel: CancellationToken::new(),
        }
    }
}

/// Files in a project: `src` is what is meant to be granted.
pub(crate) fn lay_out(project: &Path) {
    for folder in ["src/sub", "src/.git", "lib", "src2", ".ringfence", "etc"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    fs::write(project.join("src/a.txt"), "granted").unwrap();
    fs::write(project.join("src/sub/b.txt"), "granted too").unwrap();
    for secret in [
        "secret.txt",
        "lib/secret.txt",
        "src2/secret.txt",
        ".ringfence/state",
        "etc/passwd",
        "src/.env",
        "src/.git/config",
    ] {
        fs::write(project.join(secret), SECRET).unwrap();
    }
}

fn granted(folders: &[&str]) -> Vec<DirGrant> {
    let grant = |folder: &&str| match folder.strip_suffix(":write") {
        Some(folder) => DirGrant::write(GrantPath::parse(folder).unwrap()),
        None => DirGrant::read(GrantPath::parse(folder).unwrap()),
    };
    folders.iter().map(grant).collect()
}

fn open_stage(folder: &Path) -> Arc<Stage> {
    Arc::new(Stage::open(folder).unwrap())
}

/// These folders of a project, opened; or why they can't be.
pub(crate) fn open(project: &Path, folders: &[&str]) -> Result<Arc<GrantedTree>, String> {
    open_under(project, &Grants { dirs: granted(folders), ..Grants::whole_project() })
}

fn open_under(project: &Path, grants: &Grants) -> Result<Arc<GrantedTree>, String> {
    let project = ProjectDir::open(project).map_err(|error| error.to_string())?;
    GrantedTree::open(&project, grants).map_err(|error| error.to_string())
}

/// The tools of a component that a test made.
pub(crate) fn tools_of(name: &str, component: Vec<u8>) -> Toolset {
    Toolset::new([BENCH.load(ComponentSource::from_bytes(name, component)).unwrap()]).unwrap()
}

/// The real binary with a home of its own.
pub(crate) fn product() -> Product {
    Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"))
}

/// A call that was made.
pub(crate) struct Called {
    context: String,
    pub(crate) report: CallReport,
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = format!("{:?}", self.report);
        told.truncate(told.floor_char_boundary(3_000));
        write!(f, "{}: {told}", self.context)
    }
}

impl Called {
    /// Its result.
    pub(crate) fn done(&self) -> &Value {
        match &self.report.outcome {
            Outcome::Done(value) => value,
            _ => panic!("{self}"),
        }
    }

    /// What the caller is told.
    pub(crate) fn message(&self) -> String {
        self.report.outcome.message(&self.report.receipt)
    }

    /// The fence refused, for one of these reasons each time; the receipt has it, and the message
    /// says the words.
    pub(crate) fn is_denied(&self, reasons: &[&str], words: &[&str]) {
        assert!(matches!(self.report.outcome, Outcome::Denied { .. }), "{self}");
        let denials = self.denials();
        assert!(!denials.is_empty(), "{self}");
        for denial in &denials {
            assert!(reasons.contains(&denial.as_str()), "{denial}: {self}");
        }
        let message = self.message();
        for word in words {
            assert!(message.contains(word), "no {word:?} in {message:?}: {self}");
        }
    }

    /// The tool's own failure: there was nothing for the fence to refuse.
    pub(crate) fn is_failure(&self) {
        assert!(matches!(self.report.outcome, Outcome::Failed(_)), "{self}");
        assert!(self.report.receipt.denials.is_empty(), "{self}");
    }

    /// A limit of this name ended it.
    pub(crate) fn is_stopped_by(&self, limit: &str) {
        assert!(matches!(self.report.outcome, Outcome::Exceeded { .. }), "{self}");
        assert!(self.message().contains(limit), "{self}");
    }

    /// It crashed, and the host tells so.
    pub(crate) fn is_crash(&self) {
        assert!(matches!(self.report.outcome, Outcome::Trapped(_)), "{self}");
        assert!(self.message().starts_with("the tool crashed: "), "{self}");
    }

    /// The places that the receipt says were changed.
    pub(crate) fn written(&self) -> Vec<&str> {
        self.report.receipt.written.iter().map(|written| &*written.path).collect()
    }

    /// The reasons in the receipt.
    pub(crate) fn denials(&self) -> Vec<String> {
        let reason = |denial: &ringfence_sandbox::Denial| json!(denial.reason).as_str().unwrap().to_owned();
        self.report.receipt.denials.iter().map(reason).collect()
    }
}
