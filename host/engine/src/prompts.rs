//! Prompt templates: the built-in ones, checking of a person's own, rendering.
//!
//! A template has two parts, split by a line `=== user ===`: first what never changes within a
//! run (role, rules, tools; cached by providers), then the state. Its variables are the fields of
//! `context.rs`; an unknown one is an error, found before a run starts.

use crate::context::{Context, VARIABLES};
use crate::effect::ModelStage;
use crate::message::{Conversation, Message};
use crate::prompt::Prompt;
use crate::schema;
use crate::scope::Scope;
use crate::settings::Prompts;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior};
use thiserror::Error;

/// The line between the two parts.
const SPLIT: &str = "=== user ===";
/// Bytes of a rendered prompt at most; a template that makes more is refused.
const RENDERED: usize = 2 << 20;
/// Instructions that a template may run.
const FUEL: u64 = 2_000_000;

/// What is wrong with a template, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("prompt {file}{}: {why}", line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct PromptError {
    /// The stage's name with `.md`.
    pub file: &'static str,
    /// The line, where one is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
}

/// The two parts of a rendered prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rendered {
    system: String,
    user: String,
}

impl Default for Prompts {
    /// The built-in ones.
    fn default() -> Self {
        Self {
            plan: include_str!("../prompts/plan.md").to_owned(),
            decide: include_str!("../prompts/decide.md").to_owned(),
            evaluate: include_str!("../prompts/evaluate.md").to_owned(),
            reason: include_str!("../prompts/reason.md").to_owned(),
            converse: include_str!("../prompts/converse.md").to_owned(),
            reflect: include_str!("../prompts/reflect.md").to_owned(),
        }
    }
}

impl Prompts {
    /// Finds what is wrong with the templates without running anything else: syntax, a missing
    /// split, unknown variables, filters and functions, values that can't be rendered.
    pub fn check(&self) -> Result<(), PromptError> {
        for stage in ModelStage::ALL {
            let (file, source) = self.template(stage);
            let (system, user) = split(file, source)?;
            for part in [system, user.as_str()] {
                check_variables(file, part)?;
            }
            for state in crate::sample::states(self, stage) {
                render(self, stage, Scope::of(&state))?;
            }
        }
        Ok(())
    }

    /// The same with a text that every stage is told besides, at the end of the part that never
    /// changes. The text is shown as it stands, whatever a template would make of it.
    #[must_use]
    pub fn besides(self, text: &str) -> Self {
        let shown = text.replace('{', "{{ '{' }}");
        let told = |template: String| {
            let mut at = 0;
            for line in template.split_inclusive('\n') {
                if line.trim() == SPLIT {
                    let (fixed, state) = template.split_at(at);
                    return format!("{fixed}\n{shown}\n\n{state}");
                }
                at += line.len();
            }
            template
        };
        let Self { plan, decide, evaluate, reason, converse, reflect } = self;
        Self {
            plan: told(plan),
            decide: told(decide),
            evaluate: told(evaluate),
            reason: told(reason),
            converse: told(converse),
            reflect: told(reflect),
        }
    }

    fn template(&self, stage: ModelStage) -> (&'static str, &str) {
        match stage {
            ModelStage::Plan => ("plan.md", &self.plan),
            ModelStage::Decide => ("decide.md", &self.decide),
            ModelStage::Evaluate => ("evaluate.md", &self.evaluate),
            ModelStage::Reason => ("reason.md", &self.reason),
            ModelStage::Converse => ("converse.md", &self.converse),
            ModelStage::Reflect => ("reflect.md", &self.reflect),
        }
    }
}

/// What a stage's request says in this state. A conversation says what was said.
pub(crate) fn build(scope: Scope<'_>, stage: ModelStage) -> Result<Prompt, PromptError> {
    let settings = &scope.state.settings;
    if let (ModelStage::Converse, Some(conversation)) = (stage, &scope.state.conversation) {
        return Ok(Prompt::Conversation {
            conversation: conversation.clone(),
            tools: schema::conversation_tools(&settings.tools),
        });
    }
    let Rendered { system, user } = render(&settings.prompts, stage, scope)?;
    Ok(Prompt::Stage { system, user, schema: schema::sent(stage, &settings.tools) })
}

/// The beginning of a conversation. It is said once, so that what was said never changes.
pub(crate) fn opening(scope: Scope<'_>) -> Result<Conversation, PromptError> {
    let Rendered { system, user } = render(&scope.state.settings.prompts, ModelStage::Converse, scope)?;
    Ok(Conversation { system, messages: vec![Message::User { text: user }], unsaid: None })
}

/// Renders a stage's prompt for a state.
fn render(prompts: &Prompts, stage: ModelStage, scope: Scope<'_>) -> Result<Rendered, PromptError> {
    let (file, source) = prompts.template(stage);
    let (system, user) = split(file, source)?;
    let context = Value::from(Serde(Context::of(scope, stage)));
    let environment = environment();
    let part = |source: &str| -> Result<String, PromptError> {
        let text =
            environment.render_named_str(file, source, &context).map_err(|error| refused(file, &error))?;
        if text.len() > RENDERED {
            let why = format!("renders to {} bytes; at most {RENDERED} are sent", text.len());
            return Err(PromptError { file, line: None, why });
        }
        Ok(text.trim().to_owned())
    };
    Ok(Rendered { system: part(system)?, user: part(&user)? })
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    // Only delimiters can make a syntax invalid, and these are the usual ones.
    if let Ok(syntax) = syntax.build() {
        environment.set_syntax(syntax);
    }
    environment
}

/// The source's two parts. The template is split, not its output, so that no data can move the
/// border; the second part keeps its line numbers.
fn split<'s>(file: &'static str, source: &'s str) -> Result<(&'s str, String), PromptError> {
    let mut offset = 0;
    for (index, line) in source.split_inclusive('\n').enumerate() {
        if line.trim() == SPLIT {
            let system = source.get(..offset).unwrap_or_default();
            let user = source.get(offset + line.len()..).unwrap_or_default();
            return Ok((system, format!("{}{user}", "\n".repeat(index + 1))));
        }
        offset += line.len();
    }
    Err(PromptError {
        file,
        line: None,
        why: format!("has no line `{SPLIT}` between its fixed part and the state"),
    })
}

fn check_variables(file: &'static str, source: &str) -> Result<(), PromptError> {
    let environment = environment();
    let template =
        environment.template_from_named_str(file, source).map_err(|error| refused(file, &error))?;
    let mut unknown: Vec<String> = template
        .undeclared_variables(false)
        .into_iter()
        .filter(|name| !VARIABLES.contains(&name.as_str()))
        .filter(|name| environment.globals().all(|(known, _)| known != name))
        .collect();
    unknown.sort();
    match unknown.first() {
        None => Ok(()),
        Some(name) => Err(PromptError {
            file,
            line: source.lines().position(|line| line.contains(name.as_str())).map(|index| index + 1),
            why: format!("unknown variable `{name}`; there are {}", VARIABLES.join(", ")),
        }),
    }
}

fn refused(file: &'static str, error: &minijinja::Error) -> PromptError {
    PromptError {
        file,
        line: error.line(),
        why: match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        },
    }
}
