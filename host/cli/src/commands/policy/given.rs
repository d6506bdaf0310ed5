//! What of a setting a tool is given: less than a file says where it isn't made for it.

use super::Desk;
use crate::config::{Layer, Setting, Source};
use ringfence_sandbox::Tool;
use serde_json::json;

/// A setting as it holds for this tool.
pub(super) fn given(desk: &Desk, tool: &Tool, setting: Setting) -> Setting {
    let toolbox = &desk.toolbox;
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
