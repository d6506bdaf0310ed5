//! The languages as ast-grep names them.

use crate::language::Language;
use ast_grep_language::SupportLang;

/// A language as ast-grep has it; none for what it doesn't know.
pub(crate) fn in_ast_grep(language: Language) -> Option<SupportLang> {
    Some(match language {
        Language::Python => SupportLang::Python,
        Language::JavaScript => SupportLang::JavaScript,
        Language::TypeScript => SupportLang::TypeScript,
        Language::Tsx => SupportLang::Tsx,
        Language::Rust => SupportLang::Rust,
        Language::Go => SupportLang::Go,
        Language::Java => SupportLang::Java,
        Language::C => SupportLang::C,
        Language::Cpp => SupportLang::Cpp,
        Language::CSharp => SupportLang::CSharp,
        Language::Ruby => SupportLang::Ruby,
        Language::Php => SupportLang::Php,
        Language::Bash => SupportLang::Bash,
        Language::Json => SupportLang::Json,
        Language::Yaml => SupportLang::Yaml,
        Language::Html => SupportLang::Html,
        Language::Css => SupportLang::Css,
        Language::Toml => return None,
    })
}

/// The language that a rule names, if it can be parsed here.
pub(crate) fn named(name: &str) -> Option<Language> {
    Some(match name.parse().ok()? {
        SupportLang::Python => Language::Python,
        SupportLang::JavaScript => Language::JavaScript,
        SupportLang::TypeScript => Language::TypeScript,
        SupportLang::Tsx => Language::Tsx,
        SupportLang::Rust => Language::Rust,
        SupportLang::Go => Language::Go,
        SupportLang::Java => Language::Java,
        SupportLang::C => Language::C,
        SupportLang::Cpp => Language::Cpp,
        SupportLang::CSharp => Language::CSharp,
        SupportLang::Ruby => Language::Ruby,
        SupportLang::Php => Language::Php,
        SupportLang::Bash => Language::Bash,
        SupportLang::Json => Language::Json,
        SupportLang::Yaml => Language::Yaml,
        SupportLang::Html => Language::Html,
        SupportLang::Css => Language::Css,
        // Known to ast-grep, and its parser isn't built in.
        _ => return None,
    })
}
