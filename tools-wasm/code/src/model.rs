//! What an analysis says; the interface's types, one to one.

use crate::language::Language;

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function of no type.
    Function,
    /// A function of a type.
    Method,
    /// A class.
    Class,
    /// A struct.
    Struct,
    /// An interface.
    Interface,
    /// A trait.
    Trait,
    /// An enum.
    Enum,
    /// A union.
    Union,
    /// Another name for a type.
    TypeAlias,
    /// A module with a body.
    Module,
    /// A macro.
    Macro,
    /// What doesn't change.
    Constant,
    /// What may change.
    Variable,
    /// Of a class, with accessors.
    Property,
    /// A part of a file of data.
    Section,
    /// An element with an id.
    Element,
    /// A rule of a style sheet.
    Selector,
}

/// How hard a function is to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complexity {
    /// 1, and one for each decision.
    pub cyclomatic: u32,
    /// How deep branches and loops are nested.
    pub nesting: u32,
    /// Without `self` and `this`.
    pub parameters: u32,
}

/// Something that a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its own name.
    pub name: String,
    /// What it stands in.
    pub owner: Option<String>,
    /// From 1.
    pub first_line: u32,
    /// From 1.
    pub last_line: u32,
    /// Its head in one line.
    pub signature: String,
    /// Whether code elsewhere can reach it.
    pub exported: bool,
    /// The first line of its doc comment.
    pub doc: Option<String>,
    /// Of functions and methods with a body.
    pub complexity: Option<Complexity>,
}

/// How a file refers to other code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// An ordinary import.
    Import,
    /// Handed on.
    ReExport,
    /// CommonJS and Ruby.
    Require,
    /// While running.
    Dynamic,
    /// C's, and files that are taken in as they are: by PHP, shells, pages.
    Include,
    /// Rust's `mod name;`.
    Submodule,
}

/// A reference to other code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// How it refers.
    pub kind: ImportKind,
    /// What is named.
    pub module: String,
    /// What is taken from it.
    pub names: Vec<String>,
    /// From 1.
    pub line: u32,
}

/// How much there is of what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// All lines.
    pub lines: u32,
    /// With code.
    pub code_lines: u32,
    /// With a comment only.
    pub comment_lines: u32,
    /// With nothing.
    pub blank_lines: u32,
    /// Functions of no type.
    pub functions: u32,
    /// Functions of types.
    pub methods: u32,
    /// Classes, structs, interfaces, traits, enums, unions.
    pub classes: u32,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
}

/// What a file defines and needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The path, tidied.
    pub path: String,
    /// Told by the extension, or by what the file begins with.
    pub language: Language,
    /// Of a Java, Go, C# or PHP file.
    pub package_name: Option<String>,
    /// In the order of the file.
    pub outline: Vec<Symbol>,
    /// In the order of the file.
    pub imports: Vec<Import>,
    /// The names that other code can take from it.
    pub exports: Vec<String>,
    /// Numbers.
    pub counts: Counts,
    /// Places that the parser could not make sense of.
    pub syntax_errors: u32,
    /// The first of those.
    pub first_errors: Vec<Place>,
    /// Whether something was left out.
    pub cut: bool,
    /// In bytes.
    pub size: u64,
}
