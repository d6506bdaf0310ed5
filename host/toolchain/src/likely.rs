//! What was probably meant by a word that isn't known.

/// The known word that is nearest to `asked`, if one is near.
pub(crate) fn likely<'a>(asked: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = |word: &str| strsim::damerau_levenshtein(asked, word);
    let nearest = known.iter().copied().min_by_key(|word| far(word))?;
    let near = far(nearest) <= asked.chars().count().max(nearest.chars().count()) / 3;
    near.then_some(nearest)
}
