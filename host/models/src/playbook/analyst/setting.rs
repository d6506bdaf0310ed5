//! What kind of place a file is, as the tools for code tell it; without them its path must do.

/// Kinds of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::playbook) enum Setting {
    /// Code of the product.
    Product,
    /// What builds, packages or releases it.
    Tooling,
    /// Tests, fixtures, benches.
    Test,
    /// Examples, samples, demos, templates.
    Example,
    /// Documentation and its builds.
    Documentation,
    /// Others' code that is kept in the project.
    Vendored,
    /// Code that a program wrote.
    Generated,
}

const ALL: [Setting; 7] = [
    Setting::Product,
    Setting::Tooling,
    Setting::Test,
    Setting::Example,
    Setting::Documentation,
    Setting::Vendored,
    Setting::Generated,
];

impl Setting {
    /// The setting of that name; what isn't known is taken for the product's.
    pub(in crate::playbook) fn named(name: &str) -> Self {
        ALL.into_iter().find(|setting| setting.name() == name).unwrap_or(Self::Product)
    }

    /// The name that the tools use.
    pub(in crate::playbook) fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Tooling => "tooling",
            Self::Test => "test",
            Self::Example => "example",
            Self::Documentation => "documentation",
            Self::Vendored => "vendored",
            Self::Generated => "generated",
        }
    }

    /// The setting that a path suggests, where no tool tells it.
    pub(in crate::playbook) fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let mut setting = Self::Product;
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        for (depth, part) in folders.split('/').enumerate() {
            setting = setting.max(match part {
                "node_modules" | "bower_components" | "vendor" | "vendored" | "third_party"
                | "third-party" | "thirdparty" | "site-packages" | ".venv" | "venv" | "dist" | ".next"
                | ".nuxt" | "generated" | ".tox" | ".yarn" | "__pycache__" | "_vendor" => Self::Vendored,
                "target" | "out" | "build" | "deps" | "external" | "gen" if depth == 0 => Self::Vendored,
                "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "test-data" | "fixtures"
                | "e2e" | "__mocks__" | "mocks" | "bench" | "benches" | "benchmarks" | "fuzz" => Self::Test,
                "example" | "examples" | "_examples" | "sample" | "samples" | "demo" | "demos"
                | "tutorial" => Self::Example,
                "doc" | "docs" | "documentation" | "website" => Self::Documentation,
                "scripts" | "ci" | ".ci" | ".github" | ".circleci" | "tools" | "hack" | "packaging"
                    if depth == 0 =>
                {
                    Self::Tooling
                }
                _ => Self::Product,
            });
        }
        setting.max(Self::of_name(name))
    }

    fn of_name(name: &str) -> Self {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let generated = [".min.js", ".min.css", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".bundle.js", ".d.ts"];
        if generated.iter().any(|end| name.ends_with(end)) || name.contains(".generated.") {
            return Self::Generated;
        }
        let test = stem.starts_with("test_")
            || stem.ends_with("_test")
            || stem.ends_with("_tests")
            || name.contains(".test.")
            || name.contains(".spec.")
            || matches!(name, "conftest.py" | "tests.py" | "tests.rs" | "test_helpers.go");
        if test {
            return Self::Test;
        }
        match name {
            "build.rs" | "setup.py" | "gruntfile.js" | "gulpfile.js" | "noxfile.py" | "tasks.py"
            | "fabfile.py" => Self::Tooling,
            _ if name.contains(".config.") => Self::Tooling,
            _ => Self::Product,
        }
    }

    /// Whether a mistake there is one of the project's own work.
    pub(in crate::playbook) fn counts(self) -> bool {
        matches!(self, Self::Product | Self::Tooling)
    }

    /// How reports call several such files.
    pub(in crate::playbook) fn plural(self) -> &'static str {
        match self {
            Self::Product => "product code",
            Self::Tooling => "build scripts",
            Self::Test => "tests",
            Self::Example => "examples",
            Self::Documentation => "documentation",
            Self::Vendored => "vendored code",
            Self::Generated => "generated code",
        }
    }
}
