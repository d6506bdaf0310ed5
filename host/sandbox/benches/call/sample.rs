//! Times of one thing done many times.

use std::time::{Duration, Instant};

/// Sorted times.
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    /// Does it so many times, after a tenth as many that don't count.
    pub(crate) fn of(times: usize, mut what: impl FnMut()) -> Self {
        for _ in 0..times / 10 {
            what();
        }
        let times = (0..times).map(|_| {
            let started = Instant::now();
            what();
            started.elapsed()
        });
        Self::from_times(times.collect())
    }

    pub(crate) fn from_times(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    pub(crate) fn median_us(&self) -> f64 {
        self.at(0.5)
    }

    fn at(&self, part: f64) -> f64 {
        let index = ((self.0.len() - 1) as f64 * part) as usize;
        self.0[index].as_secs_f64() * 1e6
    }

    pub(crate) fn print_head() {
        println!("{:50} {:>10} {:>10} {:>9}", "", "median µs", "p99 µs", "ratio");
    }

    /// One line of the table; the ratio is to the other sample's median.
    pub(crate) fn print(&self, what: &str, beside: Option<&Self>) {
        let ratio = match beside {
            Some(other) => format!("{:.1}", self.median_us() / other.median_us()),
            None => String::new(),
        };
        println!("{what:50} {:>10.1} {:>10.1} {ratio:>9}", self.median_us(), self.at(0.99));
    }
}
