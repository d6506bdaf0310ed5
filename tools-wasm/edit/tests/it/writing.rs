use crate::ground::Ground;
use ringfence_edit::{Failure, LARGEST, WriteRequest, Written, write_file};
use ringfence_guest_project::Fault;
use std::fs;

fn write(ground: &Ground, file_path: &str, content: &str, create_folders: bool) -> Result<Written, Failure> {
    write_file(&ground.root(), &WriteRequest { file_path, content, create_folders })
}

#[test]
fn a_file_is_made_and_then_overwritten() {
    let ground = Ground::new(&[]);
    let first = write(&ground, "./a.txt", "one\r\ntwo\nthree", false).unwrap();
    assert_eq!(first, Written { path: "a.txt".into(), created: true, size: 14, lines: 3 });
    assert_eq!(fs::read(ground.path().join("a.txt")).unwrap(), b"one\r\ntwo\nthree");
    let second = write(&ground, "/a.txt", "1\n", false).unwrap();
    assert_eq!(second, Written { path: "a.txt".into(), created: false, size: 2, lines: 1 });
    assert_eq!(fs::read(ground.path().join("a.txt")).unwrap(), b"1\n");
}

#[test]
fn missing_folders_are_made_only_when_asked() {
    let ground = Ground::new(&[("f", "a file")]);
    let Err(Failure::Fault(Fault::NotFound(why))) = write(&ground, "新/深い/文.md", "x", false) else {
        panic!("written")
    };
    assert_eq!(why, "`新/深い/文.md`: there is no folder `新/深い`; make it with `create_folders`");
    assert!(!ground.path().join("新").exists());
    assert!(write(&ground, "新/深い/文.md", "x", true).unwrap().created);
    assert_eq!(fs::read(ground.path().join("新/深い/文.md")).unwrap(), b"x");
    assert!(write(&ground, "f/x", "y", true).is_err(), "a file is no folder");
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let ground = Ground::new(&[("d/a.txt", "x")]);
    for path in ["d", "d/", ""] {
        let Err(Failure::Fault(fault)) = write(&ground, path, "x", true) else { panic!("{path} written") };
        assert!(matches!(fault, Fault::NotAFile(_) | Fault::NotFound(_)), "{fault:?}");
        assert!(fault.message().contains(path), "{fault}");
    }
}

#[test]
fn a_text_too_large_is_not_begun() {
    let ground = Ground::new(&[]);
    assert!(write(&ground, "a", &"x".repeat(LARGEST), false).is_ok());
    let failure = write(&ground, "b", &"x".repeat(LARGEST + 1), false);
    assert!(matches!(failure, Err(Failure::TooLarge(_))));
    assert!(!ground.path().join("b").exists());
}
