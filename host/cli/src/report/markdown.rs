//! A report as Markdown, for reading. Everything in it is in the JSON form too, which holds more.

use super::safe::{cell, clip, code, inline};
use super::{Report, Source, Statement, Status};
use ringfence_models::playbook::analyst::{Evidence, Item, Severity};
use serde_json::Value;

/// So many places are cited in one go.
const CITED: usize = 6;
/// So many parts of a statement are shown.
const SHOWN: usize = 25;

/// The report as Markdown text that ends with a line break.
pub fn markdown(report: &Report) -> String {
    let mut page = Page(String::new());
    head(report, &mut page);
    section(&mut page, "Technology stack", &report.stack, "Nothing was learnt about the stack.");
    section(&mut page, "Modules", &report.modules, "Nothing was learnt about the modules.");
    findings(report, &mut page);
    done(report, &mut page);
    fence(report, &mut page);
    spend(report, &mut page);
    page.0
}

struct Page(String);

impl Page {
    fn line(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    fn gap(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.gap();
        self.line(format!("{} {text}", "#".repeat(level)));
        self.gap();
    }

    fn table(&mut self, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        self.gap();
        self.line(format!("| {} |", head.join(" | ")));
        self.line(format!("|{}", " --- |".repeat(head.len())));
        for row in rows {
            self.line(format!("| {} |", row.join(" | ")));
        }
        self.gap();
    }
}

fn head(report: &Report, page: &mut Page) {
    let name = report.project.rsplit('/').find(|part| !part.is_empty()).unwrap_or("the project");
    page.heading(1, &format!("Report on {}", inline(name)));
    page.line(format!("**Goal:** {}", inline(&report.goal)));
    page.gap();
    page.line(format!("**Outcome:** {}", inline(&report.outcome.text)));
    page.gap();
    if report.outcome.status != Status::Finished {
        page.line("> The run did not finish: what follows is what it had found out by then.");
        page.gap();
    }
    page.line(format!(
        "Model: {} · run {} · {} to {} · every statement names the step that showed it, as in \\[step 1, file:line\\].",
        inline(&report.model),
        code(&report.run),
        inline(&report.started),
        inline(&report.latest),
    ));
    page.heading(2, "At a glance");
    for topic in ["languages", "package", "frameworks"] {
        for statement in report.stack.iter().filter(|statement| statement.topic == topic).take(3) {
            page.line(format!("- {} {}", inline(&statement.text), cite(&statement.evidence)));
        }
    }
    let counts = report.counts;
    let kinds = [(counts.high, "high"), (counts.medium, "medium"), (counts.low, "low"), (counts.info, "info")];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    page.line(if kinds.is_empty() {
        "- Possible problems: none found.".to_owned()
    } else {
        format!("- Possible problems, by kind: {}.", kinds.join(", "))
    });
    for finding in report.findings.iter().filter(|finding| finding.severity >= Some(Severity::Medium)).take(5) {
        page.line(format!("  - {} {}", inline(&finding.text), cite(&finding.evidence)));
    }
    let (completed, total) =
        (report.tasks.iter().filter(|task| task.status == "completed").count(), report.tasks.len());
    page.line(format!("- Tasks: {completed} of {total} completed, in {} steps.", report.steps.len()));
}

fn section(page: &mut Page, title: &str, statements: &[Statement], empty: &str) {
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

/// The parts of a statement: a table where they have details, a list of lines of code else.
fn parts(page: &mut Page, statement: &Statement) {
    let head: &[&str] = match statement.topic.as_str() {
        "dependencies" => &["Dependency", "Version", "Where"],
        "layout" => &["Folder", "Holds", "Where"],
        "outline" => &["Name", "What", "Where"],
        "definitions" => &["File", "Defines", "Where"],
        // Its sentence says it all.
        "languages" | "frameworks" | "entries" => return,
        _ => &["What", "More", "Where"],
    };
    if statement.items.is_empty() {
        return;
    }
    let rows = statement.items.iter().take(SHOWN).map(|item| {
        vec![cell(&format!("`{}`", item.text.replace('`', "'"))), cell(&clip(&item.detail, 200)), place(&item.evidence)]
    });
    page.table(head, rows);
    more(page, statement.items.len().saturating_sub(SHOWN) + statement.omitted as usize);
}

fn more(page: &mut Page, count: usize) {
    if count > 0 {
        page.line(format!("… and {count} more."));
    }
}

fn findings(report: &Report, page: &mut Page) {
    page.heading(2, "Possible problems");
    for statement in &report.coverage {
        page.line(format!("{} {}", inline(&statement.text), cite(&statement.evidence)));
        page.gap();
    }
    if report.findings.is_empty() {
        page.line("None was found.");
    }
    for finding in &report.findings {
        let severity = finding.severity.map_or("info", Severity::name);
        let title = finding.text.split(": ").next().unwrap_or(&finding.text);
        let title = if finding.source == Source::Model { clip(&finding.text, 100) } else { title.to_owned() };
        page.heading(3, &format!("{severity}: {}", inline(title.trim_end_matches('.'))));
        let concern = finding.concern.map_or(String::new(), |concern| format!("*{}* · ", concern.name()));
        page.line(format!("{concern}{}{} {}", who(finding), inline(&finding.text), cite(&finding.evidence)));
        if let Some(why) = &finding.why {
            page.gap();
            page.line(inline(why));
        }
        page.gap();
        for item in finding.items.iter().take(SHOWN) {
            page.line(format!("- {}{}", code_line(item), detail(item)));
        }
        more(page, finding.items.len().saturating_sub(SHOWN) + finding.omitted as usize);
        for remark in &finding.remarks {
            page.gap();
            page.line(format!("*The model adds:* {}", inline(remark)));
        }
    }
}

fn code_line(item: &Item) -> String {
    format!("{}: {}", place(&item.evidence), code(&item.text))
}

fn detail(item: &Item) -> String {
    if item.detail.is_empty() { String::new() } else { format!(" ({})", inline(&item.detail)) }
}

/// `[step 4, pyproject.toml:12–30; step 5]`
fn cite(evidence: &[Evidence]) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut last: Option<u64> = None;
    for place in evidence.iter().take(CITED) {
        let step = if last == Some(place.step) { String::new() } else { format!("step {}", place.step) };
        last = Some(place.step);
        let file = file(place);
        shown.push(match (step.is_empty(), file.is_empty()) {
            (true, _) => file,
            (false, true) => step,
            (false, false) => format!("{step}, {file}"),
        });
    }
    shown.retain(|part| !part.is_empty());
    if evidence.len() > CITED {
        shown.push(format!("{} more", evidence.len() - CITED));
    }
    format!("\\[{}\\]", shown.join("; "))
}

fn place(evidence: &Evidence) -> String {
    cite(std::slice::from_ref(evidence))
}

fn file(place: &Evidence) -> String {
    let Some(file) = &place.file else { return String::new() };
    let file = cell(file);
    match place.lines {
        Some((first, last)) if first == last => format!("{file}:{first}"),
        Some((first, last)) => format!("{file}:{first}–{last}"),
        None => file,
    }
}

fn done(report: &Report, page: &mut Page) {
    page.heading(2, "What was done");
    if !report.tasks.is_empty() {
        page.line(format!("Tasks, with their summaries in the words of the model ({}):", inline(&report.model)));
        page.table(
            &["Task", "Status", "Steps", "Summary"],
            report.tasks.iter().map(|task| {
                let what = format!("**{}**: {}", cell(&task.id), cell(&task.description));
                let summary = if task.summary.is_empty() { "–".to_owned() } else { cell(&task.summary) };
                vec![what, cell(&task.status.replace('_', " ")), ranges(&task.steps), summary]
            }),
        );
    }
    if !report.steps.is_empty() {
        page.line("Steps:");
        page.table(
            &["Step", "Tool", "Input", "Outcome", "Receipt"],
            report.steps.iter().map(|step| {
                let message = if step.message.is_empty() { String::new() } else { format!(": {}", step.message) };
                vec![
                    step.step.to_string(),
                    cell(&format!("`{}`", step.action.replace('`', "'"))),
                    cell(&clip(&input(&step.input), 160)),
                    cell(&clip(&format!("{}{message}", step.outcome), 300)),
                    step.receipt.as_deref().map_or("–".to_owned(), |id| cell(&format!("`{}`", id.replace('`', "'")))),
                ]
            }),
        );
    }
    plans(report, page);
}

fn plans(report: &Report, page: &mut Page) {
    if report.plans.is_empty() {
        return;
    }
    page.line("Versions of the plan:");
    page.table(
        &["Version", "By", "Approved", "Tasks", "Hash"],
        report.plans.iter().map(|plan| {
            let tasks: Vec<String> = plan.tasks.iter().map(|(id, _)| cell(id)).collect();
            let tasks = if tasks.is_empty() { "none new".to_owned() } else { tasks.join(", ") };
            let author = if plan.author == "person" { "a person" } else { "the model" };
            let approved = if plan.approved { "yes" } else { "no" };
            let hash = cell(&format!("`{}`", clip(&plan.hash, 12).replace('`', "'")));
            vec![plan.version.to_string(), author.to_owned(), approved.to_owned(), tasks, hash]
        }),
    );
}

/// `3, 5–8`
fn ranges(steps: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for step in steps {
        match parts.last_mut() {
            Some((_, last)) if *step == *last + 1 => *last = *step,
            _ => parts.push((*step, *step)),
        }
    }
    let shown: Vec<String> = parts
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}–{last}") })
        .collect();
    if shown.is_empty() { "–".to_owned() } else { shown.join(", ") }
}

