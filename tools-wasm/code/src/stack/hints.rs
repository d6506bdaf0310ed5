//! Technologies that a file shows by its name, or by a line of it.

use super::found::Found;
use super::model::TechnologyKind as Kind;
use super::text::Text;
use std::collections::HashSet;

/// Files that show a technology by their name alone; a name that ends in `*` is the beginning of one.
const NAMED: [(&str, &str, Kind); 105] = [
    ("package-lock.json", "npm", Kind::PackageManager),
    ("yarn.lock", "Yarn", Kind::PackageManager),
    ("pnpm-lock.yaml", "pnpm", Kind::PackageManager),
    ("bun.lock", "Bun", Kind::PackageManager),
    ("bun.lockb", "Bun", Kind::PackageManager),
    ("poetry.lock", "Poetry", Kind::PackageManager),
    ("uv.lock", "uv", Kind::PackageManager),
    ("pdm.lock", "PDM", Kind::PackageManager),
    ("Cargo.lock", "Cargo", Kind::PackageManager),
    ("Cargo.toml", "Cargo", Kind::BuildTool),
    ("go.mod", "Go modules", Kind::PackageManager),
    ("pnpm-workspace.yaml", "pnpm", Kind::PackageManager),
    ("lerna.json", "Lerna", Kind::BuildTool),
    ("nx.json", "Nx", Kind::BuildTool),
    ("turbo.json", "Turborepo", Kind::BuildTool),
    ("tsconfig.json", "TypeScript", Kind::BuildTool),
    ("webpack.config.*", "webpack", Kind::BuildTool),
    ("vite.config.*", "Vite", Kind::BuildTool),
    ("rollup.config.*", "Rollup", Kind::BuildTool),
    ("esbuild.config.*", "esbuild", Kind::BuildTool),
    ("babel.config.*", "Babel", Kind::BuildTool),
    (".babelrc*", "Babel", Kind::BuildTool),
    ("gulpfile.*", "gulp", Kind::BuildTool),
    ("Gruntfile.*", "Grunt", Kind::BuildTool),
    ("next.config.*", "Next.js", Kind::Framework),
    ("nuxt.config.*", "Nuxt", Kind::Framework),
    ("angular.json", "Angular", Kind::Framework),
    ("svelte.config.*", "Svelte", Kind::Framework),
    ("astro.config.*", "Astro", Kind::Framework),
    ("tailwind.config.*", "Tailwind CSS", Kind::Library),
    ("postcss.config.*", "PostCSS", Kind::BuildTool),
    ("manage.py", "Django", Kind::Framework),
    ("artisan", "Laravel", Kind::Framework),
    ("jest.config.*", "Jest", Kind::TestTool),
    ("vitest.config.*", "Vitest", Kind::TestTool),
    ("playwright.config.*", "Playwright", Kind::TestTool),
    ("cypress.config.*", "Cypress", Kind::TestTool),
    ("karma.conf.*", "Karma", Kind::TestTool),
    (".mocharc*", "Mocha", Kind::TestTool),
    ("tox.ini", "tox", Kind::TestTool),
    ("noxfile.py", "nox", Kind::TestTool),
    ("pytest.ini", "pytest", Kind::TestTool),
    ("conftest.py", "pytest", Kind::TestTool),
    ("phpunit.xml*", "PHPUnit", Kind::TestTool),
    (".rspec", "RSpec", Kind::TestTool),
    (".eslintrc*", "ESLint", Kind::Linter),
    ("eslint.config.*", "ESLint", Kind::Linter),
    (".prettierrc*", "Prettier", Kind::Linter),
    ("prettier.config.*", "Prettier", Kind::Linter),
    ("biome.json*", "Biome", Kind::Linter),
    (".stylelintrc*", "Stylelint", Kind::Linter),
    ("ruff.toml", "Ruff", Kind::Linter),
    (".ruff.toml", "Ruff", Kind::Linter),
    (".flake8", "Flake8", Kind::Linter),
    ("mypy.ini", "mypy", Kind::Linter),
    ("pyrightconfig.json", "Pyright", Kind::Linter),
    (".pylintrc", "Pylint", Kind::Linter),
    (".pre-commit-config.yaml", "pre-commit", Kind::Linter),
    ("clippy.toml", "Clippy", Kind::Linter),
    ("rustfmt.toml", "rustfmt", Kind::Linter),
    ("deny.toml", "cargo-deny", Kind::Linter),
    (".golangci.*", "golangci-lint", Kind::Linter),
    (".rubocop.yml", "RuboCop", Kind::Linter),
    ("phpstan.neon*", "PHPStan", Kind::Linter),
    ("checkstyle.xml", "Checkstyle", Kind::Linter),
    (".clang-format", "clang-format", Kind::Linter),
    (".clang-tidy", "clang-tidy", Kind::Linter),
    ("Makefile", "Make", Kind::BuildTool),
    ("makefile", "Make", Kind::BuildTool),
    ("GNUmakefile", "Make", Kind::BuildTool),
    ("CMakeLists.txt", "CMake", Kind::BuildTool),
    ("meson.build", "Meson", Kind::BuildTool),
    ("configure.ac", "Autotools", Kind::BuildTool),
    ("WORKSPACE", "Bazel", Kind::BuildTool),
    ("MODULE.bazel", "Bazel", Kind::BuildTool),
    ("justfile", "just", Kind::BuildTool),
    ("build.sbt", "sbt", Kind::BuildTool),
    ("gradlew", "Gradle", Kind::BuildTool),
    ("mvnw", "Maven", Kind::BuildTool),
    ("mkdocs.yml", "MkDocs", Kind::Documentation),
    ("docusaurus.config.*", "Docusaurus", Kind::Documentation),
    (".readthedocs.y*", "Read the Docs", Kind::Documentation),
    ("Doxyfile", "Doxygen", Kind::Documentation),
    ("book.toml", "mdBook", Kind::Documentation),
    ("serverless.yml", "Serverless Framework", Kind::Infrastructure),
    ("vercel.json", "Vercel", Kind::Infrastructure),
    ("netlify.toml", "Netlify", Kind::Infrastructure),
    ("fly.toml", "Fly.io", Kind::Infrastructure),
    ("Pulumi.yaml", "Pulumi", Kind::Infrastructure),
    ("Procfile", "Heroku", Kind::Infrastructure),
    ("app.yaml", "App Engine", Kind::Infrastructure),
    ("Chart.yaml", "Helm", Kind::Infrastructure),
    ("kustomization.yaml", "Kustomize", Kind::Infrastructure),
    ("Vagrantfile", "Vagrant", Kind::Infrastructure),
    ("ansible.cfg", "Ansible", Kind::Infrastructure),
    ("Jenkinsfile", "Jenkins", Kind::Ci),
    (".gitlab-ci.yml", "GitLab CI", Kind::Ci),
    (".travis.yml", "Travis CI", Kind::Ci),
    ("azure-pipelines.yml", "Azure Pipelines", Kind::Ci),
    ("appveyor.yml", "AppVeyor", Kind::Ci),
    (".drone.yml", "Drone", Kind::Ci),
    (".woodpecker.yml", "Woodpecker", Kind::Ci),
    ("bitbucket-pipelines.yml", "Bitbucket Pipelines", Kind::Ci),
    ("cloudbuild.yaml", "Cloud Build", Kind::Ci),
    (".cirrus.yml", "Cirrus CI", Kind::Ci),
];

