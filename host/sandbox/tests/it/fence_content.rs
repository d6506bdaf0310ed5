//! Names and contents as they come: large, odd, and gone a moment later.

use crate::fence_guest::{FOLLOW, Project, WALKS, code, os, ready};
use crate::watchdog::in_time;
use ringfence_sandbox::view::Walk;
use ringfence_sandbox::{Content, Digest, Opened};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorType, ErrorCode, HostDescriptor, HostDirectoryEntryStream,
};

#[test]
fn names_of_every_kind_are_listed_and_open() {
    let project = Project::empty();
    let long = "n".repeat(255);
    let names = [
        "two\nlines",
        "\u{1b}[31mred\u{1b}[0m",
        "文件.rs",
        "файл",
        "\u{202e}gpj.exe",
        " leading and trailing ",
        "a\\b",
        "*?[",
        "-rf",
        "\u{7f}",
        &long,
    ];
    for name in names {
        project.file(Path::new("src").join(name), name);
    }
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src"]);
        let listed: BTreeSet<_> = guest.names("src").into_iter().collect();
        assert_eq!(listed, names.iter().map(|name| (*name).to_owned()).collect());
        for name in names {
            assert_eq!(guest.text(&format!("src/{name}")).as_deref(), Ok(name), "{name:?}");
        }
        assert_eq!(guest.log().opened.len(), names.len());
    }
}

#[test]
fn names_that_are_not_utf_8_have_a_spelling_that_opens_them() {
    let project = Project::empty();
    project
        .file(os(b"caf\xe9.txt"), "latin")
        .file(os("café.txt".as_bytes()), "utf-8")
        .file(os(b"\xff\xfe/\x80in"), "deep")
        .file(os("\u{f7e9}".as_bytes()), "private use")
        .link("to-latin", os(b"caf\xe9.txt"))
        .link(os(b"to-\xff"), os(b"\xff\xfe/\x80in"));
    for walk in WALKS {
        let mut guest = project.guest(walk, &["."]);
        let names = guest.names(".");
        assert_eq!(names.len(), 6);
        let mut texts = BTreeSet::new();
        for name in &names {
            match guest.stat(name, FOLLOW).expect("there").type_ {
                DescriptorType::Directory => {
                    let inner = guest.names(name).remove(0);
                    texts.insert(guest.text(&format!("{name}/../{name}/{inner}")).expect("opens"));
                }
                _ => {
                    texts.insert(guest.text(name).expect("opens"));
                }
            }
        }
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["deep", "latin", "private use", "utf-8"]);
        assert_eq!(guest.text("caf\u{f7e9}.txt").as_deref(), Ok("latin"));
        assert_eq!(guest.readlink("to-latin").as_deref(), Ok("caf\u{f7e9}.txt"));
        assert_eq!(guest.read("caf\u{f7c3}\u{f7a9}.txt"), Err(ErrorCode::NoEntry), "one spelling a name");
        let log = guest.log();
        assert_eq!(log.denials, []);
        let opened: BTreeSet<_> = log.opened.iter().map(|opened| opened.path.as_str()).collect();
        assert!(
            opened.contains("caf\u{f7e9}.txt") && opened.contains("\u{f7ff}\u{f7fe}/\u{f780}in"),
            "{opened:?}"
        );
    }
}

#[test]
fn a_spelling_of_bytes_gives_no_second_name_to_what_is_hidden_or_elsewhere() {
    let project = Project::empty();
    project.file(".env", "SECRET").file("src/a", "fine");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["."]);
        for path in [
            ".\u{f7e5}nv",
            ".env\u{f780}",
            "\u{f7ae}env",
            "src\u{f7af}a",
            "src/\u{f7ae}\u{f7ae}/.env",
            "\u{f7ef}\u{f7bc}\u{f7ae}env",
        ] {
            let outcome = guest.read(path);
            assert_eq!(outcome, Err(ErrorCode::NoEntry), "{walk:?} {path:?}");
        }
    }
}

