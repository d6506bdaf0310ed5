//! `ringfence tool remove`

use super::desk::Desk;
use crate::args::{GlobalArgs, ToolRemoveArgs};
use crate::config::LOCK;
use crate::exit::Exit;
use crate::output::{err, out_json};
use anyhow::Result;
use serde_json::json;

/// Takes a component out of the lock. Its bytes stay: runs may be taken up again with them.
pub(in crate::commands::tool) fn execute(args: &ToolRemoveArgs, global: &GlobalArgs) -> Result<Exit> {
    let desk = Desk::open(&args.project, global)?;
    let entry = desk.entry(&args.name)?.clone();
    let lock = desk.files.lock.clone().without(&args.name);
    desk.write(lock)?;
    if args.project.json {
        out_json(&json!({ "name": entry.name.as_str(), "digest": entry.digest, "tools": entry.tools }))?;
    } else if !global.quiet {
        err(&format!(
            "`{}` is taken out of {LOCK}: {} can't be used any more\n",
            entry.name,
            entry.tools.join(", ")
        ));
    }
    Ok(Exit::Done)
}
