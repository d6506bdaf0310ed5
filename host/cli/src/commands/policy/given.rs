//! What of a setting a tool is given: less than a file says where it isn't made for it.

use super::Desk;
use crate::config::{LOCK, Layer, Setting, Source};
use ringfence_sandbox::Tool;
use serde_json::json;

/// A setting as it holds for this tool.
pub(super) fn given(desk: &Desk, tool: &Tool, setting: Setting) -> Setting {
    let toolbox = &desk.toolbox;
    let setting = within_lock(desk, tool, setting);
    let is_given = match setting.key {
        "dirs" => toolbox.opens_files(tool),
        "hosts" | "secrets" => toolbox.asks_hosts(tool),
        "env" => toolbox.sees_variables(tool),
        _ => return setting,
    };
    if is_given && setting.key == "dirs" {
        // Who writes nothing is given them for reading.
        return Setting { value: json!(toolbox.tree(tool.name()).grants().dirs), ..setting };
    }
    if is_given || setting.value == json!([]) {
        return setting;
    }
    Setting { value: json!([]), from: vec![Source { layer: Layer::Default, at: None }], ..setting }
}

/// The same where a person approved less for the tool's component.
fn within_lock(desk: &Desk, tool: &Tool, setting: Setting) -> Setting {
    let digest = tool.component().digest();
    let Some(locked) = desk.resolved.locked.iter().find(|locked| locked.entry.digest == digest) else {
        return setting;
    };
    let grants = desk.toolbox.tree(tool.name()).grants();
    let value = match setting.key {
        "dirs" => json!(grants.dirs),
        "hosts" => json!(grants.hosts),
        "env" => json!(grants.env),
        "secrets" => json!(grants.secrets.iter().map(|secret| &secret.name).collect::<Vec<_>>()),
        _ => return setting,
    };
    if value == setting.value {
        return setting;
    }
    let at = Some(format!("{LOCK}, `{}`", locked.entry.name));
    Setting { value, from: vec![Source { layer: Layer::Project, at }], ..setting }
}
