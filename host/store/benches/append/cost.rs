//! Times of single steps, and what they come to. Doesn't know what a step is.

use crate::record::STEPS;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// Runs whose times are put together.
pub(crate) const ROUNDS: usize = 5;
/// Steps on each side of the one that is told of; the last one has them on one side.
const AROUND: usize = 9;

/// What one step took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    pub(crate) engine: Duration,
    pub(crate) store: Duration,
}

/// One run: the time of each step, and the bytes of its files while they are open.
pub(crate) struct Measured {
    pub(crate) steps: Vec<Took>,
    pub(crate) bytes: u64,
}

impl Measured {
    pub(crate) fn of(steps: Vec<Took>, home: &Path) -> Self {
        let files = home.read_dir().expect("the folder is there");
        let sizes = files.map(|file| file.and_then(|file| file.metadata()).expect("a file").len());
        Self { steps, bytes: sizes.sum() }
    }
}

/// What a step costs; times in microseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Cost {
    early_us: f64,
    late_us: f64,
    mean_us: f64,
    /// The engine's part of the times before.
    engine: Part,
    pub(crate) bytes_per_step: u64,
}

#[derive(Debug, Serialize)]
struct Part {
    early_us: f64,
    late_us: f64,
    mean_us: f64,
}

impl Cost {
    /// Puts several runs together, of steps whose kinds come round after so many.
    pub(crate) fn measure(folder: &Path, cycle: usize, drive: impl Fn(&Path) -> Measured) -> Self {
        let rounds: Vec<Measured> = (0..ROUNDS)
            .map(|_| drive(tempfile::tempdir_in(folder).expect("a folder to write to").path()))
            .collect();
        let part = |of: fn(&Took) -> Duration| {
            let times: Vec<Vec<f64>> = rounds
                .iter()
                .map(|run| run.steps.iter().map(|took| of(took).as_secs_f64() * 1e6).collect())
                .collect();
            let all: Vec<f64> = times.concat();
            Part {
                early_us: typical(&times, 9 - AROUND..10 + AROUND, cycle),
                late_us: typical(&times, times[0].len() - 1 - AROUND..times[0].len(), cycle),
                mean_us: all.iter().sum::<f64>() / all.len() as f64,
            }
        };
        let Part { early_us, late_us, mean_us } = part(|took| took.engine + took.store);
        let bytes = rounds.iter().map(|run| run.bytes).max().unwrap_or_default();
        let engine = part(|took| took.engine);
        Self { early_us, late_us, mean_us, engine, bytes_per_step: bytes / STEPS }
    }

    /// How many times as long the last step takes.
    pub(crate) fn ratio(&self) -> f64 {
        self.late_us / self.early_us
    }

    pub(crate) fn print_head() {
        println!("{:24} {:^24} {:>7} {:^24}", "", "a step", "", "the engine's part");
        println!(
            "{:24} {:>7} {:>9} {:>6} {:>7} {:>7} {:>9} {:>6} {:>13}",
            "", "step 10", "step 1000", "mean", "ratio", "step 10", "step 1000", "mean", "bytes a step"
        );
    }

    pub(crate) fn print(&self, what: &str) {
        let Self { early_us, late_us, mean_us, engine, bytes_per_step } = self;
        let ratio = self.ratio();
        let Part { early_us: early, late_us: late, mean_us: mean } = engine;
        println!(
            "{what:24} {early_us:>7.0} {late_us:>9.0} {mean_us:>6.0} {ratio:>7.2} {early:>7.0} {late:>9.0} {mean:>6.0} {bytes_per_step:>13}"
        );
    }
}

/// The time of a step somewhere: the median of each kind of step there, and the mean of those.
fn typical(runs: &[Vec<f64>], range: std::ops::Range<usize>, cycle: usize) -> f64 {
    let medians = (0..cycle).map(|kind| {
        let steps = range.clone().filter(|step| step % cycle == kind);
        median(steps.flat_map(|step| runs.iter().map(move |run| run[step])).collect())
    });
    medians.sum::<f64>() / cycle as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
