//! What projects are built with.

use ringfence_code::{Scope, Stack, StackRequest, TechnologyKind, detect_stack};
use ringfence_guest_project::Root;
use std::fs;
use tempfile::TempDir;

fn stack(files: &[(&str, &str)]) -> Stack {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    detect_stack(&Root::at(folder.path()), &StackRequest::default()).unwrap()
}

/// Name, requirement, resolved version, scope and line of each dependency of a manifest.
fn needs<'s>(stack: &'s Stack, path: &str) -> Vec<(&'s str, &'s str, Option<&'s str>, Scope, u32)> {
    let of = stack.dependencies.iter().filter(|one| one.path == path);
    of.map(|one| (one.name.as_str(), one.requirement.as_str(), one.resolved.as_deref(), one.scope, one.line))
        .collect()
}

fn shows(stack: &Stack, kind: TechnologyKind, name: &str) -> Option<(Option<String>, String, u32)> {
    let found = stack.technologies.iter().find(|one| one.kind == kind && one.name == name)?;
    Some((found.version.clone(), found.path.clone(), found.line))
}

#[test]
fn a_python_project_is_told_by_its_pyproject_and_lock() {
    let stack = stack(&[
        (
            "pyproject.toml",
            "[build-system]\nrequires = [\"hatchling>=1\"]\nbuild-backend = \"hatchling.build\"\n\n[project]\nname = \"shop\"\nversion = \"0.3.0\"\ndescription = \"A shop.\"\nlicense = \"MIT\"\nrequires-python = \">=3.10\"\ndependencies = [\n  \"Flask>=2 ; python_version > '3'\",\n  \"typing_extensions\",\n]\n[project.optional-dependencies]\ntest = [\"pytest\"]\nredis = [\"redis[hiredis]==5\"]\n[dependency-groups]\ndev = [\"ruff\", {include-group = \"x\"}]\n[tool.mypy]\nstrict = true\n",
        ),
        (
            "uv.lock",
            "version = 1\n[[package]]\nname = \"flask\"\nversion = \"3.0.3\"\n[[package]]\nname = \"typing-extensions\"\nversion = \"4.12.2\"\n",
        ),
        ("shop/a.py", "print()\n"),
    ]);
    assert_eq!(
        needs(&stack, "pyproject.toml"),
        [
            ("Flask", ">=2", Some("3.0.3"), Scope::Runtime, 12),
            ("typing_extensions", "", Some("4.12.2"), Scope::Runtime, 13),
            ("pytest", "", None, Scope::Development, 16),
            ("ruff", "", None, Scope::Development, 19),
            ("hatchling", ">=1", None, Scope::Build, 2),
            ("redis", "==5", None, Scope::Optional, 17),
        ]
    );
    let manifest = &stack.manifests[0];
    let about = [&manifest.name, &manifest.version, &manifest.description, &manifest.license];
    assert_eq!(about.map(|one| one.as_deref()), [Some("shop"), Some("0.3.0"), Some("A shop."), Some("MIT")]);
    assert_eq!((manifest.line, manifest.dependencies), (6, 6));
    let place = |line| Some((None, "pyproject.toml".to_owned(), line));
    assert_eq!(shows(&stack, TechnologyKind::BuildTool, "Hatch"), place(3));
    assert_eq!(shows(&stack, TechnologyKind::Linter, "mypy"), place(20));
    assert_eq!(
        shows(&stack, TechnologyKind::Framework, "Flask"),
        Some((Some("3.0.3".to_owned()), "pyproject.toml".to_owned(), 12))
    );
    assert_eq!(
        shows(&stack, TechnologyKind::Runtime, "Python"),
        Some((Some(">=3.10".to_owned()), "pyproject.toml".to_owned(), 10))
    );
    assert_eq!(
        shows(&stack, TechnologyKind::Library, "Redis client"),
        None,
        "an extra doesn't shape the product"
    );
}

