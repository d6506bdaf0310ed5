//! The tool's functions, as `wit/tool.wit` declares them.

use std::fs;

wit_bindgen::generate!({ path: "wit", world: "tool" });

struct Tool;
export!(Tool);

impl Guest for Tool {
    fn count_words(path: String) -> Result<u32, String> {
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        Ok(text.split_whitespace().count() as u32)
    }
}
