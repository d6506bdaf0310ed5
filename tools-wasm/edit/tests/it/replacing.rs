use crate::ground::Ground;
use ringfence_edit::{EditRequest, Edited, Failure, edit_file};
use ringfence_guest_project::Fault;
use std::fs;

fn request<'a>(old: &'a str, new: &'a str) -> EditRequest<'a> {
    EditRequest { file_path: "a.txt", old: Some(old), new: Some(new), ..EditRequest::default() }
}

/// The outcome, and the file afterwards.
fn edit(before: &[u8], request: &EditRequest<'_>) -> (Result<Edited, Failure>, Vec<u8>) {
    let ground = Ground::new(&[]);
    ground.put("a.txt", before);
    let edited = edit_file(&ground.root(), request);
    (edited, fs::read(ground.path().join("a.txt")).unwrap())
}

#[test]
fn one_exact_text_is_replaced_and_the_change_is_shown() {
    let before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
    let (edited, after) = edit(before.as_bytes(), &request("five\nsix\n", "5\n"));
    let edited = edited.unwrap();
    assert_eq!(after, b"one\ntwo\nthree\nfour\n5\nseven\neight\nnine\n");
    assert_eq!(edited.diff, "@@ -2,8 +2,7 @@\n two\n three\n four\n-five\n-six\n+5\n seven\n eight\n nine\n");
    assert_eq!((edited.lines_added, edited.lines_removed, edited.places), (1, 2, 1));
    assert_eq!((edited.path.as_str(), edited.size, edited.diff_cut), ("a.txt", 38, false));
}

#[test]
fn a_part_of_a_line_shows_the_whole_line() {
    let (edited, after) = edit("let x = 1; // 注释".as_bytes(), &request("1; // 注", "2; // 主"));
    assert_eq!(after, "let x = 2; // 主释".as_bytes());
    let end = "\\ No newline at end of file\n";
    let wanted = format!("@@ -1,1 +1,1 @@\n-let x = 1; // 注释\n{end}+let x = 2; // 主释\n{end}");
    assert_eq!(edited.unwrap().diff, wanted);
}

#[test]
fn line_ends_byte_order_mark_and_final_newline_stay() {
    for (before, old, new, after) in [
        ("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nb\r\n", "x\n", "x\r\nc\r\n"),
        ("a\r\nb\r\nc", "b", "1\n2", "a\r\n1\r\n2\r\nc"),
        ("a\r\nb\nc\r\nd\n", "b\nc", "b\nx\nc", "a\r\nb\nx\nc\r\nd\n"),
        ("a\nb\n", "a\r\nb", "a\r\nc", "a\nc\n"),
        ("\u{feff}a\r\nb", "b", "c\nd", "\u{feff}a\r\nc\r\nd"),
        ("one", "one", "two", "two"),
        ("a\r\nb", "b", "", "a\r\n"),
    ] {
        let (edited, found) = edit(before.as_bytes(), &request(old, new));
        assert!(edited.is_ok(), "{before:?}: {edited:?}");
        assert_eq!(String::from_utf8(found).unwrap(), after, "{before:?} {old:?}");
    }
}

#[test]
fn a_text_that_stands_there_twice_is_not_guessed() {
    let before = "x = 1\ny = 2\nx = 1\nz\nx = 1\n";
    let (edited, after) = edit(before.as_bytes(), &request("x = 1", "x = 3"));
    let Err(Failure::Ambiguous(why)) = edited else { panic!("{edited:?}") };
    assert!(why.contains("3 times, at lines 1, 3, 5;") && why.contains("`occurrence` (1 to 3)"), "{why}");
    assert_eq!(after, before.as_bytes());

    let (_, after) =
        edit(before.as_bytes(), &EditRequest { occurrence: Some(2), ..request("x = 1", "x = 3") });
    assert_eq!(after, b"x = 1\ny = 2\nx = 3\nz\nx = 1\n");
    let (edited, after) = edit(before.as_bytes(), &EditRequest { all: true, ..request("x = 1", "x = 3") });
    assert_eq!(after, b"x = 3\ny = 2\nx = 3\nz\nx = 3\n");
    let edited = edited.unwrap();
    assert_eq!((edited.places, edited.lines_added), (3, 3));
    assert_eq!(edited.diff.matches("@@ ").count(), 1, "near changes share a hunk: {}", edited.diff);

    let (edited, _) = edit(before.as_bytes(), &EditRequest { occurrence: Some(4), ..request("x = 1", "y") });
    assert!(matches!(edited, Err(Failure::NoMatch(why)) if why.contains("stands there 3 times")));
    let (edited, _) = edit(b"aaa", &request("aa", "b"));
    assert!(matches!(edited, Err(Failure::Ambiguous(_))), "places that overlap are two as well");
}

