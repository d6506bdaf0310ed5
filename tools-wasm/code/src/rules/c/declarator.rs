//! What a declarator of C or C++ declares, and the parameters that it takes.

use crate::rules::count_parameters;
use crate::scan::Cx;
use tree_sitter::Node;

/// What stands in the middle of a declarator.
pub(crate) struct Declared<'t> {
    /// The name; in C++ it may be qualified, an operator, a destructor.
    pub(crate) name: Node<'t>,
    /// The innermost declarator of a function, if that is what is declared: `*f(void)` declares
    /// one, `(*f)(void)` a pointer.
    pub(crate) function: Option<Node<'t>>,
    /// Whether a pointer is declared.
    pub(crate) is_pointer: bool,
}

/// Goes through a declarator to the name in it.
pub(crate) fn declared(declarator: Node<'_>) -> Option<Declared<'_>> {
    let (mut node, mut function, mut is_pointer) = (declarator, None, false);
    loop {
        node = match node.kind() {
            "identifier"
            | "type_identifier"
            | "field_identifier"
            | "primitive_type"
            | "qualified_identifier"
            | "operator_name"
            | "destructor_name"
            | "operator_cast"
            | "template_function" => {
                // A conversion has no declarator around its parameters, they are within.
                if node.kind() == "operator_cast" {
                    function = node.child_by_field_name("declarator");
                }
                return Some(Declared { name: node, function, is_pointer });
            }
            "function_declarator" => {
                function = Some(node);
                node.child_by_field_name("declarator")?
            }
            "pointer_declarator" | "array_declarator" => {
                function = None;
                is_pointer |= node.kind() == "pointer_declarator";
                node.child_by_field_name("declarator")?
            }
            "reference_declarator" => {
                function = None;
                node.named_child(0)?
            }
            "init_declarator" => node.child_by_field_name("declarator")?,
            "parenthesized_declarator" | "attributed_declarator" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| !child.kind().starts_with("ms_"))?
            }
            _ => return None,
        };
    }
}

/// Whether a name is a word of the language: what it declares is code that wasn't understood.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "return"
            | "catch"
            | "sizeof"
            | "struct"
            | "union"
            | "enum"
            | "class"
            | "namespace"
            | "template"
            | "typename"
            | "static_cast"
            | "std"
            | "void"
            | "int"
            | "char"
            | "long"
            | "short"
            | "unsigned"
            | "signed"
            | "float"
            | "double"
            | "const"
            | "defined"
            | "noexcept"
            | "operator"
    )
}

/// How many parameters a function takes; `(void)` takes none.
pub(crate) fn parameters(function: Node<'_>, cx: &Cx<'_, '_>) -> u32 {
    let Some(list) = function.child_by_field_name("parameters") else { return 0 };
    count_parameters(list, |one| one.child_by_field_name("declarator").is_none() && cx.of(one) == "void")
}

/// Whether a declaration has this word before what it declares.
pub(crate) fn says(declaration: Node<'_>, word: &str, cx: &Cx<'_, '_>) -> bool {
    let mut cursor = declaration.walk();
    declaration.named_children(&mut cursor).any(|child| {
        matches!(child.kind(), "storage_class_specifier" | "type_qualifier") && cx.of(child) == word
    })
}

/// Whether the values that a declaration names never change.
pub(crate) fn is_constant(declaration: Node<'_>, declared: &Declared<'_>, cx: &Cx<'_, '_>) -> bool {
    !declared.is_pointer && (says(declaration, "const", cx) || says(declaration, "constexpr", cx))
}

/// Whether a macro only guards a header against being read twice.
pub(crate) fn is_guard(definition: Node<'_>, cx: &Cx<'_, '_>) -> bool {
    definition.child_by_field_name("value").is_none()
        && cx.ancestor(0).is_some_and(|parent| {
            parent.kind() == "preproc_ifdef" && cx.field(parent, "name") == cx.field(definition, "name")
        })
}

/// Whether a declaration stands in a body that isn't a function's to the grammar: what macros like
/// `TEST("a") { … }` make of it.
pub(crate) fn is_in_block(cx: &Cx<'_, '_>) -> bool {
    let around = (0..).map_while(|nth| cx.ancestor(nth).map(|node| node.kind()));
    let mut around =
        around.skip_while(|kind| kind.starts_with("preproc_") || *kind == "template_declaration");
    !matches!(
        around.next(),
        Some("translation_unit" | "declaration_list" | "linkage_specification" | "field_declaration_list")
            | None
    )
}
