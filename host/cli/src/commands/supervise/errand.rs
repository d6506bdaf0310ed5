//! What is supervised: the command as it was given, and the one that takes its run up again.

use crate::args::{Cli, Command, GlobalArgs, GoingOnArgs, ResumeArgs, RunArgs};
use crate::exit::Refusal;
use clap::{Parser, ValueEnum};
use ringfence_engine::RunId;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// One command to be carried out to its end, by as many processes as it takes.
pub(super) struct Errand {
    /// The command's own words, with what was said to `supervise` itself.
    first: Vec<OsString>,
    /// What a later `resume RUN` is told besides.
    again: Vec<OsString>,
    /// The run, where the command names one.
    pub(super) run: Option<String>,
    /// `--state`.
    pub(super) state: Option<PathBuf>,
    /// `--notify`.
    pub(super) notify: Option<String>,
    /// `--quiet`.
    pub(super) quiet: bool,
}

/// Why there is nothing to supervise.
pub(super) enum NoErrand {
    /// It can't be read; what clap says of it, help included.
    Unreadable(clap::Error),
    /// It is another command.
    Unfit(Refusal),
}

impl Errand {
    /// Reads the command behind `--`. `outer` is what was said before it.
    pub(super) fn read(command: &[OsString], outer: &GlobalArgs) -> Result<Self, NoErrand> {
        let words = [OsString::from("ringfence")].into_iter().chain(command.iter().cloned());
        let inner = Cli::try_parse_from(words).map_err(NoErrand::Unreadable)?;
        let global = both(outer, &inner.global);
        let mut again = Words::default();
        let (run, notify) = match inner.command {
            Command::Run(args) => {
                // Its models and its fence are the run's own from its first event on.
                let RunArgs { yes, json, fail_on, record, durability, notify, .. } = args;
                let going_on =
                    GoingOnArgs { yes, json, fail_on, record, durability, notify, ..Default::default() };
                again.going_on(&going_on);
                (None, going_on.notify)
            }
            Command::Resume(ResumeArgs { run, going_on, answer: _ }) => {
                again.going_on(&going_on);
                (Some(run), going_on.notify)
            }
            Command::Fork(args) if !args.no_run => {
                again.going_on(&args.going_on);
                (None, args.going_on.notify)
            }
            Command::Fork(_)
            | Command::Analyze(_)
            | Command::Replay(_)
            | Command::Supervise(_)
            | Command::Runs(_)
            | Command::Show(_)
            | Command::Report(_)
            | Command::Diff(_)
            | Command::Apply(_)
            | Command::Discard(_)
            | Command::Compare(_)
            | Command::Grant(_)
            | Command::Policy(_)
            | Command::Tool(_)
            | Command::Doctor(_)
            | Command::Completions(_) => {
                let refusal = Refusal::usage("only a command that drives a run can be supervised");
                let hint = "ringfence supervise -- run PROJECT, or resume RUN, or fork RUN --at N";
                return Err(NoErrand::Unfit(refusal.hint(hint)));
            }
        };
        let mut first = Words::default();
        first.global(outer, &inner.global);
        first.0.extend(command.iter().cloned());
        again.global(&global, &NOTHING_SAID);
        let GlobalArgs { state, quiet, verbose: _ } = global;
        Ok(Self { first: first.0, again: again.0, run, state, notify, quiet })
    }

    /// The command as it was given.
    pub(super) fn first(&self) -> Vec<OsString> {
        self.first.clone()
    }

    /// The command that takes the run up again. Answers aren't given twice.
    pub(super) fn resume(&self, run: &RunId) -> Vec<OsString> {
        let words = ["resume".into(), OsString::from(&run.0)];
        words.into_iter().chain(self.again.iter().cloned()).collect()
    }
}

const NOTHING_SAID: GlobalArgs = GlobalArgs { state: None, quiet: false, verbose: 0 };