/// Files with the version of something that runs the code: all that stands in them.
const VERSIONS: [(&str, &str); 6] = [
    (".nvmrc", "Node.js"),
    (".node-version", "Node.js"),
    (".python-version", "Python"),
    (".ruby-version", "Ruby"),
    (".java-version", "Java"),
    (".go-version", "Go"),
];

/// What a file's path shows; such a file needn't be read.
pub(super) fn by_name(path: &str, found: &mut Found) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let named = NAMED.iter().filter(|(pattern, ..)| fits(pattern)).map(|(_, shown, kind)| (*shown, *kind));
    let placed = [
        (path.contains(".github/workflows/"), "GitHub Actions", Kind::Ci),
        (path.starts_with(".circleci/"), "CircleCI", Kind::Ci),
        (path.starts_with(".buildkite/"), "Buildkite", Kind::Ci),
        (path.ends_with("docs/conf.py") || path.ends_with("doc/conf.py"), "Sphinx", Kind::Documentation),
        (name.ends_with(".tf"), "Terraform", Kind::Infrastructure),
        (name.ends_with(".bicep"), "Bicep", Kind::Infrastructure),
        (name.ends_with(".proto"), "Protocol Buffers", Kind::Library),
    ];
    let placed = placed.into_iter().filter(|(is, ..)| *is).map(|(_, shown, kind)| (shown, kind));
    for (shown, kind) in named.chain(placed) {
        found.technology(kind, (shown, None), (path, 1), name.to_owned());
    }
}

/// Whether a file is to be read for hints.
pub(super) fn is_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    VERSIONS.iter().any(|(known, _)| *known == name)
        || matches!(
            name,
            ".tool-versions" | "rust-toolchain" | "rust-toolchain.toml" | "global.json" | "runtime.txt"
        )
        || is_dockerfile(name)
        || is_compose(name)
}

fn is_dockerfile(name: &str) -> bool {
    name == "Containerfile"
        || name == "Dockerfile"
        || name.starts_with("Dockerfile.")
        || name.ends_with(".Dockerfile")
}

fn is_compose(name: &str) -> bool {
    (name.starts_with("docker-compose") || name.starts_with("compose."))
        && (name.ends_with(".yml") || name.ends_with(".yaml"))
}

