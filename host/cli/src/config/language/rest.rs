//! What a file says besides its mistakes.

use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// The file without the keys, values and entries that begin at these bytes; none if a reader can make
/// nothing of it.
pub(super) fn rest(text: &str, read: &DeTable<'_>, wrong: &BTreeSet<usize>) -> Option<toml::Table> {
    let mut table = text.parse().ok()?;
    without(&mut table, read, wrong);
    Some(table)
}

fn without(table: &mut toml::Table, read: &DeTable<'_>, wrong: &BTreeSet<usize>) {
    for (name, value) in read.iter() {
        let name_is_wrong = wrong.contains(&name.span().start);
        if name_is_wrong || wrong.contains(&value.span().start) {
            table.remove(name.get_ref().as_ref());
        } else if let Some(known) = table.get_mut(name.get_ref().as_ref()) {
            below(known, value.get_ref(), wrong);
        }
    }
}

fn below(known: &mut toml::Value, read: &DeValue<'_>, wrong: &BTreeSet<usize>) {
    match (known, read) {
        (toml::Value::Table(known), DeValue::Table(read)) => without(known, read, wrong),
        (toml::Value::Array(known), DeValue::Array(read)) => {
            let mut entries = read.iter();
            known.retain_mut(|known| {
                let Some(entry) = entries.next() else { return true };
                below(known, entry.get_ref(), wrong);
                !wrong.contains(&entry.span().start)
            });
        }
        _ => {}
    }
}