#[test]
fn content_comes_through_byte_for_byte() {
    let project = Project::empty();
    let contents: [&[u8]; 5] = [b"", b"no final newline", b"a\r\nb\rc\n", b"\xff\x00\xfe", &[b'x'; 700_000]];
    for (i, content) in contents.iter().enumerate() {
        project.file(format!("f{i}"), content);
    }
    let mut guest = project.guest(Walk::Kernel, &["."]);
    for (i, content) in contents.iter().enumerate() {
        assert_eq!(guest.read(&format!("f{i}")).as_deref(), Ok(*content));
    }
    let read: Vec<_> = guest.log().opened.iter().map(|o| (o.bytes_read, o.content)).collect();
    let whole = |content: &[u8]| Content::Whole { hash: Digest::of(content) };
    assert_eq!(read, contents.map(|content| (content.len() as u64, whole(content))));
}

#[test]
fn a_stream_from_the_start_to_the_end_has_the_hash_of_the_file_and_one_from_the_middle_has_not() {
    let project = Project::empty();
    let text = vec![b'x'; 600_000];
    project.file("f", &text);
    for (start, whole) in [(0, true), (1, false)] {
        let mut guest = project.guest(Walk::Kernel, &["."]);
        let fd = guest.open("f").expect("a file");
        let stream = code(guest.host().read_via_stream(fd, start)).expect("a stream");
        while guest.stream_read(&stream, 64 << 10).is_some() {}
        let content = guest.log().opened[0].content;
        assert_eq!(content == Content::Whole { hash: Digest::of(&text) }, whole, "{content:?}");
        assert_eq!(matches!(content, Content::Ranges { .. }), !whole, "{content:?}");
    }
}

#[test]
fn a_file_that_was_only_opened_has_no_hash() {
    let project = Project::empty();
    project.file("f", "text");
    let mut guest = project.guest(Walk::Kernel, &["."]);
    guest.open("f").expect("a file");
    assert_eq!(guest.log().opened[0].content, Content::Nothing);
}

#[test]
fn a_receipt_s_file_is_flat_json() {
    let project = Project::empty();
    project.file("f", "text");
    let mut guest = project.guest(Walk::Kernel, &["."]);
    guest.read("f").expect("a file");
    let opened = guest.log().opened;
    let json = serde_json::json!([
        { "path": "f", "bytes_read": 4, "read": "whole", "hash": Digest::of(b"text") }
    ]);
    assert_eq!(serde_json::to_value(&opened).expect("JSON"), json);
    assert_eq!(serde_json::from_value::<Vec<Opened>>(json).expect("read back"), opened);
}

#[test]
fn a_sparse_file_of_three_gigabytes_is_read_where_it_is_asked_for() {
    let project = Project::empty();
    project.file("big", "start");
    let size = 3u64 << 30;
    fs::File::options().write(true).open(project.at("big")).expect("open").set_len(size).expect("sparse");
    let mut guest = project.guest(Walk::Kernel, &["."]);
    assert_eq!(guest.stat("big", FOLLOW).expect("there").size, size);
    let fd = guest.open("big").expect("a file").rep();
    let mut read = |length, at| code(ready(guest.host().read(Resource::new_borrow(fd), length, at)));
    assert_eq!(read(5, 0), Ok((b"start".to_vec(), false)));
    assert_eq!(read(9, size - 4), Ok((vec![0; 4], false)));
    assert_eq!(read(9, size), Ok((Vec::new(), true)));
    assert_eq!(read(9, u64::MAX), Err(ErrorCode::Invalid));
    let (bytes, _) = read(u64::MAX, 0).expect("some of it");
    assert!(bytes.len() <= 1 << 20, "one read is bounded, whatever was asked for");
    let handed_out = 5 + 4 + bytes.len() as u64;
    assert_eq!(guest.log().opened[0].bytes_read, handed_out, "nothing else of it was read");
}

#[test]
fn a_stream_reads_to_the_end_and_counts_what_it_hands_out() {
    let project = Project::empty();
    project.file("f", vec![b'x'; 600_000]);
    let mut guest = project.guest(Walk::Kernel, &["."]);
    let fd = guest.open("f").expect("a file");
    let stream = code(guest.host().read_via_stream(fd, 100_000)).expect("a stream");
    let mut total = 0;
    while let Some(bytes) = guest.stream_read(&stream, 64 << 10) {
        total += bytes;
    }
    assert_eq!(total, 500_000);
    assert_eq!(guest.log().opened[0].bytes_read, 500_000);
    let folder = guest.open(".").expect("a folder");
    assert_eq!(code(guest.host().read_via_stream(folder, 0)).map(|_| ()), Err(ErrorCode::IsDirectory));
}