/// What holds where something was said before `--` and after it: the latter counts.
fn both(outer: &GlobalArgs, inner: &GlobalArgs) -> GlobalArgs {
    let GlobalArgs { state, quiet, verbose } = inner.clone();
    let spoken = quiet || verbose > 0;
    GlobalArgs {
        state: state.or_else(|| outer.state.clone()),
        quiet: if spoken { quiet } else { outer.quiet },
        verbose: if spoken { verbose } else { outer.verbose },
    }
}

/// A command line in the making.
#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn flag(&mut self, name: &str, given: bool) {
        self.0.extend(given.then(|| name.into()));
    }

    /// In one word, so that a value that begins with a dash is no flag.
    fn value(&mut self, name: &str, value: Option<impl AsRef<OsStr>>) {
        if let Some(value) = value {
            let mut word = OsString::from(format!("{name}="));
            word.push(value);
            self.0.push(word);
        }
    }

    /// What was said, unless something of the kind is said anyway.
    fn global(&mut self, said: &GlobalArgs, anyway: &GlobalArgs) {
        if anyway.state.is_none() {
            self.value("--state", said.state.as_ref());
        }
        if !anyway.quiet && anyway.verbose == 0 {
            self.flag("--quiet", said.quiet);
            for _ in 0..said.verbose {
                self.flag("--verbose", true);
            }
        }
    }

    fn going_on(&mut self, args: &GoingOnArgs) {
        let GoingOnArgs { yes, json, fail_on, model, base_url, record, replay, durability, notify } = args;
        self.flag("--yes", *yes);
        self.flag("--json", *json);
        let fail_on = fail_on.and_then(|least| least.to_possible_value());
        self.value("--fail-on", fail_on.map(|value| value.get_name().to_owned()));
        self.value("--model", model.as_ref().map(ToString::to_string));
        self.value("--base-url", base_url.as_ref());
        self.value("--record", record.as_ref());
        self.value("--replay", replay.as_ref());
        let durability = durability.and_then(|durability| durability.to_possible_value());
        self.value("--durability", durability.map(|value| value.get_name().to_owned()));
        self.value("--notify", notify.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: GlobalArgs = GlobalArgs { state: None, quiet: true, verbose: 0 };

    fn errand(words: &[&str], outer: &GlobalArgs) -> Errand {
        let words: Vec<_> = words.iter().map(OsString::from).collect();
        Errand::read(&words, outer).ok().unwrap()
    }

    #[test]
    fn a_run_is_resumed_with_the_flags_that_aren_t_its_own_terms() {
        let words =
            ["run", "p", "g", "--yes", "--json", "--model", "playbook", "--max-time", "1h", "--notify=-x y"];
        let errand = errand(&[&words[..], &["--durability", "relaxed", "--state", "/s"]].concat(), &QUIET);
        assert_eq!(errand.first()[..2], ["--quiet", "run"]);
        let again = ["--yes", "--json", "--durability=relaxed", "--notify=-x y", "--state=/s", "--quiet"];
        assert_eq!(errand.resume(&"r1".into()), [&["resume", "r1"], &again[..]].concat());
    }

    #[test]
    fn a_resumed_run_keeps_its_other_model_and_is_answered_once() {
        let errand = errand(
            &["-v", "resume", "r", "--approve", "--model", "openai:m", "--base-url", "http://localhost/v1"],
            &QUIET,
        );
        assert_eq!(errand.run.as_deref(), Some("r"));
        assert_eq!(errand.first()[..2], ["-v", "resume"], "what was said inside counts");
        let again = ["--model=openai:m", "--base-url=http://localhost/v1", "--verbose"];
        assert_eq!(errand.resume(&"r1".into()), [&["resume", "r1"], &again[..]].concat());
    }

    #[test]
    fn a_command_that_drives_no_run_is_refused() {
        let read = |words: &[&str]| {
            Errand::read(&words.iter().map(OsString::from).collect::<Vec<_>>(), &NOTHING_SAID).err()
        };
        for words in [&["runs"][..], &["fork", "r", "--at", "1", "--no-run"], &["supervise", "--", "run"]] {
            assert!(matches!(read(words), Some(NoErrand::Unfit(_))), "{words:?}");
        }
        assert!(matches!(read(&["run", "--nonsense"]), Some(NoErrand::Unreadable(_))));
    }
}
