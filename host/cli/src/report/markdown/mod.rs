//! A report as Markdown, for reading. Everything in it is in the JSON form too, which holds more.

mod form;
mod record;
mod statements;

use super::{Report, Statement, Status};
use form::Form;
use ringfence_engine::Flow;
use ringfence_models::playbook;
use ringfence_models::playbook::analyst::{Severity, plural};
use statements::Looked;

/// The report as Markdown text that ends with a line break.
pub fn markdown(report: &Report) -> String {
    let mut page = Page::new(Form::Markdown);
    beginning(report, &mut page);
    for (title, statements, empty) in [
        ("Technology stack", &report.stack, "Nothing was learnt about the stack."),
        ("Modules", &report.modules, "Nothing was learnt about the modules."),
    ] {
        if analyses(report) || !statements.is_empty() {
            statements::section(&mut page, title, statements, empty);
        }
    }
    if analyses(report) || speaks_of_problems(report) {
        statements::findings(report, &mut page);
    }
    record::done(report, &mut page);
    record::told(report, &mut page);
    record::changes(report, &mut page);
    record::fence(report, &mut page);
    record::notes(report, &mut page);
    record::spend(report, &mut page);
    page.text
}

/// The beginning of the report, up to and including "At a glance" and the answer: text for a terminal
/// that ends with a line break.
pub fn brief(report: &Report) -> String {
    let mut page = Page::new(Form::Terminal);
    beginning(report, &mut page);
    page.text
}

/// Whoever had a goal of their own looks for the answer first.
fn beginning(report: &Report, page: &mut Page) {
    head(report, page);
    if analyses(report) {
        glance(report, page);
        answer(report, page);
    } else {
        answer(report, page);
        glance(report, page);
    }
}

/// Whether the run was the built-in analysis, of which stack, modules and problems are the parts;
/// elsewhere they are only told where there is something to tell.
fn analyses(report: &Report) -> bool {
    report.goal == playbook::GOAL || report.model.starts_with(playbook::IDENTITY)
}

fn speaks_of_problems(report: &Report) -> bool {
    !report.findings.is_empty() || report.coverage.iter().any(|told| told.topic != "left-out")
}

/// A page that is being written.
struct Page {
    text: String,
    form: Form,
}

impl Page {
    fn new(form: Form) -> Self {
        Self { text: String::new(), form }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// An empty line, unless there is one.
    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.gap();
        self.line(format!("{} {text}", "#".repeat(level)));
        self.gap();
    }

    /// A table; its cells must be safe for one.
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
    let form = page.form;
    let name = report.project.rsplit('/').find(|part| !part.is_empty()).unwrap_or("the project");
    page.heading(1, &format!("Report on {}", form.inline(name)));
    page.line(format!("**Goal:** {}", form.inline(&report.goal)));
    page.gap();
    page.line(format!("**Outcome:** {}", form.inline(&report.outcome.text)));
    page.gap();
    if report.outcome.status != Status::Finished {
        page.line("> The run did not finish: what follows is what it had found out by then.");
        page.gap();
    }
    if report.steps.is_empty() && report.outcome.status == Status::Finished {
        page.line("> No tool was called: nothing of the project was looked at.");
        page.gap();
    }
    page.line(format!(
        "Model: {} · flow {} · run {} · {} to {}",
        form.inline(&report.model),
        form.inline(&report.flow),
        form.code(&report.run),
        form.inline(&report.started),
        form.inline(&report.latest),
    ));
    page.gap();
    page.line(
        "Every statement names the step that showed it and, where there is one, the file and its lines.",
    );
}

/// The final answer, word for word.
fn answer(report: &Report, page: &mut Page) {
    let answer = report.answer.as_deref().map(|answer| answer.trim_start_matches('\n').trim_end());
    let Some(answer) = answer.filter(|answer| !answer.is_empty()) else { return };
    page.heading(2, "Answer");
    page.line("In the words of the model, or of whoever edited it; nothing of it was checked.");
    page.gap();
    let block = page.form.block(answer);
    page.text.push_str(&block);
}

fn glance(report: &Report, page: &mut Page) {
    let form = page.form;
    page.heading(2, "At a glance");
    for (topic, title) in [("languages", "Languages"), ("package", "Packages"), ("frameworks", "Built on")] {
        let told: Vec<&Statement> = report.stack.iter().filter(|told| told.topic == topic).collect();
        let part = told.iter().find_map(|told| told.partial.as_deref());
        let part = part.map_or_else(String::new, |part| format!(", counting only {part}"));
        let told: Vec<String> = told.into_iter().map(statements::short).collect();
        if !told.is_empty() {
            page.line(format!("- {title}{}: {}.", form.inline(&part), form.inline(&told.join(", "))));
        }
    }
    problems(report, page);
    for told in report.coverage.iter().filter(|told| told.topic == "left-out") {
        page.line(format!(
            "- Left out: {} {}",
            form.inline(&told.text),
            statements::places(form, &told.evidence)
        ));
    }
    let steps = plural(report.steps.len() as u64, "step");
    if report.tasks.is_empty() && report.flow != Flow::Staged.name() {
        page.line(format!("- Done: {steps}; this flow has no plan."));
    } else {
        let completed = report.tasks.iter().filter(|task| task.status == "completed").count();
        page.line(format!("- Tasks: {completed} of {} completed, in {steps}.", report.tasks.len()));
    }
}

/// How many possible problems there are, how far they were looked for, and the worst of them.
fn problems(report: &Report, page: &mut Page) {
    if !analyses(report) && !speaks_of_problems(report) {
        return;
    }
    let form = page.form;
    let counts = report.counts;
    let kinds =
        [(counts.high, "high"), (counts.medium, "medium"), (counts.low, "low"), (counts.info, "info")];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let kinds = kinds.join(", ");
    page.line(match (kinds.is_empty(), statements::looked(report)) {
        (true, Looked::Fully) => "- Possible problems: none found.".to_owned(),
        (true, Looked::Partly(gap)) => {
            format!("- Possible problems: none found, but only partly searched: {}.", form.inline(&gap))
        }
        (true, Looked::Not(why)) if why.is_empty() => "- Possible problems: not looked for.".to_owned(),
        (true, Looked::Not(why)) => format!("- Possible problems: not searched; {}.", form.inline(&why)),
        (false, Looked::Fully) => format!("- Possible problems, by kind: {kinds}."),
        (false, Looked::Partly(gap)) => {
            format!("- Possible problems, by kind: {kinds}; only partly searched: {}.", form.inline(&gap))
        }
        (false, Looked::Not(why)) if why.is_empty() => {
            format!("- Possible problems, by kind: {kinds}; known shapes weren't searched for.")
        }
        (false, Looked::Not(why)) => {
            format!("- Possible problems, by kind: {kinds}; not searched for others: {}.", form.inline(&why))
        }
    });
    for finding in report.findings.iter().filter(|finding| finding.severity >= Some(Severity::Medium)).take(5)
    {
        let severity = finding.severity.map_or("info", Severity::name);
        page.line(format!(
            "  - {severity}: {} {}",
            form.inline(&finding.text),
            statements::places(form, &finding.evidence)
        ));
    }
}
