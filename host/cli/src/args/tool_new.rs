//! `ringfence tool new`

use clap::Args;

/// `ringfence tool new`
#[derive(Debug, Clone, Args)]
pub struct ToolNewArgs {
    /// Its name, words joined by `_` or `-`: a folder of this name is made here
    #[arg(value_name = "NAME")]
    pub name: String,
    /// What to write it in: rust, python, javascript, typescript, c, cpp, go, zig
    #[arg(long, visible_alias = "language", value_name = "LANG")]
    pub lang: Option<String>,
}
