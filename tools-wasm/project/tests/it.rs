//! Names, refusals and text, natively.

use ringfence_guest_project::{Binary, Fault, Root, binary_head, cut_at, decode, quoted};
use std::fs;

fn project() -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("src/deep")).unwrap();
    fs::write(dir.path().join("src/a.rs"), "fn a() {}\n").unwrap();
    let root = Root::at(dir.path());
    (dir, root)
}

#[test]
fn every_spelling_of_a_path_is_shown_the_same() {
    let (_dir, root) = project();
    for asked in ["src/a.rs", "./src/a.rs", "/src/a.rs", "src/../src/a.rs", "src//./a.rs", "src/deep/../a.rs"]
    {
        assert_eq!(root.tidy(asked), "src/a.rs", "{asked}");
        assert!(root.open(asked).is_ok(), "{asked}");
    }
    for asked in ["", ".", "/", "./", "src/.."] {
        assert_eq!(root.tidy(asked), ".", "{asked}");
    }
}

#[test]
fn what_leaves_the_project_is_shown_as_it_was_asked() {
    let (_dir, root) = project();
    assert_eq!(root.tidy("../x"), "../x");
    assert_eq!(root.tidy("src/../../x"), "../x");
    assert_eq!(root.tidy("absent/../x"), "absent/../x");
}

#[cfg(unix)]
#[test]
fn the_parent_of_a_link_is_not_guessed() {
    let (dir, root) = project();
    std::os::unix::fs::symlink("src/deep", dir.path().join("link")).unwrap();
    assert_eq!(root.tidy("link/../a.rs"), "link/../a.rs");
    assert!(root.open("link/../a.rs").is_ok(), "the link's target has that parent");
}

#[test]
fn a_directory_is_no_file_and_an_absent_file_is_named() {
    let (_dir, root) = project();
    let Err(Fault::NotAFile(message)) = root.open("src") else { panic!("opened") };
    assert_eq!(message, "`src`: a directory, not a file");
    let Err(Fault::NotFound(message)) = root.open("src/b.rs") else { panic!("opened") };
    assert_eq!(message, "`src/b.rs`: no such file or directory");
    assert!(matches!(root.open(""), Err(Fault::NotFound(_))));
    assert!(matches!(root.open("src/a.rs/x"), Err(Fault::NotADirectory(_))));
    assert!(matches!(root.open("src/a\0.rs"), Err(Fault::NotFound(_))));
}

#[test]
fn a_refusal_is_told_apart_from_an_absent_file() {
    let refused = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    let Fault::NotPermitted(message) = Fault::of("/etc/passwd", &refused) else { panic!("other") };
    assert!(message.contains("`/etc/passwd`") && message.contains("granted"), "{message}");
}

#[test]
fn a_message_repeats_no_terminal_escape_and_no_endless_path() {
    assert_eq!(quoted("a\u{1b}[31m\n"), "`a\\u{1b}[31m\\u{a}`");
    assert_eq!(quoted("a\u{202e}b"), "`a\\u{202e}b`");
    assert!(quoted(&"x".repeat(100_000)).len() < 220);
    assert_eq!(quoted("源/файл.py"), "`源/файл.py`");
}

#[test]
fn a_file_with_a_nul_or_a_utf16_mark_is_binary() {
    assert_eq!(binary_head(b"\x7fELF\x02\0"), Some(Binary::Nul));
    assert_eq!(binary_head(b"\xff\xfea\0"), Some(Binary::Utf16));
    assert_eq!(binary_head("text, 文字".as_bytes()), None);
    assert_eq!(binary_head(b""), None);
}

#[test]
fn a_little_of_another_encoding_is_replaced_and_much_is_refused() {
    assert_eq!(decode("grün".into()), Ok(("grün".into(), false)));
    let mut latin = b"a comment by Andr\xe9 about nothing".to_vec();
    assert_eq!(decode(latin.clone()), Ok(("a comment by Andr\u{fffd} about nothing".into(), true)));
    latin.extend_from_slice(&[0xc4, 0xe3, 0xba, 0xc3, 0xff, 0xfe, 0x80]);
    assert_eq!(decode(latin), Err(Binary::OtherEncoding));
    assert_eq!(decode(b"a\0b".to_vec()), Err(Binary::Nul));
}

#[test]
fn a_cut_never_splits_a_character() {
    let text = "aé文🦀z";
    for limit in 0..=text.len() + 1 {
        let cut = cut_at(text.as_bytes(), limit);
        assert!(cut.len() <= limit && text.starts_with(std::str::from_utf8(cut).unwrap()), "{limit}");
        assert!(limit.min(text.len()) - cut.len() < 4, "{limit}");
    }
}
