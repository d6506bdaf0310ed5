//! Disks that take no more: nothing is half done, and with room again it goes on. Where this user
//! may mount none, there is nothing to try.

use crate::fence_guest::Project;
use crate::stage_apply::tree;
use crate::stage_guest::{Run, all_of};
use ringfence_sandbox::ProjectDir;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk of a mebibyte, in memory.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m,mode=0700", "none"]).arg(folder);
        mount.output().is_ok_and(|output| output.status.success()).then(|| Self(folder.to_owned()))
    }

    /// Something else takes all the space but so many bytes.
    fn fill(&self, but: u64) {
        let mut ballast = fs::File::create(self.0.join("ballast")).unwrap();
        loop {
            match ballast.write(&[0; 4096]) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        let size = ballast.metadata().unwrap().len();
        ballast.set_len(size.saturating_sub(but)).unwrap();
    }

    fn free(&self) {
        fs::remove_file(self.0.join("ballast")).unwrap();
    }

    fn remount(&self, how: &str) {
        let done = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(&self.0).status();
        assert!(done.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// A run that has staged a large file and a small one.
fn run() -> Run {
    let project = Project::empty();
    project.file("src/a.txt", "old");
    let run = Run::on(project, &["src"]);
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "new").unwrap();
        guest.write("src/large", vec![b'x'; 300 << 10]).unwrap();
    });
    run
}

#[test]
fn a_project_on_a_full_or_read_only_disk_stays_as_it_was() {
    let run = run();
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else { return };
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/a.txt"), "old").unwrap();
    let project = ProjectDir::open(&dir.path().join("src/..")).unwrap();
    disk.fill(100 << 10);
    let before = tree(&dir.path().join("src"));
    let error = run.stage.apply(&all_of(&project), None).unwrap_err().to_string();
    assert!(error.contains("`src/large`") && error.contains("No space"), "{error}");
    assert_eq!(tree(&dir.path().join("src")), before);
    disk.free();
    disk.remount("ro");
    let error = run.stage.apply(&all_of(&project), None).unwrap_err().to_string();
    assert!(error.contains("`src/") && error.contains("Read-only"), "{error}");
    assert!(!run.stage.apply_unfinished().unwrap());
    disk.remount("rw");
    run.stage.apply(&all_of(&project), None).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("src/a.txt")).unwrap(), "new");
    assert_eq!(fs::metadata(dir.path().join("src/large")).unwrap().len(), 300 << 10);
}

#[test]
fn a_project_on_a_disk_without_room_for_more_names_stays_as_it_was() {
    let run = run();
    run.call(|guest| {
        guest.remove("src/a.txt").unwrap();
        for at in 0..30 {
            guest.make_folder(&format!("src/folder{at}")).unwrap();
            guest.make_folder(&format!("src/folder{at}/inner")).unwrap();
        }
    });
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else { return };
    disk.remount("nr_inodes=40");
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/a.txt"), "old").unwrap();
    let project = ProjectDir::open(dir.path()).unwrap();
    let before = tree(&dir.path().join("src"));
    let error = run.stage.apply(&all_of(&project), None).unwrap_err().to_string();
    assert!(error.contains("`src/") && error.contains("No space"), "{error}");
    assert_eq!(tree(&dir.path().join("src")), before);
    assert!(!run.stage.apply_unfinished().unwrap());
    disk.remount("nr_inodes=400");
    run.stage.apply(&all_of(&project), None).unwrap();
    assert!(dir.path().join("src/folder29/inner").is_dir() && !dir.path().join("src/a.txt").exists());
}

#[test]
fn a_stage_on_a_full_disk_keeps_what_it_had() {
    let run = run();
    let Some(disk) = SmallDisk::mount(run.stage_dir.path()) else { return };
    let stage = std::sync::Arc::new(ringfence_sandbox::Stage::open(&run.stage_path()).unwrap());
    let run = Run { stage, ..run };
    run.call(|guest| guest.write("src/first", "1").unwrap());
    disk.fill(50 << 10);
    let mut guest = run.guest();
    assert!(guest.write("src/second", vec![b'x'; 200 << 10]).is_err());
    drop(guest);
    disk.fill(0);
    let mut guest = run.guest();
    let _ = guest.make_folder("src/third");
    assert!(guest.try_settle().is_err());
    assert_eq!(run.guest().names("src"), ["a.txt", "first"]);
    disk.free();
    run.call(|guest| guest.make_folder("src/third").unwrap());
    assert_eq!(run.guest().names("src"), ["a.txt", "first", "third"]);
}
