//! Reports as HTML, and which findings fail a command.

use super::full;
use super::sarif::{finding, item, with};
use crate::report::{Report, html};
use ringfence_models::playbook::analyst::{Confidence, Edge, Evidence, Graph, Package, Severity};

fn package(path: &str, lines: u32, layer: u32) -> Package {
    Package {
        path: path.to_owned(),
        name: path.to_owned(),
        files: 2,
        code_lines: lines,
        setting: "product".to_owned(),
        layer,
    }
}

fn edge(from: &str, to: &str) -> Edge {
    let evidence = Evidence { step: 1, file: Some(format!("{from}/a.py")), lines: Some((1, 1)) };
    Edge { from: from.to_owned(), to: to.to_owned(), count: 3, evidence }
}

fn graph(packages: Vec<Package>, edges: Vec<Edge>, cycles: Vec<Vec<String>>) -> Option<Graph> {
    Some(Graph { step: 1, packages, edges, cycles, omitted: 0 })
}

fn drawn() -> Report {
    let packages = vec![
        package("shop/web", 400, 2),
        package("shop/orders", 900, 1),
        package("shop/stock", 700, 1),
        package("shop/store", 300, 0),
    ];
    let edges = vec![
        edge("shop/web", "shop/orders"),
        edge("shop/orders", "shop/stock"),
        edge("shop/stock", "shop/orders"),
        edge("shop/orders", "shop/store"),
    ];
    let cycle = vec!["shop/orders".to_owned(), "shop/stock".to_owned()];
    Report { graph: graph(packages, edges, vec![cycle]), ..full().carry_out().report() }
}

#[test]
fn a_page_says_all_of_it_and_draws_the_packages() {
    let page = html(&drawn());
    assert_eq!(page.matches("class=\"node\"").count(), 4);
    assert_eq!(page.matches("class=\"edge cycle\"").count(), 2);
    assert_eq!(page.matches("class=\"edge\"").count(), 2);
    assert!(page.contains("<em>The model says:</em> A small Flask service."), "{page}");
    assert!(page.contains("default-src 'none'"));
    insta::assert_snapshot!(page.split_once("</style>").unwrap().1);
}

#[test]
fn nothing_that_strangers_wrote_becomes_markup() {
    let hostile = "</script></title>\"><img src=x onerror='a()'>\u{202e}\u{1b}[31m";
    let places = vec![item(hostile, hostile, hostile)];
    let packages = vec![package(hostile, 1, 1), package("b", 1, 0)];
    let mut report = with(vec![finding(hostile, Severity::High, places)]);
    report.graph = graph(packages, vec![edge(hostile, "b")], Vec::new());
    report.project = hostile.to_owned();
    report.goal = hostile.to_owned();
    let page = html(&crate::report::safe::neutral(report));
    assert!(!page.contains("<img") && !page.contains("</script"), "{page}");
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    assert_eq!(page.matches("</title>").count(), 1 + page.matches("<title>").count() - 1);
}

#[test]
fn a_name_of_a_megabyte_is_cut() {
    let name = "n".repeat(1 << 20);
    let report = with(vec![finding("rule", Severity::Low, vec![item(&name, &name, "product")])]);
    assert!(html(&report).len() < 200_000);
}

#[test]
fn more_packages_than_fit_are_folded_by_folder() {
    let packages = (0..300).map(|at| package(&format!("top{}/p{at}", at % 9), 10, 0)).collect();
    let edges = (1..300).map(|at| edge(&format!("top{}/p{at}", at % 9), "top0/p0")).collect();
    let report = Report { graph: graph(packages, edges, Vec::new()), ..drawn() };
    assert_eq!(html(&report).matches("class=\"node\"").count(), 9);
}

#[test]
fn only_what_a_rule_is_sure_of_in_product_code_fails_a_command() {
    let of = |setting: &str| finding("rule", Severity::Medium, vec![item("a.py", "x", setting)]);
    assert!(with(vec![of("product")]).has_finding(Severity::Medium));
    assert!(with(vec![of("product")]).has_finding(Severity::Info));
    assert!(!with(vec![of("product")]).has_finding(Severity::High));
    assert!(!with(vec![of("test")]).has_finding(Severity::Info));
    let mut unsure = of("product");
    unsure.rule.as_mut().unwrap().confidence = Confidence::Low;
    assert!(!with(vec![unsure]).has_finding(Severity::Info));
}