/// What a file's lines show.
pub(super) fn by_content(path: &str, text: &Text<'_>, found: &mut Found) {
    let name = path.rsplit('/').next().unwrap_or(path);
    if let Some((_, shown)) = VERSIONS.iter().find(|(known, _)| *known == name) {
        // The first of several is the one that runs it.
        if let Some((number, line)) = text.lines().find(|(_, line)| is_said(line)) {
            let version = line.split('#').next().unwrap_or(line).trim().trim_start_matches('v');
            found.uses(Kind::Runtime, (shown, Some(version)), (path, number), text);
        }
    } else if name == ".tool-versions" {
        for (number, line) in text.lines() {
            let line = line.split('#').next().unwrap_or(line).trim();
            if let Some((tool, version)) = line.split_once(char::is_whitespace) {
                let version = version.trim();
                let tool = match tool {
                    "nodejs" => "Node.js",
                    "python" => "Python",
                    "golang" => "Go",
                    "ruby" => "Ruby",
                    "java" => "Java",
                    "rust" => "Rust",
                    other => other,
                };
                found.uses(Kind::Runtime, (tool, Some(version)), (path, number), text);
            }
        }
    } else if name.starts_with("rust-toolchain") {
        let mut lines = text.lines().filter(|(_, line)| is_said(line));
        // Without a table the file is nothing but the channel.
        let is_channel = |line: &str| match line.split_once('=') {
            Some((key, _)) => key.trim() == "channel",
            None => !line.contains('['),
        };
        if let Some((number, line)) = lines.find(|(_, line)| is_channel(line)) {
            let version = super::text::quoted(line).unwrap_or(line.trim());
            found.uses(Kind::Runtime, ("Rust", Some(version)), (path, number), text);
        }
    } else if name == "global.json" {
        let line = text.lines().find(|(_, line)| line.contains("\"version\""));
        if let Some((number, line)) = line {
            let version = line.split_once(':').and_then(|(_, rest)| super::text::quoted(rest));
            found.uses(Kind::Runtime, (".NET SDK", version), (path, number), text);
        }
    } else if is_dockerfile(name) {
        dockerfile(path, text, found);
    } else if is_compose(name) {
        found.uses(Kind::Container, ("Docker Compose", None), (path, 1), text);
        for (number, line) in text.lines() {
            if let Some(image) = line.trim().strip_prefix("image:") {
                let (image, version) = image_of(image.trim().trim_matches(['"', '\'']));
                found.uses(Kind::Container, (image, version), (path, number), text);
            }
        }
    }
}

/// Whether a line says something: it isn't empty, and no comment.
fn is_said(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}

/// Images that what runs the code comes in.
const RUNTIMES: [(&str, &str); 14] = [
    ("python", "Python"),
    ("pypy", "PyPy"),
    ("node", "Node.js"),
    ("golang", "Go"),
    ("rust", "Rust"),
    ("ruby", "Ruby"),
    ("php", "PHP"),
    ("openjdk", "Java"),
    ("eclipse-temurin", "Java"),
    ("amazoncorretto", "Java"),
    ("denoland/deno", "Deno"),
    ("oven/bun", "Bun"),
    ("elixir", "Elixir"),
    ("mcr.microsoft.com/dotnet/aspnet", ".NET"),
];

/// Images that a build begins with; stages of its own are none.
fn dockerfile(path: &str, text: &Text<'_>, found: &mut Found) {
    let mut stages: HashSet<&str> = HashSet::new();
    let mut any = false;
    for (number, line) in text.lines() {
        let mut words = line.split_whitespace();
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("FROM")) {
            continue;
        }
        let mut words = words.filter(|word| !word.starts_with("--"));
        let Some(image) = words.next() else { continue };
        if !stages.contains(image) {
            any = true;
            let (image, version) = image_of(image);
            found.uses(Kind::Container, (image, version), (path, number), text);
            let plain = image.strip_prefix("docker.io/").unwrap_or(image);
            let plain = plain.strip_prefix("library/").unwrap_or(plain);
            let runs = RUNTIMES.iter().find(|(known, _)| *known == plain);
            // `3.12-slim` is 3.12 on something slim.
            let version = version.and_then(|tag| tag.split('-').next());
            let version = version.filter(|tag| tag.starts_with(|c: char| c.is_ascii_digit()));
            if let Some((_, runtime)) = runs {
                found.uses(Kind::Runtime, (runtime, version), (path, number), text);
            }
        }
        if words.next().is_some_and(|word| word.eq_ignore_ascii_case("AS")) {
            stages.extend(words.next());
        }
    }
    if any {
        found.uses(Kind::Container, ("Docker", None), (path, 1), text);
    }
}

/// An image's name and tag, without its digest.
fn image_of(image: &str) -> (&str, Option<&str>) {
    let image = image.split('@').next().unwrap_or(image);
    match image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
        Some((name, tag)) => (name, Some(tag)),
        None => (image, None),
    }
}
