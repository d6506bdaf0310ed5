//! The rows side by side, for people.

use super::row::Row;
use ringfence_models::MicroDollars;
use std::fmt::Write;
use std::time::Duration;

/// One column for each flow.
pub(super) fn text(rows: &[Row]) -> String {
    let column = |head: &str, value: &dyn Fn(&Row) -> String| -> Vec<String> {
        [head.to_owned()].into_iter().chain(rows.iter().map(value)).collect()
    };
    let lines = [
        column("", &|row| row.flow.name().to_owned()),
        column("outcome", &|row| row.short.to_owned()),
        column("steps", &|row| row.steps.to_string()),
        column("model calls", &|row| row.model_calls.to_string()),
        column("prompt tokens", &|row| row.prompt_tokens.to_string()),
        column("output tokens", &|row| row.output_tokens.to_string()),
        column("cost", &|row| row.cost.map_or("unknown".to_owned(), |cost| MicroDollars(cost).to_string())),
        column("tool calls", &|row| row.tool_calls.to_string()),
        column("wall time", &|row| time(row.wall)),
        column("outside model and tools", &|row| time(row.own)),
        column("run", &|row| row.run.to_string()),
    ];
    let mut text = String::new();
    for line in &lines {
        for (place, cell) in line.iter().enumerate() {
            let width =
                lines.iter().filter_map(|line| line.get(place)).map(|cell| cell.chars().count()).max();
            let _ = match place {
                0 => write!(text, "{cell:<width$}", width = width.unwrap_or(0)),
                _ => write!(text, "  {cell:>width$}", width = width.unwrap_or(0)),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 10.0 => format!("{seconds:.1} s"),
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds => format!("{:.1} ms", seconds * 1e3),
    }
}
