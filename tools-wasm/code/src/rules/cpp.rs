//! C++.

use super::c::declarator::{Declared, declared, is_constant, is_in_block, is_reserved, parameters, says};
use super::c::{define_macro, specifier_kind, type_definition};
use super::{Rules, head_end};
use crate::collect::{Found, joined};
use crate::complexity::Branches;
use crate::excerpt::one_line;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// How much of a list of parameters tells overloads apart, in bytes.
const LONGEST_KEY: usize = 300;
/// How far a member may be from the body of its class: templates and conditions stand between.
const FARTHEST_BODY: usize = 8;

#[derive(Default)]
pub(crate) struct Cpp {
    /// Functions with a body, with their parameters.
    defined: HashSet<String>,
    /// Which of the symbols found are prototypes, and of what.
    prototypes: HashMap<usize, String>,
    /// Whether the members that come next in a class's body are public, by the body's id.
    public: HashMap<usize, bool>,
}

impl Rules for Cpp {
    fn is_doc(&self, _comment: &str) -> bool {
        true
    }

    fn branches(&self) -> &'static Branches {
        const CPP: Branches = Branches {
            deeper: &[
                "if_statement",
                "for_statement",
                "for_range_loop",
                "while_statement",
                "do_statement",
                "catch_clause",
            ],
            holders: &["switch_statement"],
            cases: &["case_statement"],
            beside: &["conditional_expression"],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &CPP
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "preproc_include" => {
                found.import(ImportKind::Include, cx.field(node, "path"), [], node.start_position().row);
                None
            }
            "preproc_function_def" | "preproc_def" => {
                define_macro(node, cx, found);
                None
            }
            "namespace_definition" => {
                let own = node.child_by_field_name("name").map(|name| cx.of(name))?;
                cx.define(
                    found,
                    Definition { exported: true, ..Definition::of(SymbolKind::Module, own, node) },
                );
                Scope::new(ScopeKind::Module, &dotted(own)?)
            }
            "access_specifier" => {
                if let Some(body) = body_around(cx) {
                    self.public.insert(body.id(), cx.of(node).starts_with("public"));
                }
                None
            }
            "function_definition" => self.function(node, cx, found),
            "declaration" | "field_declaration" if !cx.in_function() && !is_in_block(cx) => {
                self.declaration(node, cx, found);
                None
            }
            "type_definition" => type_definition(node, cx, found),
            "alias_declaration" => {
                self.simple(node, SymbolKind::TypeAlias, cx, found);
                None
            }
            "concept_definition" => {
                self.simple(node, SymbolKind::Trait, cx, found);
                None
            }
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier"
                if cx.parent_kind() != "type_definition" =>
            {
                node.child_by_field_name("body")?;
                let (owner, own) = parts(node.child_by_field_name("name")?, cx);
                self.define_type(node, specifier_kind(node)?, own, owner, cx, found)
            }
            _ => None,
        }
    }

    /// A prototype says nothing that the function itself, or an equal prototype before, doesn't.
    fn finish(&mut self, found: &mut Found) {
        let Self { defined, prototypes, .. } = self;
        found.retain(|at, _| prototypes.remove(&at).is_none_or(|key| defined.insert(key)));
    }
}

