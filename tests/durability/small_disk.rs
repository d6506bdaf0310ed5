//! A small disk for the state of one product, where this user may mount one.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk of two mebibytes, in memory, in place of a folder.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// None where this user may not mount one.
    pub(crate) fn mount(folder: &Path) -> Option<Self> {
        fs::create_dir_all(folder).expect("a folder to mount on");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2m,mode=0700", "none"]).arg(folder);
        mount.output().is_ok_and(|output| output.status.success()).then(|| Self(folder.to_owned()))
    }

    /// Something else takes all the space that is left.
    pub(crate) fn fill(folder: &Path) {
        let mut options = OpenOptions::new();
        let mut ballast = options.create(true).append(true).open(folder.join("ballast")).expect("a file");
        loop {
            match ballast.write(&[0; 4096]) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The space is there again.
    pub(crate) fn free(&self) {
        fs::remove_file(self.0.join("ballast")).expect("the disk was filled");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
