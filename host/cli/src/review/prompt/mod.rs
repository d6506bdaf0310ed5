//! The conversation with a person at a terminal: choices, and what they lead to.
//!
//! Owns: the order of questions until there is an answer that the run takes. Doesn't own: which
//! choices there are (`menu`), what is being changed (`draft`), the terminal itself (`person`).
//! End of input means "another day".

mod draft;
mod menu;
mod person;

use super::{Said, Verdict};
use crate::lanes;
use crate::terminal::{forget_typed_ahead, plain};
use anyhow::Result;
use draft::{Typed, new_task};
use menu::{Edit, Menu};
use person::{AtTerminal, Person};
use ringfence_engine::{Answer, Event, EventKind, Review, Run, State, Subject};

/// Asks until there is an answer that the run takes. `grant`: the command that allows more.
pub(super) fn ask(review: &Review, state: &State, shown: &str, grant: &str) -> Result<Said> {
    let mut person = AtTerminal;
    forget_typed_ahead();
    person.say(&format!("\n{}", shown.trim_end()));
    if matches!(review.subject, Subject::Question { .. }) {
        person
            .say(&format!("If it needs a folder that isn't granted: quit with q, then\n  {}", plain(grant)));
    }
    answered(&mut person, review, state)
}

fn answered(person: &mut dyn Person, review: &Review, state: &State) -> Result<Said> {
    let asker = lanes::asker(state, review.id).1;
    let mut menu = Menu::of(&review.subject, asker);
    let mut typed = Typed::default();
    loop {
        let said = match &mut menu {
            Some(menu) => choose(person, menu, &mut typed)?,
            None => Some(question(person)?),
        };
        let Some(said) = said else { continue };
        match &said {
            Said::Verdict(Verdict::Answered(answer)) => match taken(review, state, answer) {
                Ok(()) => return Ok(said),
                Err(why) => person.say(&plain(&why)),
            },
            Said::Verdict(Verdict::Later) | Said::ApproveAllCalls => return Ok(said),
        }
    }
}

/// Whether the run takes the answer: whoever typed it can still correct it.
fn taken(review: &Review, state: &State, answer: &Answer) -> Result<(), String> {
    let kind = EventKind::Answered { review: review.id, answer: answer.clone() };
    let event = Event { at: state.clock.latest, worked_ms: Some(0), kind };
    Run::from_state(state.clone()).apply(event).map(|_| ()).map_err(|refused| refused.to_string())
}

fn question(person: &mut dyn Person) -> Result<Said> {
    let asking = "Your answer ([-] decline, [x] end the run, [q] or nothing: quit, resume later): ";
    let Some(text) = person.line(asking)? else { return Ok(Said::Verdict(Verdict::Later)) };
    Ok(match text.as_str() {
        "" | "q" => Said::Verdict(Verdict::Later),
        "x" => answer(Answer::Abort),
        "-" => match person.sentence("Why? ")? {
            Some(reason) => answer(Answer::Reject { reason }),
            None => Said::Verdict(Verdict::Later),
        },
        _ => answer(Answer::Reply { text }),
    })
}

fn answer(answer: Answer) -> Said {
    Said::Verdict(Verdict::Answered(answer))
}

/// One choice; `None` where it leads back to the choices.
fn choose(person: &mut dyn Person, menu: &mut Menu, typed: &mut Typed) -> Result<Option<Said>> {
    let Some(word) = person.line(&menu.line())? else { return Ok(Some(Said::Verdict(Verdict::Later))) };
    let may_leave = |person: &mut dyn Person, edit: &Edit| match edit {
        Edit::Plan(draft) => draft.may_be_lost(person),
        Edit::Input(_) | Edit::Text(_) | Edit::Nothing => Ok(true),
    };
    Ok(match (word.as_str(), &mut menu.edit) {
        ("y" | "yes", Edit::Plan(draft)) if draft.edited => {
            Some(answer(Answer::EditPlan { tasks: draft.tasks.clone() }))
        }
        ("y" | "yes", _) => Some(answer(menu.approve.1.clone())),
        ("all", _) if menu.all_calls => Some(Said::ApproveAllCalls),
        ("e", Edit::Plan(draft)) => draft.edit(person).map(|()| None)?,
        ("a", Edit::Plan(draft)) => draft.add(person).map(|()| None)?,
        ("r", Edit::Plan(draft)) if draft.tasks.len() > 1 => draft.remove(person).map(|()| None)?,
        ("e", Edit::Input(input)) => edit_input(person, input, typed)?,
        ("e", Edit::Text(text)) => edit_text(person, text, typed)?,
        ("a", _) if menu.add.is_some() => {
            new_task(person, &menu.taken)?.map(|task| answer(Answer::AddTasks { tasks: vec![task] }))
        }
        ("t", edit) if menu.words.is_some() && may_leave(person, edit)? => {
            let asking = menu.words.map_or("", |(_, asking)| asking);
            person.sentence(asking)?.map(|text| answer(Answer::Reply { text }))
        }
        ("n" | "no", edit) if menu.reject.is_some() && may_leave(person, edit)? => {
            let asking = menu.reject.map_or("", |(_, asking)| asking);
            person.sentence(asking)?.map(|reason| answer(Answer::Reject { reason }))
        }
        ("x", _) => Some(answer(Answer::Abort)),
        ("q", edit) => may_leave(person, edit)?.then_some(Said::Verdict(Verdict::Later)),
        // They went back to their changes.
        ("t", _) if menu.words.is_some() => None,
        ("n" | "no", _) if menu.reject.is_some() => None,
        (other, _) => {
            person.say(&format!("`{}` is none of the choices.", plain(other)));
            None
        }
    })
}

fn edit_input(person: &mut dyn Person, input: &serde_json::Value, typed: &mut Typed) -> Result<Option<Said>> {
    let text = || Ok(serde_json::to_string_pretty(input)?);
    let read = |text: &str| Ok(serde_json::from_str::<serde_json::Value>(text)?);
    Ok(match typed.edit(person, text, ".json", read)? {
        Some(same) if same == *input => {
            person.say("The call is as it was.");
            None
        }
        Some(input) => Some(answer(Answer::EditCall { input })),
        None => None,
    })
}

fn edit_text(person: &mut dyn Person, text: &str, typed: &mut Typed) -> Result<Option<Said>> {
    let edited = typed.edit(person, || Ok(text.to_owned()), ".md", |text| Ok(text.trim_end().to_owned()))?;
    Ok(match edited {
        Some(same) if same.is_empty() || same == text => {
            person.say("The answer is as it was.");
            None
        }
        Some(text) => Some(answer(Answer::EditAnswer { text })),
        None => None,
    })
}

#[cfg(test)]
mod tests;
