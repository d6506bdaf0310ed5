//! What one request used, over all the exchanges that it took.
//!
//! Owns: adding up usage and cost, failed exchanges included, and putting them to the reply or the
//! error that comes of it. Doesn't own: how a provider counts, the count of what is under way
//! (`ledger`).

use crate::usage::{input, tokens};
use crate::{MicroDollars, ModelError, Price, Reply, Request, Usage};
use serde::{Deserialize, Serialize};

/// What was used, and what it cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    /// Tokens of all exchanges.
    pub usage: Usage,
    /// What they cost; none when the price isn't known.
    pub cost: Option<MicroDollars>,
}

/// What is known of the use of one exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// What the server counted so far.
    pub(crate) reported: Usage,
    /// Bytes that the model had written when the exchange broke off, where the server hadn't
    /// counted them yet.
    pub(crate) uncounted: usize,
}

/// The sum of a request's exchanges, written through to the request's ledger.
#[derive(Debug)]
pub(crate) struct Account<'r> {
    request: Option<&'r Request>,
    price: Option<&'r Price>,
    sum: Spending,
    /// Exchanges that came to nothing.
    lost: u32,
}

impl<'r> Account<'r> {
    /// For a request to a model of this price.
    pub(crate) fn new(request: &'r Request, price: Option<&'r Price>) -> Self {
        Self { request: Some(request), price, sum: Spending::default(), lost: 0 }
    }

    /// For questions about models, which use nothing.
    pub(crate) fn free() -> Self {
        Self { request: None, price: None, sum: Spending::default(), lost: 0 }
    }

    /// Notes what the exchange under way has used by now, beginning with its prompt: should nobody
    /// wait for its end, it counts.
    pub(crate) fn hear(&self, used: Used) {
        let Some(request) = self.request else { return };
        request.ledger.hear(self.priced(estimated(request, used)));
    }

    /// The exchange under way used nothing.
    pub(crate) fn forget(&self) {
        if let Some(request) = self.request {
            request.ledger.forget();
        }
    }

    /// Adds what an exchange used.
    pub(crate) fn add(&mut self, used: Usage) {
        let Some(request) = self.request else { return };
        let spending = self.priced(used);
        self.sum = self.sum.plus(spending);
        request.ledger.settle(spending);
    }

    /// Adds what an exchange used whose answer had begun and came to nothing.
    pub(crate) fn add_lost(&mut self, used: Used) {
        let Some(request) = self.request else { return };
        self.add(estimated(request, used));
        self.lost = self.lost.saturating_add(1);
    }

    /// Exchange by exchange: a long prompt's price holds for that exchange alone.
    fn priced(&self, usage: Usage) -> Spending {
        let usage = usage.bounded();
        Spending { usage, cost: self.price.map(|price| price.of(&usage)) }
    }

    /// Whether another exchange could cost more than there is.
    pub(crate) fn is_used_up(&self) -> bool {
        let tries = self.request.and_then(|request| request.tries);
        tries.is_some_and(|tries| self.lost >= tries)
    }

    /// The outcome of the request, with all that it used.
    pub(crate) fn settle(self, outcome: Result<Reply, ModelError>) -> Result<Reply, ModelError> {
        let Spending { usage, cost } = self.sum;
        match outcome {
            Ok(reply) => Ok(Reply { usage, cost, ..reply }),
            Err(error) if self.sum.is_none() => Err(error),
            Err(error) => Err(ModelError::Paid { spending: self.sum, error: Box::new(error) }),
        }
    }
}

/// What an exchange used without an end: what the server hadn't counted is estimated, the prompt
/// and what was heard of the reply.
fn estimated(request: &Request, used: Used) -> Usage {
    let mut usage = used.reported;
    if usage.input_tokens == 0 {
        usage.input_tokens = input(request);
    }
    let heard = tokens(used.uncounted).min(u64::from(request.max_tokens));
    usage.output_tokens = usage.output_tokens.max(heard);
    usage
}

/// What a request uses at least once it is sent to a model of this price, estimated on the high
/// side.
pub(crate) fn least(request: &Request, price: Option<&Price>) -> Spending {
    Account::new(request, price).priced(request.least_usage())
}
