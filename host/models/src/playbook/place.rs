//! What a file is to the project, told by its path: product, tests, documentation, or something
//! that others wrote or a tool made.

/// Kinds of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// What the project is made for.
    Product,
    /// Build scripts, pipelines, tools for those who work on it.
    Support,
    /// Tests, fixtures, benchmarks.
    Tests,
    /// Examples and tutorials.
    Examples,
    /// Documentation.
    Docs,
    /// Others' code that was copied in, or output of tools.
    Foreign,
}

impl Place {
    /// The place of a path.
    pub(super) fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let mut place = Self::Product;
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        for (depth, part) in folders.split('/').enumerate() {
            place = place.max(match part {
                "node_modules" | "bower_components" | "vendor" | "vendored" | "third_party"
                | "third-party" | "thirdparty" | "site-packages" | ".venv" | "venv" | "dist" | ".next"
                | ".nuxt" | "generated" | ".tox" | ".yarn" | "__pycache__" | "_vendor" => Self::Foreign,
                "target" | "out" | "build" | "deps" | "external" | "gen" if depth == 0 => Self::Foreign,
                "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "test-data" | "fixtures"
                | "e2e" | "__mocks__" | "mocks" | "bench" | "benches" | "benchmarks" | "fuzz" => Self::Tests,
                "example" | "examples" | "_examples" | "sample" | "samples" | "demo" | "demos"
                | "tutorial" => Self::Examples,
                "doc" | "docs" | "documentation" | "website" => Self::Docs,
                "scripts" | "ci" | ".ci" | ".github" | ".circleci" | "tools" | "hack" | "packaging"
                    if depth == 0 =>
                {
                    Self::Support
                }
                _ => Self::Product,
            });
        }
        place.max(Self::of_name(name))
    }

    fn of_name(name: &str) -> Self {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let generated = [".min.js", ".min.css", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".bundle.js", ".d.ts"];
        if generated.iter().any(|end| name.ends_with(end)) || name.contains(".generated.") {
            return Self::Foreign;
        }
        let test = stem.starts_with("test_")
            || stem.ends_with("_test")
            || stem.ends_with("_tests")
            || name.contains(".test.")
            || name.contains(".spec.")
            || matches!(name, "conftest.py" | "tests.py" | "tests.rs" | "test_helpers.go");
        if test {
            return Self::Tests;
        }
        match name {
            "build.rs" | "setup.py" | "gruntfile.js" | "gulpfile.js" | "noxfile.py" | "tasks.py"
            | "fabfile.py" => Self::Support,
            _ if name.contains(".config.") => Self::Support,
            _ => Self::Product,
        }
    }

    /// How reports call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Product => "product code",
            Self::Support => "build and support files",
            Self::Tests => "tests",
            Self::Examples => "examples",
            Self::Docs => "documentation",
            Self::Foreign => "vendored or generated files",
        }
    }
}
