//! Which kind of work a task is: by the kind it was given, else by its id, else by the words of
//! its description, so that a plan that a person edited is still understood.

use super::facts::Task;

/// The work that the playbook knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the project is built with.
    Stack,
    /// Packages, entry points, the core and what it defines.
    Structure,
    /// Possible problems.
    Problems,
    /// Which files there are.
    Inventory,
    /// Anything else.
    Unknown,
}

impl Kind {
    /// The tasks of the whole analysis, in order.
    pub(super) const PLANNED: [Self; 3] = [Self::Stack, Self::Structure, Self::Problems];

    /// The name in plans.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Structure => "structure",
            Self::Problems => "problems",
            Self::Inventory => "inventory",
            Self::Unknown => "unknown",
        }
    }

    /// The tool that does the work in one call.
    pub(super) const fn tool(self) -> Option<&'static str> {
        match self {
            Self::Stack => Some("detect_stack"),
            Self::Structure => Some("map_code"),
            Self::Problems => Some("find_problems"),
            Self::Inventory => Some("list_files"),
            Self::Unknown => None,
        }
    }

    /// How many calls the work is worth when the iterations allow it.
    pub(super) fn wanted(self) -> u32 {
        match self {
            // One; more where there are more pages, or only listing and reading are offered.
            Self::Stack | Self::Inventory => 5,
            // The map, and four files.
            Self::Structure => 5,
            // One; more where there are more pages.
            Self::Problems => 4,
            Self::Unknown => 1,
        }
    }

    /// How many calls it takes as a rule.
    pub(super) fn usual(self) -> u32 {
        match self {
            Self::Structure => self.wanted(),
            Self::Stack | Self::Problems | Self::Inventory | Self::Unknown => 1,
        }
    }

    /// How many calls it takes to be of any use.
    pub(super) fn least(self) -> u32 {
        match self {
            Self::Structure => 2,
            Self::Stack | Self::Problems | Self::Inventory | Self::Unknown => 1,
        }
    }

    /// The kind of a task.
    pub(super) fn of(task: &Task) -> Self {
        let named = |name: &str| match name.trim() {
            "stack" | "manifests" => Some(Self::Stack),
            "structure" => Some(Self::Structure),
            "problems" => Some(Self::Problems),
            "inventory" => Some(Self::Inventory),
            _ => None,
        };
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
        Kind::Stack,
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
            "framework",
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
