//! Rules of a project and of a user, beside the standard ones.

use crate::problems::{found, places, project, search};
use ringfence_code::{ProblemsFailure, ProblemsRequest};
use std::collections::BTreeSet;
use std::process::Command;

const PRINT: &str =
    "id: no-print\nlanguage: python\nseverity: warning\nmessage: Found $A\nrule:\n  pattern: print($A)\n";

fn asked(rules: &str) -> ProblemsRequest<'_> {
    ProblemsRequest { rules: Some(rules), ..ProblemsRequest::default() }
}

fn bad(files: &[(&str, &str)], rules: &str) -> String {
    match search(project(files).path(), None, &asked(rules)) {
        Err(ProblemsFailure::BadRule(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn confirmed_rules_and_those_asked_for_are_run_beside_the_standard_ones() {
    let folder = project(&[
        ("a.py", "print(x)\neval(y)\nlog(z)\n"),
        ("rules/log.yml", &PRINT.replace("print", "log")),
    ]);
    let problems = search(folder.path(), Some(PRINT), &asked("rules")).unwrap();
    assert_eq!(places(&problems), ["a.py:1 no-print", "a.py:2 python-eval", "a.py:3 no-log"]);
}

#[test]
fn a_rule_with_the_id_of_a_standard_one_replaces_it_and_off_switches_it_off() {
    let folder = project(&[("a.py", "eval(x)\nrun(x)\n")]);
    let off = "id: python-eval\nseverity: off\n";
    assert_eq!(found(folder.path(), Some(off)).total, 0);
    let own = PRINT.replace("no-print", "python-eval").replace("print", "run");
    let problems = found(folder.path(), Some(&own));
    assert_eq!(places(&problems), ["a.py:2 python-eval"]);
    assert_eq!(
        (problems.rules[0].origin.as_str(), problems.found[0].message.as_str()),
        ("project", "Found x")
    );
}

#[test]
fn utilities_of_confirmed_rules_are_known_by_their_folder() {
    let confirmed = "# file: .ringfence/rules/utils/literal.yml\nid: is-literal\nlanguage: Python\nrule:\n  any: [{kind: string}, {kind: integer}]\n# file: .ringfence/rules/a.yml\nid: prints-literal\nlanguage: Python\nrule:\n  pattern: print($A)\nconstraints:\n  A: {matches: is-literal}\n";
    let folder = project(&[("a.py", "print(1)\nprint(x)\nprint('s')\n")]);
    assert_eq!(
        places(&found(folder.path(), Some(confirmed))),
        ["a.py:1 prints-literal", "a.py:3 prints-literal"]
    );
}

#[test]
fn a_bad_rule_is_named_with_its_file_and_what_is_wrong() {
    let rules = [
        ("id: a\nlanguage: Python\nrule: {pattern: 'print($A)', patern: x}\n", "patern"),
        ("id: a\nlanguage: Python\nrule: {kind: no_such_kind}\n", "no_such_kind"),
        ("id: a\nlanguage: Python\nrule: {regex: '(', kind: call}\n", "regex"),
        ("id: a\nlanguage: Python\nrule: {matches: nowhere}\n", "nowhere"),
        ("id: a\nlanguage: Python\nrule: {pattern: x}\nfiles: ['{a']\n", "{a"),
        ("id: a\nrule: {pattern: x}\n", "language"),
        ("language: Python\nrule: {pattern: x}\n", "id"),
        ("id: [a\n", "line"),
    ];
    for (rule, what) in rules {
        let why = bad(&[("rules/one.yml", rule), ("a.py", "x\n")], "rules");
        assert!(why.contains("rules/one.yml") && why.contains(what), "{what}: {why}");
    }
}

#[test]
fn a_rule_for_a_language_that_can_t_be_parsed_is_named_and_the_others_run() {
    let kotlin = "id: k\nlanguage: Kotlin\nrule: {pattern: x}\n";
    let folder = project(&[("a.py", "print(x)\n")]);
    let problems = found(folder.path(), Some(&format!("{kotlin}---\n{PRINT}")));
    assert_eq!(problems.total, 1);
    assert!(
        problems.skipped.iter().any(|skipped| skipped.reason.contains("Kotlin")),
        "{:?}",
        problems.skipped
    );
}

#[test]
fn the_value_of_a_secret_is_in_no_excerpt_and_no_message() {
    let rule = "id: secret\nlanguage: Python\nmessage: $B is a secret\nmetadata: {secret: true}\nrule:\n  pattern: $A = $B\n";
    let folder = project(&[(
        "a.py",
        "key = 'hunter2'; other = \"sesame\"  # swordfish\nbare = hunter3\nm = '''pearl\nray'''\n",
    )]);
    let json = serde_json::to_string(&found(folder.path(), Some(rule))).unwrap();
    for value in ["hunter2", "sesame", "swordfish", "hunter3", "pearl"] {
        assert!(!json.contains(value), "{value}: {json}");
    }
    assert!(json.contains("key = '…'; other = \\\"…\\\""), "{json}");
}

#[test]
fn a_rule_with_a_heavy_expression_ends() {
    let rule = "id: slow\nlanguage: Python\nrule: {kind: string, regex: '(a+)+(a|aa)+$'}\n";
    let folder = project(&[("a.py", &format!("x = '{}!'\n", "a".repeat(100_000)))]);
    assert!(found(folder.path(), Some(rule)).complete);
}

/// An ast-grep project with most of what rules can have.
const PROJECT: &[(&str, &str)] = &[
    ("sgconfig.yml", "ruleDirs: [rules]\nutilDirs: [utils]\n"),
    (
        "utils/literal.yml",
        "id: is-literal\nlanguage: TypeScript\nrule:\n  any:\n    - kind: string\n    - kind: number\n",
    ),
    (
        "rules/await-in-loop.yml",
        "id: no-await-in-promise-all\nlanguage: TypeScript\nmessage: $A is awaited\nseverity: error\nrule:\n  pattern: Promise.all($A)\n  has:\n    pattern: await $_\n    stopBy: end\nfix: Promise.all($A)\n",
    ),
    (
        "rules/console.yml",
        "id: no-console-except-catch\nlanguage: ts\nseverity: warning\nrule:\n  any:\n    - pattern: console.error($$$)\n      not:\n        inside:\n          kind: catch_clause\n          stopBy: end\n    - pattern: console.$METHOD($$$)\nconstraints:\n  METHOD:\n    regex: 'log|debug'\n---\nid: literal-argument\nlanguage: ts\nseverity: info\nmessage: literal $ARG in $NAME\nrule:\n  pattern: $NAME($ARG)\nconstraints:\n  ARG:\n    matches: is-literal\n",
    ),
    (
        "rules/transform.yml",
        "id: transformed\nlanguage: Python\nseverity: hint\nmessage: use $NEW\nrule:\n  kind: call\n  has: {field: function, pattern: $NAME, regex: ^old_}\ntransform:\n  NEW: {replace: {source: $NAME, replace: '^old_', by: 'new_'}}\nfix: $NEW()\n",
    ),
    (
        "rules/follows.yml",
        "id: after-return\nlanguage: Python\nseverity: warning\nutils:\n  leaves:\n    any: [{kind: return_statement}, {kind: raise_statement}]\nrule:\n  kind: expression_statement\n  follows:\n    matches: leaves\n    stopBy: end\nignores: ['skipped/**']\n",
    ),
    (
        "rules/files.yml",
        "id: only-there\nlanguage: Rust\nseverity: error\nmessage: unsafe\nfiles: ['src/**/*.rs']\nrule: {kind: unsafe_block}\n---\nid: switched-off\nlanguage: Rust\nseverity: off\nrule: {kind: identifier}\n",
    ),
    (
        "src/a.ts",
        "async function f() {\n  await Promise.all([await g(), h()]);\n  try { console.log('é', 1); console.error(1) } catch (e) { console.error(e) }\n  g('x'); g(12); g(y); console.warn(2);\n  // ast-grep-ignore\n  console.debug(1);\n  // ast-grep-ignore: other-rule\n  console.debug(2);\n}\n",
    ),
    (
        "src/b.py",
        "def f():\n    return 1\n    print(2)\n\ndef g():\n    old_name(3)\n    é = old_other()\n    raise X\n    print('文', old_x())\n",
    ),
    ("skipped/c.py", "def f():\n    return 1\n    print(2)\n"),
    ("src/lib.rs", "fn f() { unsafe { g() } }\n"),
    ("other.rs", "fn f() { unsafe { g() } }\n"),
];

#[test]
fn a_project_made_for_ast_grep_finds_what_the_ast_grep_command_finds() {
    let folder = project(PROJECT);
    let output =
        Command::new("ast-grep").args(["scan", "--json=compact"]).current_dir(folder.path()).output();
    let Ok(output) = output else {
        eprintln!("not compared: the command ast-grep isn't installed");
        return;
    };
    let theirs: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let at = |value: &serde_json::Value, end: &str| {
        let place = &value["range"][end];
        (place["line"].as_u64().unwrap() + 1, place["column"].as_u64().unwrap() + 1)
    };
    let theirs: BTreeSet<_> = theirs
        .iter()
        // The command's own remark on comments, and no rule of the project.
        .filter(|one| one["ruleId"] != "unused-suppression")
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            let message = if text("message").is_empty() { text("ruleId") } else { text("message") };
            (text("ruleId"), text("file"), at(one, "start"), at(one, "end"), message)
        })
        .collect();
    let problems = search(folder.path(), None, &asked("sgconfig.yml")).unwrap();
    let ours: BTreeSet<_> = problems
        .found
        .iter()
        .filter(|one| problems.rules.iter().any(|rule| rule.id == one.rule && rule.origin != "standard"))
        .map(|one| {
            let start = (u64::from(one.first_line), u64::from(one.first_column));
            let end = (u64::from(one.last_line), u64::from(one.last_column));
            (one.rule.clone(), one.path.clone(), start, end, one.message.clone())
        })
        .collect();
    assert_eq!(ours, theirs);
    assert!(ours.len() > 10, "{ours:#?}");
    let by_folder = search(folder.path(), None, &asked(".")).unwrap();
    assert_eq!(places(&by_folder), places(&problems));
}