#[test]
fn python_s_older_ways_are_understood_as_well() {
    let stack = stack(&[
        (
            "setup.py",
            "from setuptools import setup\nsetup(\n    name='old',\n    version='1.0',\n    install_requires=[\n        'six>=1.0',\n        'attrs',\n    ],\n    python_requires='>=3.6',\n)\n",
        ),
        (
            "setup.cfg",
            "[metadata]\nname = cfg\n[options]\ninstall_requires =\n    requests>=2\n    idna; python_version<'3'\n[options.extras_require]\ntest =\n    nose\n",
        ),
        (
            "requirements-dev.txt",
            "# tools\n-r base.txt\nblack==23.1 \\\n    --hash=sha256:0\nhttps://example.org/x.whl\n",
        ),
        (
            "a/pyproject.toml",
            "[tool.poetry]\nname = \"po\"\n[tool.poetry.dependencies]\npython = \"^3.9\"\ndjango = {version = \"^4.2\", extras = [\"x\"]}\n[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n",
        ),
        ("b/Pipfile", "[packages]\nfastapi = \"*\"\n[requires]\npython_version = \"3.11\"\n"),
        ("c/environment.yml", "name: x\ndependencies:\n  - numpy=1.26\n  - pip:\n    - torch\n"),
    ]);
    assert_eq!(
        needs(&stack, "setup.py"),
        [("six", ">=1.0", None, Scope::Runtime, 6), ("attrs", "", None, Scope::Runtime, 7)]
    );
    assert_eq!(
        needs(&stack, "setup.cfg"),
        [
            ("requests", ">=2", None, Scope::Runtime, 5),
            ("idna", "", None, Scope::Runtime, 6),
            ("nose", "", None, Scope::Development, 9)
        ]
    );
    assert_eq!(needs(&stack, "requirements-dev.txt"), [("black", "==23.1", None, Scope::Development, 3)]);
    assert_eq!(
        needs(&stack, "a/pyproject.toml"),
        [("django", "^4.2", None, Scope::Runtime, 5), ("pytest", "*", None, Scope::Development, 7)]
    );
    assert_eq!(needs(&stack, "b/Pipfile"), [("fastapi", "", None, Scope::Runtime, 2)]);
    let conda: Vec<_> = needs(&stack, "c/environment.yml").iter().map(|one| one.0).collect();
    assert_eq!(conda, ["numpy", "torch"]);
}

#[test]
fn a_node_project_is_told_by_its_package_and_each_kind_of_lock() {
    let package = r#"{
  "name": "web", "license": {"type": "ISC"},
  "engines": { "node": ">=18" },
  "packageManager": "pnpm@9.1.0+sha512.0",
  "dependencies": {
    "react": "^18.0.0"
  },
  "devDependencies": { "vitest": "1.x" }, // a comment
}"#;
    let locks = [
        (
            "package-lock.json",
            r#"{"lockfileVersion": 3, "packages": {"": {}, "node_modules/react": {"version": "18.2.0"}, "node_modules/a/node_modules/react": {"version": "1.0.0"}}}"#,
        ),
        ("package-lock.json", r#"{"lockfileVersion": 1, "dependencies": {"react": {"version": "18.2.0"}}}"#),
        (
            "yarn.lock",
            "# yarn lockfile v1\n\nreact@^17.0.0:\n  version \"17.0.0\"\n\"react@^18.0.0\", react@18:\n  version \"18.2.0\"\n",
        ),
        (
            "yarn.lock",
            "__metadata:\n  version: 8\n\n\"react@npm:^18.0.0\":\n  version: 18.2.0\n  resolution: \"react@npm:18.2.0\"\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      react:\n        specifier: ^18.0.0\n        version: 18.2.0(x@1)\n",
        ),
        ("bun.lock", "{\n  \"packages\": {\n    \"react\": [\"react@18.2.0\", \"\", {}],\n  }\n}\n"),
    ];
    for (name, lock) in locks {
        let stack = stack(&[("package.json", package), (name, lock)]);
        assert_eq!(
            needs(&stack, "package.json"),
            [
                ("react", "^18.0.0", Some("18.2.0"), Scope::Runtime, 6),
                ("vitest", "1.x", None, Scope::Development, 8)
            ],
            "{name}: {lock}"
        );
        assert_eq!(stack.manifests[0].license.as_deref(), Some("ISC"));
        assert_eq!(
            shows(&stack, TechnologyKind::PackageManager, "pnpm").unwrap().0.as_deref(),
            Some("9.1.0")
        );
    }
}

