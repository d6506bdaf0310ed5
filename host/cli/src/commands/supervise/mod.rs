//! `ringfence supervise`: a run that is taken up again when its process hangs or dies.
//!
//! Owns: starting, killing and starting again. Doesn't own: what a run does; the supervisor only
//! reads its journal.

mod account;
mod errand;
mod stops;
mod watch;

use crate::args::{GlobalArgs, SuperviseArgs};
use crate::config::Resolved;
use crate::driver::HEARTBEAT;
use crate::exit::{Exit, Refusal};
use crate::notify::{self, Sending};
use crate::output::err;
use crate::session;
use crate::shell;
use crate::state_dir::Folders;
use crate::terminal::plain;
use account::{Account, Trouble};
use anyhow::{Context, Result};
use clap::error::ErrorKind;
use errand::{Errand, NoErrand};
use ringfence_engine::RunId;
use ringfence_store::RunSummary;
use serde_json::json;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use stops::Stops;
use tokio::process::{Child, Command};
use tokio::time::MissedTickBehavior;
use watch::{Before, Watch};

/// What a process that panicked exits with.
const PANICKED: i32 = 101;

/// Carries the command out.
pub(super) fn execute(args: &SuperviseArgs, global: &GlobalArgs) -> Result<Exit> {
    let errand = match Errand::read(&args.command, global) {
        Ok(errand) => errand,
        Err(NoErrand::Unfit(refusal)) => return Err(refusal.into()),
        Err(NoErrand::Unreadable(error)) => {
            // A closed pipe is no reason to fail.
            let _ = error.print();
            return Ok(match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
                _ => Exit::Usage,
            });
        }
    };
    let folders = Folders::find(errand.state.as_deref())?;
    let notify = match &errand.notify {
        Some(command) => Some(command.clone()),
        None => Resolved::user_notify(&folders)?,
    };
    let supervisor = Supervisor {
        folders,
        notify,
        errand,
        hang_after: args.hang_after,
        look_every: HEARTBEAT.min(args.hang_after / 4),
        account: Account::new(args.max_restarts),
        sending: Sending::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("no runtime can be made")?.block_on(supervisor.supervise())
}

struct Supervisor {
    folders: Folders,
    notify: Option<String>,
    errand: Errand,
    hang_after: Duration,
    look_every: Duration,
    account: Account,
    sending: Sending,
}

/// What became of one child.
enum Gone {
    /// It ended by itself, with this code.
    Ended(u8),
    /// It has to be started again.
    Lost(Trouble),
}

