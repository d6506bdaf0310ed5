//! Python's way of naming what is needed: `requests[socks]>=2.0; python_version < "3.9"`.

/// Name and requirement; none for a line that is none.
pub(super) fn parts(line: &str) -> Option<(&str, &str)> {
    let line = line.split(" #").next().unwrap_or(line).split(" --").next().unwrap_or(line).trim();
    if line.is_empty() || line.starts_with(['#', '-']) {
        return None;
    }
    let end = line.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    if name.is_empty() || rest.starts_with(':') || rest.starts_with('/') {
        return None;
    }
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let requirement = rest.split(';').next().unwrap_or(rest).trim().trim_matches(['(', ')', '\\', ' ']);
    Some((name, requirement))
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn extras_markers_hashes_and_comments_are_left_out() {
        assert_eq!(parts("requests[socks] >=2,<3 ; python_version < '3'"), Some(("requests", ">=2,<3")));
        assert_eq!(parts("a==1 --hash=sha256:00 # why"), Some(("a", "==1")));
        assert_eq!(parts("a @ git+x"), Some(("a", "@ git+x")));
        assert_eq!(parts("-r other.txt"), None);
        assert_eq!(parts("https://example.org/x.whl"), None);
        assert_eq!(parts("# a"), None);
    }
}
