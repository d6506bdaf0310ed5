//! Single values of flags and configuration files: durations, sizes, lists.

use jiff::SignedDuration;
use ringfence_engine::PausePoint;
use ringfence_sandbox::{GrantPath, HostGrant, MaskPattern};
use serde::de::IntoDeserializer;
use serde::de::value::Error as ValueError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

/// A duration with a unit: `500ms`, `30s`, `10m`, `1h30m`. Longer than zero, at most a year.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wanted = "want a time with a unit, such as 500ms, 30s, 10m or 1h30m";
    let parsed: SignedDuration = text.trim().parse().map_err(|_| wanted.to_owned())?;
    let duration = Duration::try_from(parsed).map_err(|_| wanted.to_owned())?;
    if duration.as_millis() == 0 {
        return Err("the time must be at least 1ms".to_owned());
    }
    if duration > Duration::from_secs(366 * 24 * 3600) {
        return Err("the time must be at most a year".to_owned());
    }
    Ok(duration)
}

/// A number of bytes: `65536`, `64KiB`, `256MiB`, `1GiB` (also `kB`, `MB`, `GB`).
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wanted = || format!("`{text}` is no size: want bytes, or a number with KiB, MiB or GiB");
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return Err(wanted()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).ok_or_else(wanted)
}

/// An amount of US dollars, in millionths: `2`, `0.50`, `$1.5`. More than zero.
pub fn parse_money(text: &str) -> Result<u64, String> {
    let wanted = || format!("`{text}` is no amount of US dollars: want a number such as 2, 0.5 or $1.50");
    let bare = text.trim();
    let bare = bare.strip_prefix('$').unwrap_or(bare);
    let (whole, part) = bare.split_once('.').unwrap_or((bare, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 6 || !digits(whole) || !digits(part) {
        return Err(wanted());
    }
    let micro = format!("{whole}{part:0<6}").parse::<u64>().map_err(|_| wanted())?;
    if micro == 0 { Err("the amount must be more than nothing".to_owned()) } else { Ok(micro) }
}

/// A folder or file of the project.
pub(super) fn parse_grant(text: &str) -> Result<GrantPath, String> {
    GrantPath::parse(text).map_err(|error| error.to_string())
}

/// A pattern of things to hide.
pub(super) fn parse_mask(text: &str) -> Result<MaskPattern, String> {
    MaskPattern::parse(text).map_err(|error| error.to_string())
}

/// A host: its URL, or the table of a configuration file, as refusals show it.
pub fn parse_host(text: &str) -> Result<HostGrant, String> {
    #[derive(Deserialize)]
    struct Line {
        host: HostGrant,
    }
    if text.trim_start().starts_with('{') {
        let line: Line =
            toml::from_str(&format!("host = {text}")).map_err(|error| error.message().to_owned())?;
        return Ok(line.host);
    }
    HostGrant::parse(text).map_err(|error| error.to_string())
}

/// The host of a refusal's hint: `--allow-host URL`, or with a table.
pub fn host_in_flag(flag: &str) -> Option<HostGrant> {
    parse_host(flag.strip_prefix("--allow-host ")?.trim_matches('\'')).ok()
}

/// A goal: some words, of a sane length.
pub(super) fn parse_goal(text: &str) -> Result<String, String> {
    const MOST: usize = 100_000;
    if text.trim().is_empty() {
        return Err("the goal is empty; leave it out for the built-in analysis".to_owned());
    }
    if text.len() > MOST {
        return Err(format!("the goal has {} bytes, {MOST} at most are possible", text.len()));
    }
    Ok(text.to_owned())
}

/// Pause points, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PauseList(pub BTreeSet<PausePoint>);

impl FromStr for PauseList {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim() == "none" {
            return Ok(Self(BTreeSet::new()));
        }
        let point = |name: &str| {
            let name = name.trim();
            let read: Result<PausePoint, ValueError> = PausePoint::deserialize(name.into_deserializer());
            read.map_err(|_| {
                let points: Vec<_> = PausePoint::ALL.iter().map(|point| point.name()).collect();
                format!("`{name}` is no pause point: want {}, or none alone", points.join(", "))
            })
        };
        text.split(',').map(point).collect::<Result<_, _>>().map(Self)
    }
}

/// `NAME=VALUE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolArgument {
    /// The parameter.
    pub name: String,
    /// Its value, as it was typed.
    pub value: String,
}

impl FromStr for ToolArgument {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok(Self { name: name.trim().to_owned(), value: value.to_owned() })
            }
            _ => Err("want NAME=VALUE".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit_and_a_sane_length() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration(" 30s "), Ok(Duration::from_secs(30)));
        for bad in ["", "30", "0s", "-5s", "10y", "1000000h", "s", "1ns", "fast"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_have_a_unit() {
        assert_eq!(parse_size("65536"), Ok(65536));
        assert_eq!(parse_size("64 KiB"), Ok(65536));
        assert_eq!(parse_size("2GB"), Ok(2_000_000_000));
        for bad in ["", "KiB", "-1", "1.5MiB", "99999999999GiB", "1TB", "0x10"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn money_is_a_plain_number_of_dollars() {
        for (text, micro) in [("2", 2_000_000), ("0.5", 500_000), (" $1.50 ", 1_500_000), ("0.000001", 1)] {
            assert_eq!(parse_money(text), Ok(micro), "{text}");
        }
        for bad in
            ["", "$", "-1", "0", "0.00", "1e3", "1.0000001", "one", ".5", "1,5", "99999999999999999999"]
        {
            assert!(parse_money(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pause_points_are_a_list_or_none() {
        let both = [PausePoint::AfterPlan, PausePoint::BeforeTool].into();
        assert_eq!("before_tool, after_plan".parse(), Ok(PauseList(both)));
        assert_eq!("none".parse(), Ok(PauseList(BTreeSet::new())));
        for bad in ["", "after_plan,none", "AfterPlan", "after_plan,"] {
            assert!(bad.parse::<PauseList>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_argument_keeps_everything_after_the_first_equals_sign() {
        let read = "pattern= a=b ".parse::<ToolArgument>().unwrap();
        assert_eq!((read.name.as_str(), read.value.as_str()), ("pattern", " a=b "));
        assert!("=x".parse::<ToolArgument>().is_err() && "x".parse::<ToolArgument>().is_err());
    }

    #[test]
    fn a_host_is_read_as_a_refusal_shows_it() {
        let host =
            parse_host(r#"{ url = "http://127.0.0.1:8080", methods = ["POST"], private = true }"#).unwrap();
        assert_eq!(parse_host(&host.written()).unwrap(), host);
        for wrong in [
            "{ url = 1 }",
            "{ url = \"https://a.example\", x = 1 }",
            "{",
            "a.example",
            "http://127.0.0.1",
            "{ }\nx = 1",
        ] {
            assert!(parse_host(wrong).is_err(), "{wrong}");
        }
    }
}
