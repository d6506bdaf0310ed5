use crate::ground::Ground;
use ringfence_files::{Failure, SearchRequest, SearchResult, search_text};

fn search(ground: &Ground, request: SearchRequest<'_>) -> SearchResult {
    search_text(&ground.root(), &request).unwrap()
}

fn pattern(pattern: &str) -> SearchRequest<'_> {
    SearchRequest { pattern, ..SearchRequest::default() }
}

fn places(result: &SearchResult) -> Vec<(&str, u32, u32)> {
    result.matches.iter().map(|found| (found.path.as_str(), found.line, found.column)).collect()
}

#[test]
fn matches_come_with_place_and_context() {
    let ground = Ground::new(&[("a.py", "one\ntwo\n  target = 1\nfour\nfive\nsix\n"), ("b/c.py", "target")]);
    let result = search(&ground, pattern("target"));
    assert_eq!(places(&result), [("a.py", 3, 3), ("b/c.py", 1, 1)]);
    assert_eq!(result.matches[0].text, "  target = 1");
    assert_eq!(result.matches[0].before, ["one", "two"]);
    assert_eq!(result.matches[0].after, ["four", "five"]);
    assert!(result.matches[1].before.is_empty() && result.matches[1].after.is_empty());
    assert_eq!((result.total, result.files_searched, result.files_matched, result.cut), (2, 2, 2, false));
}

#[test]
fn context_is_as_wide_as_asked() {
    let text: String = (1..=50).map(|n| format!("l{n}\n")).collect();
    let ground = Ground::new(&[("a", &text)]);
    let with = |lines| {
        let request = SearchRequest { context_lines: Some(lines), ..pattern("^l25$") };
        let found = search(&ground, request).matches.remove(0);
        (found.before.len(), found.after.len())
    };
    assert_eq!([with(0), with(3), with(999)], [(0, 0), (3, 3), (10, 10)]);
}

#[test]
fn a_pattern_never_reaches_into_the_next_line() {
    let ground = Ground::new(&[("a", "let\n  x = 1;\nlet  x = 2;\n\n\nend\n")]);
    let lines = |text| {
        let result = search(&ground, pattern(text));
        result.matches.iter().map(|found| found.line).collect::<Vec<_>>()
    };
    assert_eq!(lines(r"let\s+x"), [3]);
    assert_eq!(lines(r"let[^;]*;"), [3]);
    assert_eq!(lines(r"(?s)let.*"), [1, 3]);
    assert_eq!(lines("^$"), [4, 5]);
    assert_eq!(lines(r"\Aend\z"), [6]);
    assert_eq!(lines(r"x = \d;$"), [2, 3]);
    assert_eq!(lines(r"\blet\b"), [1, 3]);
    assert_eq!(lines("z*"), [1, 2, 3, 4, 5, 6], "an empty match is one a line");
}

#[test]
fn windows_line_ends_are_no_part_of_a_line() {
    let ground = Ground::new(&[("a", "one\r\ntwo\r\nthree")]);
    let result = search(&ground, pattern("^two$"));
    assert_eq!(result.matches[0].text, "two");
    assert_eq!(
        (&result.matches[0].before[0], &result.matches[0].after[0]),
        (&"one".to_owned(), &"three".to_owned())
    );
}

#[test]
fn a_line_counts_once_however_often_it_matches() {
    let ground = Ground::new(&[("a", "x x x\nx\n")]);
    let result = search(&ground, pattern("x"));
    assert_eq!((result.total, places(&result)), (2, vec![("a", 1, 1), ("a", 2, 1)]));
}

#[test]
fn a_cut_search_still_counts() {
    let ground = Ground::new(&[("a", &"hit\nmiss\n".repeat(500)), ("b", "hit")]);
    let result = search(&ground, pattern("hit"));
    assert_eq!((result.matches.len(), result.total, result.cut, result.complete), (100, 501, true, true));
    let result = search(&ground, SearchRequest { max_matches: Some(501), ..pattern("hit") });
    assert_eq!((result.matches.len(), result.cut), (501, false));
    let none = SearchRequest { max_matches: Some(0), ..pattern("hit") };
    assert!(matches!(search_text(&ground.root(), &none), Err(Failure::InvalidRange(_))));
}