#[test]
fn a_text_that_is_not_there_shows_what_is() {
    let before =
        "def main(argv):\n\tif argv:\n\t\treturn parse(argv)\n\treturn None\n\ndef other():\n    pass\n";
    let (edited, after) =
        edit(before.as_bytes(), &request("    if argv:\n        return parse(argv)\n", "x"));
    let Err(Failure::NoMatch(why)) = edited else { panic!("{edited:?}") };
    assert!(why.contains("with other white space it is at line 2:\n     2: \tif argv:\n     3: "), "{why}");
    assert_eq!(after, before.as_bytes());

    let (edited, _) = edit(before.as_bytes(), &request("return parse(args)", "x"));
    let Err(Failure::NoMatch(why)) = edited else { panic!("{edited:?}") };
    assert!(why.contains("the nearest there is:\n     3: \t\treturn parse(argv)\n"), "{why}");

    let (edited, _) = edit(before.as_bytes(), &request("class Completely(Different):", "x"));
    assert!(matches!(edited, Err(Failure::NoMatch(why)) if why.ends_with("nor anything like it")));
    let (edited, _) = edit(b"", &request("x", "y"));
    assert!(matches!(edited, Err(Failure::NoMatch(why)) if why.ends_with("it is empty")));
}

#[test]
fn a_message_stays_short_whatever_the_lines() {
    let line = format!("needle {}\n", "文".repeat(100_000));
    let (edited, _) = edit(line.repeat(5).as_bytes(), &request("needel 文文文文文", "x"));
    let Err(Failure::NoMatch(why)) = edited else { panic!("found") };
    assert!(why.len() < 2000, "{}", why.len());
    let (edited, _) = edit("x\n".repeat(1_000_000).as_bytes(), &request("x", "y"));
    assert!(matches!(edited, Err(Failure::Ambiguous(why)) if why.len() < 400));
}

#[test]
fn parameters_that_do_not_go_together_are_explained() {
    let base = EditRequest { file_path: "a.txt", ..EditRequest::default() };
    for (request, word) in [
        (base, "give `old` and `new`, or `patch`"),
        (EditRequest { old: Some("a"), ..base }, "`new` is missing"),
        (EditRequest { new: Some("a"), ..base }, "write_file"),
        (EditRequest { patch: Some("@@"), ..request("a", "b") }, "not both"),
        (EditRequest { occurrence: Some(0), ..request("a", "b") }, "counted from 1"),
        (EditRequest { occurrence: Some(1), all: true, ..request("a", "b") }, "not both"),
        (EditRequest { patch: Some("@@"), all: true, ..base }, "belong to `old`"),
        (request("", "b"), "`old` is empty"),
        (request("a\r\n", "a\n"), "are the same"),
    ] {
        let (edited, after) = edit(b"a\n", &request);
        let Err(Failure::InvalidEdit(why)) = edited else { panic!("{request:?}: {edited:?}") };
        assert!(why.contains(word), "{why}");
        assert_eq!(after, b"a\n");
    }
}

#[test]
fn what_is_not_utf_8_is_refused_and_left_alone() {
    for bytes in [b"caf\xe9 one\n".as_slice(), b"one\0two", b"\xff\xfeo\0n\0e\0"] {
        let (edited, after) = edit(bytes, &request("one", "two"));
        assert!(matches!(edited, Err(Failure::Fault(Fault::NotText(why))) if why.contains("`a.txt`")));
        assert_eq!(after, bytes);
    }
}

#[test]
fn files_and_results_that_are_too_large_are_refused() {
    let big = "x".repeat((16 << 20) + 1);
    let (edited, _) = edit(big.as_bytes(), &request("y", "z"));
    assert!(matches!(edited, Err(Failure::TooLarge(_))));
    let many = "ab".repeat(1 << 20);
    let grown = "c".repeat(1 << 20);
    let (edited, after) = edit(many.as_bytes(), &EditRequest { all: true, ..request("a", &grown) });
    assert!(matches!(edited, Err(Failure::TooLarge(_))));
    assert_eq!(after.len(), many.len());
}

#[test]
fn a_large_change_is_shown_in_part_and_counted_in_full() {
    let before = "old line\n".repeat(200_000);
    let (edited, after) = edit(before.as_bytes(), &EditRequest { all: true, ..request("old", "new") });
    let edited = edited.unwrap();
    assert_eq!(after, "new line\n".repeat(200_000).as_bytes());
    assert!(edited.diff_cut && edited.diff.len() <= 16 << 10 && edited.diff.len() > 8 << 10);
    assert_eq!((edited.places, edited.lines_added, edited.lines_removed), (200_000, 200_000, 200_000));
}

#[test]
fn a_refusal_of_the_file_system_names_the_path() {
    let ground = Ground::new(&[("d/a.txt", "x")]);
    for path in ["absent.txt", "d", ""] {
        let edited = edit_file(&ground.root(), &EditRequest { file_path: path, ..request("x", "y") });
        assert!(matches!(edited, Err(Failure::Fault(fault)) if fault.message().contains(path)), "{path}");
    }
}
