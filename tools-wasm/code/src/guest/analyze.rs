//! `analyze_code`: this crate's analysis as the interface's.

use super::wit;
use crate::{Analysis, ImportKind, Language, SymbolKind};

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
            exports: analysis.exports,
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
                SymbolKind::Constant => wit::SymbolKind::Constant,
                SymbolKind::Variable => wit::SymbolKind::Variable,
                SymbolKind::Property => wit::SymbolKind::Property,
                SymbolKind::Section => wit::SymbolKind::Section,
                SymbolKind::Element => wit::SymbolKind::Element,
                SymbolKind::Selector => wit::SymbolKind::Selector,
            },
            name: symbol.name,
            owner: symbol.owner,
            first_line: symbol.first_line,
            last_line: symbol.last_line,
            signature: symbol.signature,
            exported: symbol.exported,
            doc: symbol.doc,
            complexity: symbol.complexity.map(|complexity| wit::Complexity {
                cyclomatic: complexity.cyclomatic,
                nesting: complexity.nesting,
                parameters: complexity.parameters,
            }),
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
            Language::Cpp => Self::Cpp,
            Language::CSharp => Self::Csharp,
            Language::Ruby => Self::Ruby,
            Language::Php => Self::Php,
            Language::Bash => Self::Bash,
            Language::Json => Self::Json,
            Language::Yaml => Self::Yaml,
            Language::Toml => Self::Toml,
            Language::Html => Self::Html,
            Language::Css => Self::Css,
        }
    }
}
