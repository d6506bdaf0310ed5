//! The component's export: the interface's types to this crate's and back.

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ world: "code-tool", path: "../../wit/code.wit" });
}

use crate::{Analysis, Failure, ImportKind, Language, SymbolKind};
use bindings::exports::ringfence::tools::code as wit;
use ringfence_guest_project::{Fault, Root};

struct Code;

impl wit::Guest for Code {
    fn analyze_code(file_path: String) -> Result<wit::Analysis, wit::Error> {
        Ok(crate::analyze_code(&Root::guest(), &file_path)?.into())
    }
}

impl From<Analysis> for wit::Analysis {
    fn from(analysis: Analysis) -> Self {
        let counts = analysis.counts;
        Self {
            path: analysis.path,
            language: analysis.language.into(),
            package_name: analysis.package_name,
            outline: analysis.outline.into_iter().map(Into::into).collect(),
            imports: analysis.imports.into_iter().map(Into::into).collect(),
            counts: wit::Counts {
                lines: counts.lines,
                code_lines: counts.code_lines,
                comment_lines: counts.comment_lines,
                blank_lines: counts.blank_lines,
                functions: counts.functions,
                methods: counts.methods,
                classes: counts.classes,
            },
            syntax_errors: analysis.syntax_errors,
            first_errors: analysis
                .first_errors
                .into_iter()
                .map(|place| wit::Place { line: place.line, column: place.column })
                .collect(),
            cut: analysis.cut,
            size: analysis.size,
        }
    }
}

impl From<crate::Symbol> for wit::Symbol {
    fn from(symbol: crate::Symbol) -> Self {
        Self {
            kind: match symbol.kind {
                SymbolKind::Function => wit::SymbolKind::Function,
                SymbolKind::Method => wit::SymbolKind::Method,
                SymbolKind::Class => wit::SymbolKind::Class,
                SymbolKind::Struct => wit::SymbolKind::Struct,
                SymbolKind::Interface => wit::SymbolKind::Interface,
                SymbolKind::Trait => wit::SymbolKind::Trait,
                SymbolKind::Enum => wit::SymbolKind::Enum,
                SymbolKind::Union => wit::SymbolKind::Union,
                SymbolKind::TypeAlias => wit::SymbolKind::TypeAlias,
                SymbolKind::Module => wit::SymbolKind::Module,
                SymbolKind::Macro => wit::SymbolKind::Macro,
            },
            name: symbol.name,
            owner: symbol.owner,
            first_line: symbol.first_line,
            last_line: symbol.last_line,
            signature: symbol.signature,
            exported: symbol.exported,
            doc: symbol.doc,
        }
    }
}

impl From<crate::Import> for wit::Imported {
    fn from(import: crate::Import) -> Self {
        Self {
            kind: match import.kind {
                ImportKind::Import => wit::ImportKind::Import,
                ImportKind::ReExport => wit::ImportKind::ReExport,
                ImportKind::Require => wit::ImportKind::Require,
                ImportKind::Dynamic => wit::ImportKind::Dynamic,
                ImportKind::Include => wit::ImportKind::Include,
                ImportKind::Submodule => wit::ImportKind::Submodule,
            },
            module: import.module,
            names: import.names,
            line: import.line,
        }
    }
}

impl From<Language> for wit::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Python => Self::Python,
            Language::JavaScript => Self::Javascript,
            Language::TypeScript => Self::Typescript,
            Language::Tsx => Self::Tsx,
            Language::Rust => Self::Rust,
            Language::Go => Self::Go,
            Language::Java => Self::Java,
            Language::C => Self::C,
        }
    }
}

impl From<Failure> for wit::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Fault(Fault::NotFound(message)) => Self::NotFound(message),
            Failure::Fault(Fault::NotPermitted(message)) => Self::NotPermitted(message),
            // A file below a file is no more there than any other that isn't.
            Failure::Fault(Fault::NotADirectory(message)) => Self::NotFound(message),
            Failure::Fault(Fault::NotAFile(message)) => Self::NotAFile(message),
            Failure::Fault(Fault::NotText(message)) => Self::NotText(message),
            Failure::Fault(Fault::Io(message)) => Self::Io(message),
            Failure::UnknownLanguage(message) => Self::UnknownLanguage(message),
            Failure::TooLarge(message) => Self::TooLarge(message),
        }
    }
}

bindings::export!(Code with_types_in bindings);
