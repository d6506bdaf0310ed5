//! From a journal to a report.

use super::{Counts, FORMAT, Journal, Report, below, changes, claims, safe, sections};
use ringfence_models::playbook::analyst::Severity;

impl Report {
    /// Makes the report of a run, ended or not. The same journal gives the same report.
    pub fn from_journal(journal: Journal<'_>) -> Self {
        let whole = below::with_lanes(journal.state);
        let journal = Journal { state: &whole, ..journal };
        let state = journal.state;
        let claims = claims::all(state);
        let mut counts = Counts::default();
        for finding in &claims.findings {
            match finding.severity {
                Some(Severity::High) => counts.high += 1,
                Some(Severity::Medium) => counts.medium += 1,
                Some(Severity::Low) => counts.low += 1,
                Some(Severity::Info) | None => counts.info += 1,
            }
        }
        let report = Self {
            format: FORMAT.to_owned(),
            run: state.run.to_string(),
            goal: state.goal.clone(),
            project: journal.project.to_owned(),
            model: journal.model.to_owned(),
            flow: state.settings.flow.name().to_owned(),
            outcome: sections::outcome(state),
            started: sections::time(state.clock.started),
            latest: sections::time(state.clock.latest),
            answer: state.answer.clone(),
            counts,
            stack: claims.stack,
            modules: claims.modules,
            graph: claims.graph,
            findings: claims.findings,
            coverage: claims.coverage,
            tasks: sections::tasks(state),
            steps: sections::steps(state),
            plans: sections::plans(state),
            reflection: sections::reflection(state),
            said: sections::said(state),
            changes: changes::changes(&journal),
            denials: sections::denials(&journal),
            notes: sections::notes(state),
            fence: sections::fence(&journal),
            spend: sections::spend(&journal),
        };
        safe::neutral(report)
    }
}
