//! What a file is to the project, told by its path and its first lines: product, tests,
//! documentation, or something that others wrote or a program made.

use serde::{Deserialize, Serialize};

/// Kinds of places; the later one wins where several fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// What the project is made for.
    Product,
    /// Scripts that build, package or release it.
    Tooling,
    /// Tests, fixtures, benchmarks.
    Test,
    /// Examples, samples, templates.
    Example,
    /// Documentation and its builds.
    Documentation,
    /// Others' code that was copied in.
    Vendored,
    /// What a program wrote.
    Generated,
}

impl Setting {
    /// The setting of a file as far as its path tells.
    pub fn of_path(path: &str) -> Self {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let folders = folders.split('/').enumerate().map(|(depth, part)| of_folder(part, depth == 0));
        folders.fold(of_name(name), Self::max)
    }

    /// The setting of a file by path and content.
    pub fn of(path: &str, text: &str) -> Self {
        let by_path = Self::of_path(path);
        if says_generated(text) { by_path.max(Self::Generated) } else { by_path }
    }

    /// Whether it is set apart: no code of the project's own.
    pub fn is_foreign(self) -> bool {
        match self {
            Self::Vendored | Self::Generated => true,
            Self::Product | Self::Tooling | Self::Test | Self::Example | Self::Documentation => false,
        }
    }
}

fn of_folder(part: &str, at_top: bool) -> Setting {
    match part {
        "node_modules" | "bower_components" | "vendor" | "vendored" | "third_party" | "third-party"
        | "thirdparty" | "site-packages" | ".venv" | "venv" | ".tox" | ".yarn" | "_vendor" => {
            Setting::Vendored
        }
        "deps" | "external" if at_top => Setting::Vendored,
        "dist" | ".next" | ".nuxt" | "generated" | "__pycache__" => Setting::Generated,
        "target" | "out" | "build" | "gen" if at_top => Setting::Generated,
        "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "test-data" | "fixtures" | "e2e"
        | "__mocks__" | "mocks" | "bench" | "benches" | "benchmarks" | "fuzz" => Setting::Test,
        "example" | "examples" | "_examples" | "sample" | "samples" | "demo" | "demos" | "tutorial" => {
            Setting::Example
        }
        "docs" | "documentation" | "website" => Setting::Documentation,
        "doc" if at_top => Setting::Documentation,
        "scripts" | "ci" | ".ci" | ".github" | ".circleci" | "tools" | "hack" | "packaging" if at_top => {
            Setting::Tooling
        }
        _ => Setting::Product,
    }
}

fn of_name(name: &str) -> Setting {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let generated = [".min.js", ".min.css", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".bundle.js"];
    if generated.iter().any(|end| name.ends_with(end)) || name.contains(".generated.") {
        return Setting::Generated;
    }
    let test = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || name.contains(".test.")
        || name.contains(".spec.")
        || matches!(name, "conftest.py" | "tests.py" | "tests.rs" | "test_helpers.go");
    if test {
        return Setting::Test;
    }
    match name {
        "build.rs" | "setup.py" | "gruntfile.js" | "gulpfile.js" | "noxfile.py" | "tasks.py"
        | "fabfile.py" => Setting::Tooling,
        _ if name.contains(".config.") => Setting::Tooling,
        _ => Setting::Product,
    }
}

/// Whether a file's first lines say that a program wrote it.
fn says_generated(text: &str) -> bool {
    text.lines().take(20).any(|line| {
        line.contains("@generated")
            || line.contains("DO NOT EDIT")
            || (line.contains("enerated by") && line.contains("not edit"))
    })
}
