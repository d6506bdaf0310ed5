use super::{Manifest, Scope, manifests};
use crate::playbook::analyst::Observation;
use serde_json::json;

fn read(path: &str, text: &str) -> Manifest {
    let seen: Observation = serde_json::from_value(json!({
        "step": 2, "tool": "read_file", "input": { "file_path": path }, "status": "done",
        "value": { "path": path, "text": text, "first_line": 1, "cut": false },
    }))
    .unwrap();
    manifests(&[seen]).pop().expect("a manifest")
}

fn dependencies(manifest: &Manifest, scope: Scope) -> Vec<(&str, &str, u32)> {
    let of_scope = manifest.dependencies.iter().filter(|dependency| dependency.scope == scope);
    of_scope.map(|one| (one.name.as_str(), one.requirement.as_str(), one.line)).collect()
}

#[test]
fn a_pyproject_tells_name_builds_and_dependencies_with_their_lines() {
    let manifest = read(
        "pyproject.toml",
        "[build-system]\nrequires = [\"flit_core>=3.11,<4\"]\nbuild-backend = \"flit_core.buildapi\"\n\n[project]\nname = \
         \"Flask\"\nversion = \"3.1.3\"\nrequires-python = \">=3.9\"\ndependencies = [\n    \"blinker>=1.9.0\",\n    \
         \"importlib-metadata>=3.6.0; python_version < '3.10'\",\n    \"werkzeug[extra] >= 3.1 , <4\",\n]\n\n\
         [project.optional-dependencies]\nasync = [\"asgiref>=3.2\"]\ntest = [\"pytest\"]\n\n[dependency-groups]\ndev = \
         [\"ruff\", {include-group = \"x\"}]\n\n[project.scripts]\nflask = \"flask.cli:main\"\n",
    );
    assert_eq!(manifest.name.as_ref().map(|name| (name.text.as_str(), name.lines)), Some(("Flask", (6, 6))));
    assert_eq!(
        dependencies(&manifest, Scope::Runtime),
        [("blinker", ">=1.9.0", 10), ("importlib-metadata", ">=3.6.0", 11), ("werkzeug", ">= 3.1 , <4", 12)]
    );
    assert_eq!(dependencies(&manifest, Scope::Optional), [("asgiref", ">=3.2", 16)]);
    assert_eq!(dependencies(&manifest, Scope::Development), [("pytest", "", 17), ("ruff", "", 20)]);
    assert_eq!(dependencies(&manifest, Scope::Build), [("flit_core", ">=3.11,<4", 2)]);
    assert_eq!((manifest.entries[0].target.as_str(), manifest.entries[0].line), ("flask.cli:main", 23));
    assert!(!manifest.broken);
}

#[test]
fn a_poetry_project_is_understood() {
    let manifest = read(
        "pyproject.toml",
        "[tool.poetry]\nname = \"x\"\nversion = \"1\"\n[tool.poetry.dependencies]\npython = \"^3.10\"\nhttpx = {version = \
         \"^0.27\", extras = [\"http2\"]}\n[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n",
    );
    assert_eq!(manifest.runtime[0].text, "Python ^3.10");
    assert_eq!(dependencies(&manifest, Scope::Runtime), [("httpx", "^0.27", 6)]);
    assert_eq!(dependencies(&manifest, Scope::Development), [("pytest", "*", 8)]);
}

#[test]
fn a_file_that_is_cut_gives_what_was_read() {
    let manifest =
        read("pyproject.toml", "[project]\nname = \"x\"\ndependencies = [\n  \"a>=1\",\n  \"b>=2\",\n");
    assert!(manifest.broken);
    assert_eq!(manifest.name.unwrap().text, "x");
}

#[test]
fn a_package_json_tells_each_dependency_by_its_own_line() {
    let manifest = read(
        "package.json",
        "{\n  \"name\": \"express\",\n  \"version\": \"5.0.0\",\n  \"keywords\": [\"router\"],\n  \"dependencies\": {\n    \
         \"router\": \"^2.0.0\",\n    \"qs\": \"6.13.0\"\n  },\n  \"devDependencies\": { \"mocha\": \"^10\" },\n  \"engines\": \
         { \"node\": \">= 18\" },\n  \"main\": \"./index.js\",\n  \"bin\": {\"x\": \"bin/x.js\"},\n  \"workspaces\": [\"packages/*\"]\n}\n",
    );
    assert_eq!(dependencies(&manifest, Scope::Runtime), [("router", "^2.0.0", 6), ("qs", "6.13.0", 7)]);
    assert_eq!(dependencies(&manifest, Scope::Development), [("mocha", "^10", 9)]);
    assert_eq!(manifest.runtime[0].text, "Node.js >= 18");
    assert_eq!(manifest.entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [11, 12]);
    assert_eq!(manifest.members[0].text, "packages/*");
}

#[test]
fn text_that_is_no_json_is_broken_and_nothing_else() {
    let manifest = read("package.json", "{ \"name\": ");
    assert!(manifest.broken && manifest.name.is_none() && manifest.dependencies.is_empty());
}

