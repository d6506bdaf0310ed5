//! Small disks of the tests' own, where this user may mount one.

use crate::sample::Folder;
use std::process::Command;

/// A disk of one mebibyte, in memory.
pub(crate) struct SmallDisk(Folder);

impl SmallDisk {
    /// None where this user may not mount one.
    pub(crate) fn mount() -> Option<Self> {
        let folder = Folder::new();
        mount(&folder, "size=1m").then_some(Self(folder))
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.0
    }

    /// From now on nothing on it can be changed.
    pub(crate) fn protect(&self) {
        assert!(mount(&self.0, "remount,ro"));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn mount(folder: &Folder, options: &str) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(folder.path());
    mount.output().is_ok_and(|output| output.status.success())
}
