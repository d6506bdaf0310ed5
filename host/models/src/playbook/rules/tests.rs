use super::{SETS, judge};
use std::collections::BTreeSet;

#[test]
fn every_rule_finds_its_hits_and_leaves_its_misses_alone() {
    let mut wrong = Vec::new();
    for set in SETS.iter() {
        let extension = set.extensions.first().map_or("txt", String::as_str);
        let path = format!("file.{extension}");
        for rule in &set.rules {
            assert!(!rule.hits.is_empty() && !rule.misses.is_empty(), "{} shows no examples", rule.id);
            let holds = |line: &String| {
                judge(&path, &line.replace('~', ""), &[]).iter().any(|found| found.rule.id == rule.id)
            };
            wrong.extend(
                rule.hits.iter().filter(|line| !holds(line)).map(|line| format!("{} misses {line}", rule.id)),
            );
            wrong.extend(
                rule.misses.iter().filter(|line| holds(line)).map(|line| format!("{} takes {line}", rule.id)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_name_of_its_own() {
    let ids: Vec<&str> = SETS.iter().flat_map(|set| &set.rules).map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len());
}

#[test]
fn a_search_tool_finds_every_line_that_a_rule_accepts() {
    for set in SETS.iter() {
        let groups: Vec<String> = set.rules.iter().map(|rule| format!("(?:{})", rule.pattern)).collect();
        let search = regex::Regex::new(&groups.join("|")).expect("the joined pattern is valid");
        for line in set.rules.iter().flat_map(|rule| &rule.hits) {
            assert!(search.is_match(&line.replace('~', "")), "{line}");
        }
    }
}

#[test]
fn a_bare_except_that_raises_again_is_fine() {
    let ids = |next: &[&str]| -> Vec<String> {
        judge("a.py", "    except:", next).iter().map(|found| found.rule.id.clone()).collect()
    };
    assert_eq!(ids(&["        error = 1", "        raise"]), Vec::<String>::new());
    assert_eq!(ids(&["        pass"]), ["py-bare-except"]);
}

#[test]
fn what_a_comment_or_a_text_only_mentions_is_no_finding() {
    let mentions = [
        ("a.py", "x = 1  # eval(x) would be wrong"),
        ("a.py", r#"    raise ValueError("don't use eval() here")"#),
        ("a.js", "const a = 1; // eval(x)"),
        ("a.rs", "let a = 1; // unsafe { }"),
        ("a.py", "    The function `eval(x)` is not used."),
    ];
    for (path, line) in mentions {
        assert!(judge(path, line, &[]).is_empty(), "{line}");
    }
    assert_eq!(judge("a.rs", "impl<'a> X<'a> { fn f(&self) { unsafe { g() } } }", &[]).len(), 1);
}

#[test]
fn a_secret_is_never_repeated() {
    for (path, line, secret) in [
        ("a.py", r#"DB_PASS~WORD = "hunter2hunter2""#, "hunter2"),
        ("a.js", "const k = 'AKIA~IOSFODNN7REALKEY'", "IOSFODNN7REALKEY"),
        ("a.go", "key := \"-----BEGIN PRIVATE ~KEY-----\\nMIIEvQIBADAN\"", "MIIEvQ"),
    ] {
        let line = &line.replace('~', "");
        let found = judge(path, line, &[]);
        assert!(!found.is_empty(), "{line}");
        for finding in found.iter().filter(|finding| finding.rule.secret) {
            let shown = finding.rule.hide(line);
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