#[test]
fn a_cargo_manifest_tells_targets_members_and_where_versions_come_from() {
    let manifest = read(
        "Cargo.toml",
        "[package]\nname = \"ripgrep\"\nversion = \"15.0.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"rg\"\npath = \
         \"crates/core/main.rs\"\n\n[workspace]\nmembers = [\n  \"crates/globset\",\n  \"crates/grep\",\n]\n\n[dependencies]\nanyhow \
         = \"1.0\"\ngrep = { version = \"0.4\", path = \"crates/grep\" }\nlog.workspace = true\n\n[dependencies.termcolor]\nversion = \
         \"1.4\"\noptional = true\n\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
    );
    assert_eq!(
        dependencies(&manifest, Scope::Runtime),
        [
            ("anyhow", "1.0", 17),
            ("grep", "0.4", 18),
            ("log", "from the workspace", 19),
            ("libc", "0.2 on cfg(unix)", 26)
        ]
    );
    assert_eq!(dependencies(&manifest, Scope::Optional), [("termcolor", "1.4", 21)]);
    assert_eq!(manifest.entries[0].target, "crates/core/main.rs");
    assert_eq!(manifest.members.iter().map(|member| member.lines.0).collect::<Vec<_>>(), [12, 13]);
}

#[test]
fn a_go_mod_tells_direct_from_indirect() {
    let manifest = read(
        "go.mod",
        "module github.com/gin-gonic/gin\n\ngo 1.18\n\nrequire (\n\tgithub.com/gin-contrib/sse v0.1.0\n\tgolang.org/x/net \
         v0.7.0 // indirect\n)\n\nrequire gopkg.in/yaml.v2 v2.4.0\n",
    );
    assert_eq!(
        dependencies(&manifest, Scope::Runtime),
        [("github.com/gin-contrib/sse", "v0.1.0", 6), ("gopkg.in/yaml.v2", "v2.4.0", 10)]
    );
    assert_eq!(dependencies(&manifest, Scope::Indirect), [("golang.org/x/net", "v0.7.0", 7)]);
}

#[test]
fn requirement_files_setup_files_and_the_rest_are_read() {
    let requirements = read(
        "requirements.txt",
        "# pinned\nflask==3.0.0\n-r base.txt\nuvicorn[standard]>=0.30 ; sys_platform != 'win32'\n",
    );
    assert_eq!(
        dependencies(&requirements, Scope::Runtime),
        [("flask", "==3.0.0", 2), ("uvicorn", ">=0.30", 4)]
    );
    let development = read("requirements-dev.txt", "pytest\n");
    assert_eq!(dependencies(&development, Scope::Development), [("pytest", "", 1)]);
    let cfg = read(
        "setup.cfg",
        "[metadata]\nname = thing\n[options]\npython_requires = >=3.8\ninstall_requires =\n    requests>=2\n    attrs\n\
         [options.entry_points]\nconsole_scripts =\n    thing = thing.cli:main\n",
    );
    assert_eq!(dependencies(&cfg, Scope::Runtime), [("requests", ">=2", 6), ("attrs", "", 7)]);
    assert_eq!(cfg.entries[0].target, "thing.cli:main");
    let setup = read(
        "setup.py",
        "from setuptools import setup\nsetup(\n    name=\"old\",\n    install_requires=[\n        \"six>=1\",\n    ],\n)\n",
    );
    assert_eq!(dependencies(&setup, Scope::Runtime), [("six", ">=1", 5)]);
    let pom = read(
        "pom.xml",
        "<project>\n  <parent>\n    <groupId>org.springframework.boot</groupId>\n    \
         <artifactId>spring-boot-starter-parent</artifactId>\n    <version>3.2.0</version>\n  </parent>\n  \
         <artifactId>demo</artifactId>\n  <dependencies>\n    <dependency>\n      <groupId>junit</groupId>\n      \
         <artifactId>junit</artifactId>\n      <version>4.13</version>\n      <scope>test</scope>\n    </dependency>\n  \
         </dependencies>\n</project>\n",
    );
    assert_eq!(pom.name.as_ref().map(|name| name.text.as_str()), Some("demo"));
    assert_eq!(dependencies(&pom, Scope::Development), [("junit:junit", "4.13", 11)]);
    let gradle = read(
        "build.gradle.kts",
        "plugins {\n  kotlin(\"jvm\") version \"2.0.0\"\n}\ndependencies {\n  implementation(\"io.ktor:ktor-server:2.3\")\n}\n",
    );
    assert_eq!(dependencies(&gradle, Scope::Runtime), [("io.ktor:ktor-server", "2.3", 5)]);
    let docker = read("Dockerfile", "FROM python:3.12 AS base\nRUN true\n");
    assert_eq!(docker.build[0].text, "image `python:3.12`");
    let pipeline = read(
        ".github/workflows/ci.yml",
        "name: tests\non: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n",
    );
    assert_eq!(dependencies(&pipeline, Scope::Build), [("actions/checkout", "v4", 6)]);
}
