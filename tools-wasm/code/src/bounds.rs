//! Lists cut so that an answer as JSON fits into what a call may return.

/// What the names of fields take, roughly, in bytes.
const FRAME: usize = 170;

/// What a text takes in JSON, in bytes.
pub(crate) fn weight(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '"' | '\\' => 2,
            c if c.is_control() => 6,
            c => c.len_utf8(),
        })
        .sum()
}

/// The first of a list, so many at most, that take no more than so many bytes.
pub(crate) fn within<T>(
    list: impl IntoIterator<Item = T>,
    most: usize,
    bytes: usize,
    takes: impl Fn(&T) -> usize,
) -> Vec<T> {
    let mut room = bytes;
    let fits = |one: &T| match room.checked_sub(takes(one) + FRAME) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    list.into_iter().take(most).take_while(fits).collect()
}
