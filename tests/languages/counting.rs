//! Every language counts alike: what the oracle says, on every part of the corpus.

use crate::built::{BUILT, Language, ringfence, said};
use crate::{corpus, oracle};
use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, ComponentSource, EgressContext, GrantedTree, Grants, Outcome,
    Prepared, ProjectDir, Sandbox, SandboxConfig, Tool, Toolset,
};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// A component that is compiled and ready.
pub(crate) struct Ready {
    sandbox: Sandbox,
    tool: Tool,
    tree: Arc<GrantedTree>,
    pub(crate) prepared: Prepared,
}

impl Ready {
    /// Compiled afresh: nothing of an earlier test is taken.
    pub(crate) fn new(language: &Language, project: &Path) -> Self {
        let config = SandboxConfig { cache_dir: None, compile_ms: 600_000, ..SandboxConfig::default() };
        let sandbox = Sandbox::new(config).unwrap();
        let component = sandbox.load(ComponentSource::from_file(&language.component).unwrap()).unwrap();
        let prepared = sandbox.block_on(sandbox.prepare(&component)).unwrap();
        let tools = Toolset::new([component]).unwrap();
        let tool = tools.get("word_count").expect("the tool").clone();
        let tree = GrantedTree::open(&ProjectDir::open(project).unwrap(), &Grants::whole_project()).unwrap();
        Self { sandbox, tool, tree, prepared }
    }

    pub(crate) fn call(&self, input: Value) -> CallReport {
        let request = CallRequest {
            tool: self.tool.clone(),
            input,
            tree: self.tree.clone(),
            limits: Grants::whole_project().limits,
            egress: EgressContext::default(),
            env: Arc::default(),
            stage: None,
            known: Arc::default(),
            cancel: CancellationToken::new(),
        };
        self.sandbox.block_on(self.sandbox.call(request)).unwrap()
    }
}

fn input(path: &str, pattern: Option<&str>, top: Option<u32>) -> Value {
    let mut input = Map::from_iter([("path".to_owned(), json!(path))]);
    input.extend(pattern.map(|pattern| ("pattern".to_owned(), json!(pattern))));
    input.extend(top.map(|top| ("top".to_owned(), json!(top))));
    Value::Object(input)
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn every_language_gives_the_oracle_s_answer_on_every_part_of_the_corpus() {
    let dir = tempfile::tempdir().unwrap();
    let (project, outside) = (dir.path().join("项目"), dir.path().join("outside"));
    std::fs::write(&outside, "out of reach").unwrap();
    corpus::make(&project, &outside);
    let mut wrong = Vec::new();
    for language in BUILT.iter() {
        let ready = Ready::new(language, &project);
        for (path, pattern, top) in corpus::ASKED {
            let got = ready.call(input(path, pattern, top)).outcome;
            let wanted = oracle::word_count(&project, path, pattern, top);
            // To some libraries an empty path names nothing, to others the folder that they are in.
            let names_nothing = path.is_empty() && matches!(got, Outcome::Failed(_));
            if got != Outcome::Done(wanted) && !names_nothing {
                wrong.push(format!("{} {path:?} {pattern:?} {top:?}: {got:?}", language.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn the_tool_of_every_language_stands_what_every_tool_must_and_its_own_cases() {
    for language in BUILT.iter() {
        let project = language.component.parent().unwrap();
        let tested = ringfence(project, &["tool", "test", "--cases", "../tests/cases.toml"]);
        let report = String::from_utf8_lossy(&tested.stdout);
        assert!(tested.status.success(), "{}: {report}{}", language.name, said(&tested));
    }
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn what_cant_be_read_is_an_error_that_names_it_in_every_language() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("project");
    corpus::make(&project, Path::new("/etc/passwd"));
    for language in BUILT.iter() {
        let ready = Ready::new(language, &project);
        for path in ["none.txt", "texts/none", "texts/a.txt/b", "links/to-nothing", "links/to-itself"] {
            match ready.call(input(path, None, None)).outcome {
                Outcome::Failed(Value::String(said)) if said.contains(path) => {}
                other => panic!("{} {path}: {other:?}", language.name),
            }
        }
        let outside = ready.call(input("links/to-outside", None, None)).outcome;
        let Outcome::Denied { error: Value::String(said), .. } = outside else {
            panic!("{}: {outside:?}", language.name)
        };
        assert!(said.contains("links/to-outside"), "{}: {said}", language.name);
    }
}
