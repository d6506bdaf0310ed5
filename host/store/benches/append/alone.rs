//! The journal alone: four kinds of steps, of which nobody makes anything.

use crate::cost::{Measured, Took};
use crate::record::{STEPS, event, finished, new_run, padded, receipts, replied, started};
use ringfence_engine::*;
use ringfence_store::{Durability, Entry, Intent, Store};
use std::path::Path;
use std::time::{Duration, Instant};

/// Plan, decide, execute, evaluate.
pub(crate) const CYCLE: usize = 4;

pub(crate) fn drive(home: &Path, durability: Durability) -> Measured {
    let store = Store::open_with(&home.join("runs.db"), durability).expect("a new store");
    let (started, stage) = (started(Flow::Staged), Stage::Executing { turn: Turn::default() });
    let first = Entry { event: &started, intents: &[], receipts: &[], stage: &stage };
    let mut lease = store.create_run(&new_run(), &first).expect("a new run");
    let mut times = Vec::new();
    for step in 1..=STEPS {
        let call = CallId(step);
        let event = event(match step % 4 {
            3 => finished(call),
            _ => replied(call, padded(|text| text), Vec::new()),
        });
        let intents = [Intent::CallTool { call, step: StepId(step), tool: "read_file".into(), attempt: 1 }];
        let receipts = receipts(&event);
        let entry = Entry { event: &event, intents: &intents, receipts: &receipts, stage: &stage };
        let began = Instant::now();
        lease.append(&entry).expect("the step is journaled");
        times.push(Took { engine: Duration::ZERO, store: began.elapsed() });
    }
    Measured::of(times, home)
}
