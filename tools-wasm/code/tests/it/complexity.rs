use crate::ground::analyze;
use ringfence_code::{Analysis, Language};

/// `name cyclomatic/nesting/parameters`, one for each function with a body.
fn complexities(analysis: &Analysis) -> Vec<String> {
    let counted = |symbol: &ringfence_code::Symbol| {
        let complexity = symbol.complexity?;
        let (cyclomatic, nesting, parameters) =
            (complexity.cyclomatic, complexity.nesting, complexity.parameters);
        Some(format!("{} {cyclomatic}/{nesting}/{parameters}", symbol.name))
    };
    analysis.outline.iter().filter_map(counted).collect()
}

fn check(language: Language, text: &str, expected: &[&str]) {
    let analysis = analyze(language, text);
    assert_eq!(analysis.syntax_errors, 0, "{language:?}");
    assert_eq!(complexities(&analysis), expected, "{language:?}");
}

#[test]
fn python_functions_are_counted() {
    check(
        Language::Python,
        r#"
def plain(): pass
def many(self, a, /, b=1, *args, c, **more):
    if a and b or c:          # 3
        for x in a:           # 1
            while x:          # 1
                pass
    elif b:                   # 1
        pass
    else:
        pass
    try:
        pass
    except ValueError:        # 1
        if a: pass            # 1
    match a:
        case 1: pass          # 1
        case _: pass
    return [x for x in a if x] if b else (lambda y: y and 1)  # 2 + 1 + 1
class A:
    def m(self, a):
        def inner():
            if a: pass
        return inner
    @classmethod
    def n(cls): return 1
"#,
        &["plain 1/0/0", "many 14/3/6", "m 1/0/1", "inner 2/1/0", "n 1/0/0"],
    );
}

#[test]
fn javascript_functions_are_counted() {
    check(
        Language::TypeScript,
        r#"
function f(this: Window, a: number, { b, c }: T, ...rest: string[]) {
  if (a && b) { } else if (c) { for (const x of rest) { do { } while (x) } }
  switch (a) { case 1: break; case 2: if (b) { } break; default: }
  try { } catch (e) { }
  return a ? () => b || c : 1;
}
const g = x => x ? 1 : 2;
class C { m() { while (true) { } } get p() { return 1 } abstract n(): void }
"#,
        &["f 12/3/3", "g 2/0/1", "m 2/1/0", "p 1/0/0"],
    );
}

#[test]
fn rust_functions_are_counted() {
    check(
        Language::Rust,
        r#"
fn f(a: u8, (b, c): (u8, u8)) -> u8 {
    let Some(x) = y else { return 1 };
    if let Some(z) = x && z > 1 || a { loop { for _ in b {} } }
    match a { 1 | 2 => 1, 3 if b => 2, _ => if c { 1 } else if d { 2 } else { 3 } };
    v.iter().map(|x| if x { 1 } else { 2 });
    let r = &&x;
}
trait T { fn n(&self); fn d(&self, a: u8) { while a {} } }
"#,
        &["f 12/3/2", "d 2/1/1"],
    );
}

#[test]
fn go_java_and_csharp_functions_are_counted() {
    check(
        Language::Go,
        "package a\nfunc f(a, b int, c string, _ ...int) {\n\tif a > 1 && b > 2 {\n\t} else if a == 2 {\n\t\tfor {\n\t\t}\n\t}\n\tswitch {\n\tcase a == 1, b == 2:\n\tdefault:\n\t}\n\tselect {\n\tcase <-x:\n\t}\n}\nfunc (t *T) m() {}\n",
        &["f 7/2/4", "m 1/0/0"],
    );
    check(
        Language::Java,
        "class A {\n  A(int a) { super(a); }\n  int m(A this, int a, String... b) {\n    if (a > 1 || b == null) { for (var x : b) { while (a) {} } } else if (a == 2) {}\n    switch (a) { case 1: case 2: break; default: break; }\n    int y = switch (a) { case 1 -> 2; default -> 3; };\n    try {} catch (E e) { do {} while (a > 1); }\n    return a > 1 ? 1 : 2;\n  }\n  abstract void n();\n}\n",
        &["A 1/0/1", "m 12/3/2"],
    );
    check(
        Language::CSharp,
        "class A {\n  int M(int a, string b = null) {\n    if (a > 1 && b == null) { foreach (var x in b) { while (true) {} } } else if (a == 2) {}\n    switch (a) { case 1: break; default: break; }\n    var y = a switch { 1 => 2, _ => 3 };\n    try {} catch (E) {}\n    return a > 1 ? 1 : 2;\n  }\n  int N() => 1;\n}\n",
        &["M 10/3/2", "N 1/0/0"],
    );
}

#[test]
fn c_and_cpp_functions_are_counted() {
    let text = "int f(int a, char *b[], ...) {\n  if (a && b) { for (;;) { while (a) {} } } else if (a) {}\n  switch (a) { case 1: case 2: break; default: break; }\n  do {} while (a || b);\n  return a ? 1 : 2;\n}\nint g(void) { return 1; }\nint h(int);\n";
    check(Language::C, text, &["f 11/3/3", "g 1/0/0"]);
    check(
        Language::Cpp,
        "struct A { int m(int &&a, T &b) { for (auto &x : v) { try {} catch (E &e) { if (a and b) {} } } return 1; } };\nA::A() : x(1) {}\n",
        &["m 5/3/2", "A 1/0/0"],
    );
}

#[test]
fn ruby_php_and_bash_functions_are_counted() {
    check(
        Language::Ruby,
        "def f(a, b = 1, *c, d:, **e, &g)\n  if a && b\n    a.each { |x| x || 1 }\n  elsif c\n    while d do end\n  end\n  return 1 unless a\n  case a\n  when 1 then 2\n  when 3 then 4\n  else 5\n  end\n  begin\n  rescue E\n  end\n  a ? 1 : 2\nend\ndef self.g; end\n",
        &["f 11/2/6", "g 1/0/0"],
    );
    check(
        Language::Php,
        "<?php\nfunction f($a, ...$b) {\n  if ($a && $b) { foreach ($b as $x) {} } elseif ($a) {} else if ($b) {}\n  switch ($a) { case 1: break; default: break; }\n  $y = match (true) { 1 => 2, default => 3 };\n  try {} catch (E $e) {}\n  return $a ?: 1;\n}\ninterface I { function m(); }\n",
        &["f 10/2/2"],
    );
    check(
        Language::Bash,
        "f() {\n  if a && b; then\n    for x in 1; do while y; do :; done; done\n  elif c || d; then :\n  fi\n  case $1 in\n    a) ;;\n    *) ;;\n  esac\n  [[ $a && $b ]]\n}\n",
        &["f 9/3/0"],
    );
}