impl Cpp {
    fn simple<'t>(&self, node: Node<'t>, kind: SymbolKind, cx: &Cx<'_, 't>, found: &mut Found) {
        let own = cx.field(node, "name");
        let outer = cx.outermost(node, &["template_declaration"]);
        let exported = self.is_public(cx);
        cx.define(found, Definition { exported, outer, ..Definition::of(kind, own, node) });
    }

    fn define_type<'t>(
        &self,
        node: Node<'t>,
        kind: SymbolKind,
        own: &str,
        owner: Option<String>,
        cx: &Cx<'_, 't>,
        found: &mut Found,
    ) -> Option<Scope> {
        let outer = cx.outermost(node, &["template_declaration", "declaration", "field_declaration"]);
        let scope = joined(owner.as_deref().into_iter().chain([own]))?;
        let owner = owner.and_then(|owner| joined(cx.owner().as_deref().into_iter().chain([owner.as_str()])));
        let exported = self.is_public(cx);
        cx.define(found, Definition { exported, outer, owner, ..Definition::of(kind, own, node) });
        Scope::new(ScopeKind::Type, &scope)
    }

    fn function<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let declared = declared(node.child_by_field_name("declarator")?)?;
        let function = declared.function?;
        let (owner, own) = parts(declared.name, cx);
        if is_reserved(own) {
            return None;
        }
        let scope = joined(owner.as_deref().into_iter().chain([own]))?;
        self.defined.insert(key(&scope, function, cx));
        let kind = if cx.in_type() || owner.is_some() { SymbolKind::Method } else { SymbolKind::Function };
        let outer = cx.outermost(node, &["template_declaration", "friend_declaration"]);
        let exported = self.is_public(cx) && (cx.in_type() || !says(node, "static", cx));
        let owner = owner.and_then(|owner| joined(cx.owner().as_deref().into_iter().chain([owner.as_str()])));
        let initializers =
            node.children(&mut node.walk()).find(|child| child.kind() == "field_initializer_list");
        let head_end = initializers.map_or(head_end(node), |list| list.start_byte());
        let parameters = node.child_by_field_name("body").map(|_| parameters(function, cx));
        cx.define(
            found,
            Definition { exported, outer, owner, head_end, parameters, ..Definition::of(kind, own, node) },
        );
        Scope::new(ScopeKind::Function, &scope)
    }

    /// Prototypes, variables of namespaces, constants of classes.
    fn declaration<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
        if cx.parent_kind() == "friend_declaration" {
            return;
        }
        let is_extern = says(node, "extern", cx) || cx.parent_kind() == "linkage_specification";
        let is_static = says(node, "static", cx);
        let outer = cx.outermost(node, &["template_declaration"]);
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let Some(declared) = declared(declarator) else { continue };
            let Declared { name, function, .. } = declared;
            let (owner, own) = parts(name, cx);
            // What wasn't understood declares no variables.
            if is_reserved(own) || (function.is_none() && node.has_error()) {
                continue;
            }
            let kind = match function {
                Some(_) if cx.in_type() || owner.is_some() => SymbolKind::Method,
                Some(_) => SymbolKind::Function,
                None if is_constant(node, &declared, cx) => SymbolKind::Constant,
                None => SymbolKind::Variable,
            };
            if function.is_none() && cx.in_type() && !(kind == SymbolKind::Constant && is_static) {
                continue;
            }
            let scope = joined(owner.as_deref().into_iter().chain([own])).unwrap_or_default();
            match function {
                Some(function) => {
                    self.prototypes.insert(found.symbols.len(), key(&scope, function, cx));
                }
                None if is_extern && declarator.kind() != "init_declarator" => {
                    self.prototypes.insert(found.symbols.len(), scope);
                }
                None => {}
            }
            let exported = self.is_public(cx) && (cx.in_type() || !is_static);
            let owner =
                owner.and_then(|owner| joined(cx.owner().as_deref().into_iter().chain([owner.as_str()])));
            cx.define(found, Definition { exported, outer, owner, ..Definition::of(kind, own, node) });
        }
    }

    /// Whether what stands here can be reached: in a class only what is public.
    fn is_public(&self, cx: &Cx<'_, '_>) -> bool {
        if !cx.in_type() {
            return !cx.in_function();
        }
        let Some(body) = body_around(cx) else { return true };
        self.public.get(&body.id()).copied().unwrap_or_else(|| {
            // Nothing said: members of a class are private, those of a struct are not.
            let around = (0..FARTHEST_BODY).map_while(|nth| cx.ancestor(nth));
            around
                .skip_while(|node| *node != body)
                .nth(1)
                .is_none_or(|class| class.kind() != "class_specifier")
        })
    }
}

/// The body of the class that the node is in.
fn body_around<'t>(cx: &Cx<'_, 't>) -> Option<Node<'t>> {
    (0..FARTHEST_BODY).map_while(|nth| cx.ancestor(nth)).find(|node| node.kind() == "field_declaration_list")
}

/// What a name belongs to by its qualification, and the name itself.
fn parts<'a>(name: Node<'_>, cx: &'a Cx<'_, '_>) -> (Option<String>, &'a str) {
    let (mut node, mut scopes) = (name, Vec::new());
    loop {
        match node.kind() {
            "qualified_identifier" => {
                let scope = node.child_by_field_name("scope");
                scopes.extend(scope.map(|scope| without_arguments(scope, cx)));
                match node.child_by_field_name("name") {
                    Some(inner) => node = inner,
                    None => return (joined(scopes.into_iter()), cx.of(node)),
                }
            }
            "operator_cast" => {
                let own = cx.of(node).split('(').next().unwrap_or_default().trim_end();
                return (joined(scopes.into_iter()), own);
            }
            _ => return (joined(scopes.into_iter()), without_arguments(node, cx)),
        }
    }
}

/// `name` of `name<int>`.
fn without_arguments<'a>(node: Node<'_>, cx: &'a Cx<'_, '_>) -> &'a str {
    match node.kind() {
        "template_type" | "template_function" => cx.field(node, "name"),
        _ => cx.of(node),
    }
}

/// What tells a function from its overloads.
fn key(scope: &str, function: Node<'_>, cx: &Cx<'_, '_>) -> String {
    format!(
        "{}.{scope}{}",
        cx.owner().unwrap_or_default(),
        one_line(cx.field(function, "parameters"), LONGEST_KEY)
    )
}

/// `a::b` as `a.b`.
fn dotted(name: &str) -> Option<String> {
    joined(name.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "inline"))
}
