//! What a component's imports mean, in plain words.
//!
//! An import says what the component may ask for, not what it gets: that is the policy's to say.

use serde::Serialize;

/// Something that a component may ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Use {
    /// In a word: `files`.
    pub(super) what: &'static str,
    /// What of it can be had here.
    pub(super) here: &'static str,
}

/// In the order in which people ask. The imports that belong to each begin so.
const KNOWN: [(&[&str], Use); 9] = [
    (
        &["wasi:filesystem/"],
        Use { what: "files", here: "those of granted folders; changes wait until they are applied" },
    ),
    (
        &["ringfence:host/fan-out"],
        Use { what: "work on many files", here: "by the host, each in an instance that sees nothing else" },
    ),
    (&["wasi:http/"], Use { what: "requests over HTTP", here: "to granted hosts alone" }),
    (
        &["wasi:sockets/"],
        Use { what: "sockets", here: "none: there are no connections but requests over HTTP" },
    ),
    (&["wasi:cli/environment"], Use { what: "the environment", here: "granted variables; no arguments" }),
    (&["wasi:clocks/"], Use { what: "clocks", here: "made up, unless `entropy` is granted" }),
    (&["wasi:random/"], Use { what: "random numbers", here: "made up, unless `entropy` is granted" }),
    (&["wasi:config/"], Use { what: "configuration", here: "what the policy tells this tool" }),
    (
        &["wasi:cli/std", "wasi:cli/terminal", "wasi:cli/exit"],
        Use {
            what: "standard streams",
            here: "nothing to read; what it prints is kept apart from its answer",
        },
    ),
];

/// What these imports ask for.
pub(super) fn of(imports: &[String]) -> Vec<Use> {
    let is_asked = |begins: &[&str]| {
        imports.iter().any(|import| begins.iter().any(|beginning| import.starts_with(beginning)))
    };
    KNOWN.iter().filter(|(begins, _)| is_asked(begins)).map(|(_, known)| known.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_told_in_words_each_once() {
        let imports =
            ["wasi:io/streams@0.2.6", "wasi:filesystem/types@0.2.6", "wasi:filesystem/preopens@0.2.6"];
        let whats: Vec<_> = of(&imports.map(str::to_owned)).into_iter().map(|one| one.what).collect();
        assert_eq!(whats, ["files"]);
        assert_eq!(of(&[]), []);
    }
}
