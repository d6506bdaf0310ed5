//! Numbers, sizes, shares and code as people read them.

/// `1 file`, `2 files`, `2 entries`, `2 searches`.
pub fn plural(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {}", many(word)) }
}

fn many(word: &str) -> String {
    let consonant = |stem: &str| !stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match word.strip_suffix('y') {
        Some(stem) if consonant(stem) => format!("{stem}ies"),
        _ if word.ends_with('h') => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// Bytes as people read them.
pub(super) fn size(bytes: u64) -> String {
    const KB: u64 = 1 << 10;
    const MB: u64 = 1 << 20;
    const GB: u64 = 1 << 30;
    // What would round to 1024 of a unit is 1.0 of the next.
    match bytes {
        0..KB => format!("{bytes} B"),
        KB..1_048_064 => format!("{} KB", (bytes + 512) / KB),
        1_048_064..1_073_689_396 => format!("{:.1} MB", bytes as f64 / MB as f64),
        _ => format!("{:.1} GB", bytes as f64 / GB as f64),
    }
}

/// A share of a whole; only all of it is 100%, and only nothing is 0%.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let (part, whole) = (u128::from(part), u128::from(whole));
    match (part * 100 + whole / 2).checked_div(whole) {
        None => "0%".to_owned(),
        Some(0) if part > 0 => "under 1%".to_owned(),
        Some(100) if part < whole => "over 99%".to_owned(),
        Some(share) => format!("{share}%"),
    }
}

/// One name for each language, whichever tool told it.
pub(super) fn known_as(name: &str) -> &str {
    match name {
        "python" => "Python",
        "javascript" | "JSX" | "jsx" => "JavaScript",
        "typescript" | "tsx" | "TSX" => "TypeScript",
        "rust" => "Rust",
        "go" => "Go",
        "java" => "Java",
        "c" => "C",
        "cpp" => "C++",
        "csharp" => "C#",
        "ruby" => "Ruby",
        "php" => "PHP",
        "bash" | "Bash" => "Shell",
        "json" => "JSON",
        "yaml" => "YAML",
        "toml" => "TOML",
        "html" => "HTML",
        "css" => "CSS",
        other => other,
    }
}

/// A text as a Markdown code span, whatever backticks it holds.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let room = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{room}{text}{room}{fence}")
}

/// The first names as code, and how many more there are.
pub(super) fn named(names: &[String], most: usize) -> String {
    let shown: Vec<String> = names.iter().take(most).map(|name| code(name)).collect();
    let more = if names.len() > most { format!(" and {} more", names.len() - most) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// `steps 3–5, 9`
pub(super) fn steps(numbers: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *number == last.saturating_add(1) => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let shown: Vec<String> = runs
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}–{last}") })
        .collect();
    format!("{} {}", if numbers.len() == 1 { "step" } else { "steps" }, shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{code, percent, plural, size, steps};

    #[test]
    fn one_of_a_thing_is_singular() {
        assert_eq!(plural(1, "entry"), "1 entry");
        assert_eq!(plural(2, "entry"), "2 entries");
        assert_eq!(plural(0, "file"), "0 files");
        assert_eq!(plural(2, "key"), "2 keys");
        assert_eq!(plural(3, "search"), "3 searches");
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        for (bytes, shown) in [
            (1023, "1023 B"),
            (1024, "1 KB"),
            (1_048_063, "1023 KB"),
            (1_048_064, "1.0 MB"),
            (1_073_689_395, "1023.9 MB"),
            (1_073_689_396, "1.0 GB"),
            (3_228_250_931, "3.0 GB"),
        ] {
            assert_eq!(size(bytes), shown, "{bytes}");
        }
    }

    #[test]
    fn shares_add_up_to_what_can_be() {
        assert_eq!(percent(10_000, 10_001), "over 99%");
        assert_eq!(percent(1, 10_001), "under 1%");
        assert_eq!(percent(5, 5), "100%");
        assert_eq!(percent(0, 5), "0%");
        assert_eq!(percent(0, 0), "0%");
        assert_eq!(percent(u64::MAX, u64::MAX), "100%");
    }

    #[test]
    fn code_keeps_its_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a ` b"), "``a ` b``");
        assert_eq!(code("`a"), "`` `a ``");
    }

    #[test]
    fn steps_in_a_row_are_a_range() {
        assert_eq!(steps(&[4]), "step 4");
        assert_eq!(steps(&[4, 5, 6, 9]), "steps 4–6, 9");
    }
}