#[test]
fn rust_go_ruby_php_and_dotnet_are_told_by_their_manifests() {
    let stack = stack(&[
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nedition = \"2024\"\n[dependencies]\nserde = { version = \"1\", optional = true }\nown = { path = \"../own\" }\ns = { package = \"real-name\", workspace = true }\n[target.'cfg(unix)'.dev-dependencies]\nproptest = \"1\"\n",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"serde\"\nversion = \"1.0.200\"\n[[package]]\nname = \"proptest\"\nversion = \"1.4.0\"\n[[package]]\nname = \"proptest\"\nversion = \"0.9.0\"\n",
        ),
        (
            "go.mod",
            "module example.com/x\n\ngo 1.22\n\nrequire github.com/spf13/cobra v1.8.0\nrequire (\n\tgolang.org/x/net v0.1.0 // indirect\n\tgithub.com/gin-gonic/gin v1.9.1\n)\n",
        ),
        (
            "Gemfile",
            "source 'x'\nruby '3.2.0'\ngem 'rails', '~> 7.1'\ngroup :test do\n  gem \"rspec\"\nend\n",
        ),
        ("Gemfile.lock", "GEM\n  specs:\n    rails (7.1.2)\n      rack (>= 2)\n"),
        (
            "x.gemspec",
            "Gem::Specification.new do |s|\n  s.name = %q<x>.freeze\n  s.add_runtime_dependency(%q<rack>.freeze, [\"~> 2.2\"])\nend\n",
        ),
        (
            "composer.json",
            "{\"name\": \"a/b\",\n\"require\": {\"php\": \">=8.1\", \"ext-json\": \"*\",\n\"laravel/framework\": \"^10\"}}",
        ),
        ("composer.lock", "{\"packages\": [{\"name\": \"laravel/framework\", \"version\": \"v10.1.0\"}]}"),
        (
            "App.csproj",
            "<Project>\n<PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>\n<ItemGroup>\n<PackageReference Include=\"Dapper\" Version=\"2.1\" />\n</ItemGroup></Project>",
        ),
    ]);
    assert_eq!(
        needs(&stack, "Cargo.toml"),
        [
            ("own", "path ../own", None, Scope::Runtime, 6),
            ("real-name", "workspace", None, Scope::Runtime, 7),
            ("proptest", "1", None, Scope::Development, 9),
            ("serde", "1", Some("1.0.200"), Scope::Optional, 5),
        ]
    );
    assert_eq!(
        needs(&stack, "go.mod"),
        [
            ("github.com/spf13/cobra", "v1.8.0", None, Scope::Runtime, 5),
            ("github.com/gin-gonic/gin", "v1.9.1", None, Scope::Runtime, 8)
        ]
    );
    assert_eq!(
        needs(&stack, "Gemfile"),
        [("rails", "~> 7.1", Some("7.1.2"), Scope::Runtime, 3), ("rspec", "", None, Scope::Development, 5)]
    );
    assert_eq!(needs(&stack, "x.gemspec"), [("rack", "~> 2.2", None, Scope::Runtime, 3)]);
    assert_eq!(
        needs(&stack, "composer.json"),
        [("laravel/framework", "^10", Some("10.1.0"), Scope::Runtime, 3)]
    );
    assert_eq!(needs(&stack, "App.csproj"), [("Dapper", "2.1", None, Scope::Runtime, 4)]);
    for (name, version) in
        [("Go", "1.22"), ("Ruby", "3.2.0"), ("PHP", ">=8.1"), (".NET", "net8.0"), ("Rust", "edition 2024")]
    {
        assert_eq!(
            shows(&stack, TechnologyKind::Runtime, name).and_then(|one| one.0).as_deref(),
            Some(version)
        );
    }
}

