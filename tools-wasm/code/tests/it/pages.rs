use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn elements_with_an_id_and_the_code_of_a_page_are_found() {
    let analysis = analyze(
        Language::Html,
        "<!doctype html>\n<html>\n<head>\n<link rel=\"stylesheet\" href=\"a.css\">\n<link rel=icon href=\"i.png\">\n<SCRIPT SRC='b.js'></SCRIPT>\n<script>var x = 1;</script>\n</head>\n<body>\n<!-- c -->\n<div class=x id=\"main\">\n<a href=\"d.html\" id=''>e</a>\n<img id=pic />\n</div>\n</body>\n</html>\n",
    );
    assert_eq!(outline(&analysis), ["element main 11-14", "element pic 13-13"]);
    assert_eq!(head(&analysis, "main").0, "<div class=x id=\"main\">");
    assert_eq!(imports(&analysis), ["4 include a.css", "6 include b.js"]);
    assert_eq!(analysis.counts.comment_lines, 1);
}

#[test]
fn rules_of_a_style_sheet_are_found_by_their_selectors() {
    let analysis = analyze(
        Language::Css,
        "@import url(\"a.css\");\n@import 'b.css' screen;\n/* Buttons. */\n.a,\n.b > c:hover {\n  d: e;\n}\n@media print {\n  #f { g: h }\n}\n",
    );
    assert_eq!(outline(&analysis), ["selector .a, .b > c:hover 4-7", "selector #f 9-9"]);
    assert_eq!(head(&analysis, ".a, .b > c:hover"), (".a, .b > c:hover", Some("Buttons.")));
    assert_eq!(imports(&analysis), ["1 import a.css", "2 import b.css"]);
}
