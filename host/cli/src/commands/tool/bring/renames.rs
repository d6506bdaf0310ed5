//! Other names for a component's tools, as the command line gives them.

use crate::exit::Refusal;
use crate::shell;
use anyhow::Result;
use ringfence_sandbox::reflect::ToolName;

/// Refuses two names for one tool.
pub(super) fn each_once(renamed: &[(ToolName, ToolName)]) -> Result<()> {
    for (at, (own, name)) in renamed.iter().enumerate() {
        if let Some((_, first)) = renamed.iter().take(at).find(|(known, _)| known == own) {
            let what = format!("`{own}` is renamed twice: to `{first}` and to `{name}`");
            return Err(Refusal::usage(what).hint("leave one --rename out").into());
        }
    }
    Ok(())
}

/// The command that was given, with this name for a tool in place of one that it gives.
pub(super) fn this_command(own: &str, name: &str) -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    shell::command(with(words.collect(), own, name))
}

fn with(words: Vec<String>, own: &str, name: &str) -> Vec<String> {
    const FLAG: &str = "--rename";
    let is_own = |value: &str| value.split_once('=').is_some_and(|(known, _)| known == own);
    let (mut kept, mut words) = (Vec::new(), words.into_iter().peekable());
    while let Some(word) = words.next() {
        let joined = word.strip_prefix(FLAG).and_then(|rest| rest.strip_prefix('='));
        if joined.is_some_and(is_own) {
            continue;
        }
        if word == FLAG && words.next_if(|value| is_own(value)).is_some() {
            continue;
        }
        kept.push(word);
    }
    // Behind `--` everything is an argument.
    let end = kept.iter().position(|word| word == "--").unwrap_or(kept.len());
    kept.splice(end..end, [FLAG.to_owned(), format!("{own}={name}")]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_doesn_t_fit_is_not_repeated() {
        for (given, expected) in [
            ("tool add x", "tool add x --rename a=n"),
            ("tool add x --rename a=b --rename c=d", "tool add x --rename c=d --rename a=n"),
            ("tool add --rename=a=b --rename=ab=c -- x", "tool add --rename=ab=c --rename a=n -- x"),
        ] {
            let words = given.split(' ').map(str::to_owned).collect();
            assert_eq!(with(words, "a", "n").join(" "), expected);
        }
    }

    #[test]
    fn a_tool_has_one_name() {
        let name = |text: &str| ToolName::parse(text).unwrap();
        each_once(&[(name("a"), name("x")), (name("b"), name("y"))]).unwrap();
        let said = each_once(&[(name("a"), name("x")), (name("a"), name("y"))]).unwrap_err().to_string();
        assert!(said.contains("to `x` and to `y`"), "{said}");
    }
}
