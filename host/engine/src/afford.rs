//! Budgets of tokens and money, kept before they are spent.
//!
//! What a call will cost at most is reckoned from the prompt's size and the reply's cap; the cap
//! shrinks to what is left, and a call that even a short reply would carry over the budget isn't
//! made.

use crate::effect::ModelStage;
use crate::prompt::Prompt;
use crate::state::State;

/// A reply with fewer tokens is of no use.
const SHORT_REPLY: u64 = 256;

/// The reply's cap that the budgets leave; or which of them leaves none, in one line.
pub(crate) fn cap(
    state: &State,
    stage: ModelStage,
    expert: Option<&str>,
    prompt: &Prompt,
    wanted: u32,
) -> Result<u32, String> {
    let input = tokens(prompt);
    let limits = &state.settings.limits;
    let mut room = u64::from(wanted);
    let least = SHORT_REPLY.min(room);
    if let Some(cap) = limits.tokens {
        let left = cap.saturating_sub(state.spent.tokens.total());
        let free = left.saturating_sub(input);
        if free < least {
            return Err(format!(
                "of {cap} tokens {left} are left, and the next call needs about {}",
                input + least
            ));
        }
        room = room.min(free);
    }
    if let (Some(cap), Some(rate)) = (limits.money, state.settings.rates.of(stage, expert)) {
        let left = cap.saturating_sub(state.spent.money);
        let micro = |tokens: u64, rate: u64| u128::from(tokens) * u128::from(rate);
        let free = micro(left, 1_000_000).saturating_sub(micro(input, rate.input));
        let output = match rate.output {
            0 if free == 0 && rate.input > 0 => 0,
            0 => room,
            rate => u64::try_from(free / u128::from(rate)).unwrap_or(u64::MAX),
        };
        if output < least {
            return Err(format!(
                "of ${} ${} are left, too little for the next call",
                dollars(cap),
                dollars(left)
            ));
        }
        room = room.min(output);
    }
    Ok(u32::try_from(room).unwrap_or(wanted))
}

/// How many times the budgets have room for this call at its dearest; once at least, since the cap
/// has been fitted to them.
pub(crate) fn tries(
    state: &State,
    stage: ModelStage,
    expert: Option<&str>,
    prompt: &Prompt,
    max_tokens: u32,
) -> u32 {
    let (input, output) = (u128::from(tokens(prompt)), u128::from(max_tokens));
    let limits = &state.settings.limits;
    let fits = |cap: u64, spent: u64, each: u128, unit: u128| {
        (u128::from(cap.saturating_sub(spent)) * unit).checked_div(each).unwrap_or(u128::MAX)
    };
    let by_tokens = limits.tokens.map(|cap| fits(cap, state.spent.tokens.total(), input + output, 1));
    let by_money = limits.money.zip(state.settings.rates.of(stage, expert)).map(|(cap, rate)| {
        let each = input * u128::from(rate.input) + output * u128::from(rate.output);
        fits(cap, state.spent.money, each, 1_000_000)
    });
    let least = by_tokens.into_iter().chain(by_money).min().unwrap_or(u128::MAX);
    u32::try_from(least).unwrap_or(u32::MAX).max(1)
}

/// Millionths of a dollar as dollars.
pub(crate) fn dollars(micro: u64) -> String {
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    let short = text.trim_end_matches('0');
    match short.strip_suffix('.') {
        Some(whole) => whole.to_owned(),
        None => short.to_owned(),
    }
}

/// Tokens of a prompt, on the high side: three bytes each, two where the text isn't ASCII.
fn tokens(prompt: &Prompt) -> u64 {
    let mut thirds = 0_u64;
    prompt.each_text(&mut |text| {
        let ascii = text.bytes().filter(u8::is_ascii).count();
        thirds += 2 * ascii as u64 + 3 * (text.len() - ascii) as u64;
    });
    thirds.div_ceil(6)
}
