//! The statements of a report: what the analyst derives from the action history, and what the
//! model claimed, without repeats.

use super::{Source, Statement};
use ringfence_engine::{
    Author, Claim as ModelClaim, ClaimKind, Deed, Ending, Flow, PlanVersion, PlannedTask,
    Severity as ModelSeverity, State,
};
use ringfence_models::playbook;
use ringfence_models::playbook::analyst::{
    self, About, Claim, Evidence, Graph, Observation, Severity, plural,
};

/// A report's statements by section.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub(super) stack: Vec<Statement>,
    pub(super) modules: Vec<Statement>,
    pub(super) findings: Vec<Statement>,
    pub(super) coverage: Vec<Statement>,
    pub(super) graph: Option<Graph>,
}

/// Everything that the run's journal supports.
pub(super) fn all(state: &State) -> Claims {
    let mut claims = Claims::default();
    let observations = observations(state);
    claims.graph = analyst::graph(&observations);
    for claim in analyst::claims(&observations) {
        claims.section(claim.about, claim.severity.is_some()).push(statement(claim));
    }
    claims.coverage.extend(left_out(state));
    for claim in &state.claims {
        claims.add(claim);
    }
    // The analyst's order is kept among findings that are equally bad.
    claims.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    claims
}

/// What a limit left no room for: tasks that the playbook didn't plan, tasks that were still open
/// when it ended the run, an answer that wasn't given.
fn left_out(state: &State) -> Option<Statement> {
    let mut parts = Vec::new();
    if let Some(missing) = not_planned(state) {
        parts.push(format!("not planned: {missing}"));
    }
    let ended_by = match state.stage.ending() {
        Some(Ending::Limit { which }) => Some(which),
        Some(Ending::Achieved | Ending::Failed { .. } | Ending::Aborted) | None => None,
    };
    if ended_by.is_some() {
        match state.settings.flow {
            Flow::Staged if state.stack.is_empty() => {}
            Flow::Staged => {
                let open: Vec<&str> =
                    state.stack.iter().rev().map(|task| task.planned.id.0.as_str()).collect();
                parts.push(format!("planned and not done: {}", open.join(", ")));
            }
            Flow::Pipeline | Flow::React => parts.push("no final answer was given".to_owned()),
        }
    }
    let last = state.history.last()?.step.0;
    if parts.is_empty() {
        return None;
    }
    let parts = parts.join("; ");
    let cap = state.settings.limits.iterations;
    let text = match ended_by {
        Some(which) if state.iterations < cap => format!("A limit ended the run ({which}); {parts}."),
        Some(_) | None => {
            format!("The run was limited to {}; {parts}.", plural(u64::from(cap), "iteration"))
        }
    };
    Some(Statement {
        source: Source::Analyst,
        topic: "left-out".to_owned(),
        text,
        why: None,
        severity: None,
        concern: None,
        rule: None,
        partial: Some(parts),
        evidence: vec![Evidence { step: last, file: None, lines: None }],
        items: Vec::new(),
        omitted: 0,
        remarks: Vec::new(),
    })
}

/// The parts of the playbook's whole plan that its plan for this run didn't have room for.
fn not_planned(state: &State) -> Option<String> {
    let whole = playbook::whole_plan();
    // What a person changed is as they wanted it.
    let by_playbook = |plan: &&PlanVersion| {
        let known = |task: &PlannedTask| task.kind.as_deref().is_some_and(|kind| whole.contains(&kind));
        plan.author == Author::Model && !plan.tasks.is_empty() && plan.tasks.iter().all(known)
    };
    let plan = state.plans.iter().find(by_playbook)?;
    let planned = |kind: &&str| plan.tasks.iter().any(|task| task.kind.as_deref() == Some(*kind));
    let missing: Vec<&str> = whole.iter().copied().filter(|kind| !planned(kind)).collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}

fn observations(state: &State) -> Vec<Observation> {
    state
        .history
        .iter()
        .filter_map(|action| match &action.deed {
            Deed::Tool { tool, input, status, value, message, receipt: _ } => Some(Observation {
                step: action.step.0,
                task: action.task.to_string(),
                tool: tool.clone(),
                input: input.clone(),
                status: status.name().to_owned(),
                value: value.clone(),
                message: message.clone(),
            }),
            Deed::Human { .. } | Deed::Rejected { .. } => None,
        })
        .collect()
}

impl Claims {
    fn section(&mut self, about: About, is_finding: bool) -> &mut Vec<Statement> {
        match about {
            About::Stack => &mut self.stack,
            About::Module => &mut self.modules,
            About::Problem if is_finding => &mut self.findings,
            About::Problem => &mut self.coverage,
        }
    }

    /// Takes a model's claim, unless it is there already.
    fn add(&mut self, claim: &ModelClaim) {
        let about = match claim.about {
            ClaimKind::Stack => About::Stack,
            ClaimKind::Module => About::Module,
            ClaimKind::Problem => About::Problem,
        };
        let evidence: Vec<Evidence> = claim
            .evidence
            .iter()
            .map(|place| Evidence { step: place.step.0, file: place.file.clone(), lines: place.lines })
            .collect();
        let section = self.section(about, true);
        if section.iter().any(|had| same_words(&had.text, &claim.text)) {
            return;
        }
        if about == About::Problem
            && let Some(had) = section.iter_mut().find(|had| covers(had, &evidence))
        {
            let rated = claim.severity.map_or("", |given| severity(given).name());
            had.remarks.push(if rated.is_empty() {
                claim.text.clone()
            } else {
                format!("{} ({rated})", claim.text)
            });
            return;
        }
        section.push(Statement {
            source: Source::Model,
            topic: "model".to_owned(),
            text: claim.text.clone(),
            why: None,
            severity: (about == About::Problem).then(|| claim.severity.map_or(Severity::Info, severity)),
            concern: None,
            rule: None,
            partial: None,
            evidence,
            items: Vec::new(),
            omitted: 0,
            remarks: Vec::new(),
        });
    }
}

fn statement(claim: Claim) -> Statement {
    Statement {
        source: Source::Analyst,
        topic: claim.topic,
        text: claim.text,
        why: claim.why,
        severity: claim.severity,
        concern: claim.concern,
        rule: claim.rule,
        partial: claim.partial,
        evidence: claim.evidence,
        items: claim.items,
        omitted: claim.omitted,
        remarks: Vec::new(),
    }
}

fn severity(severity: ModelSeverity) -> Severity {
    match severity {
        ModelSeverity::Info => Severity::Info,
        ModelSeverity::Low => Severity::Low,
        ModelSeverity::Medium => Severity::Medium,
        ModelSeverity::High => Severity::High,
    }
}

fn same_words(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    words(a) == words(b)
}

/// Whether each of these places lies where the analyst's finding already is. Places without
/// lines say too little to be the same.
fn covers(had: &Statement, evidence: &[Evidence]) -> bool {
    let inside = |place: &Evidence| {
        let Some((first, last)) = place.lines else { return false };
        // A long range is about more than the one line that a rule matched.
        last.saturating_sub(first) <= 5
            && had.evidence.iter().any(|known| {
                known.file.is_some()
                    && known.file == place.file
                    && known.lines.is_some_and(|lines| lines.0 <= last && first <= lines.1)
            })
    };
    had.source == Source::Analyst && !evidence.is_empty() && evidence.iter().all(inside)
}
