//! Which kind of work a task is: by the kind it was given, else by its id, else by the words of
//! its description, so that a plan that a person edited is still understood.

use super::facts::Task;

/// The work that the playbook knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Which files there are.
    Inventory,
    /// What they declare: dependencies, versions, builds.
    Manifests,
    /// Modules, entry points and what they define.
    Structure,
    /// Shapes of known problems.
    Problems,
    /// Anything else.
    Unknown,
}

impl Kind {
    /// The tasks of the whole analysis, in order.
    pub(super) const PLANNED: [Self; 4] = [Self::Inventory, Self::Manifests, Self::Structure, Self::Problems];

    /// The name in plans.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::Manifests => "manifests",
            Self::Structure => "structure",
            Self::Problems => "problems",
            Self::Unknown => "unknown",
        }
    }

    /// How many calls the work is worth when the iterations allow it. Without a search, problems
    /// can only be found by reading file after file.
    pub(super) fn wanted(self, searches: bool) -> u32 {
        match self {
            // One, unless the listing is cut.
            Self::Inventory => 5,
            Self::Manifests => 4,
            Self::Structure => 9,
            Self::Problems if searches => 5,
            Self::Problems => 12,
            Self::Unknown => 1,
        }
    }

    /// How many calls it takes as a rule.
    pub(super) fn usual(self, searches: bool) -> u32 {
        match self {
            Self::Inventory => 1,
            Self::Manifests | Self::Structure | Self::Problems | Self::Unknown => self.wanted(searches),
        }
    }

    /// How many calls it takes to be of any use.
    pub(super) fn least(self) -> u32 {
        match self {
            Self::Inventory | Self::Unknown => 1,
            Self::Manifests | Self::Structure => 2,
            Self::Problems => 3,
        }
    }

    /// The kind of a task.
    pub(super) fn of(task: &Task) -> Self {
        let named = |name: &str| Self::PLANNED.into_iter().find(|kind| kind.name() == name.trim());
        if let Some(kind) = task.kind.as_deref().and_then(named).or_else(|| named(&task.id)) {
            return kind;
        }
        let text = task.description.to_lowercase();
        WORDS
            .iter()
            .find(|(_, words)| words.iter().any(|word| text.contains(word)))
            .map_or(Self::Unknown, |(kind, _)| *kind)
    }
}

/// Asked in this order: "list the known vulnerabilities" is about problems, not about a listing.
const WORDS: [(Kind, &[&str]); 4] = [
    (
        Kind::Problems,
        &[
            "problem",
            "vulnerab",
            "security",
            "insecure",
            "bottleneck",
            "performance",
            "issue",
            "injection",
            "hard-coded",
            "hardcoded",
            "secret",
            "漏洞",
            "问题",
            "性能",
            "安全",
            "硬编码",
        ],
    ),
    (
        Kind::Manifests,
        &[
            "manifest",
            "dependenc",
            "package.json",
            "requirements.txt",
            "pyproject",
            "cargo.toml",
            "go.mod",
            "technology stack",
            "tech stack",
            "依赖",
            "技术栈",
            "清单",
        ],
    ),
    (
        Kind::Structure,
        &[
            "structure",
            "module",
            "entry point",
            "entry file",
            "outline",
            "architecture",
            " ast",
            "结构",
            "模块",
            "入口",
            "架构",
        ],
    ),
    (
        Kind::Inventory,
        &["list the files", "list all files", "list files", "inventory", "file tree", "列出", "文件列表"],
    ),
];
