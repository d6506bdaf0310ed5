//! What a report says where less was done than it could seem.

use super::journal::{Script, call, evaluated, planned};
use crate::report::{Report, Status, brief, markdown};
use serde_json::{Value, json};

/// A reply of the planner that ends the run.
fn achieved() -> Value {
    json!({ "reasoning": "done", "new_sub_tasks": [], "is_goal_achieved": true })
}

/// A search for problems in all of the code.
fn search() -> Value {
    call("find_problems", json!({ "directory": "." }))
}

/// The line of "At a glance" that begins so.
fn line(report: &Report, start: &str) -> String {
    let page = markdown(report);
    page.lines()
        .find(|line| line.starts_with(start))
        .unwrap_or_else(|| panic!("no {start}: {page}"))
        .to_owned()
}

#[test]
fn searches_that_were_cut_off_are_not_taken_for_none_found() {
    let script = Script::new("A goal")
        .reply(planned(&[("problems", "Search")]))
        .approve()
        .reply(search())
        .exceeded()
        .reply(evaluated("failed", "Nothing.", json!([])));
    let report = script.reply(achieved()).carry_out().report();
    assert_eq!(
        line(&report, "- Possible problems"),
        "- Possible problems: not searched; 1 search gave no result."
    );
    let page = markdown(&report);
    assert!(
        page.contains(
            "Problems were not searched for: 1 search gave no result (step 1, exceeded: it exceeded"
        )
    );
    assert!(
        page.contains("Whether there are any isn't known.") && !page.contains("None was found"),
        "{page}"
    );
}

#[test]
fn a_page_that_nobody_fetched_leaves_the_search_a_part() {
    let page = json!({ "directory": ".", "found": [], "rules": [], "total": 3, "next": 1, "rules_run": 9,
        "searched": [{ "language": "python", "files": 1, "rules": 9 }], "complete": true });
    let script = Script::new("A goal")
        .reply(planned(&[("problems", "Search")]))
        .approve()
        .reply(search())
        .tool(page)
        .reply(evaluated("completed", "Fine.", json!([])));
    let report = script.reply(achieved()).carry_out().report();
    assert_eq!(
        line(&report, "- Possible problems"),
        "- Possible problems: none found, but only partly searched: 0 of 3 places shown."
    );
    assert!(markdown(&report).contains("None was found in what was looked at."));
}

#[test]
fn an_outcome_names_the_tasks_that_failed() {
    let script = Script::new("A goal")
        .reply(planned(&[("a", "Do a"), ("b", "Do b")]))
        .approve()
        .reply(call("list_files", json!({})))
        .exceeded()
        .reply(evaluated("failed", "Nothing.", json!([])))
        .reply(json!({ "reasoning": "go on", "new_sub_tasks": [], "is_goal_achieved": false }))
        .reply(call("list_files", json!({ "directory": "." })))
        .tool(json!({ "directory": ".", "entries": [], "total": 0 }))
        .reply(evaluated("completed", "Nothing there.", json!([])));
    let report = script.reply(achieved()).carry_out().report();
    assert_eq!(report.outcome.status, Status::Finished);
    assert_eq!(report.outcome.text, "Finished: the planner found the goal achieved; 1 of 2 tasks failed: a.");
}

#[test]
fn a_cut_listing_is_said_wherever_it_counts() {
    let listing = json!({ "directory": ".", "total": 40, "cut": true, "complete": true, "unreadable": [],
        "entries": [{ "path": "a.py", "kind": "file", "size": 10 }] });
    let script = Script::new("A goal")
        .reply(planned(&[("list", "List")]))
        .approve()
        .reply(call("list_files", json!({ "directory": ".", "recursive": true })))
        .tool(listing)
        .reply(evaluated("completed", "Much.", json!([])));
    let report = script.reply(achieved()).carry_out().report();
    let part = "counting only the 1 entry that the listings showed (39 more weren't shown)";
    assert_eq!(line(&report, "- Languages"), format!("- Languages, {part}: Python 100%."));
    assert_eq!(markdown(&report).matches("(39 more weren't shown)").count(), 3);
}

#[test]
fn refusals_that_did_not_fit_into_the_receipts_are_not_denied() {
    let script = |omitted| {
        Script::new("A goal")
            .reply(planned(&[("list", "List")]))
            .approve()
            .reply(call("list_files", json!({})))
            .tool(json!({ "directory": ".", "entries": [], "total": 0 }))
            .reply(evaluated("completed", "Nothing.", json!([])))
            .reply(achieved())
            .omitting(omitted)
    };
    let page = markdown(&script(7).carry_out().report());
    assert!(page.contains("7 more openings or denials didn't fit into the receipts."), "{page}");
    assert!(page.contains("can't be known") && !page.contains("Nothing was refused"), "{page}");
    assert!(markdown(&script(0).carry_out().report()).contains("Nothing was refused."));
}

#[test]
fn granted_hosts_and_requests_are_told() {
    let script = Script::new("A goal")
        .reply(planned(&[("list", "List")]))
        .approve()
        .reply(call("list_files", json!({})))
        .tool(json!({ "directory": ".", "entries": [], "total": 0 }))
        .reply(evaluated("completed", "Nothing.", json!([])))
        .reply(achieved());
    let page = markdown(&script.asking().carry_out().report());
    let told = "Granted hosts: `https://api.example.com`, `https://b.example (PUT)`. The tools made 1 request. \
                The host added to them: `key`.";
    assert!(page.contains(told), "{page}");
}

#[test]
fn tasks_that_had_no_stages_are_said_to_be_left_out() {
    let plan = json!({ "reasoning": "Left out for lack of stages: structure.", "is_goal_achieved": false,
        "new_sub_tasks": [
            { "id": "stack", "description": "Detect", "kind": "stack" },
            { "id": "problems", "description": "Search", "kind": "problems" },
        ] });
    let script = Script::new("A goal")
        .reply(plan)
        .approve()
        .reply(call("list_files", json!({})))
        .tool(json!({ "directory": ".", "entries": [], "total": 0 }))
        .reply(evaluated("completed", "Nothing.", json!([])))
        .capped(4);
    let report = script.carry_out().report();
    assert_eq!(report.outcome.status, Status::Limit);
    assert_eq!(
        line(&report, "- Left out"),
        "- Left out: The run was limited to 4 iterations; not planned: structure; planned and not done: \
         problems. [step 1]"
    );
    assert!(
        markdown(&report)
            .contains("Why version 1, in the model's words: Left out for lack of stages: structure.")
    );
}

#[test]
fn a_brief_report_says_what_the_whole_one_begins_with() {
    let report = super::full().carry_out().report();
    let (start, page) = (brief(&report), markdown(&report));
    let heads = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(heads(&start), heads(&page)[..2]);
    assert!(start.contains("## At a glance") && start.ends_with("in 4 steps.\n"), "{start}");
}
