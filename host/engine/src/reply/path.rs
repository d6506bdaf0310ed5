//! JSON paths as people and models read them: `$.new_sub_tasks[1].id`.

use crate::bounds;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// Into an object.
    Key(String),
    /// Into an array.
    Index(usize),
}

/// Appends a step into an object.
pub(super) fn push_key(path: &mut String, key: &str) {
    let plain = !key.is_empty()
        && key.len() <= bounds::TASK_ID
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain {
        path.push('.');
        path.push_str(key);
    } else {
        let shown = bounds::one_line(key, 40);
        path.push_str(&format!("[{shown:?}]"));
    }
}

/// Appends a step into an array.
pub(super) fn push_index(path: &mut String, index: usize) {
    path.push_str(&format!("[{index}]"));
}

/// A path from the root.
pub(super) fn render(segments: &[Segment]) -> String {
    let mut path = "$".to_owned();
    for segment in segments {
        match segment {
            Segment::Key(key) => push_key(&mut path, key),
            Segment::Index(index) => push_index(&mut path, *index),
        }
    }
    path
}

/// A JSON pointer below `root` as a path.
pub(super) fn from_pointer(root: &str, pointer: &str) -> String {
    let mut path = root.to_owned();
    for segment in pointer.split('/').skip(1) {
        match segment.parse::<usize>() {
            Ok(index) => push_index(&mut path, index),
            Err(_) => push_key(&mut path, &segment.replace("~1", "/").replace("~0", "~")),
        }
    }
    path
}
