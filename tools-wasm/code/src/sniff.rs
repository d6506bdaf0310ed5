//! The language of a file by what it begins with: what runs a script, and whether a header holds C++.

use crate::language::Language;

/// How much of a header is looked at, in bytes.
const LOOKED_AT: usize = 64 << 10;

/// The language of a script, by its `#!` line.
pub(crate) fn interpreter(head: &str) -> Option<Language> {
    let line = head.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = program.rsplit('/').next()?;
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match bare {
        "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh" => Some(Language::Bash),
        "python" | "pypy" => Some(Language::Python),
        "node" | "nodejs" => Some(Language::JavaScript),
        "ruby" => Some(Language::Ruby),
        "php" => Some(Language::Php),
        _ => None,
    }
}

/// Whether a header holds C++: what only C++ has, outside of comments and of what a C compiler
/// doesn't see.
pub(crate) fn is_cpp(header: &str) -> bool {
    let mut end = header.len().min(LOOKED_AT);
    while !header.is_char_boundary(end) {
        end -= 1;
    }
    let mut in_comment = false;
    // How many conditions are open, and at which of them C stopped reading.
    let (mut open, mut hidden_at) = (0_usize, None);
    for line in header.get(..end).unwrap_or_default().lines() {
        let line = uncommented(line, &mut in_comment);
        let line = line.trim();
        if let Some(directive) = line.strip_prefix('#').map(str::trim_start) {
            if directive.starts_with("if") {
                open += 1;
                let is_cpp_only = directive.contains("__cplusplus")
                    && !directive.starts_with("ifndef")
                    && !directive.contains('!');
                if is_cpp_only && hidden_at.is_none() {
                    hidden_at = Some(open);
                }
            } else if directive.starts_with("el") && hidden_at == Some(open) {
                hidden_at = None;
            } else if directive.starts_with("endif") {
                if hidden_at == Some(open) {
                    hidden_at = None;
                }
                open = open.saturating_sub(1);
            } else if hidden_at.is_none() && is_cpp_include(directive) {
                return true;
            }
        } else if hidden_at.is_none() && is_cpp_line(line) {
            return true;
        }
    }
    false
}

/// `<vector>`: the headers of C++'s own library have no extension.
fn is_cpp_include(directive: &str) -> bool {
    let Some(path) = directive.strip_prefix("include").map(str::trim) else { return false };
    path.strip_prefix('<')
        .and_then(|path| path.strip_suffix('>'))
        .is_some_and(|path| !path.contains(['.', '/']))
}

fn is_cpp_line(line: &str) -> bool {
    let word = |word: &str| {
        let rest = line.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with([' ', '\t']) || rest.is_empty())
    };
    let is_label = |label: &str| {
        line.strip_prefix(label).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with(':') && !rest.starts_with("::")
        })
    };
    word("class")
        || word("namespace")
        || word("using")
        || word("constexpr")
        || line.strip_prefix("template").is_some_and(|rest| rest.trim_start().starts_with('<'))
        || ["public", "private", "protected"].into_iter().any(is_label)
        || outside_of_strings(line).contains("::")
}

/// The line up to its first quote.
fn outside_of_strings(line: &str) -> &str {
    line.split('"').next().unwrap_or_default()
}

/// The line without its comments; `in_comment` goes from line to line.
fn uncommented(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else { return out };
            *in_comment = false;
            rest = after;
        }
        let block = rest.find("/*").unwrap_or(rest.len());
        let to_end = rest.find("//").unwrap_or(rest.len());
        if to_end < block || block == rest.len() {
            out.push_str(rest.get(..to_end).unwrap_or_default());
            return out;
        }
        out.push_str(rest.get(..block).unwrap_or_default());
        rest = rest.get(block + 2..).unwrap_or_default();
        *in_comment = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_told_by_what_runs_it() {
        for (line, language) in [
            ("#!/bin/sh", Some(Language::Bash)),
            ("#!/usr/bin/env bash\n", Some(Language::Bash)),
            ("#! /usr/bin/env -S python3.12 -u", Some(Language::Python)),
            ("#!/usr/bin/env NODE_ENV=x node", Some(Language::JavaScript)),
            ("#!/usr/local/bin/ruby", Some(Language::Ruby)),
            ("#!/usr/bin/php8.3", Some(Language::Php)),
            ("#!/usr/bin/perl", None),
            ("#!", None),
            ("#!/usr/bin/env", None),
            ("echo", None),
        ] {
            assert_eq!(interpreter(line), language, "{line}");
        }
    }

    #[test]
    fn a_header_is_cpp_where_only_cpp_would_do() {
        for header in [
            "#pragma once\nclass A {};\n",
            "namespace a {\n}\n",
            "template <typename T> T f(T);\n",
            "#include <vector>\n",
            "struct A {\npublic:\n  int x;\n};\n",
            "std::string f();\n",
        ] {
            assert!(is_cpp(header), "{header}");
        }
        for header in [
            "#include <stdio.h>\n#include \"a\"\nint f(void);\n",
            "/* class A\n * std::string */\n// namespace a\nint f(void);\n",
            "#ifdef __cplusplus\nextern \"C\" {\nnamespace a {}\n#endif\nint f(void);\n",
            "#if defined(__cplusplus)\n#include <vector>\n#else\nint f(void);\n#endif\n",
            "#define A \"std::string\"\nconst char *class_of(void);\n",
        ] {
            assert!(!is_cpp(header), "{header}");
        }
    }
}
