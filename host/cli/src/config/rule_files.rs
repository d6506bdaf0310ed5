//! The project's own rules for the tool that finds problems: `.ringfence/rules/**/*.yml`.
//!
//! Owns: finding the files, their bounds, and the one text in which the tool gets them. Doesn't
//! own: confirming them (`trust`), what the rules mean (the tool).

use super::project_files::{open, read_file, utf8};
use super::{Resolved, ToolPolicy};
use crate::exit::Refusal;
use anyhow::{Context, Result};
use rustix::fs::{Dir, FileType, OFlags};
use std::fmt::Write;
use std::os::fd::OwnedFd;

/// The folder of the rules.
pub(super) const RULES: &str = ".ringfence/rules";
/// The tool that is told of them, and under which key.
const TOOL: &str = "find_problems";
const KEY: &str = "rules";
/// Bytes and files of rules at most, and how deep folders lie within each other.
const MOST_BYTES: u64 = 1 << 20;
const MOST_FILES: usize = 500;
const DEEPEST: usize = 8;

/// All files of rules with their content, in the order of their paths.
pub(super) fn read(root: &OwnedFd) -> Result<Vec<(String, Vec<u8>)>> {
    let mut paths = Vec::new();
    let mut folders = vec![(RULES.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Some(opened) = open(root, &folder, OFlags::DIRECTORY)? else { continue };
        let entries = Dir::read_from(&opened).with_context(|| format!("{folder} can't be listed"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("{folder} can't be listed"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            if name == "." || name == ".." {
                continue;
            }
            if entry.file_type() == FileType::Directory {
                if depth >= DEEPEST {
                    return Err(too_much(format!("{path} lies more than {DEEPEST} folders deep")));
                }
                folders.push((path, depth + 1));
            } else if name.ends_with(".yml") || name.ends_with(".yaml") {
                paths.push(path);
            }
            if paths.len() > MOST_FILES || folders.len() > MOST_FILES {
                return Err(too_much(format!("{RULES} has more than {MOST_FILES} files or folders")));
            }
        }
    }
    paths.sort();
    let (mut files, mut room) = (Vec::new(), MOST_BYTES);
    for path in paths {
        let Some(bytes) = read_file(root, &path, MOST_BYTES)? else { continue };
        utf8(&path, &bytes)?;
        room = room
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| too_much(format!("{RULES} has more than {MOST_BYTES} bytes of rules")))?;
        files.push((path, bytes));
    }
    Ok(files)
}

fn too_much(what: String) -> anyhow::Error {
    Refusal::usage(what).hint("remove what isn't needed, or hand a folder to the tool as `rules`").into()
}

/// The rules as the tool gets them: file after file, each headed by its path; none if there are none.
fn in_one_text(files: &[(String, Vec<u8>)]) -> Option<String> {
    let mut all = String::new();
    let rules =
        files.iter().filter(|(path, _)| path.strip_prefix(RULES).is_some_and(|rest| rest.starts_with('/')));
    for (path, bytes) in rules {
        // A path with a line break would be two lines.
        let _ = writeln!(all, "# file: {}", path.replace(char::is_control, "?"));
        all.push_str(&String::from_utf8_lossy(bytes));
        if !all.ends_with('\n') {
            all.push('\n');
        }
    }
    (!all.is_empty()).then_some(all)
}

impl Resolved {
    /// Hands the project's own rules to the tool that runs them.
    pub(super) fn tell_rules(&mut self, files: &[(String, Vec<u8>)]) {
        let Some(rules) = in_one_text(files) else { return };
        let whole = ToolPolicy { said_in: RULES.to_owned(), ..ToolPolicy::of(&self.grants) };
        let policy = self.tools.entry(TOOL.to_owned()).or_insert(whole);
        policy.settings.insert(KEY.to_owned(), rules);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Flags;
    use super::super::ProjectFiles;
    use super::super::reading::read;
    use super::*;
    use std::fs;

    fn files(folder: &std::path::Path) -> Result<ProjectFiles> {
        ProjectFiles::read(folder)
    }

    #[test]
    fn rules_are_part_of_what_is_confirmed_and_reach_the_tool_alone() {
        let folder = tempfile::tempdir().unwrap();
        let rules = folder.path().join(RULES);
        fs::create_dir_all(rules.join("utils")).unwrap();
        fs::write(rules.join("b.yml"), "id: b").unwrap();
        fs::write(rules.join("utils/a.yaml"), "id: a\n").unwrap();
        fs::write(rules.join("README.md"), "no rule").unwrap();
        let found = files(folder.path()).unwrap();
        let before = found.hash();
        let (project, user) = (read("ringfence.toml", "").unwrap(), read("config.toml", "").unwrap());
        let mut resolved = Resolved::of_layers(&project, &user, &Flags::default()).unwrap();
        resolved.tell_rules(&found.files);
        let text = "# file: .ringfence/rules/b.yml\nid: b\n# file: .ringfence/rules/utils/a.yaml\nid: a\n";
        assert_eq!(resolved.tools[TOOL].settings[KEY], text);
        assert_eq!(resolved.tools[TOOL].dirs, resolved.grants.dirs);
        assert!(resolved.tools.len() == 1 && resolved.grants.settings.is_empty());
        fs::write(rules.join("b.yml"), "id: c").unwrap();
        assert_ne!(files(folder.path()).unwrap().hash(), before);
    }

    #[test]
    fn too_many_rules_and_rules_behind_a_link_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let rules = folder.path().join(RULES);
        fs::create_dir_all(&rules).unwrap();
        fs::write(rules.join("a.yml"), vec![b'#'; 600 << 10]).unwrap();
        assert!(files(folder.path()).is_ok());
        fs::write(rules.join("b.yml"), vec![b'#'; 600 << 10]).unwrap();
        assert!(files(folder.path()).unwrap_err().to_string().contains("more than 1048576 bytes"));
        fs::remove_file(rules.join("b.yml")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", rules.join("c.yml")).unwrap();
        assert!(files(folder.path()).unwrap_err().to_string().contains("c.yml is a link"));
    }
}
