//! The conversation with a person at a terminal.
//!
//! Reads lines from standard input and writes to standard error, so that standard output carries
//! nothing but the result. End of input means "another day".

use super::{Said, Verdict, approved_hash, plan_file};
use crate::output::err;
use crate::terminal::plain;
use anyhow::{Context, Result, bail};
use ringfence_engine::{Answer, PlannedTask, Review, Subject, TaskId};
use std::fs::OpenOptions;
use std::io::{BufRead, Write};

/// Asks until there is an answer.
pub(super) fn ask(review: &Review, shown: &str) -> Result<Said> {
    err(&format!("\n{shown}"));
    let verdict = match &review.subject {
        Subject::Call { call, .. } => return call_review(&call.input),
        Subject::Plan { plan } => plan_review(&review.subject, plan.tasks.clone()),
        Subject::Judgement { .. } => choose(&[
            Way::Approve("approve"),
            Way::Advise,
            Way::Reject("it needs more work"),
            Way::Abort,
            Way::Quit,
        ]),
        Subject::Finish { .. } => {
            choose(&[Way::Approve("end here"), Way::Reject("not yet"), Way::Abort, Way::Quit])
        }
        Subject::Question { .. } => question(),
        Subject::Stagnation { .. } => choose(&[
            Way::Approve("go on"),
            Way::Advise,
            Way::Reject("give the task up"),
            Way::Abort,
            Way::Quit,
        ]),
        Subject::UnknownOutcome { .. } => {
            choose(&[Way::Approve("call again"), Way::Reject("take it as failed"), Way::Abort, Way::Quit])
        }
        Subject::StageFailed { .. } => choose(&[Way::Approve("ask again"), Way::Abort, Way::Quit]),
        Subject::Interrupted => choose(&[Way::Approve("go on"), Way::Abort, Way::Quit]),
    };
    verdict.map(Said::Verdict)
}

fn question() -> Result<Verdict> {
    let asking = "Your answer ([x] end the run, [q] or nothing: quit, resume later): ";
    let Some(text) = line(asking)? else { return Ok(Verdict::Later) };
    Ok(match text.as_str() {
        "" | "q" => Verdict::Later,
        "x" => Verdict::Answered(Answer::Abort),
        _ => Verdict::Answered(Answer::Reply { text }),
    })
}

