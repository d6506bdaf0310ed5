//! Progress for people: one line per thing that happened, and moving lines for what is awaited.

use super::screen::{Doing, Screen};
use super::telling::Telling;
use super::{Notice, Observer};
use crate::amounts::{dollars, grouped};
use crate::lanes;
use crate::terminal::plain;
use ringfence_engine::State;

/// Writes to standard error; moving lines show only on a terminal.
pub struct Lines {
    screen: Screen,
    telling: Telling,
}

impl Lines {
    /// `live`: standard error is a terminal. `asking`: a person sees what they approve, so it
    /// needn't be told again.
    pub fn new(live: bool, asking: bool) -> Self {
        Self { screen: Screen::new(live), telling: Telling::new(asking) }
    }
}

impl Observer for Lines {
    fn notice(&mut self, notice: Notice<'_>) {
        let Self { screen, telling } = self;
        match notice {
            Notice::ModelChosen { identity } => screen.say(&format!("model: {}", plain(identity))),
            Notice::Opened { run, resumed: false } => screen.say(&format!("run: {run}")),
            Notice::Opened { run, resumed: true } => screen.say(&format!("run: {run} (resumed)")),
            Notice::ModelAsked { call, state } => {
                let what = telling.asked(call, state);
                screen.total(totals(state));
                screen.begin(Doing::Call(call.call), what);
            }
            Notice::ToolCalled { call } => {
                let what = telling.called(call);
                screen.begin(Doing::Call(call.call), what);
            }
            Notice::Compiling { component } => {
                let what = format!("compiling `{}`, once for this version", plain(component));
                if !screen.is_live() {
                    screen.say(&what);
                }
                screen.begin(Doing::Compiling(component.to_owned()), what);
            }
            Notice::Compiled { component, took } => {
                screen.end(&Doing::Compiling(component.to_owned()));
                screen.say(&format!(
                    "compiled `{}` in {:.1} s (kept for later runs)",
                    plain(component),
                    took.as_secs_f64()
                ));
            }
            Notice::Happened { event, state } => {
                screen.keep_only(&lanes::open_calls(state), lanes::calls_tools(state));
                screen.total(totals(state));
                for line in telling.told(event, state) {
                    screen.say(&line);
                }
            }
            Notice::Asking { .. } | Notice::Halted { .. } => screen.rest(),
        }
    }
}

/// What a run has used so far, behind what it is doing.
fn totals(state: &State) -> String {
    let tokens = state.spent.tokens.total();
    let mut text = String::new();
    if tokens > 0 {
        text.push_str(&format!(" · {} tokens", grouped(tokens)));
    }
    if state.spent.money > 0 {
        text.push_str(&format!(" · {}", dollars(state.spent.money)));
    }
    text
}