impl Supervisor {
    async fn supervise(mut self) -> Result<Exit> {
        let mut stops = Stops::listen().context("signals can't be watched")?;
        let named = self.named();
        let mut run = named.as_ref().map(|run| run.id.clone());
        let mut words = self.errand.first();
        loop {
            let (before, born) = (Before::now(&self.folders, run.as_ref()), Instant::now());
            let mut child = start(&words)?;
            let pid = child.id().context("a process that has just begun has a number")?;
            let mut watch = Watch::new(&self.folders, pid, before, run.clone());
            let trouble = match self.follow(&mut child, pid, &mut watch, &mut stops).await? {
                Gone::Ended(code) => return Ok(Exit::Other(code)),
                Gone::Lost(trouble) => trouble,
            };
            // Not known, a run could be begun a second time.
            let summary = watch.summary().context("it can't be told what became of the run")?;
            run = summary.as_ref().map(|found| found.id.clone());
            if stops.asked {
                self.tell_stopped(run.as_ref());
                return Ok(Exit::Interrupted);
            }
            words = match &summary {
                // An answer that wasn't taken yet is given again.
                Some(now) if named.as_ref().is_some_and(|named| named.events == now.events) => {
                    self.errand.first()
                }
                Some(now) => self.errand.resume(&now.id),
                None => self.errand.first(),
            };
            let wait = self.account.enter(pid, born.elapsed(), &trouble);
            self.notify(summary.as_ref(), &trouble, wait.is_none());
            let Some(wait) = wait else {
                self.tell_given_up(run.as_ref(), &words);
                return Ok(Exit::Failed);
            };
            self.tell_restart(run.as_ref(), &trouble, wait);
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = stops.next() => {
                    self.tell_stopped(run.as_ref());
                    return Ok(Exit::Interrupted);
                }
            }
        }
    }

    /// The run that the command names, as it is before anything is done.
    fn named(&self) -> Option<RunSummary> {
        let store = self.folders.read_store().ok().flatten()?;
        store.find(self.errand.run.as_deref()?).ok()
    }

    /// Waits until the child has ended, or kills it once it hangs.
    async fn follow(
        &self,
        child: &mut Child,
        pid: u32,
        watch: &mut Watch<'_>,
        stops: &mut Stops,
    ) -> Result<Gone> {
        let mut looks = tokio::time::interval(self.look_every);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                status = child.wait() => {
                    let status = status.context("the child can't be waited for")?;
                    return Ok(judge(status, stops.asked));
                }
                signal = stops.next() => stops.pass_on(signal, pid),
                _ = looks.tick() => {
                    stops.catch_up(pid);
                    if let Some(silence) = watch.look(self.look_every, self.hang_after) {
                        return self.kill(child, silence, stops.asked).await;
                    }
                }
            }
        }
    }

    async fn kill(&self, child: &mut Child, silence: Duration, asked: bool) -> Result<Gone> {
        child.start_kill().context("the hanging child can't be killed")?;
        let status = child.wait().await.context("the killed child can't be waited for")?;
        Ok(match status.code() {
            // It ended by itself in the last moment.
            Some(_) => judge(status, asked),
            None => Gone::Lost(Trouble::Hung(silence)),
        })
    }

    fn notify(&mut self, run: Option<&RunSummary>, trouble: &Trouble, gave_up: bool) {
        let (Some(command), Some(run)) = (self.notify.clone(), run) else { return };
        let (project, stage) = (run.project.display().to_string(), run.stage.as_str());
        let more = json!({
            "what": trouble.text(), "restarts": self.account.restarts(), "gave_up": gave_up,
        });
        let message = notify::message("hung", (&run.id.0, &run.goal, &project, stage), more);
        self.sending.send(command, message);
    }

    fn tell_restart(&self, run: Option<&RunId>, trouble: &Trouble, wait: Duration) {
        if self.errand.quiet {
            return;
        }
        let what = run.map_or_else(|| "the command".to_owned(), |run| format!("run {run}"));
        err(&format!(
            "supervise: {what} {}; restart {} of {} in {} s\n",
            trouble.text(),
            self.account.restarts(),
            self.account.most(),
            wait.as_secs()
        ));
    }

    fn tell_given_up(&self, run: Option<&RunId>, words: &[OsString]) {
        let what = match run {
            Some(run) => format!("run {run}"),
            None => "the command, which began no run,".to_owned(),
        };
        err(&format!(
            "\nsupervise: {what} was given up after {} restarts:\n{}To go on:\n  {}\n",
            self.account.restarts(),
            self.account.text(),
            plain(&own_words(words))
        ));
    }

    fn tell_stopped(&self, run: Option<&RunId>) {
        if let Some(run) = run {
            let resume = own_words(&self.errand.resume(run));
            err(&format!("Interrupted; nothing is lost. To go on:\n  {}\n", plain(&resume)));
        }
    }
}

/// A command of this program's, complete.
fn own_words(words: &[OsString]) -> String {
    shell::command([OsString::from(session::own_name())].iter().chain(words))
}

/// Starts this program again, at the same terminal and with the same files.
fn start(words: &[OsString]) -> Result<Child> {
    let program = std::env::current_exe().context("this program can't be found again")?;
    let child = Command::new(&program).args(words).spawn();
    child.map_err(|error| {
        Refusal::new(Exit::Failed, format!("{} can't be started: {error}", program.display())).into()
    })
}

/// A signal or a panic is no end; unless the child was asked to stop.
fn judge(status: ExitStatus, asked: bool) -> Gone {
    match (status.code(), status.signal()) {
        (Some(PANICKED), _) if !asked => Gone::Lost(Trouble::Panicked),
        (Some(code), _) => Gone::Ended(u8::try_from(code).unwrap_or(1)),
        (None, Some(signal)) if !asked => Gone::Lost(Trouble::Killed(signal)),
        (None, signal) => Gone::Ended(u8::try_from(signal.unwrap_or(0).saturating_add(128)).unwrap_or(1)),
    }
}
