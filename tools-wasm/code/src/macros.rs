//! Macros of C and C++ that hide the code around them from a parser: `class EXPORTED Name {`,
//! `LIBRARY_API int f();`, lines like `BEGIN_NAMESPACE`. They are blanked before parsing, byte for byte,
//! so that places stay.

/// The shortest macro that is told by standing alone on its line, in bytes.
const SHORTEST_ALONE: usize = 4;
/// The shortest macro that is told by standing before a type's name, in bytes.
const SHORTEST_BEFORE: usize = 3;
/// How macros end that say how something is linked or inlined, and nothing about its type.
const LINKAGE: [&[u8]; 6] = [b"EXPORT", b"EXTERN", b"_API", b"_INTERFACE", b"_INLINE", b"_NOINLINE"];

/// `text` with such macros blanked; none if there are none.
pub(crate) fn blanked(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut found = false;
    let mut start = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    let mut in_directive = false;
    while let Some(line) = lines.next() {
        let bare = line.trim();
        let is_directive = in_directive || bare.starts_with('#');
        in_directive = is_directive && bare.ends_with('\\');
        if !is_directive {
            let opens = lines.peek().is_some_and(|next| next.trim_start().starts_with('{'));
            if stands_alone(bare, opens) {
                let at = start + (line.len() - line.trim_start().len());
                found |= blank(&mut bytes, at, bare.len());
            }
            found |= blank_words(&mut bytes, start, start + line.len());
        }
        start += line.len();
    }
    // Whole words of ASCII were replaced by spaces, so this is text.
    found.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// `BEGIN_NAMESPACE`, `SUPPRESS_WARNING("x")`; not what begins a body.
fn stands_alone(line: &str, opens: bool) -> bool {
    let word = word_at(line.as_bytes(), 0);
    let rest = line.get(word.len()..).unwrap_or_default();
    let is_call =
        rest.starts_with('(') && rest.find(')') == Some(rest.len() - 1) && rest.is_ascii() && !opens;
    word.len() >= SHORTEST_ALONE && word.contains(&b'_') && is_macro(word) && (rest.is_empty() || is_call)
}

/// Blanks the words between two places that say how something is linked.
fn blank_words(bytes: &mut [u8], from: usize, end: usize) -> bool {
    let (mut at, mut found) = (from, false);
    while at < end {
        let length = word_at(bytes, at).len();
        if length == 0 {
            match bytes.get(at) {
                // What comes next is text, not code.
                Some(b'"') => return found,
                Some(b'/') if bytes.get(at + 1) == Some(&b'/') => return found,
                _ => at += 1,
            }
            continue;
        }
        let word = word_at(bytes, at);
        let (macro_at, macro_length) = match word {
            b"class" | b"struct" | b"union" => exported(bytes, at + length),
            _ if is_linkage(word) && bytes.get(after_space(bytes, at + length)) != Some(&b'(') => {
                (at, length)
            }
            _ => (0, 0),
        };
        found |= blank(bytes, macro_at, macro_length);
        at += length;
    }
    found
}

fn is_linkage(word: &[u8]) -> bool {
    word.len() >= SHORTEST_ALONE && is_macro(word) && LINKAGE.iter().any(|end| word.ends_with(end))
}

/// Where a macro stands between `class` and the name of what is defined, and how long it is.
fn exported(bytes: &[u8], after_keyword: usize) -> (usize, usize) {
    let none = (0, 0);
    let from = after_space(bytes, after_keyword);
    let word = word_at(bytes, from);
    if from == after_keyword || word.len() < SHORTEST_BEFORE || !is_macro(word) {
        return none;
    }
    let name_at = after_space(bytes, from + word.len());
    let name = word_at(bytes, name_at);
    if name.is_empty() || name == b"final" || name.first().is_some_and(u8::is_ascii_digit) {
        return none;
    }
    let next = after_space(bytes, name_at + name.len());
    let opens = match bytes.get(next) {
        Some(b'{') => true,
        Some(b':') => bytes.get(next + 1) != Some(&b':'),
        Some(_) => word_at(bytes, next) == b"final",
        None => false,
    };
    if opens { (from, word.len()) } else { none }
}

fn blank(bytes: &mut [u8], from: usize, length: usize) -> bool {
    let Some(range) = bytes.get_mut(from..from + length) else { return false };
    range.fill(b' ');
    length > 0
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The word that starts here, as far as it goes.
fn word_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.split(|byte| !is_word(*byte)).next().unwrap_or_default()
}

fn after_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn is_macro(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase)
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::blanked;

    #[test]
    fn only_macros_that_hide_code_are_blanked() {
        for (text, expected) in [
            ("class API Foo {", Some("class     Foo {")),
            ("struct MY_API Foo\n  : Bar {", Some("struct        Foo\n  : Bar {")),
            ("class API Foo final {", Some("class     Foo final {")),
            ("  BEGIN_NS\nint f();", Some("          \nint f();")),
            ("MY_API int f();", Some("       int f();")),
            ("SUPPRESS_WARNING(\"x\")\nint f();", Some("                     \nint f();")),
            ("MY_TEST(a, b)\n{", None),
            ("#define X MY_API int\n", None),
            ("f(\"MY_API\");", None),
            ("MY_API(int) f();", None),
            ("struct FOO bar = {", None),
            ("struct FOO bar(void) {", None),
            ("struct FOO {", None),
            ("class Api Foo {", None),
            ("class A::B {", None),
            ("文 class", None),
            ("class FOO", None),
        ] {
            assert_eq!(blanked(text).as_deref(), expected, "{text}");
        }
    }
}