#[test]
fn a_large_folder_is_listed_whole() {
    in_time(|| {
        let project = Project::empty();
        project.folder("many");
        let many = project.at("many");
        for i in 0..20_000 {
            fs::File::create(many.join(format!("file-{i:05}"))).expect("made");
        }
        for walk in WALKS {
            let mut guest = project.guest(walk, &["."]);
            let listed = guest.list("many").expect("a folder");
            assert_eq!(listed.len(), 20_000);
            assert!(listed.iter().all(|(_, kind)| *kind == DescriptorType::RegularFile));
            assert_eq!((listed[0].0.as_str(), listed[19_999].0.as_str()), ("file-00000", "file-19999"));
        }
    });
}

#[test]
fn one_folder_can_be_listed_twice_at_once() {
    let project = Project::empty();
    project.file("a", "").file("b", "").file("c", "");
    let mut guest = project.guest(Walk::Kernel, &["."]);
    let root = guest.root();
    let first = code(ready(guest.host().read_directory(root))).expect("listed");
    let root = guest.root();
    let second = code(ready(guest.host().read_directory(root))).expect("listed");
    let mut seen = [0, 0];
    for _ in 0..3 {
        for (i, stream) in [&first, &second].into_iter().enumerate() {
            let at = Resource::new_borrow(stream.rep());
            let entry = code(ready(guest.host().read_directory_entry(at))).expect("fine");
            seen[i] += usize::from(entry.is_some());
        }
    }
    assert_eq!(seen, [3, 3]);
}

#[test]
fn a_file_that_vanishes_between_listing_and_opening_is_not_there() {
    let project = Project::empty();
    project.file("src/a", "a").file("src/b", "b");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    assert_eq!(guest.names("src"), ["a", "b"]);
    let open = guest.open("src/b").expect("there");
    fs::remove_file(project.at("src/a")).expect("removed");
    fs::remove_file(project.at("src/b")).expect("removed");
    assert_eq!(guest.read("src/a"), Err(ErrorCode::NoEntry));
    assert_eq!(guest.stat("src/a", FOLLOW).map(|_| ()), Err(ErrorCode::NoEntry));
    assert_eq!(code(ready(guest.host().read(open, 9, 0))).expect("still open").0, b"b");
    assert_eq!(guest.denials(), []);
}

#[test]
fn a_grant_removed_during_a_run_is_an_empty_folder() {
    let project = Project::empty();
    project.file("src/a", "a").file("lib/b", "b");
    for walk in WALKS {
        project.file("src/a", "a");
        let mut guest = project.guest(walk, &["src", "lib"]);
        fs::remove_dir_all(project.at("src")).expect("removed");
        assert_eq!(guest.read("src/a"), Err(ErrorCode::NoEntry));
        assert!(matches!(guest.list("src"), Ok(entries) if entries.is_empty()), "{:?}", guest.list("src"));
        assert_eq!(guest.text("lib/b").as_deref(), Ok("b"), "its neighbour is untouched");
        // What is put in its place was never granted: the handle stays the old folder's.
        project.file("src/a", "SECRET new");
        assert_eq!(guest.read("src/a"), Err(ErrorCode::NoEntry));
        fs::remove_dir_all(project.at("src")).expect("removed");
        project.link("src", "../outside");
        assert_eq!(guest.read("src/secret.txt"), Err(ErrorCode::NoEntry));
        fs::remove_file(project.at("src")).expect("removed");
        assert_eq!(guest.denials(), []);
    }
}

#[test]
fn a_file_that_this_user_may_not_read_is_refused_by_the_system() {
    let project = Project::empty();
    project.file("src/closed", "x");
    fs::set_permissions(project.at("src/closed"), fs::Permissions::from_mode(0o000)).expect("set");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    let outcome = guest.read("src/closed");
    if fs::read(project.at("src/closed")).is_ok() {
        assert!(outcome.is_ok(), "root reads everything");
    } else {
        assert_eq!(outcome, Err(ErrorCode::Access));
    }
    assert_eq!(guest.denials(), []);
}
