//! How many values a good answer may hold.
//!
//! Owns: the bounds, and the look at JSON before it is read: a value takes far more memory than the
//! two bytes that it is written with. Doesn't own: the bound on an answer's bytes.

/// Blocks of one message, parts of one reply, citations of one block.
const MAX_BLOCKS: usize = 10_000;

/// Values of one body or event.
const MAX_VALUES: usize = 200_000;

/// Refuses JSON with too many values.
pub(crate) fn check(json: &[u8]) -> Result<(), String> {
    let mut values = 0_usize;
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    if values > MAX_VALUES { Err(format!("it holds more than {MAX_VALUES} values")) } else { Ok(()) }
}

/// Refuses too many blocks, parts or citations.
pub(crate) fn check_blocks(count: usize) -> Result<(), String> {
    if count > MAX_BLOCKS { Err(format!("it has more than {MAX_BLOCKS} blocks or parts")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        let many = |what: &str| format!("[{}1]", what.repeat(MAX_VALUES));
        assert!(check(many("1,").as_bytes()).is_err());
        assert!(check(many("[],").as_bytes()).is_err());
        assert!(check(format!("[\"{}\"]", "{[,\\\"".repeat(MAX_VALUES)).as_bytes()).is_ok());
        assert!(check(format!("[\"\\\\\",{}1]", "1,".repeat(MAX_VALUES)).as_bytes()).is_err());
        assert!(check(br#"{"a":[1,{"b":2}]}"#).is_ok());
    }
}
