//! Statements about the project: sections of them, findings, and how their places are cited.

use super::Page;
use super::form::Form;
use crate::report::safe::{cell, clip, code, inline, word};
use crate::report::{Report, Source, Statement};
use ringfence_models::playbook::analyst::{Evidence, Item, Severity};

/// So many places are cited in one go.
const CITED: usize = 6;
/// So many parts of a statement are shown, and of an outline.
const SHOWN: usize = 25;
const OUTLINED: usize = 12;
/// So few dependencies are told by the sentence alone.
const TOLD: usize = 8;

/// A statement about the stack in a word or two.
pub(super) fn short(statement: &Statement) -> String {
    let names = |most: usize| {
        let items = statement.items.iter().take(most);
        let names: Vec<String> = items.map(|item| code(&item.text)).collect();
        let more = statement.items.len().saturating_sub(most);
        format!("{}{}", names.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
    };
    match statement.topic.as_str() {
        "languages" if statement.items.is_empty() => "none".to_owned(),
        "languages" => {
            let share =
                |item: &Item| format!("{} {}", item.text, item.detail.split(',').next().unwrap_or_default());
            statement.items.iter().take(4).map(share).collect::<Vec<_>>().join(", ")
        }
        "frameworks" => names(8),
        _ => {
            let end = [": ", ". "].iter().filter_map(|mark| statement.text.find(mark)).min();
            let head = end.and_then(|end| statement.text.get(..end)).unwrap_or(&statement.text);
            head.trim_end_matches('.').to_owned()
        }
    }
}

/// A section of statements, each with its parts.
pub(super) fn section(page: &mut Page, title: &str, statements: &[Statement], empty: &str) {
    page.heading(2, title);
    if statements.is_empty() {
        page.line(empty);
    }
    for statement in statements {
        page.gap();
        page.line(format!("{}{} {}", who(statement), inline(&statement.text), cite(&statement.evidence)));
        parts(page, statement);
    }
}

fn who(statement: &Statement) -> &'static str {
    match statement.source {
        Source::Analyst => "",
        Source::Model => "*The model says:* ",
    }
}

/// The parts of a statement as a table, where its sentence doesn't say it all.
fn parts(page: &mut Page, statement: &Statement) {
    let head: &[&str] = match statement.topic.as_str() {
        "languages" | "frameworks" | "entries" | "other_dependencies" => return,
        "dependencies" if statement.items.len() <= TOLD => return,
        "dependencies" => &["Dependency", "Version", "Where"],
        "layout" => &["Folder", "Holds", "Where"],
        "outline" => &["Name", "What", "Where"],
        "definitions" => &["File", "Defines", "Where"],
        _ => &["What", "More", "Where"],
    };
    if statement.items.is_empty() {
        return;
    }
    let most = if statement.topic == "outline" { OUTLINED } else { SHOWN };
    let row = |item: &Item| {
        let detail = clip(&item.detail, 200);
        let detail = if statement.topic == "dependencies" { word(&detail) } else { cell(&detail) };
        vec![word(&item.text), detail, place(&item.evidence)]
    };
    page.table(head, statement.items.iter().take(most).map(row));
    more(page, statement, most);
}

fn more(page: &mut Page, statement: &Statement, shown: usize) {
    let count = statement.items.len().saturating_sub(shown) + statement.omitted as usize;
    if count > 0 {
        page.gap();
        page.line(format!("… and {count} more."));
    }
}

/// How far problems were looked for.
pub(super) enum Looked {
    /// In all that there is.
    Fully,
    /// Not in everything; what is missing.
    Partly(String),
    /// Not at all; why, or nothing where nobody tried.
    Not(String),
}

