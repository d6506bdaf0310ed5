//! Permissions, owners and attributes of what is applied: as a diff says, and as the files had them.

use crate::stage_apply::{mode, run};
use crate::stage_guest::Run;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

fn mode_of(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o7777
}

fn diffs(run: &Run) -> String {
    run.changes().iter().map(|change| change.unified_diff().unwrap()).collect()
}

#[test]
fn permissions_stay_those_of_the_file_and_new_files_get_the_usual_ones() {
    let run = run();
    mode(&run.project.at("src/a.txt"), 0o600);
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.read_first("src/run.sh");
        guest.write("src/a.txt", "x").unwrap();
        guest.rename("src/run.sh", "src/renamed.sh").unwrap();
        guest.write("src/new", "x").unwrap();
        guest.make_folder("src/folder").unwrap();
    });
    run.apply().unwrap();
    let like = tempfile::tempdir().unwrap();
    fs::write(like.path().join("file"), "").unwrap();
    fs::create_dir(like.path().join("folder")).unwrap();
    assert_eq!(mode_of(&run.project.at("src/a.txt")), 0o600);
    assert_eq!(mode_of(&run.project.at("src/renamed.sh")), 0o751);
    assert_eq!(mode_of(&run.project.at("src/new")), mode_of(&like.path().join("file")));
    assert_eq!(mode_of(&run.project.at("src/folder")), mode_of(&like.path().join("folder")));
}

#[test]
fn a_diff_says_the_permissions_that_an_apply_sets() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.rename("src/run.sh", "src/a.txt").unwrap();
    });
    let told = diffs(&run);
    run.apply().unwrap();
    assert_eq!(mode_of(&run.project.at("src/a.txt")), 0o751, "a file brings its permissions along");
    assert!(told.contains("old mode 100644\nnew mode 100751\n"), "{told}");

    // Two files that change places.
    run.call(|guest| {
        guest.rename("src/a.txt", "src/t").unwrap();
        guest.rename("src/b.txt", "src/a.txt").unwrap();
        guest.rename("src/t", "src/b.txt").unwrap();
    });
    let told = diffs(&run);
    run.apply().unwrap();
    assert_eq!(run.in_project("src/a.txt").as_deref(), Some("two\n"));
    for (file, is) in [("src/a.txt", 0o644), ("src/b.txt", 0o751)] {
        assert_eq!(mode_of(&run.project.at(file)), is, "{file}");
        assert!(told.contains(&format!("new mode 100{is:o}\n")), "{told}");
    }
}

#[test]
fn a_diff_says_that_a_file_runs_as_somebody_else_no_more_and_what_a_file_brings_along() {
    let run = run();
    mode(&run.project.at("src/run.sh"), 0o4755);
    run.project.link("src/link", "a.txt");
    run.call(|guest| {
        guest.append("src/new", "x").unwrap();
        guest.read_first("src/run.sh");
        guest.append("src/run.sh", "more\n").unwrap();
        guest.remove("src/link").unwrap();
        guest.append("src/link", "x").unwrap();
    });
    let told = diffs(&run);
    run.apply().unwrap();
    assert_eq!(mode_of(&run.project.at("src/run.sh")), 0o755);
    assert!(told.contains("old mode 104755\nnew mode 100755\n"), "{told}");
    assert!(told.contains("a link to a.txt becomes a file\nnew file mode 100644\n"), "{told}");
}

#[test]
fn a_file_that_is_applied_stays_its_owner_s_with_its_attributes_as_far_as_may_be() {
    let run = run();
    let (changed, moved) = (run.project.at("src/a.txt"), run.project.at("src/b.txt"));
    let may_chown =
        chown(&changed, Some(1234), Some(4321)).is_ok() && chown(&moved, Some(1234), Some(4321)).is_ok();
    // Whom it is for besides, as the kernel has it: its owner, one more person, its group, all others.
    let acl: Vec<u8> = [(1, 6, u32::MAX), (2, 4, 77), (4, 4, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)]
        .into_iter()
        .fold(2_u32.to_le_bytes().to_vec(), |mut acl, (tag, may, id): (u16, u16, u32)| {
            acl.extend([&tag.to_le_bytes()[..], &may.to_le_bytes(), &id.to_le_bytes()].concat());
            acl
        });
    let put = |file: &Path, name: &str, value: &[u8]| {
        rustix::fs::setxattr(file, name, value, rustix::fs::XattrFlags::empty()).is_ok()
    };
    let kept: Vec<_> = [("user.note", &b"kept"[..]), ("system.posix_acl_access", &acl)]
        .into_iter()
        .filter(|(name, value)| put(&changed, name, value) && put(&moved, name, value))
        .collect();
    let may_do_more = put(
        &changed,
        "security.capability",
        &[1, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0].into_iter().chain([0; 8]).collect::<Vec<_>>(),
    );
    // Its folder gives something to new files.
    put(&run.project.at("src"), "system.posix_acl_default", &acl);
    let before = mode_of(&changed);
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "two").unwrap();
        guest.rename("src/b.txt", "src/moved").unwrap();
        guest.read_first("src/run.sh");
        guest.append("src/run.sh", "more").unwrap();
    });
    run.apply().unwrap();
    let value_of = |file: &Path, name: &str| {
        let mut value = vec![0; 256];
        rustix::fs::getxattr(file, name, value.as_mut_slice()).ok().map(|length| value[..length].to_vec())
    };
    assert_eq!((run.in_project("src/a.txt").as_deref(), mode_of(&changed)), (Some("two"), before));
    for file in [&changed, &run.project.at("src/moved")] {
        let is = fs::metadata(file).unwrap();
        assert!(!may_chown || (is.uid(), is.gid()) == (1234, 4321), "{}:{}", is.uid(), is.gid());
        for (name, value) in &kept {
            assert_eq!(value_of(file, name).as_deref(), Some(*value), "{name}");
        }
        assert_eq!(value_of(file, "security.capability"), None, "{may_do_more}");
    }
    // What had no such list gets none.
    assert_eq!(value_of(&run.project.at("src/run.sh"), "system.posix_acl_access"), None);
    assert_eq!(mode_of(&run.project.at("src/run.sh")), 0o751);
}
