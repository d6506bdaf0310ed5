//! Numbers as people read them: money, counts, spans of time, moments.

use ringfence_engine::{ModelStage, State, Timestamp};

/// What a run has spent, in millionths of a US dollar; none where a model's price isn't known.
pub fn money(state: &State) -> Option<u64> {
    let settings = &state.settings;
    let stages = settings.flow.model_stages().iter().copied().chain([ModelStage::Reflect]);
    settings.rates.cover(stages).then_some(state.spent.money)
}

/// Millionths of a US dollar: `$0.0025`, `$12`.
pub fn dollars(micro: u64) -> String {
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    let short = text.trim_end_matches('0');
    format!("${}", short.strip_suffix('.').unwrap_or(short))
}

/// `1,234,567`
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Milliseconds in their two largest units: `1.2 s`, `3 m 5 s`, `2 d 4 h`.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1_000;
    if seconds < 60 {
        return format!("{seconds}.{} s", ms % 1_000 / 100);
    }
    let [minutes, hours, days] = [seconds / 60, seconds / 3_600, seconds / 86_400];
    let (large, small) = match (days, hours) {
        (0, 0) => (format!("{minutes} m"), format!("{} s", seconds % 60)),
        (0, _) => (format!("{hours} h"), format!("{} m", minutes % 60)),
        (_, _) => (format!("{days} d"), format!("{} h", hours % 24)),
    };
    if small.starts_with("0 ") { large } else { format!("{large} {small}") }
}

/// A moment in UTC, to the second: `2026-11-30 14:12:33`; as a number where no calendar has it.
pub fn moment(at: Timestamp) -> String {
    formatted(at, "%Y-%m-%d %H:%M:%S")
}

/// A moment in UTC, to the minute.
pub fn minute(at: Timestamp) -> String {
    formatted(at, "%Y-%m-%d %H:%M")
}

fn formatted(at: Timestamp, form: &str) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(time) => time.strftime(form).to_string(),
        Err(_) => at.0.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_as_long_as_it_must_be() {
        assert_eq!(dollars(0), "$0");
        assert_eq!(dollars(2_500), "$0.0025");
        assert_eq!(dollars(12_000_000), "$12");
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn spans_are_told_in_their_two_largest_units() {
        assert_eq!(span(0), "0.0 s");
        assert_eq!(span(1_290), "1.2 s");
        assert_eq!(span(185_000), "3 m 5 s");
        assert_eq!(span(3_600_000), "1 h");
        assert_eq!(span(187_200_000), "2 d 4 h");
    }

    #[test]
    fn moments_are_in_utc() {
        assert_eq!(moment(Timestamp(1_700_000_000_000)), "2023-11-14 22:13:20");
        assert_eq!(minute(Timestamp(0)), "1970-01-01 00:00");
    }
}
