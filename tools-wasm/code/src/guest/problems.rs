//! `find_problems`: the interface's types to this crate's and back.

use super::fan_out::Host;
use super::needs::wasi::config::store;
use super::wit;
use crate::{
    Card, Concern, Confidence, Problem, Problems, ProblemsFailure, ProblemsRequest, Searched, Setting,
    Severity, Skipped,
};
use ringfence_guest_project::Root;

/// The setting with the project's confirmed rules.
const RULES: &str = "rules";

pub(super) fn find_problems(request: &ProblemsRequest<'_>) -> Result<wit::Problems, wit::Error> {
    let confirmed = store::get(RULES).map_err(|error| match error {
        store::Error::Upstream(why) | store::Error::Io(why) => wit::Error::Io(why),
    })?;
    Ok(crate::find_problems(&Root::guest(), &Host, confirmed.as_deref(), request)?.into())
}

impl From<ProblemsFailure> for wit::Error {
    fn from(failure: ProblemsFailure) -> Self {
        match failure {
            ProblemsFailure::Fault(fault) => fault.into(),
            ProblemsFailure::BadRule(message) => Self::BadRule(message),
        }
    }
}

impl From<Problems> for wit::Problems {
    fn from(problems: Problems) -> Self {
        Self {
            directory: problems.directory,
            found: problems.found.into_iter().map(Into::into).collect(),
            total: problems.total,
            next: problems.next,
            rules: problems.rules.into_iter().map(Into::into).collect(),
            rules_run: problems.rules_run,
            searched: problems.searched.into_iter().map(Into::into).collect(),
            suppressed: problems.suppressed,
            set_apart: problems.set_apart,
            skipped: problems.skipped.into_iter().map(Into::into).collect(),
            complete: problems.complete,
        }
    }
}

impl From<Problem> for wit::Problem {
    fn from(problem: Problem) -> Self {
        Self {
            rule: problem.rule,
            path: problem.path,
            first_line: problem.first_line,
            first_column: problem.first_column,
            last_line: problem.last_line,
            last_column: problem.last_column,
            message: problem.message,
            excerpt: problem.excerpt,
            setting: problem.setting.into(),
            symbol: problem.symbol,
            content: problem.content,
            fingerprint: problem.fingerprint,
        }
    }
}

impl From<Card> for wit::Rule {
    fn from(card: Card) -> Self {
        Self {
            id: card.id,
            language: card.language,
            severity: match card.severity {
                Severity::High => wit::Severity::High,
                Severity::Medium => wit::Severity::Medium,
                Severity::Low => wit::Severity::Low,
                Severity::Info => wit::Severity::Info,
            },
            confidence: match card.confidence {
                Confidence::High => wit::Confidence::High,
                Confidence::Medium => wit::Confidence::Medium,
                Confidence::Low => wit::Confidence::Low,
            },
            concern: match card.concern {
                Concern::Security => wit::Concern::Security,
                Concern::Performance => wit::Concern::Performance,
                Concern::Correctness => wit::Concern::Correctness,
                Concern::Maintainability => wit::Concern::Maintainability,
            },
            cwe: card.cwe,
            message: card.message,
            why: card.why,
            fix: card.fix,
            origin: card.origin,
        }
    }
}

impl From<Searched> for wit::Searched {
    fn from(searched: Searched) -> Self {
        Self { language: searched.language.into(), files: searched.files, rules: searched.rules }
    }
}

impl From<Skipped> for wit::Skipped {
    fn from(skipped: Skipped) -> Self {
        Self { path: skipped.path, reason: skipped.reason }
    }
}

impl From<Setting> for wit::Setting {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Product => Self::Product,
            Setting::Tooling => Self::Tooling,
            Setting::Test => Self::Test,
            Setting::Example => Self::Example,
            Setting::Documentation => Self::Documentation,
            Setting::Vendored => Self::Vendored,
            Setting::Generated => Self::Generated,
        }
    }
}