/// Answers that need nothing but a word or a sentence.
#[derive(Clone, Copy)]
enum Way {
    Approve(&'static str),
    Advise,
    Reject(&'static str),
    Abort,
    Quit,
}

fn choose(ways: &[Way]) -> Result<Verdict> {
    let menu: Vec<_> = ways
        .iter()
        .map(|way| match way {
            Way::Approve(what) => format!("[y] {what}"),
            Way::Advise => "[t] tell it something".to_owned(),
            Way::Reject(what) => format!("[n] {what}"),
            Way::Abort => "[x] end the run".to_owned(),
            Way::Quit => "[q] quit, resume later".to_owned(),
        })
        .collect();
    loop {
        let Some(word) = line(&format!("{}: ", menu.join("  ")))? else { return Ok(Verdict::Later) };
        for way in ways {
            match (way, word.as_str()) {
                (Way::Approve(_), "y" | "yes") => {
                    return Ok(Verdict::Answered(Answer::Approve { plan: None }));
                }
                (Way::Advise, "t") => {
                    if let Some(text) = sentence("What should it know? ")? {
                        return Ok(Verdict::Answered(Answer::Reply { text }));
                    }
                }
                (Way::Reject(_), "n" | "no") => {
                    if let Some(reason) = sentence("Why? ")? {
                        return Ok(Verdict::Answered(Answer::Reject { reason }));
                    }
                }
                (Way::Abort, "x") => return Ok(Verdict::Answered(Answer::Abort)),
                (Way::Quit, "q") => return Ok(Verdict::Later),
                (Way::Approve(_) | Way::Advise | Way::Reject(_) | Way::Abort | Way::Quit, _) => {}
            }
        }
        say(&format!("`{}` is none of the choices.", plain(&word)));
    }
}

fn plan_review(subject: &Subject, mut tasks: Vec<PlannedTask>) -> Result<Verdict> {
    let mut edited = false;
    // What was typed and can't be read yet, so that a slip costs no work.
    let mut draft: Option<String> = None;
    loop {
        let mut changed = false;
        let menu = "[y] approve  [e] edit  [a] add a task  [r] remove tasks  [n] reject  [x] end the run  [q] quit, resume later: ";
        let Some(word) = line(menu)? else { return Ok(Verdict::Later) };
        match word.as_str() {
            "y" | "yes" if edited => return Ok(Verdict::Answered(Answer::EditPlan { tasks })),
            "y" | "yes" => return Ok(Verdict::Answered(Answer::Approve { plan: approved_hash(subject) })),
            "e" => {
                let text = match draft.take() {
                    Some(text) => text,
                    None => plan_file::write(&tasks)?,
                };
                let read = edit(&text, ".toml").map(|text| (plan_file::read(&text, "the edited plan"), text));
                match read {
                    Ok((Ok(new), _)) if new.is_empty() || new == tasks => say("The plan is as it was."),
                    Ok((Ok(new), _)) => (tasks, changed) = (new, true),
                    Ok((Err(error), text)) => {
                        say(&format!(
                            "{}\nThe plan is as it was; [e] opens your text again.",
                            plain(&format!("{error:#}"))
                        ));
                        draft = Some(text);
                    }
                    Err(error) => say(&format!("{}\nThe plan is as it was.", plain(&format!("{error:#}")))),
                }
            }
            "a" => {
                if let Some(description) = sentence("What should be done? ")? {
                    tasks.push(PlannedTask {
                        id: free_id(&tasks),
                        description,
                        kind: None,
                        depends_on: None,
                    });
                    edited = true;
                }
            }
            "r" => {
                let Some(numbers) = sentence("Which numbers? ")? else { continue };
                match remove(&mut tasks, &numbers) {
                    Ok(()) => changed = true,
                    Err(error) => say(&error.to_string()),
                }
            }
            "n" | "no" => {
                if let Some(reason) = sentence("Why? ")? {
                    return Ok(Verdict::Answered(Answer::Reject { reason }));
                }
            }
            "x" => return Ok(Verdict::Answered(Answer::Abort)),
            "q" if edited => {
                let sure = line("Your changes to the plan are lost if you quit now. Quit? [y/N] ")?;
                if sure.is_none_or(|word| word == "y") {
                    return Ok(Verdict::Later);
                }
            }
            "q" => return Ok(Verdict::Later),
            other => say(&format!("`{}` is none of the choices.", plain(other))),
        }
        if changed {
            edited = true;
            say("The plan as edited:");
            for (number, task) in tasks.iter().enumerate() {
                say(&format!("  {}. {}: {}", number + 1, plain(&task.id.0), plain(&task.description)));
            }
        }
    }
}

fn call_review(input: &serde_json::Value) -> Result<Said> {
    loop {
        let Some(word) = line(
            "[y] approve  [a] approve all calls  [e] edit the input  [n] reject  [x] end the run  [q] quit, resume later: ",
        )?
        else {
            return Ok(Said::Verdict(Verdict::Later));
        };
        match word.as_str() {
            "y" | "yes" => return Ok(Said::Verdict(Verdict::Answered(Answer::Approve { plan: None }))),
            "a" => return Ok(Said::ApproveAllCalls),
            "e" => {
                let text = serde_json::to_string_pretty(input)?;
                let edited: Result<serde_json::Value> =
                    edit(&text, ".json").and_then(|text| Ok(serde_json::from_str(&text)?));
                match edited {
                    Ok(same) if same == *input => say("The call is as it was."),
                    Ok(input) => return Ok(Said::Verdict(Verdict::Answered(Answer::EditCall { input }))),
                    Err(error) => say(&format!("{}\nThe call is as it was.", plain(&format!("{error:#}")))),
                }
            }
            "n" | "no" => {
                if let Some(reason) = sentence("Why? ")? {
                    return Ok(Said::Verdict(Verdict::Answered(Answer::Reject { reason })));
                }
            }
            "x" => return Ok(Said::Verdict(Verdict::Answered(Answer::Abort))),
            "q" => return Ok(Said::Verdict(Verdict::Later)),
            other => say(&format!("`{}` is none of the choices.", plain(other))),
        }
    }
}

/// Drops the tasks with these numbers; references to them from other tasks go too.
fn remove(tasks: &mut Vec<PlannedTask>, numbers: &str) -> Result<()> {
    let mut gone: Vec<TaskId> = Vec::new();
    for word in numbers.split([' ', ',']).filter(|word| !word.is_empty()) {
        let task = word.parse::<usize>().ok().and_then(|number| tasks.get(number.checked_sub(1)?));
        match task {
            Some(task) => gone.push(task.id.clone()),
            None => bail!("There is no task number `{}`.", plain(word)),
        }
    }
    if gone.len() >= tasks.len() {
        bail!("A plan needs a task; reject it or end the run instead.");
    }
    tasks.retain(|task| !gone.contains(&task.id));
    for task in tasks {
        if let Some(ids) = &mut task.depends_on {
            ids.retain(|id| !gone.contains(id));
        }
    }
    Ok(())
}

fn free_id(tasks: &[PlannedTask]) -> TaskId {
    let taken = |id: &str| tasks.iter().any(|task| task.id.0 == id);
    let mut number = tasks.len() + 1;
    while taken(&format!("added_{number}")) {
        number += 1;
    }
    TaskId(format!("added_{number}"))
}

/// Opens `$VISUAL` or `$EDITOR` (else `vi`) on a private temporary file.
fn edit(text: &str, suffix: &str) -> Result<String> {
    let mut file = tempfile::Builder::new().prefix("ringfence-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|text| !text.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // Through the shell, since `$EDITOR` may hold arguments (`code --wait`).
    // On the terminal itself: standard output may be on its way into a file.
    let terminal = || OpenOptions::new().read(true).write(true).open("/dev/tty");
    let (input, output) = (terminal(), terminal());
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file.path());
    if let (Ok(input), Ok(output)) = (input, output) {
        command.stdin(input).stdout(output);
    }
    let status = command.status().with_context(|| format!("the editor `{editor}` can't be started"))?;
    if !status.success() {
        bail!("the editor `{editor}` ended with {status}");
    }
    std::fs::read_to_string(file.path()).context("the edited file can't be read")
}

fn say(line: &str) {
    err(&format!("{line}\n"));
}

/// A line that isn't empty.
fn sentence(prompt: &str) -> Result<Option<String>> {
    Ok(line(prompt)?.filter(|text| !text.is_empty()))
}

/// One line, trimmed; `None` at the end of input.
fn line(prompt: &str) -> Result<Option<String>> {
    err(prompt);
    let mut text = String::new();
    let read = std::io::stdin().lock().read_line(&mut text).context("standard input can't be read")?;
    Ok((read > 0).then(|| text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, after: Option<&[&str]>) -> PlannedTask {
        let depends_on = after.map(|ids| ids.iter().map(|id| TaskId::from(*id)).collect());
        PlannedTask { id: id.into(), description: id.to_owned(), kind: None, depends_on }
    }

    #[test]
    fn removing_a_task_removes_references_to_it() {
        let mut tasks = vec![task("a", None), task("b", None), task("c", Some(&["a", "b"]))];
        remove(&mut tasks, "1").unwrap();
        assert_eq!(tasks, [task("b", None), task("c", Some(&["b"]))]);
    }

    #[test]
    fn numbers_that_name_no_task_remove_nothing() {
        for numbers in ["0", "3", "x", "1,9", "-1"] {
            let mut tasks = vec![task("a", None), task("b", None)];
            assert!(remove(&mut tasks, numbers).is_err(), "{numbers}");
            assert_eq!(tasks.len(), 2);
        }
    }

    #[test]
    fn the_last_task_stays() {
        let mut tasks = vec![task("a", None)];
        assert!(remove(&mut tasks, "1").is_err());
    }

    #[test]
    fn an_added_task_gets_an_id_that_is_free() {
        assert_eq!(free_id(&[task("added_2", None)]), TaskId::from("added_3"));
    }
}
