//! Which elements a person who looks at the page doesn't see, by their own attributes.

use html5gum::StartTag;

pub(super) fn is_hidden(tag: &StartTag<()>) -> bool {
    let attribute = |name: &[u8]| tag.attributes.get(name).map(|value| value.value.as_slice());
    let says =
        |name: &[u8], value: &[u8]| attribute(name).is_some_and(|found| found.eq_ignore_ascii_case(value));
    (attribute(b"hidden").is_some() && !says(b"hidden", b"until-found"))
        || says(b"aria-hidden", b"true")
        || (tag.name.as_slice() == b"dialog" && attribute(b"open").is_none())
        || attribute(b"style").is_some_and(hides)
}

/// Whether a `style` attribute makes its element invisible.
fn hides(style: &[u8]) -> bool {
    style.split(|byte| *byte == b';').any(|declaration| {
        let mut parts = declaration.splitn(2, |byte| *byte == b':');
        let mut word = || -> Vec<u8> {
            let text = parts.next().unwrap_or_default().iter();
            text.filter(|byte| !byte.is_ascii_whitespace()).map(u8::to_ascii_lowercase).collect()
        };
        let (name, value) = (word(), word());
        let value = value.strip_suffix(b"!important").unwrap_or(&value);
        match name.as_slice() {
            b"display" => value == b"none",
            b"visibility" => matches!(value, b"hidden" | b"collapse"),
            b"opacity" | b"font-size" => {
                let number: Vec<u8> =
                    value.iter().copied().take_while(|b| b.is_ascii_digit() || *b == b'.').collect();
                !number.is_empty() && number.iter().all(|b| matches!(b, b'0' | b'.'))
            }
            _ => false,
        }
    })
}
