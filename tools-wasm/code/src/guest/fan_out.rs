//! Work on many files: asked of the host, and done for it in an instance of its own.

use super::needs::exports::ringfence::host::each_file;
use super::needs::ringfence::host::fan_out;
use crate::each_file::work;
use crate::{FanOut, Outcome};

/// The host's fan-out.
pub(super) struct Host;

impl FanOut for Host {
    fn run(&self, task: &[u8], paths: &[String]) -> Vec<Outcome> {
        fan_out::run(task, paths).into_iter().map(Into::into).collect()
    }
}

impl From<fan_out::Outcome> for Outcome {
    fn from(outcome: fan_out::Outcome) -> Self {
        match outcome {
            fan_out::Outcome::Done(done) => Self::Done { value: done.value, content: done.content },
            fan_out::Outcome::Unreadable(why) => Self::Unreadable(why),
            fan_out::Outcome::TooLarge(size) => Self::TooLarge(size),
            fan_out::Outcome::Failed(why) => Self::Failed(why),
            fan_out::Outcome::NotReached => Self::NotReached,
        }
    }
}

impl each_file::Guest for super::Code {
    fn work(task: Vec<u8>, path: String, content: Vec<u8>) -> Result<Vec<u8>, String> {
        work(&task, &path, content)
    }
}