#[test]
fn an_answer_stays_bounded_whatever_the_lines() {
    let ground = Ground::new(&[("a", &format!("{}\n", "x".repeat(600)).repeat(2000))]);
    let request = SearchRequest { max_matches: Some(1000), context_lines: Some(10), ..pattern("x") };
    let result = search(&ground, request);
    let shown: usize = result.matches.iter().map(|m| m.text.len() + m.before.concat().len()).sum();
    assert!(shown < 160 * 1024 && result.cut);
    assert_eq!(result.total, 2000);
}

#[test]
fn a_long_line_shows_the_part_around_the_match() {
    let line = format!("{}文字needle文字{}", "é".repeat(1000), "b".repeat(5_000_000));
    let ground = Ground::new(&[("a", &line)]);
    let result = search(&ground, pattern("needle"));
    let found = &result.matches[0];
    assert_eq!(found.column, 1003);
    assert!(found.text.contains("文字needle文字bbb"), "{}", found.text);
    assert!(found.text.starts_with("…é") && found.text.ends_with("b…") && found.text.len() < 520);
}

#[test]
fn files_are_chosen_by_glob_directory_and_ignore_files() {
    let ground = Ground::new(&[
        ("src/a.py", "hit"),
        ("src/a.js", "hit"),
        ("docs/b.py", "hit"),
        (".gitignore", "gen\n"),
        ("gen/c.py", "hit"),
        (".git/d.py", "hit"),
        (".env.py", "hit"),
    ]);
    let with = |directory, file_pattern| {
        let result = search(&ground, SearchRequest { directory, file_pattern, ..pattern("hit") });
        result.matches.into_iter().map(|found| found.path).collect::<Vec<_>>()
    };
    assert_eq!(with(None, None), [".env.py", "docs/b.py", "src/a.js", "src/a.py"]);
    assert_eq!(with(None, Some("*.py")), [".env.py", "docs/b.py", "src/a.py"]);
    assert_eq!(with(Some("./src"), None), ["src/a.js", "src/a.py"]);
    assert_eq!(with(None, Some("src/*.{js,ts}")), ["src/a.js"]);
    assert_eq!(with(Some("/src/a.py"), None), ["src/a.py"], "a file searches just that file");
}

#[test]
fn binary_files_are_skipped_and_counted() {
    let ground = Ground::new(&[("a.txt", "hit")]);
    ground.put("b.bin", b"hit\0hit");
    ground.put("latin.txt", b"caf\xe9 hit\n");
    let result = search(&ground, pattern("hit"));
    assert_eq!(places(&result), [("a.txt", 1, 1), ("latin.txt", 1, 6)]);
    assert_eq!(result.matches[1].text, "caf\u{fffd} hit");
    assert_eq!((result.binary_files, result.files_searched), (1, 2));
}

#[test]
fn a_file_too_large_to_search_is_named() {
    let ground = Ground::new(&[("a.txt", "hit")]);
    let file = std::fs::File::create(ground.path().join("big.txt")).unwrap();
    file.set_len(3 << 30).unwrap();
    let result = search(&ground, pattern("hit"));
    assert_eq!(result.total, 1);
    assert_eq!(result.unsearched.len(), 1);
    assert!(result.unsearched[0].starts_with("`big.txt`: 3221225472 bytes"), "{:?}", result.unsearched);
}

#[test]
fn a_pattern_that_cannot_be_used_says_why() {
    let ground = Ground::new(&[("a", "x")]);
    let huge = "(".repeat(200) + &")".repeat(200);
    for (text, word) in [
        ("", "empty"),
        ("a(b", "unclosed group"),
        (r"(?=x)", "look-around"),
        (r"a\nb", "line break"),
        (r"(\w{1000}){1000}", "too big"),
        (huge.as_str(), "nest"),
        (&"x".repeat(10_001), "longer than"),
    ] {
        let Err(Failure::InvalidPattern(why)) = search_text(&ground.root(), &pattern(text)) else {
            panic!("{text} was taken")
        };
        assert!(why.contains(word), "{word}: {why}");
    }
}

#[test]
fn a_pattern_speaks_every_script() {
    let ground = Ground::new(&[("a", "# 主要 модуль\nüber\n")]);
    assert_eq!(places(&search(&ground, pattern("主要"))), [("a", 1, 3)]);
    assert_eq!(places(&search(&ground, pattern("(?i)ÜBER"))), [("a", 2, 1)]);
    assert_eq!(places(&search(&ground, pattern(r"^\w+$"))), [("a", 2, 1)]);
}
