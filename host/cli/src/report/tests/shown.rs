use crate::report::safe::{cell, code, inline, plain, word};

#[test]
fn markup_in_a_text_is_shown_and_does_nothing() {
    for (text, shown) in [
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("a | b", "a \\| b"),
        ("[x](javascript:alert(1))", "\\[x\\](javascript:alert(1))"),
        ("*bold* _it_ snake_case", "\\*bold\\* \\_it\\_ snake_case"),
        ("# heading", "\\# heading"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("2024 was", "2024 was"),
        ("0.1", "0.1"),
        ("> quoted", "\\> quoted"),
        ("a >= b", "a >= b"),
        ("-1", "-1"),
        ("first\n\n## second", "first \\#\\# second"),
        ("see https://example.com/", "see https&#58;//example.com/"),
        ("&lt;", "&amp;lt;"),
        ("", ""),
    ] {
        assert_eq!(inline(text), shown);
    }
}

#[test]
fn code_stays_code_and_cannot_be_left() {
    assert_eq!(inline("uses `eval` here"), "uses `eval` here");
    assert_eq!(inline("`<b>`"), "`<b>`");
    assert_eq!(inline("one ` alone"), "one \\` alone");
    assert_eq!(inline("``"), "\\`\\`");
    assert_eq!(inline("`a\n\nb`"), "`a b`");
    assert_eq!(inline("the ``--cert`` option"), "the `--cert` option");
    assert_eq!(inline("``a ` b`` c `d"), "``a ` b`` c \\`d");
    assert_eq!(code("a ` b"), "``a ` b``");
    assert_eq!(code("`a"), "`` `a ``");
    assert_eq!(code(""), "` `");
    assert_eq!(code("a\n```\nb"), "````a ``` b````");
}

#[test]
fn code_in_a_cell_keeps_its_backticks_and_its_pipes() {
    assert_eq!(word("a|b"), "`a\\|b`");
    assert_eq!(word("[\"'`]x|y"), "``[\"'`]x\\|y``");
    assert_eq!(word(" "), "");
}

#[test]
fn a_pipe_never_ends_a_cell() {
    assert_eq!(cell("`a|b` | c"), "`a\\|b` \\| c");
    assert_eq!(cell("a\nb"), "a b");
}

#[test]
fn characters_that_act_are_shown_instead() {
    assert_eq!(plain("a\u{1b}[31mb\u{7}\u{0}"), "a␛[31mb␇␀");
    assert_eq!(plain("x\u{202e}y\u{2066}z"), "x[U+202E]y[U+2066]z");
    assert_eq!(plain("a\r\nb\tc"), "a\nb\tc");
    assert_eq!(plain("\u{9b}31m"), "[U+009B]31m");
    assert_eq!(plain("技术栈 Δ é"), "技术栈 Δ é");
}