/// An input as `key: value` pairs.
fn input(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let pairs: Vec<String> = map.iter().map(|(key, value)| format!("{key}: {}", short(value))).collect();
            pairs.join(", ")
        }
        other => other.to_string(),
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => clip(text, 60),
        other => clip(&other.to_string(), 60),
    }
}

fn fence(report: &Report, page: &mut Page) {
    page.heading(2, "The fence");
    if report.fence.folders.is_empty() {
        page.line("No tool call left a receipt.");
    } else {
        let folders: Vec<String> = report.fence.folders.iter().map(|folder| inline(folder)).collect();
        page.line(format!(
            "Granted: {}. The tools opened {} different files.",
            folders.join(", "),
            report.fence.files_opened
        ));
        page.table(
            &["Tool", "Component"],
            report.fence.components.iter().map(|(tool, digest)| {
                vec![cell(&format!("`{}`", tool.replace('`', "'"))), cell(&format!("`{}`", digest.replace('`', "'")))]
            }),
        );
    }
    if report.denials.is_empty() {
        page.line("Nothing was refused.");
    } else {
        page.line("Refused:");
        page.table(
            &["Step", "What was tried", "Why not", "What would allow it"],
            report.denials.iter().map(|denial| {
                let tried = format!("{} `{}`", denial.operation, denial.asked.replace('`', "'"));
                let allow = denial.would_allow.as_deref().unwrap_or("nothing");
                vec![denial.step.to_string(), cell(&tried), cell(&denial.reason), cell(allow)]
            }),
        );
    }
    if !report.notes.is_empty() {
        page.heading(2, "Notes");
        for note in &report.notes {
            page.line(format!("- {}: {}", inline(&note.stage), inline(&note.text)));
        }
    }
}

fn spend(report: &Report, page: &mut Page) {
    let spend = report.spend;
    page.heading(2, "Spend");
    page.line(format!(
        "{} of {} iterations · {} model calls, {} tokens in ({} from a cache), {} out · {} tool calls, {:.1} ms of \
         processor time · {:.1} s in all, pauses not counted.",
        spend.iterations,
        spend.iterations_limit,
        spend.model_calls,
        spend.input_tokens,
        spend.cached_tokens,
        spend.output_tokens,
        spend.tool_calls,
        spend.tool_cpu_us as f64 / 1000.0,
        spend.active_ms as f64 / 1000.0,
    ));
}