#[test]
fn the_jvm_is_told_by_maven_and_gradle() {
    let stack = stack(&[
        (
            "pom.xml",
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n<groupId>g</groupId><artifactId>a</artifactId><version>1</version>\n<properties><java.version>17</java.version><jackson>2.15</jackson></properties>\n<dependencies>\n<dependency><groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>${jackson}</version></dependency>\n<dependency><groupId>junit</groupId><artifactId>junit</artifactId><scope>test</scope></dependency>\n</dependencies></project>",
        ),
        (
            "app/build.gradle.kts",
            "plugins {\n  id(\"org.springframework.boot\") version \"3.2.0\"\n}\ndependencies {\n  implementation(\"com.google.guava:guava:33.0\")\n  testImplementation 'org.mockito:mockito-core:5.1'\n  // implementation(\"no:no:1\")\n}\n",
        ),
        (
            "gradle/libs.versions.toml",
            "[versions]\nktor = \"2.3\"\n[libraries]\nserver = { module = \"io.ktor:ktor-server-core\", version.ref = \"ktor\" }\n",
        ),
    ]);
    assert_eq!(
        needs(&stack, "pom.xml"),
        [
            ("com.fasterxml.jackson.core:jackson-databind", "2.15", None, Scope::Runtime, 5),
            ("junit:junit", "", None, Scope::Development, 6)
        ]
    );
    assert_eq!(
        needs(&stack, "app/build.gradle.kts"),
        [
            ("com.google.guava:guava", "33.0", None, Scope::Runtime, 5),
            ("org.mockito:mockito-core", "5.1", None, Scope::Development, 6),
            ("org.springframework.boot", "3.2.0", None, Scope::Build, 2),
        ]
    );
    assert_eq!(
        needs(&stack, "gradle/libs.versions.toml"),
        [("io.ktor:ktor-server-core", "2.3", None, Scope::Runtime, 4)]
    );
    assert_eq!(shows(&stack, TechnologyKind::Runtime, "Java").unwrap().0.as_deref(), Some("17"));
}

