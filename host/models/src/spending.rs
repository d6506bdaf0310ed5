//! What one request used, over all the exchanges that it took.
//!
//! Owns: adding up usage and cost, failed exchanges included, and putting them to the reply or the
//! error that comes of it. Doesn't own: how a provider counts.

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

/// The sum of a request's exchanges.
#[derive(Debug)]
pub(crate) struct Account<'r> {
    request: Option<&'r Request>,
    price: Option<&'r Price>,
    usage: Usage,
    /// Exchange by exchange: a long prompt's price holds for that exchange alone.
    cost: MicroDollars,
    /// Exchanges that came to nothing.
    lost: u32,
}

impl<'r> Account<'r> {
    /// For a request to a model of this price.
    pub(crate) fn new(request: &'r Request, price: Option<&'r Price>) -> Self {
        Self { request: Some(request), price, usage: Usage::default(), cost: MicroDollars(0), lost: 0 }
    }

    /// For questions about models, which use nothing.
    pub(crate) fn free() -> Self {
        Self { request: None, price: None, usage: Usage::default(), cost: MicroDollars(0), lost: 0 }
    }

    /// Adds what an exchange used.
    pub(crate) fn add(&mut self, used: Usage) {
        let used = used.bounded();
        let cost = self.price.map(|price| price.of(&used)).unwrap_or_default();
        self.usage = self.usage.plus(used);
        self.cost = MicroDollars(self.cost.0.saturating_add(cost.0));
    }

    /// Adds what an exchange used whose answer had begun and came to nothing. What the server
    /// hadn't counted is estimated: the prompt, and what was heard of the reply.
    pub(crate) fn add_lost(&mut self, used: Used) {
        let Some(request) = self.request else { return };
        let mut usage = used.reported;
        if usage.input_tokens == 0 {
            usage.input_tokens = input(request);
        }
        let heard = tokens(used.uncounted).min(u64::from(request.max_tokens));
        usage.output_tokens = usage.output_tokens.max(heard);
        self.add(usage);
        self.lost = self.lost.saturating_add(1);
    }

    /// Whether another exchange could cost more than there is.
    pub(crate) fn is_used_up(&self) -> bool {
        let tries = self.request.and_then(|request| request.tries);
        tries.is_some_and(|tries| self.lost >= tries)
    }

    /// The outcome of the request, with all that it used.
    pub(crate) fn settle(self, outcome: Result<Reply, ModelError>) -> Result<Reply, ModelError> {
        let spending = Spending { usage: self.usage, cost: self.price.map(|_| self.cost) };
        match outcome {
            Ok(reply) => Ok(Reply { usage: spending.usage, cost: spending.cost, ..reply }),
            Err(error) if spending.usage == Usage::default() => Err(error),
            Err(error) => Err(ModelError::Paid { spending, error: Box::new(error) }),
        }
    }
}
