//! What a file has besides its content and its permissions, for the one that takes its place: owner,
//! group, and extended attributes, lists of who may read it among them.
//!
//! Each is kept where this process may set it, and left out where it may not.

use super::target::{find, split};
use crate::view::ProjectDir;
use rustix::fs::{
    FileType, Gid, Uid, XattrFlags, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat,
};
use std::collections::BTreeSet;
use std::fs::File;

/// The kernel's bound of a list of names, and of a value.
const MOST: usize = 64 << 10;
/// What a file may do as a program, and labels of the system's: given to that content, not to this.
const NEVER: &str = "security.";

/// Gives a new file what the one at a place has. Before its permissions are set.
pub(super) fn carry_over(project: &ProjectDir, place: &str, to: &File) {
    let Ok(Some((folder, stat))) = find(project, place) else { return };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return;
    }
    if fstat(to).is_ok_and(|own| (own.st_uid, own.st_gid) != (stat.st_uid, stat.st_gid)) {
        let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        // Most may give a file to another group of theirs, and few to another owner.
        if fchown(to, Some(owner), Some(group)).is_err() {
            let _ = fchown(to, None, Some(group));
        }
    }
    let Ok(Some(from)) = project.file(&folder, split(place).1) else { return };
    let Some(names) = names(&from) else { return };
    let mut value = vec![0; MOST];
    for name in &names {
        if let Ok(length) = fgetxattr(&from, name.as_slice(), value.as_mut_slice())
            && let Some(value) = value.get(..length)
        {
            let _ = fsetxattr(to, name.as_slice(), value, XattrFlags::empty());
        }
    }
    // What its folder gives to new files.
    for name in self::names(to).unwrap_or_default().difference(&names) {
        let _ = fremovexattr(to, name.as_slice());
    }
}

/// The names of a file's extended attributes, as far as they are ever kept; none where it has no such
/// thing.
fn names(file: &File) -> Option<BTreeSet<Vec<u8>>> {
    let mut list = vec![0; MOST];
    let length = flistxattr(file, list.as_mut_slice()).ok()?;
    let names = list.get(..length)?.split(|byte| *byte == 0);
    let kept = names.filter(|name| !name.is_empty() && !name.starts_with(NEVER.as_bytes()));
    Some(kept.map(<[u8]>::to_vec).collect())
}
