//! What holds for any text.

use crate::ground::Ground;
use proptest::prelude::*;
use ringfence_edit::{EditRequest, edit_file};
use similar::TextDiff;
use std::fs;

fn edit(before: &[u8], request: EditRequest<'_>) -> (bool, Vec<u8>, String) {
    let ground = Ground::new(&[]);
    ground.put("a", before);
    let edited = edit_file(&ground.root(), &EditRequest { file_path: "a", ..request });
    let after = fs::read(ground.path().join("a")).unwrap();
    (edited.is_ok(), after, edited.map(|edited| edited.diff).unwrap_or_default())
}

/// Few different lines, so that texts share many and places are easily confused.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "", "- c", "+++ d", "@@ e", "文字", " f", "\\ g"]);
    (prop::collection::vec(line, 0..30), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_diff_of_two_texts_turns_one_into_the_other(
        before in text(), after in text(), context in 0usize..5, bom: bool, crlf: bool,
    ) {
        prop_assume!(before != after);
        // A file without any line end has no style to keep.
        let crlf = crlf && before.contains('\n');
        let patch = TextDiff::from_lines(&before, &after).unified_diff().context_radius(context).to_string();
        let dressed = |text: &str| {
            let text = if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
            if bom { format!("\u{feff}{text}") } else { text }
        };
        let (ok, found, shown) =
            edit(dressed(&before).as_bytes(), EditRequest { patch: Some(&patch), ..EditRequest::default() });
        prop_assert!(ok, "{patch}");
        prop_assert_eq!(String::from_utf8(found).unwrap(), dressed(&after), "{}", patch);

        // What is shown of the change is itself a patch that makes it.
        let (ok, found, _) =
            edit(before.as_bytes(), EditRequest { patch: Some(&shown), ..EditRequest::default() });
        prop_assert!(ok, "{shown}");
        prop_assert_eq!(String::from_utf8(found).unwrap(), after, "{}", shown);
    }

    #[test]
    fn a_replaced_text_is_what_string_replacement_gives(before in text(), old in "[ab\n]{1,3}", new in "[abc\n]{0,4}") {
        prop_assume!(old != new);
        let request = EditRequest { old: Some(&old), new: Some(&new), all: true, ..EditRequest::default() };
        let (ok, found, shown) = edit(before.as_bytes(), request);
        let wanted = before.replace(&old, &new);
        prop_assert_eq!(ok, wanted != before);
        prop_assert_eq!(String::from_utf8(found).unwrap(), wanted.clone());
        if ok {
            let (_, found, _) =
                edit(before.as_bytes(), EditRequest { patch: Some(&shown), ..EditRequest::default() });
            prop_assert_eq!(String::from_utf8(found).unwrap(), wanted, "{}", shown);
        }
    }

    #[test]
    fn a_failed_edit_changes_no_byte_and_nothing_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..200), patch in "(@@|@@ -[0-9]{1,3},[0-9] \\+[0-9],[0-9] @@|[ +-][ab]|\\\\|\n){0,20}",
        old in "[ab\r\n]{0,3}",
    ) {
        for request in [
            EditRequest { patch: Some(&patch), ..EditRequest::default() },
            EditRequest { old: Some(&old), new: Some("x"), ..EditRequest::default() },
        ] {
            let (ok, after, _) = edit(&bytes, request);
            prop_assert!(ok || after == bytes);
        }
    }
}
