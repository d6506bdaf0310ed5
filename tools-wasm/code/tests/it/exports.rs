use crate::ground::analyze;
use ringfence_code::Language;

fn check(language: Language, text: &str, expected: &[&str]) {
    assert_eq!(analyze(language, text).exports, expected, "{language:?}: {text}");
}

#[test]
fn python_exports_what_all_lists_or_else_what_has_no_underscore() {
    check(
        Language::Python,
        "from .a import B as B, C as D, E\nX = 1\n_y = 2\ndef f(): z = 1\nclass K:\n    N = 1\ndef _g(): pass\n",
        &["B", "X", "f", "K"],
    );
    check(
        Language::Python,
        "__all__ = ['a', \"b\"] + base.__all__\n__all__ += ('c',)\ndef d(): pass\n",
        &["a", "b", "c"],
    );
}

#[test]
fn javascript_exports_by_both_systems_are_found() {
    check(
        Language::JavaScript,
        "export const a = 1, { b, c: [d] } = x;\nexport function e() {}\nexport class F { m() {} }\nfunction g() {}\nlet h;\nexport { g, h as i };\nexport { j as k, default as l } from './m';\nexport * from './n';\nexport * as o from './p';\nexport default g;\nconst hidden = 1;\n",
        &["a", "b", "d", "e", "F", "g", "i", "k", "l", "o", "default"],
    );
    check(
        Language::JavaScript,
        "exports.a = 1;\nmodule.exports.b = function () {};\nmodule.exports = { c, d: 1, 'e': 2, f() {} };\n",
        &["a", "b", "c", "d", "e", "f"],
    );
    check(Language::JavaScript, "module.exports = createApp;\nfunction createApp() {}\n", &["createApp"]);
    check(
        Language::TypeScript,
        "export interface A {}\nexport type B = 1;\nexport enum C {}\nexport namespace D { export const e = 1; }\nexport default class {}\ninterface G {}\n",
        &["A", "B", "C", "D", "e", "default"],
    );
}

#[test]
fn compiled_languages_export_what_they_make_visible() {
    check(
        Language::Rust,
        "pub mod a;\nmod b;\npub use c::{d, e as f, g::{h}};\npub use i::j;\nuse k::l;\npub struct M { pub n: u8 }\nimpl M { pub fn o() {} }\nfn p() {}\npub const Q: u8 = 1;\n#[macro_export]\nmacro_rules! r { () => {} }\n",
        &["a", "d", "f", "j", "M", "Q", "r"],
    );
    check(
        Language::Go,
        "package a\nconst A, b = 1, 2\nvar C int\ntype D struct{}\nfunc E() {}\nfunc f() {}\nfunc (d D) G() {}\n",
        &["A", "C", "D", "E"],
    );
    check(Language::Java, "public class A { public class B {} public void c() {} }\nclass D {}\n", &["A"]);
    check(
        Language::C,
        "#define A 1\nint b(void);\nint b(void) { return 1; }\nstatic int c(void) { return 1; }\nint d;\nstatic int e;\nstruct F { int g; };\n",
        &["A", "b", "d", "F"],
    );
    check(
        Language::CSharp,
        "namespace N { public class A { public int B; } class C {} public enum D {} }\n",
        &["N", "A", "D"],
    );
    check(
        Language::Php,
        "<?php\nnamespace N;\nclass A { const B = 1; }\nfunction c() {}\nconst D = 1;\n$e = 1;\n",
        &["A", "c", "D"],
    );
}

#[test]
fn exports_are_bounded() {
    let text: String = (0..2_000).map(|n| format!("export {{ name{n} }} from 'm';\n")).collect();
    let analysis = analyze(Language::JavaScript, &text);
    assert_eq!((analysis.exports.len(), analysis.cut), (500, true));
    let text: String = (0..500).map(|n| format!("export {{ {}{n} }} from 'm';\n", "x".repeat(180))).collect();
    let analysis = analyze(Language::JavaScript, &text);
    assert!(analysis.exports.iter().map(String::len).sum::<usize>() < 21 * 1024 && analysis.cut);
}
