//! Keys and addresses from the process's environment.

use ringfence_models::Secret;

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `ANTHROPIC_API_KEY`
    pub anthropic_key: Option<Secret>,
    /// `ANTHROPIC_BASE_URL`
    pub anthropic_url: Option<String>,
    /// `OPENAI_API_KEY`
    pub openai_key: Option<Secret>,
    /// `OPENAI_BASE_URL`
    pub openai_url: Option<String>,
}

impl Environment {
    /// Reads the process's own; an empty variable counts as none.
    pub fn read() -> Self {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Self {
            anthropic_key: get("ANTHROPIC_API_KEY").map(Secret::new),
            anthropic_url: get("ANTHROPIC_BASE_URL"),
            openai_key: get("OPENAI_API_KEY").map(Secret::new),
            openai_url: get("OPENAI_BASE_URL"),
        }
    }
}