/// How far the run looked for problems, by what the report says on coverage.
pub(super) fn looked(report: &Report) -> Looked {
    let of = |topic: &str| report.coverage.iter().find(|told| told.topic == topic);
    let gap = |told: &Statement| told.partial.clone().unwrap_or_default();
    match (of("coverage").map(gap), of("not-searched").map(gap)) {
        (Some(gap), _) if gap.is_empty() => Looked::Fully,
        (Some(gap), _) => Looked::Partly(gap),
        (None, gap) => Looked::Not(gap.unwrap_or_default()),
    }
}

/// Possible problems: first what was looked for, then each kind with its places.
pub(super) fn findings(report: &Report, page: &mut Page) {
    page.heading(2, "Possible problems");
    for statement in &report.coverage {
        page.line(format!("{} {}", inline(&statement.text), cite(&statement.evidence)));
        page.gap();
    }
    if report.findings.is_empty() {
        page.line(match looked(report) {
            Looked::Fully => "None was found.",
            Looked::Partly(_) => "None was found in what was looked at.",
            Looked::Not(_) => "Whether there are any isn't known.",
        });
    }
    for finding in &report.findings {
        one_finding(page, finding);
    }
}

fn one_finding(page: &mut Page, finding: &Statement) {
    let severity = finding.severity.map_or("info", Severity::name);
    let (title, count) = match finding.source {
        Source::Analyst => finding.text.split_once(": ").unwrap_or((&finding.text, "")),
        Source::Model => (finding.text.as_str(), ""),
    };
    page.heading(3, &format!("{severity}: {}", inline(clip(title, 120).trim_end_matches('.'))));
    let mut facts: Vec<String> = Vec::new();
    facts.extend(finding.concern.map(|concern| concern.name().to_owned()));
    match finding.source {
        Source::Analyst => {
            facts.extend((!count.is_empty()).then(|| inline(count.trim_end_matches('.'))));
            facts.push(format!("rule {}", code(&finding.topic)));
        }
        Source::Model => facts.push(format!("{}{}", who(finding), inline(&finding.text))),
    }
    let cited =
        if finding.items.is_empty() { format!(" {}", cite(&finding.evidence)) } else { String::new() };
    page.line(format!("{}{cited}", facts.join(" · ")));
    if let Some(why) = &finding.why {
        page.gap();
        page.line(inline(why));
    }
    page.gap();
    for item in finding.items.iter().take(SHOWN) {
        let detail =
            if item.detail.is_empty() { String::new() } else { format!(" ({})", inline(&item.detail)) };
        let (file, step) = (file(Form::Markdown, &item.evidence), item.evidence.step);
        page.line(format!("- {file}: {}{detail} [step {step}]", code(&item.text)));
    }
    more(page, finding, SHOWN);
    for remark in &finding.remarks {
        page.gap();
        page.line(format!("*The model adds:* {}", inline(remark)));
    }
}

/// `[step 4, pyproject.toml:12–30; step 5]`
fn cite(evidence: &[Evidence]) -> String {
    places(Form::Markdown, evidence)
}

/// The same wherever it is read.
pub(super) fn places(form: Form, evidence: &[Evidence]) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut last: Option<u64> = None;
    for place in evidence.iter().take(CITED) {
        let same = last == Some(place.step);
        last = Some(place.step);
        let file = file(form, place);
        shown.push(match (same, file.is_empty()) {
            (true, _) => file,
            (false, true) => format!("step {}", place.step),
            (false, false) => format!("step {}, {file}", place.step),
        });
    }
    shown.retain(|part| !part.is_empty());
    if evidence.len() > CITED {
        shown.push(format!("{} more", evidence.len() - CITED));
    }
    // Never at the head of a line, where it could be taken for the definition of a link.
    format!("[{}]", shown.join("; "))
}

fn place(evidence: &Evidence) -> String {
    cite(std::slice::from_ref(evidence))
}

fn file(form: Form, place: &Evidence) -> String {
    let Some(file) = &place.file else { return String::new() };
    let file = form.file(file);
    match place.lines {
        Some((first, last)) if first == last => format!("{file}:{first}"),
        Some((first, last)) => format!("{file}:{first}–{last}"),
        None => file,
    }
}
