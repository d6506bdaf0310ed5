//! File systems that take different names for one: real ones, in an image of their own, while a test
//! runs. Wants root and FUSE.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Bytes of an image; it is sparse.
const SIZE: u64 = 64 << 20;

/// What an image is made with, and what mounts it; the device and the folder come last.
const KINDS: [(&str, &[&str], &[&str]); 2] = [
    ("exFAT", &["mkfs.exfat"], &["mount.exfat-fuse"]),
    ("NTFS", &["mkntfs", "--quiet", "--fast"], &["lowntfs-3g", "-o", "ignore_case"]),
];

/// A mounted file system; unmounted when it is dropped.
pub(crate) struct Mounted {
    device: String,
    at: PathBuf,
    _home: TempDir,
}

impl Mounted {
    /// One of each kind, one after the other.
    pub(crate) fn each() -> impl Iterator<Item = Self> {
        KINDS.into_iter().map(|(name, make, mount)| Self::new(name, make, mount))
    }

    fn new(name: &'static str, make: &[&str], mount: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (image, at) = (home.path().join("image"), home.path().join("mounted"));
        File::create(&image).unwrap().set_len(SIZE).unwrap();
        fs::create_dir(&at).unwrap();
        let device = said(&["losetup", "--find", "--show"], &[image.to_str().unwrap()]);
        let mounted = Self { device, at, _home: home };
        said(make, &[&mounted.device]);
        said(mount, &[&mounted.device, mounted.at.to_str().unwrap()]);
        fs::write(mounted.at.join("case"), "").unwrap();
        assert!(mounted.at.join("CASE").exists(), "{name} tells case apart");
        mounted
    }

    /// Its own folder.
    pub(crate) fn path(&self) -> &Path {
        &self.at
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.at).status();
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}

/// What a command says that must go well.
fn said(command: &[&str], more: &[&str]) -> String {
    let ran = Command::new(command[0]).args(&command[1..]).args(more).output();
    let ran = ran.unwrap_or_else(|error| panic!("{}: {error}", command[0]));
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim_end().to_owned()
}
