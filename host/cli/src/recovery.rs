//! What became of an apply that was cut off, told by whatever command came next: in words on standard
//! error at once, since the command may fail after that, and as JSON.

use crate::exit::Refusal;
use crate::output::err;
use crate::terminal::{name, plain};
use anyhow::Result;
use ringfence_engine::{Refused, Settled};
use ringfence_sandbox::{Applied, Deleted, GivenUp, GrantPath, Kept, SetAside, Stage};
use serde_json::{Value, json};
use std::sync::Arc;

/// An apply that was cut off, and is finished now.
#[derive(Debug)]
pub struct Recovery {
    /// What is to be journaled of it; none if it was before.
    pub settled: Option<Settled>,
    /// What came of it.
    pub applied: Applied,
    /// Where it's noted until it's journaled.
    pub stage: Arc<Stage>,
}

impl Recovery {
    /// Says so.
    pub fn tell(&self, quiet: bool) {
        if !quiet {
            err("note: an apply that was cut off has been finished\n");
        }
        tell_set_aside(&self.applied.set_aside);
    }

    /// Has it journaled, once.
    pub fn journal(&self, record: impl FnOnce(Settled) -> Result<()>) -> Result<()> {
        journal_applied(&self.stage, self.settled.clone().map_or(Ok(()), record))
    }

    /// The same as an object.
    pub fn json(&self) -> Value {
        json!({ "applied": self.applied.paths, "set_aside": set_aside_json(&self.applied.set_aside) })
    }
}

/// Takes in whether an apply was journaled: the stage keeps what it came to where it wasn't, so that
/// the next command does it.
pub fn journal_applied(stage: &Stage, recorded: Result<()>) -> Result<()> {
    let will_ever_be = |error: &anyhow::Error| !error.is::<Refused>() && !error.is::<Refusal>();
    match recorded {
        Ok(()) => Ok(stage.journaled()?),
        Err(error) if will_ever_be(&error) => Err(error.context(
            "the changes are in the project, but the run's journal doesn't say so yet; the next command on \
             this run writes it down",
        )),
        Err(error) => {
            stage.journaled()?;
            Err(error.context("the changes are in the project, but the run's journal can't say so"))
        }
    }
}

/// Says what was in the way of an apply, and where it is.
pub fn tell_set_aside(aside: &[SetAside]) {
    for SetAside { path, now_at } in aside {
        let came = format!("note: something came to be at {} meanwhile", shown(path));
        if path == now_at {
            err(&format!("{came}; it is left there\n"));
        } else {
            err(&format!("{came}; it is kept at {}\n", shown(now_at)));
        }
    }
}

/// The same as an array.
pub fn set_aside_json(aside: &[SetAside]) -> Value {
    aside.iter().map(|it| json!({ "path": it.path, "now_at": it.now_at })).collect()
}

/// Says what an apply that was given up leaves.
pub fn tell_given_up(left: &GivenUp) {
    for path in &left.in_project {
        err(&format!("note: `{}` was put into the project by it and stays\n", shown(path)));
    }
    for Deleted { path, now } in &left.deleted {
        let now = match now {
            Kept::PutBack => "it is put back".to_owned(),
            Kept::At(file) => format!("it is kept at {}", plain(&file.display().to_string())),
            Kept::Lost(None) => "what the stage held of it is damaged, so it is lost".to_owned(),
            Kept::Lost(Some(to)) => format!("the link to `{}` can't be put back", name(to)),
        };
        err(&format!("note: `{}` was deleted by it; {now}\n", shown(path)));
    }
    for path in &left.temporaries {
        err(&format!("note: `{}` may be left of it; delete it\n", shown(path)));
    }
}

/// The same as an object.
pub fn given_up_json(left: &GivenUp) -> Value {
    let deleted = left.deleted.iter().map(|Deleted { path, now }| match now {
        Kept::PutBack => json!({ "path": path, "now": "put_back" }),
        Kept::At(file) => json!({ "path": path, "now": "kept", "at": file.display().to_string() }),
        Kept::Lost(link) => json!({ "path": path, "now": "lost", "link_to": link }),
    });
    let deleted: Vec<_> = deleted.collect();
    json!({ "in_project": left.in_project, "deleted": deleted, "temporaries": left.temporaries })
}

fn shown(path: &GrantPath) -> String {
    name(&path.to_string())
}
