//! Problems of whole folders, natively.

use ringfence_code::{
    OneByOne, Problem, Problems, ProblemsFailure, ProblemsRequest, Setting, Severity, find_problems,
};
use ringfence_guest_project::Root;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

pub(crate) fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text.as_bytes());
    }
    folder
}

pub(crate) fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub(crate) fn search(
    folder: &Path,
    confirmed: Option<&str>,
    request: &ProblemsRequest<'_>,
) -> Result<Problems, ProblemsFailure> {
    let root = Root::at(folder);
    find_problems(&root, &OneByOne(&root), confirmed, request)
}

pub(crate) fn found(folder: &Path, confirmed: Option<&str>) -> Problems {
    search(folder, confirmed, &ProblemsRequest::default()).unwrap()
}

/// `path:line rule`, in order.
pub(crate) fn places(problems: &Problems) -> Vec<String> {
    let place = |one: &Problem| format!("{}:{} {}", one.path, one.first_line, one.rule);
    problems.found.iter().map(place).collect()
}

const EVAL: &str = "def run(text):\n    return eval(text)\n";

#[test]
fn a_problem_has_its_place_its_rule_and_the_function_it_is_in() {
    let folder = project(&[("src/app.py", EVAL), ("README.md", "eval(text)")]);
    let problems = found(folder.path(), None);
    assert_eq!(places(&problems), ["src/app.py:2 python-eval"]);
    let one = &problems.found[0];
    assert_eq!((one.first_column, one.last_line, one.last_column), (12, 2, 22));
    assert_eq!((one.excerpt.as_str(), one.symbol.as_deref()), ("return eval(text)", Some("run")));
    assert_eq!(one.content, blake3::hash(EVAL.as_bytes()).to_hex().as_str());
    let card = &problems.rules[0];
    assert_eq!(
        (card.id.as_str(), card.origin.as_str(), card.severity),
        ("python-eval", "standard", Severity::Medium)
    );
    assert_eq!(card.cwe.as_deref(), Some("CWE-95"));
    assert!(problems.complete && problems.total == 1 && problems.next.is_none());
}

#[test]
fn a_single_file_is_searched_as_well() {
    let folder = project(&[("a.py", EVAL), ("b.py", EVAL)]);
    let request = ProblemsRequest { directory: Some("b.py"), ..ProblemsRequest::default() };
    assert_eq!(places(&search(folder.path(), None, &request).unwrap()), ["b.py:2 python-eval"]);
    let request = ProblemsRequest { directory: Some("no"), ..ProblemsRequest::default() };
    assert!(matches!(search(folder.path(), None, &request), Err(ProblemsFailure::Fault(_))));
}

#[test]
fn others_code_is_set_apart_and_tests_come_last() {
    let generated = format!("# @generated\n{EVAL}");
    let folder = project(&[
        ("node_modules/x/a.py", EVAL),
        ("made.py", &generated),
        ("tests/test_a.py", EVAL),
        ("z.py", EVAL),
    ]);
    let problems = found(folder.path(), None);
    assert_eq!(places(&problems), ["z.py:2 python-eval", "tests/test_a.py:2 python-eval"]);
    assert_eq!(problems.set_apart, 2);
    assert_eq!(problems.searched[0].files, 2);
    assert_eq!(problems.found[1].setting, Setting::Test);
}

#[test]
fn a_fingerprint_stays_while_the_code_around_moves_and_tells_equal_places_apart() {
    let folder = project(&[("a.py", "eval(x)\neval(x)\neval(y)\n")]);
    let before: Vec<_> = found(folder.path(), None).found.into_iter().map(|one| one.fingerprint).collect();
    write(folder.path(), "a.py", b"import os\n\n\neval( x )\nif 1:\n    eval(x)\neval(y)\n");
    write(folder.path(), "a.py", b"import os\n\n\neval(x)\nif 1:\n    eval(x)\neval(y)\n");
    let after: Vec<_> = found(folder.path(), None).found.into_iter().map(|one| one.fingerprint).collect();
    assert_eq!(before, after);
    let different: std::collections::BTreeSet<_> = before.iter().collect();
    assert!(different.len() == 3 && before.iter().all(|one| one.len() == 32), "{before:?}");
}