#[test]
fn containers_pipelines_and_tools_are_told_by_their_files() {
    let stack = stack(&[
        ("Dockerfile", "FROM --platform=x rust:1.80 AS build\nRUN x\nFROM build\nFROM debian:12@sha256:0\n"),
        ("compose.yaml", "services:\n  db:\n    image: \"postgres:16\"\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        (".gitlab-ci.yml", "x: y\n"),
        (".nvmrc", "v20.1.0\n"),
        (".tool-versions", "golang 1.22.1\n"),
        ("infra/main.tf", "x {}\n"),
        ("vite.config.ts", "x\n"),
        ("docs/conf.py", "x\n"),
        ("tests/Dockerfile", "FROM fixture:1\n"),
    ]);
    assert_eq!(
        shows(&stack, TechnologyKind::Container, "rust"),
        Some((Some("1.80".to_owned()), "Dockerfile".to_owned(), 1))
    );
    assert_eq!(
        shows(&stack, TechnologyKind::Container, "debian"),
        Some((Some("12".to_owned()), "Dockerfile".to_owned(), 4))
    );
    assert_eq!(
        shows(&stack, TechnologyKind::Container, "postgres"),
        Some((Some("16".to_owned()), "compose.yaml".to_owned(), 3))
    );
    assert!(
        shows(&stack, TechnologyKind::Container, "fixture").is_none()
            && shows(&stack, TechnologyKind::Container, "build").is_none()
    );
    for (kind, name) in [
        (TechnologyKind::Ci, "GitHub Actions"),
        (TechnologyKind::Ci, "GitLab CI"),
        (TechnologyKind::Runtime, "Node.js"),
        (TechnologyKind::Runtime, "Go"),
        (TechnologyKind::Infrastructure, "Terraform"),
        (TechnologyKind::BuildTool, "Vite"),
        (TechnologyKind::Documentation, "Sphinx"),
    ] {
        assert!(shows(&stack, kind, name).is_some(), "{name}: {:?}", stack.technologies);
    }
}

#[test]
fn languages_are_shares_of_the_product_s_code() {
    let stack = stack(&[
        ("a.py", "12345678"),
        ("店.rs", "12"),
        ("tests/b.js", "1234567890"),
        ("node_modules/c.js", "1"),
        ("README.md", "words"),
    ]);
    let shares: Vec<_> =
        stack.languages.iter().map(|one| (one.name.as_str(), one.files, one.permille)).collect();
    assert_eq!(shares, [("Python", 1, 800), ("Rust", 1, 200)]);
    assert_eq!(stack.files, 5);
    let only = self::stack(&[("tests/b.js", "1234567890")]);
    assert_eq!(only.languages[0].name, "JavaScript");
}

#[test]
fn an_empty_project_has_nothing_and_a_hostile_one_costs_nothing() {
    assert_eq!(stack(&[]).files, 0);
    let deep = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let many: String = (0..30_000).map(|n| format!("a{n}==1\n")).collect();
    let laughs = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><project><artifactId>&b;</artifactId></project>";
    let stack = stack(&[
        ("package.json", &deep),
        ("pyproject.toml", &"[".repeat(100_000)),
        ("Cargo.toml", "\u{0}\u{1}"),
        ("pom.xml", laughs),
        ("go.mod", "require (\n"),
        ("requirements.txt", &many),
        ("yarn.lock", "\"a@\n  version\n"),
        ("composer.json", "[]"),
        ("x.csproj", "<a"),
        ("Dockerfile", "FROM\nFROM \u{7}evil:\u{1b}[31m\n"),
    ]);
    assert_eq!(stack.total_dependencies, 20_000);
    assert!(stack.dependencies.len() <= 400 && stack.next.is_some());
    assert!(stack.manifests.iter().any(|one| one.path == "pom.xml" && one.trouble.is_some()));
    assert!(!format!("{stack:?}").contains('\u{1b}'));
    assert!(serde_json::to_string(&stack).unwrap().len() < 256 << 10);
}

#[test]
fn the_answer_fits_whatever_the_names_of_folders_are() {
    let long = format!("{}/{}", "\"\u{1}".repeat(60), "\\".repeat(200));
    let files: Vec<(String, String)> = (0..250)
        .map(|n| {
            (
                format!("{long}/{n}/package.json"),
                format!("{{\"name\": \"{}\", \"dependencies\": {{\"a\": \"1\"}}}}", "\\\"".repeat(50)),
            )
        })
        .chain(
            (0..250)
                .map(|n| (format!("{long}/{n}/Dockerfile"), format!("FROM image{n}:{}\n", "\"".repeat(50)))),
        )
        .chain((0..60).map(|n| (format!("{long}/{n}/composer.json"), " ".repeat((2 << 20) + 1))))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let stack = stack(&files);
    assert!(!stack.manifests.is_empty() && !stack.technologies.is_empty() && !stack.skipped.is_empty());
    let size = serde_json::to_string(&stack).unwrap().len();
    assert!(size < 256 << 10, "{size}");
}

#[test]
fn large_locks_are_read_in_passing() {
    let rest = r#", "x": [{"y": [1, 2, {}]}]"#;
    let many: Vec<String> =
        (0..150_000).map(|n| format!(r#""node_modules/a{n}": {{"version": "1.0.{n}"{rest}}}"#)).collect();
    let npm = format!(
        r#"{{"packages": {{"": {{"version": [1, {{}}]}}, "node_modules/react": {{"version": "18.2.0"}}, {}}}}}"#,
        many.join(",")
    );
    let stack = stack(&[
        ("package.json", r#"{"dependencies": {"react": "^18"}}"#),
        ("package-lock.json", &npm),
        ("py/Pipfile", "[packages]\nflask = \"*\"\n"),
        (
            "py/Pipfile.lock",
            r#"{"_meta": {"x": [[]]}, "default": {"flask": {"version": "==3.0.0", "hashes": []}}}"#,
        ),
        ("php/composer.json", r#"{"require": {"a/b": "^1"}}"#),
        (
            "php/composer.lock",
            r#"{"packages": [{"name": "a/b", "version": "v1.2.3"}, {"name": 5}], "packages-dev": null}"#,
        ),
    ]);
    let resolved = |path: &str| needs(&stack, path)[0].2.map(str::to_owned);
    assert_eq!(resolved("package.json").as_deref(), Some("18.2.0"));
    assert_eq!(resolved("py/Pipfile").as_deref(), Some("3.0.0"));
    assert_eq!(resolved("php/composer.json").as_deref(), Some("1.2.3"));
}

#[test]
fn what_a_pom_only_manages_is_no_dependency_but_gives_versions() {
    let dependency = |name: &str, version: &str| {
        format!("<dependency><groupId>g</groupId><artifactId>{name}</artifactId>{version}</dependency>")
    };
    let managed = format!(
        "{}{}",
        dependency("a", "<version>2.0</version>"),
        dependency("unused", "<version>1</version>")
    );
    let pom = format!(
        "<project><artifactId>x</artifactId><dependencyManagement><dependencies>{managed}</dependencies></dependencyManagement>\n<dependencies>{}</dependencies>\n<build><plugins><plugin><dependencies>{}</dependencies></plugin></plugins></build></project>",
        dependency("a", ""),
        dependency("of-a-plugin", "<version>1</version>"),
    );
    let stack = stack(&[("pom.xml", &pom)]);
    assert_eq!(needs(&stack, "pom.xml"), [("g:a", "2.0", None, Scope::Runtime, 2)]);
}

#[test]
fn members_of_a_cargo_workspace_take_over_what_it_lays_down() {
    let stack = stack(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\"]\n[workspace.package]\nversion = \"2.0.0\"\nlicense = \"MIT\"\nedition = \"2024\"\n[workspace.dependencies]\nserde = \"1.0\"\nunused = \"9\"\nshort = { package = \"long-name\", version = \"3\" }\n",
        ),
        (
            "a/Cargo.toml",
            "[package]\nname = \"a\"\nversion.workspace = true\nlicense = { workspace = true }\n[dependencies]\nserde = { workspace = true, optional = true }\nshort.workspace = true\n",
        ),
        ("Cargo.lock", "[[package]]\nname = \"serde\"\nversion = \"1.0.200\"\n"),
    ]);
    assert_eq!(
        needs(&stack, "a/Cargo.toml"),
        [("long-name", "3", None, Scope::Runtime, 7), ("serde", "1.0", Some("1.0.200"), Scope::Optional, 6),]
    );
    assert_eq!(needs(&stack, "Cargo.toml"), []);
    let member = stack.manifests.iter().find(|one| one.path == "a/Cargo.toml").unwrap();
    assert_eq!((member.version.as_deref(), member.license.as_deref()), (Some("2.0.0"), Some("MIT")));
}

#[test]
fn versions_of_runtimes_are_read_without_comments() {
    let stack = stack(&[
        ("build.gradle", "sourceCompatibility = JavaVersion.VERSION_1_8 // was 6\n"),
        (
            "rust-toolchain.toml",
            "# the channel\n[toolchain]\ncomponents = [\"clippy\"]\nchannel = \"1.80\"\n",
        ),
        (".nvmrc", "# lts\nv20.1.0\n"),
        (".ruby-version", "3.3.0\n3.2.0\n"),
        ("Dockerfile", "FROM docker.io/library/python:3.12-slim AS x\n"),
        ("go/Dockerfile", "FROM golang:latest\n"),
        ("c/environment.yml", "dependencies:\n  - python=3.11\n  - python-dateutil\n"),
    ]);
    let all: Vec<(&str, Option<&str>, u32)> = stack
        .technologies
        .iter()
        .filter(|one| one.kind == TechnologyKind::Runtime)
        .map(|one| (one.name.as_str(), one.version.as_deref(), one.line))
        .collect();
    for expected in [
        ("Java", Some("1.8"), 1),
        ("Rust", Some("1.80"), 4),
        ("Node.js", Some("20.1.0"), 2),
        ("Ruby", Some("3.3.0"), 1),
        ("Python", Some("3.12"), 1),
        ("Python", Some("3.11"), 2),
        ("Go", None, 1),
    ] {
        assert!(all.contains(&expected), "{expected:?}: {all:?}");
    }
    assert_eq!(needs(&stack, "c/environment.yml"), [("python-dateutil", "", None, Scope::Runtime, 3)]);
}

#[test]
fn only_what_is_asked_for_is_a_dependency() {
    let stack = stack(&[
        ("requirements/base.txt", "flask==3\n"),
        ("requirements/test.txt", "nose==1\n"),
        ("requirements/constraints.txt", "bounded==1\n"),
        ("constraints.txt", "bounded==1\n"),
        ("po/pyproject.toml", "[tool.poetry.dependencies]\nredis = { version = \"5\", optional = true }\n"),
        (
            "x.gemspec",
            "Gem::Specification.new do |s|\n  s.name = 'x'\n  s.add_dependency 'a', '1', \"a, 2\"\nend\n",
        ),
    ]);
    let all: Vec<(&str, &str, Scope)> = stack
        .dependencies
        .iter()
        .map(|one| (one.name.as_str(), one.requirement.as_str(), one.scope))
        .collect();
    assert_eq!(all.len(), 4, "{all:?}");
    for expected in [
        ("flask", "==3", Scope::Runtime),
        ("nose", "==1", Scope::Development),
        ("redis", "5", Scope::Optional),
        ("a", "1, a, 2", Scope::Runtime),
    ] {
        assert!(all.contains(&expected), "{expected:?}: {all:?}");
    }
}

#[test]
fn a_broken_manifest_says_where_and_shows_what_can_be_read() {
    let stack = stack(&[
        ("package.json", "{\n  \"name\": \"web\",\n  \"dependencies\": {\n    \"react\" \"18\"\n  }\n}\n"),
        ("b/composer.json", "no"),
        ("c/Pipfile", "[packages\n"),
        ("d/deno.json", "[]"),
        ("e/package.json", "{\"name\": \"fine\", /* so */ \"private\": true,}"),
    ]);
    let trouble = |path: &str| stack.manifests.iter().find(|one| one.path == path).unwrap().trouble.clone();
    assert_eq!(trouble("package.json").as_deref(), Some("line 4 is no JSON"));
    for path in ["b/composer.json", "c/Pipfile", "d/deno.json"] {
        assert!(trouble(path).is_some(), "{path}");
    }
    assert_eq!(trouble("e/package.json"), None);
}

#[test]
fn a_group_of_the_jvm_shows_its_framework() {
    let stack = stack(&[(
        "build.gradle.kts",
        "plugins {\n  id(\"io.quarkus\") version \"3.8\"\n}\ndependencies {\n  implementation(\"org.springframework.boot:spring-boot-starter-batch:3.2\")\n  testImplementation(\"org.junit.jupiter:junit-jupiter-params:5\")\n  testImplementation(\"io.ktor:ktor-server-tests:2\")\n}\n",
    )]);
    assert!(shows(&stack, TechnologyKind::Framework, "Spring Boot").is_some(), "{:?}", stack.technologies);
    assert!(shows(&stack, TechnologyKind::Framework, "Quarkus").is_some());
    assert!(shows(&stack, TechnologyKind::TestTool, "JUnit").is_some());
    assert!(shows(&stack, TechnologyKind::Framework, "Ktor").is_none(), "only tests need it");
}

#[test]
fn pages_of_dependencies_give_each_once_and_end() {
    let many: String = (0..1_000).map(|n| format!("a{n}==1\n")).collect();
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("项目")).unwrap();
    fs::write(folder.path().join("项目/requirements.txt"), many).unwrap();
    fs::write(folder.path().join("项目/主.py"), "print()\n").unwrap();
    let (mut names, mut skip) = (Vec::new(), None);
    loop {
        let request = StackRequest { directory: Some("项目".to_owned()), skip };
        let page = detect_stack(&Root::at(folder.path()), &request).unwrap();
        assert_eq!(page.total_dependencies, 1_000);
        let has_rest = !(page.manifests.is_empty() || page.languages.is_empty());
        assert_eq!(has_rest, skip.is_none(), "the rest is on the first page only");
        assert!(page.dependencies.iter().all(|one| one.path == "项目/requirements.txt"));
        names.extend(page.dependencies.into_iter().map(|one| one.name));
        skip = page.next;
        if skip.is_none() {
            break;
        }
    }
    assert_eq!(names, (0..1_000).map(|n| format!("a{n}")).collect::<Vec<_>>());
    let beyond = StackRequest { directory: None, skip: Some(u32::MAX) };
    assert!(detect_stack(&Root::at(folder.path()), &beyond).unwrap().dependencies.is_empty());
}

#[test]
fn a_monorepo_keeps_its_packages_and_their_locks_apart() {
    let package = |version: &str| format!(r#"{{"dependencies": {{"react": "{version}"}}}}"#);
    let lock =
        |version: &str| format!(r#"{{"packages": {{"node_modules/react": {{"version": "{version}"}}}}}}"#);
    let stack = stack(&[
        ("package-lock.json", &lock("17.0.0")),
        ("packages/a/package.json", &package("^17")),
        ("packages/ab/package.json", &package("^18")),
        ("packages/ab/package-lock.json", &lock("18.0.0")),
    ]);
    assert_eq!(needs(&stack, "packages/a/package.json")[0].2, Some("17.0.0"));
    assert_eq!(needs(&stack, "packages/ab/package.json")[0].2, Some("18.0.0"));
}
