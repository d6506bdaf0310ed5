//! A report as Markdown, for reading. Everything in it is in the JSON form too, which holds more.

mod record;
mod statements;

use super::safe::{code, inline};
use super::{Report, Statement, Status};
use ringfence_engine::Flow;
use ringfence_models::playbook::analyst::{Severity, plural};
use statements::Looked;

/// The report as Markdown text that ends with a line break.
pub fn markdown(report: &Report) -> String {
    let mut page = Page(brief(report));
    statements::section(&mut page, "Technology stack", &report.stack, "Nothing was learnt about the stack.");
    statements::section(&mut page, "Modules", &report.modules, "Nothing was learnt about the modules.");
    statements::findings(report, &mut page);
    record::done(report, &mut page);
    record::told(report, &mut page);
    record::fence(report, &mut page);
    record::notes(report, &mut page);
    record::spend(report, &mut page);
    page.0
}

/// The beginning of the report, up to and including "At a glance": Markdown text for a terminal that
/// ends with a line break.
pub fn brief(report: &Report) -> String {
    let mut page = Page(String::new());
    head(report, &mut page);
    answer(report, &mut page);
    glance(report, &mut page);
    page.0
}

/// A page that is being written.
struct Page(String);

impl Page {
    fn line(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    /// An empty line, unless there is one.
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
        "Model: {} · flow {} · run {} · {} to {}",
        inline(&report.model),
        inline(&report.flow),
        code(&report.run),
        inline(&report.started),
        inline(&report.latest),
    ));
    page.gap();
    page.line(
        "Every statement names the step that showed it and, where there is one, the file and its lines.",
    );
}

/// The final answer, line by line: what would be markup in it is shown as what it is.
fn answer(report: &Report, page: &mut Page) {
    let Some(answer) = report.answer.as_deref().map(str::trim).filter(|answer| !answer.is_empty()) else {
        return;
    };
    page.heading(2, "Answer");
    page.line("In the words of the model, or of whoever edited it; nothing of it was checked.");
    page.gap();
    let mut lines = answer.lines().map(|line| inline(line.trim())).peekable();
    while let Some(line) = lines.next() {
        let line = format!("> {line}");
        // Two spaces keep a line from running into the next one.
        let runs_on = line.len() > 2 && lines.peek().is_some_and(|next| !next.is_empty());
        page.line(if runs_on { format!("{line}  ") } else { line.trim_end().to_owned() });
    }
    page.gap();
}

fn glance(report: &Report, page: &mut Page) {
    page.heading(2, "At a glance");
    for (topic, title) in [("languages", "Languages"), ("package", "Packages"), ("frameworks", "Built on")] {
        let told: Vec<&Statement> = report.stack.iter().filter(|told| told.topic == topic).collect();
        let part = told.iter().find_map(|told| told.partial.as_deref());
        let part = part.map_or_else(String::new, |part| format!(", counting only {part}"));
        let told: Vec<String> = told.into_iter().map(statements::short).collect();
        if !told.is_empty() {
            page.line(format!("- {title}{}: {}.", inline(&part), inline(&told.join(", "))));
        }
    }
    let counts = report.counts;
    let kinds =
        [(counts.high, "high"), (counts.medium, "medium"), (counts.low, "low"), (counts.info, "info")];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let kinds = kinds.join(", ");
    page.line(match (kinds.is_empty(), statements::looked(report)) {
        (true, Looked::Fully) => "- Possible problems: none found.".to_owned(),
        (true, Looked::Partly(gap)) => {
            format!("- Possible problems: none found, but only partly searched: {}.", inline(&gap))
        }
        (true, Looked::Not(why)) if why.is_empty() => "- Possible problems: not looked for.".to_owned(),
        (true, Looked::Not(why)) => format!("- Possible problems: not searched; {}.", inline(&why)),
        (false, Looked::Fully) => format!("- Possible problems, by kind: {kinds}."),
        (false, Looked::Partly(gap)) => {
            format!("- Possible problems, by kind: {kinds}; only partly searched: {}.", inline(&gap))
        }
        (false, Looked::Not(why)) if why.is_empty() => {
            format!("- Possible problems, by kind: {kinds}; known shapes weren't searched for.")
        }
        (false, Looked::Not(why)) => {
            format!("- Possible problems, by kind: {kinds}; not searched for others: {}.", inline(&why))
        }
    });
    for finding in report.findings.iter().filter(|finding| finding.severity >= Some(Severity::Medium)).take(5)
    {
        let severity = finding.severity.map_or("info", Severity::name);
        page.line(format!(
            "  - {severity}: {} {}",
            inline(&finding.text),
            statements::cite(&finding.evidence)
        ));
    }
    for told in report.coverage.iter().filter(|told| told.topic == "left-out") {
        page.line(format!("- Left out: {} {}", inline(&told.text), statements::cite(&told.evidence)));
    }
    let steps = plural(report.steps.len() as u64, "step");
    if report.tasks.is_empty() && report.flow != Flow::Staged.name() {
        page.line(format!("- Done: {steps}; this flow has no plan."));
    } else {
        let completed = report.tasks.iter().filter(|task| task.status == "completed").count();
        page.line(format!("- Tasks: {completed} of {} completed, in {steps}.", report.tasks.len()));
    }
}