#[test]
fn comments_of_the_usual_checkers_silence_a_place_and_are_counted() {
    let silent = [
        "eval(x)  # nosec",
        "eval(x)  # nosec B307",
        "eval(x)  # noqa: S307",
        "eval(x)  # nosemgrep: python.eval",
        "# nosemgrep\neval(x)",
        "# ast-grep-ignore\neval(x)",
        "# ast-grep-ignore: python-eval\neval(x)",
    ];
    let heard = [
        "eval(x)  # noqa: E501",
        "eval(x)  # no security here",
        "y = 1  # nosec\neval(x)",
        "# ast-grep-ignore: other\neval(x)",
        "nosec = 1; eval(x)",
    ];
    for (cases, suppressed) in [(&silent[..], 1), (&heard[..], 0)] {
        for case in cases {
            // A first line of its own: a comment there would be for the whole file.
            let folder = project(&[("a.py", &format!("import os\n{case}\n"))]);
            let problems = found(folder.path(), None);
            assert_eq!((problems.suppressed, problems.total), (suppressed, 1 - suppressed), "{case}");
        }
    }
    let silent = [
        "eval(x) // eslint-disable-line",
        "// eslint-disable-next-line no-eval\neval(x)",
        "/* eslint-disable-next-line security/detect-eval-with-expression -- ours */\neval(x)",
    ];
    let heard = ["// eslint-disable-next-line no-console\neval(x)", "// eslint-disable-line\neval(x)"];
    for (cases, suppressed) in [(&silent[..], 1), (&heard[..], 0)] {
        for case in cases {
            let folder = project(&[("a.js", &format!("f();\n{case}\n"))]);
            assert_eq!(found(folder.path(), None).suppressed, suppressed, "{case}");
        }
    }
}

#[test]
fn pages_go_on_where_the_one_before_ended_and_stay_within_bounds() {
    let line = format!("eval({})\n", "x".repeat(400));
    let folder = tempfile::tempdir().unwrap();
    for file in 0..4 {
        write(folder.path(), &format!("{}/{file}.py", "d".repeat(100)), line.repeat(400).as_bytes());
    }
    let (mut skip, mut seen) = (Some(0), Vec::new());
    while let Some(from) = skip {
        let request =
            ProblemsRequest { skip: Some(from), max_problems: Some(1000), ..ProblemsRequest::default() };
        let page = search(folder.path(), None, &request).unwrap();
        assert!(serde_json::to_string(&page).unwrap().len() < 200 << 10);
        assert_eq!(page.total, 1600);
        seen.extend(page.found.into_iter().map(|one| one.fingerprint));
        skip = page.next;
    }
    let different: std::collections::BTreeSet<_> = seen.iter().collect();
    assert_eq!((seen.len(), different.len()), (1600, 1600));
}

#[test]
fn hostile_files_are_searched_or_named_and_do_no_harm() {
    let folder = project(&[("good.py", EVAL)]);
    write(folder.path(), "nul.py", b"eval(x)\0\n");
    write(folder.path(), "latin.py", b"# \xe9\xff\neval(x)\n");
    write(folder.path(), "long.py", [b"eval(x);".repeat(20_000), b"\n".to_vec()].concat().as_slice());
    write(
        folder.path(),
        "deep.py",
        ["(".repeat(20_000), "eval(x)".into(), ")".repeat(20_000)].concat().as_bytes(),
    );
    write(folder.path(), "deep.js", ["[".repeat(50_000), "eval(x)".into()].concat().as_bytes());
    write(folder.path(), "large.py", &vec![b'\n'; (2 << 20) + 1]);
    let request = ProblemsRequest { max_problems: Some(1000), ..ProblemsRequest::default() };
    let problems = search(folder.path(), None, &request).unwrap();
    assert!(places(&problems).contains(&"good.py:2 python-eval".to_owned()));
    let why = |path: &str| {
        let skipped = problems.skipped.iter().find(|skipped| skipped.path == path);
        skipped.map(|skipped| skipped.reason.clone()).unwrap_or_default()
    };
    assert_eq!(why("large.py"), "over 2 MiB");
    assert!(why("long.py").contains("19500 more problems"), "{:?}", problems.skipped);
    assert!(!why("nul.py").is_empty() && !why("latin.py").is_empty(), "{:?}", problems.skipped);
    assert!(problems.found.iter().all(|one| one.excerpt.len() <= 240));
}
