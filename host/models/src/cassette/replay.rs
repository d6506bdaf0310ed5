//! Replaying.

use super::{CassetteError, Exchange, Header, Outcome, drift, kept};
use crate::{Model, ModelError, Price, Reply, Request};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 1024 * 1024 * 1024;

/// A model that answers from a recording, without any network.
pub struct Replaying {
    path: PathBuf,
    header: Header,
    prices: BTreeMap<(String, Option<String>), Option<Price>>,
    tape: Mutex<Vec<Recorded>>,
}

struct Recorded {
    exchange: Exchange,
    used: bool,
}

impl Replaying {
    /// Reads a recording.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        let path = path.as_ref();
        let io = |why| CassetteError::io(path, why);
        if !std::fs::metadata(path).map_err(io)?.is_file() {
            return Err(CassetteError::Foreign { path: path.to_owned(), why: "it isn't a file".to_owned() });
        }
        let file = File::open(path).map_err(io)?;
        if file.metadata().map_err(io)?.len() > MAX_FILE {
            return Err(io(io::Error::other(format!("more than {MAX_FILE} bytes"))));
        }
        let mut lines = BufReader::new(file.take(MAX_FILE)).lines();
        let first = lines.next().transpose().map_err(io)?.unwrap_or_default();
        let header = Header::read(&first, path)?;
        let mut tape = Vec::new();
        let mut prices = BTreeMap::new();
        for (number, line) in lines.enumerate() {
            let exchange: Exchange = serde_json::from_str(&line.map_err(io)?).map_err(|why| {
                CassetteError::Damaged { path: path.to_owned(), line: number + 2, why: why.to_string() }
            })?;
            let served = (exchange.request.stage.clone(), exchange.request.expert.clone());
            prices.entry(served).or_insert_with(|| exchange.price.clone());
            tape.push(Recorded { exchange, used: false });
        }
        Ok(Self { path: path.to_owned(), header, prices, tape: Mutex::new(tape) })
    }

    /// How many recordings haven't been asked for yet.
    pub fn left(&self) -> usize {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|one| !one.used).count()
    }

    /// What a request that matches nothing is told.
    fn drifted(&self, asked: &Request, tape: &[Recorded]) -> ModelError {
        let stage = &asked.stage;
        let requests = || tape.iter().map(|one| (&one.exchange.request, one.used));
        let same = requests().filter(|(request, _)| *request == asked).count();
        let of_stage = || requests().filter(|(request, _)| request.stage == *stage);
        let nearest = of_stage().find(|(_, used)| !used).or_else(|| of_stage().next_back());
        let what = match nearest {
            _ if same > 0 => format!("the same request was recorded {same} times and is asked once more"),
            Some((recorded, _)) => drift::between(recorded, asked),
            None => "no request of this stage was recorded".to_owned(),
        };
        ModelError::Unsupported {
            why: format!(
                "stage {stage} isn't as the cassette {} has it: {what}; record it anew if that is meant",
                self.path.display()
            ),
        }
    }
}

#[async_trait]
impl Model for Replaying {
    fn identity(&self) -> String {
        format!("cassette {}", self.header.identity)
    }

    fn price(&self, stage: &str, expert: Option<&str>) -> Option<Price> {
        let recorded = self.prices.get(&(stage.to_owned(), expert.map(str::to_owned)));
        // What wasn't recorded is never answered, but a limit of money wants a price of everything.
        let any = || self.prices.values().next();
        recorded.or_else(any).cloned().flatten()
    }

    fn reads_facts(&self) -> bool {
        self.header.reads_facts
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let asked = kept(request);
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        match tape.iter_mut().find(|one| !one.used && one.exchange.request == asked) {
            Some(recorded) => {
                recorded.used = true;
                match recorded.exchange.outcome.clone() {
                    Outcome::Reply(reply) => Ok(reply),
                    Outcome::Error(error) => Err(error),
                }
            }
            None => Err(self.drifted(&asked, &tape)),
        }
    }
}
