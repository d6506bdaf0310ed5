use crate::ground::{analyze, head, imports, outline};
use ringfence_code::{Language, analyze_code};
use ringfence_guest_project::Root;

#[test]
fn namespaces_classes_and_members_are_outlined() {
    let analysis = analyze(
        Language::Cpp,
        r#"#include <vector>
#pragma once
namespace a::b {
// A shape.
template <typename T>
class API_EXPORT Shape final : public Base<T> {
  int hidden();
public:
  static constexpr int kSides = 4;
  Shape() = default;
  virtual ~Shape();
  T area(int x) const { return x; }
  bool operator==(const Shape &o) const;
  explicit operator bool() const { return true; }
  struct Inner { int z(); };
private:
  void secret();
  T side;
};
enum class Color { Red };
using Alias = Shape<int>;
template <typename T> concept Small = sizeof(T) < 8;
int free_one(int);
static int local_one() { return 1; }
extern int counter;
const int limit = 3;
}
template <typename T>
T a::b::Shape<T>::area2(T x) { return x; }
a::b::Shape::~Shape() {}
TEST_CASE("x") {
  int not_global = 1;
}
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "module a::b+ 3-27",
            "class a.b.Shape+ 6-19",
            "method a.b.Shape.hidden 7-7",
            "constant a.b.Shape.kSides+ 9-9",
            "method a.b.Shape.Shape+ 10-10",
            "method a.b.Shape.~Shape+ 11-11",
            "method a.b.Shape.area+ 12-12",
            "method a.b.Shape.operator==+ 13-13",
            "method a.b.Shape.operator bool+ 14-14",
            "struct a.b.Shape.Inner+ 15-15",
            "method a.b.Shape.Inner.z+ 15-15",
            "method a.b.Shape.secret 17-17",
            "enum a.b.Color+ 20-20",
            "typealias a.b.Alias+ 21-21",
            "trait a.b.Small+ 22-22",
            "function a.b.free_one+ 23-23",
            "function a.b.local_one 24-24",
            "variable a.b.counter+ 25-25",
            "constant a.b.limit+ 26-26",
            "method a.b.Shape.area2+ 29-29",
            "method a.b.Shape.~Shape+ 30-30",
        ]
    );
    assert_eq!(imports(&analysis), ["1 include <vector>"]);
    assert_eq!(head(&analysis, "Shape"), ("class API_EXPORT Shape final : public Base<T>", Some("A shape.")));
    // A macro that begins a body is a call without an end to the grammar.
    assert_eq!(analysis.syntax_errors, 1);
}

#[test]
fn a_header_is_read_as_what_it_holds() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.h"), "namespace a { class B {}; }\n").unwrap();
    std::fs::write(dir.path().join("b.h"), "struct c { int d; };\nint class_of(struct c *);\n").unwrap();
    std::fs::write(dir.path().join("run"), "#!/usr/bin/env python3\ndef f(): pass\n").unwrap();
    std::fs::write(dir.path().join("Makefile"), "all:\n").unwrap();
    let root = Root::at(dir.path());
    assert_eq!(analyze_code(&root, "a.h").unwrap().language, Language::Cpp);
    assert_eq!(analyze_code(&root, "b.h").unwrap().language, Language::C);
    assert_eq!(analyze_code(&root, "run").unwrap().language, Language::Python);
    assert!(analyze_code(&root, "Makefile").is_err());
}
