//! Text that no person wrote: whatever it is, an analysis comes back, and in time that grows with it.

use crate::bounds::ALL;
use ringfence_code::{Analysis, Language, analyze_text};

/// A small source of each language to be damaged.
fn source(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "class A(B):\n    '''doc'''\n    X = 1\n    def f(self, a): return [x for x in a if x]\n__all__ = ['A']\n"
        }
        Language::JavaScript => {
            "import a, { b } from 'c';\nexport default class { m() { return x ? 1 : 2 } }\nmodule.exports = { d };\n"
        }
        Language::TypeScript => {
            "export interface A<T> { m(): void }\nnamespace N { export const x: number = 1 }\ntype U = { f(): 1 };\n"
        }
        Language::Tsx => "export const A = (p: P) => <div>{p.x && <b/>}</div>;\n",
        Language::Rust => {
            "/// doc\npub struct A;\nimpl T for A { fn f(&self) { match x { _ => 1 } } }\npub use a::{b, c};\n"
        }
        Language::Go => {
            "package a\nimport \"b\"\ntype T struct{ x int }\nfunc (t *T) M(a, b int) { switch { case a: } }\n"
        }
        Language::Java => {
            "package a.b;\nimport c.D;\n@X public class A { static final int N = 1; int m() { return 1; } }\n"
        }
        Language::C => {
            "#include <a.h>\n#define A(x) x\ntypedef struct b { int c; } d;\nstatic int f(void) { if (a) { } return 1; }\n"
        }
        Language::Cpp => {
            "namespace a::b { template<class T> class API C : D<T> { public: C(); operator T*(); }; }\nint a::C::f() { }\n"
        }
        Language::CSharp => {
            "using A;\nnamespace B { public class C { int P { get; set; } int M(int a) => a switch { _ => 1 }; } }\n"
        }
        Language::Ruby => {
            "require 'a'\nclass A::B < C\n  attr_reader :x, :y\n  private\n  def f(a) = a\nend\n"
        }
        Language::Php => {
            "<?php\nnamespace A;\nuse B\\{C, D};\nclass E { const F = 1; function g($h) { match (1) { default => 2 }; } }\n"
        }
        Language::Bash => "#!/bin/bash\nA=1\nsource b\nf() { case $1 in *) ;; esac; }\n",
        Language::Json => "// c\n{\"a\": {\"b\": [1]}, \"c\": null}\n",
        Language::Yaml => "a: &x\n  b: 1\n? c\n: d\n---\n{e: f}\n",
        Language::Toml => "a = 1\n[b.c]\nd = { e = 1 }\n[[f]]\n",
        Language::Html => "<div id=\"a\"><script src=b></script><link rel=stylesheet href='c'>",
        Language::Css => "@import url(a);\n.b, #c > d { e: f } @media (g) { h { i: j } }\n",
    }
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

fn check(language: Language, text: &str) -> Analysis {
    let analysis = analyze_text(language, text).unwrap();
    let counts = analysis.counts;
    assert_eq!(counts.lines, counts.code_lines + counts.comment_lines + counts.blank_lines, "{text:?}");
    for symbol in &analysis.outline {
        assert!(symbol.first_line >= 1 && symbol.first_line <= symbol.last_line, "{symbol:?} of {text:?}");
        assert!(symbol.last_line <= counts.lines.max(1), "{symbol:?} of {text:?}");
    }
    analysis
}

#[test]
fn random_bytes_are_analysed() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for language in ALL {
        for _ in 0..60 {
            let length = numbers.below(300);
            let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect();
            check(language, &String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn damaged_sources_are_analysed() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let pieces = [
        "{", "}", "(", ")", "\"", "'", "\n", "文", ";", ":", "class ", "#", "/*", "*/", "<", ",", "\r\n",
        "\t",
    ];
    for language in ALL {
        let whole = source(language);
        check(language, whole);
        for _ in 0..150 {
            let mut text: Vec<char> = whole.chars().collect();
            for _ in 0..=numbers.below(6) {
                if text.is_empty() {
                    break;
                }
                let at = numbers.below(text.len());
                match numbers.below(4) {
                    0 => drop(text.remove(at)),
                    1 => drop(text.splice(at..at, pieces[numbers.below(pieces.len())].chars())),
                    2 => text.truncate(at + 1),
                    _ => {
                        let copy: Vec<char> = text[at..].iter().take(20).copied().collect();
                        let to = numbers.below(text.len());
                        text.splice(to..to, copy);
                    }
                }
            }
            check(language, &text.iter().collect::<String>());
        }
    }
}

#[test]
fn what_is_nested_or_repeated_without_end_is_gone_through() {
    let deep = 20_000;
    for (language, open) in [
        (Language::Java, "class A{"),
        (Language::Cpp, "namespace a{"),
        (Language::Cpp, "class A{class B{"),
        (Language::CSharp, "namespace a{"),
        (Language::Ruby, "class A;"),
        (Language::Ruby, "module A\n"),
        (Language::Php, "<?php if(1){"),
        (Language::Bash, "f(){"),
        (Language::Json, "{\"a\":"),
        (Language::Yaml, "{a: "),
        (Language::Toml, "a=[{b="),
        (Language::Html, "<div id=a>"),
        (Language::Css, "a{"),
        (Language::Python, "if x:"),
        (Language::TypeScript, "namespace a{"),
        (Language::Rust, "mod a{"),
        (Language::C, "/**/"),
        (Language::JavaScript, "/**/f();"),
        (Language::Go, "func(){"),
    ] {
        check(language, &open.repeat(deep));
    }
}

#[test]
fn a_page_that_is_nested_too_deep_is_read_as_far_as_it_makes_sense() {
    let analysis = check(Language::Html, &"<div id=a>".repeat(50_000));
    assert!(analysis.cut && !analysis.outline.is_empty());
    let flat = check(Language::Html, &"<p><br><li id=a></p>\n<b></b>".repeat(3_000));
    assert_eq!(flat.outline.len() > 900, flat.cut);
}
