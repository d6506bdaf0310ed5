use crate::ground::Ground;
use ringfence_edit::{EditRequest, Edited, Failure, edit_file};
use std::fs;

fn apply(before: &str, patch: &str) -> (Result<Edited, Failure>, String) {
    let ground = Ground::new(&[("src/a.py", before)]);
    let request = EditRequest { file_path: "src/a.py", patch: Some(patch), ..EditRequest::default() };
    let edited = edit_file(&ground.root(), &request);
    (edited, fs::read_to_string(ground.path().join("src/a.py")).unwrap())
}

#[track_caller]
fn gives(before: &str, patch: &str, after: &str) {
    let (edited, found) = apply(before, patch);
    assert!(edited.is_ok(), "{edited:?}");
    assert_eq!(found, after);
}

#[track_caller]
fn fails(before: &str, patch: &str) -> String {
    let (edited, found) = apply(before, patch);
    assert_eq!(found, before, "nothing is applied in part");
    match edited {
        Err(Failure::NoMatch(why) | Failure::Ambiguous(why) | Failure::InvalidEdit(why)) => why,
        other => panic!("{other:?}"),
    }
}

const TEN: &str = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n";

#[test]
fn standard_hunks_with_headers_are_applied() {
    let patch = "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,4 @@\n l1\n+new\n l2\n l3\n@@ -8,3 +9,2 @@ def f():\n l8\n-l9\n l10\n";
    gives(TEN, patch, "l1\nnew\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl10\n");
    let (edited, _) = apply(TEN, patch);
    let edited = edited.unwrap();
    assert_eq!((edited.places, edited.lines_added, edited.lines_removed), (2, 1, 1));
    let shown = "@@ -1,4 +1,5 @@\n l1\n+new\n l2\n l3\n l4\n@@ -6,5 +7,4 @@\n l6\n l7\n l8\n-l9\n l10\n";
    assert_eq!(edited.diff, shown);
}

#[test]
fn a_hunk_without_numbers_goes_where_its_lines_are() {
    gives(TEN, "@@\n l4\n-l5\n+five\n", "l1\nl2\nl3\nl4\nfive\nl6\nl7\nl8\nl9\nl10\n");
    gives(TEN, "@@ ... @@\n l9\n+more\n l10\n\n", "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nmore\nl10\n");
    gives("a\n\nb\n", "@@\n a\n\n-b\n+c\n", "a\n\nc\n");
    let why = fails("x\ny\nx\ny\n", "@@\n x\n-y\n+z\n");
    assert!(why.contains("hunk 1 fits at lines 1, 3"), "{why}");
    gives("x\ny\nx\ny\n", "@@ -3 +3 @@\n x\n-y\n+z\n", "x\ny\nx\nz\n");
}

#[test]
fn a_hunk_at_a_wrong_line_goes_to_the_only_place_that_fits() {
    gives(TEN, "@@ -1,2 +1,2 @@\n l7\n-l8\n+eight\n", "l1\nl2\nl3\nl4\nl5\nl6\nl7\neight\nl9\nl10\n");
    let why = fails("x\ny\nx\ny\nz\n", "@@ -2,2 +2,2 @@\n x\n-y\n+w\n");
    assert!(why.contains("lines 1, 3"), "{why}");
}

#[test]
fn a_patch_that_does_not_fit_everywhere_is_applied_nowhere() {
    let why = fails(TEN, "@@ -1,2 +1,2 @@\n l1\n-l2\n+two\n@@ -5,2 +5,2 @@\n l5\n-l6x\n+six\n");
    assert_eq!(
        why,
        "`src/a.py`: the lines of hunk 2 are not in this file: at line 6 it has `l6`, the patch wants `l6x`"
    );
    let why = fails(TEN, "@@ -5,2 +5,2 @@\n l5\n-l6\n+six\n@@ -1,2 +1,2 @@\n l1\n-l2\n+two\n");
    assert!(why.contains("hunk 2"), "hunks go from the top down: {why}");
}

#[test]
fn counts_that_are_wrong_are_named_with_the_way_out() {
    for patch in ["@@ -1,3 +1,3 @@\n l1\n-l2\n+two\n", "@@ -1,1 +1,1 @@\n l1\n-l2\n+two\n"] {
        let why = fails(TEN, patch);
        assert!(why.contains("but has 2 and 2; correct that, or begin it with `@@` alone"), "{why}");
    }
}

#[test]
fn what_is_no_patch_of_this_file_is_refused() {
    for (patch, word) in [
        ("", "it has no hunk"),
        ("*** Begin Patch\n*** Update File: a\n", "it has no hunk"),
        ("--- a/b.py\n+++ b/b.py\n@@ -1,1 +1,1 @@\n-l1\n+x\n", "it is for `a/b.py`"),
        ("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,1 @@\n+x\n", "write_file"),
        (
            "@@ -1,2 +1,2 @@\n-l1\n+x\n l2\n--- a/b.py\n+++ b/b.py\n@@ -1,1 +1,1 @@\n-a\n+b\n",
            "one call changes one file",
        ),
        ("@@ -1,1 +1,1 @@\n l1\n", "changes nothing"),
        ("@@\nl1\n", "begin with"),
        ("@@\n+x\n", "add context"),
        ("@@ -99,0 +99,1 @@\n+x\n", "add context"),
        ("@@\n l1\n\\ No newline at end of file\n-l2\n", "goes on after"),
        ("@@\n-l10\n\\ No newline at end of file\n+x\n", "is not so"),
    ] {
        let why = fails(TEN, patch);
        assert!(why.contains(word), "{patch:?}: {why}");
    }
}

#[test]
fn lines_that_look_like_headers_are_lines_where_they_are_due() {
    gives("-- a\n++ b\n", "@@ -1,2 +1,2 @@\n--- a\n+-- c\n ++ b\n", "-- c\n++ b\n");
}

#[test]
fn line_ends_and_the_final_newline_are_the_file_s() {
    gives("a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n", "a\r\nx\r\ny\r\nc\r\n");
    gives("a\nb\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n", "a\nc\n");
    gives("\u{feff}a\r\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "\u{feff}a\r\nc");
    gives("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc");
    gives("a\nb", "@@ -1,2 +1,1 @@\n a\n-b\n", "a");
    let end = "\\ No newline at end of file\n";
    gives("a\nb", &format!("@@ -1,2 +1,2 @@\n a\n-b\n{end}+b\n"), "a\nb\n");
    gives("a\nb\n", &format!("@@ -1,2 +1,2 @@\n a\n-b\n+b\n{end}"), "a\nb");
    gives("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n");
    gives("a\n", "@@ -1,1 +0,0 @@\n-a\n", "");
    gives(TEN, "@@ -10,0 +11,1 @@\n+l11\n", &format!("{TEN}l11\n"));
    gives(TEN, "@@ -0,0 +1,1 @@\n+l0\n", &format!("l0\n{TEN}"));
}
