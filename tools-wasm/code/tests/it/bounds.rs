use crate::ground::{analyze, outline};
use ringfence_code::{Failure, Language, analyze_code};
use ringfence_guest_project::{Fault, Root};
use std::fs;

pub(crate) const ALL: [Language; 18] = [
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Rust,
    Language::Go,
    Language::Java,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Bash,
    Language::Json,
    Language::Yaml,
    Language::Toml,
    Language::Html,
    Language::Css,
];

#[test]
fn an_empty_file_has_nothing() {
    for language in ALL {
        for text in ["", "\n", "\u{feff}"] {
            let analysis = analyze(language, text);
            assert!(
                analysis.outline.is_empty() && analysis.imports.is_empty() && analysis.syntax_errors == 0
            );
            assert_eq!(analysis.counts.lines as usize, text.matches('\n').count());
        }
    }
}

#[test]
fn what_is_no_source_is_counted_as_errors_and_does_no_harm() {
    for language in ALL {
        for text in ["}}}} ((( \u{0} @@@ ¿", "<<<<<<< HEAD\n=======\n>>>>>>>\n", "文 🦀 \u{202e}"] {
            let analysis = analyze(language, text);
            assert!(analysis.first_errors.len() <= 10);
        }
    }
    let analysis = analyze(Language::Rust, "fn good() {}\nfn bad( { \nfn also() {}\n");
    assert!(analysis.syntax_errors > 0);
    assert_eq!(analysis.first_errors[0].line, 2);
    assert!(outline(&analysis).iter().any(|line| line.starts_with("function good")));
}

#[test]
fn nesting_without_end_is_gone_through() {
    let deep = 100_000;
    for (language, open, close) in [
        (Language::Python, "(", ")"),
        (Language::JavaScript, "[", "]"),
        (Language::Rust, "{", "}"),
        (Language::C, "(", ""),
        (Language::Go, "{", "{"),
    ] {
        analyze(language, &format!("{}{}", open.repeat(deep), close.repeat(deep)));
    }
    let nested = "function f(){".repeat(5_000) + &"}".repeat(5_000);
    let analysis = analyze(Language::JavaScript, &nested);
    assert_eq!((analysis.counts.functions, analysis.cut), (5_000, true));
    assert!(analysis.outline.len() < 2_000);
    assert!(
        analysis.outline.iter().all(|symbol| symbol.owner.as_ref().is_none_or(|owner| owner.len() < 210))
    );
}

#[test]
fn a_long_outline_is_cut_and_still_counted() {
    let text: String = (0..3_000).map(|n| format!("import m{n}\ndef f{n}(): pass\n")).collect();
    let analysis = analyze(Language::Python, &text);
    let symbols = analysis.outline.iter().map(|symbol| symbol.name.len() + symbol.signature.len() + 200);
    assert!(symbols.sum::<usize>() < 141 * 1024 && analysis.outline.len() > 600);
    let imports = analysis.imports.iter().map(|import| import.module.len() + 60);
    assert!(imports.sum::<usize>() < 51 * 1024 && analysis.imports.len() > 700);
    assert_eq!((analysis.counts.functions, analysis.cut), (3_000, true));
    let wide =
        format!("from m import {}\n", (0..500).map(|n| format!("n{n}")).collect::<Vec<_>>().join(", "));
    let analysis = analyze(Language::Python, &wide);
    assert_eq!((analysis.imports[0].names.len(), analysis.cut), (100, true));
}

#[test]
fn a_head_and_a_name_are_bounded() {
    let parameters = "parameter_name: u64, ".repeat(1_000);
    let name = "n".repeat(10_000);
    let analysis = analyze(Language::Rust, &format!("/// {name}\npub fn {name}({parameters}) {{}}\n"));
    let symbol = &analysis.outline[0];
    assert!(symbol.signature.len() < 310 && symbol.name.len() < 210);
    assert!(symbol.doc.as_ref().unwrap().len() < 210);
}

#[test]
fn a_file_is_analysed_by_its_path() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/a.PY"), "\u{feff}def f(): pass\n").unwrap();
    fs::write(dir.path().join("notes.txt"), "x").unwrap();
    fs::write(dir.path().join("bin.c"), b"int x;\0").unwrap();
    fs::File::create(dir.path().join("big.js")).unwrap().set_len((2 << 20) + 1).unwrap();
    let root = Root::at(dir.path());

    let analysis = analyze_code(&root, "./src/../src/a.PY").unwrap();
    assert_eq!(
        (analysis.path.as_str(), analysis.language, analysis.size),
        ("src/a.PY", Language::Python, 17)
    );
    assert_eq!(outline(&analysis), ["function f+ 1-1"]);

    let Err(Failure::UnknownLanguage(why)) = analyze_code(&root, "notes.txt") else { panic!("analysed") };
    assert!(why.starts_with("`notes.txt`") && why.contains("Python (.py .pyi .pyw)"), "{why}");
    let Err(Failure::TooLarge(why)) = analyze_code(&root, "big.js") else { panic!("analysed") };
    assert!(why.starts_with("`big.js`: 2097153 bytes"), "{why}");
    assert!(matches!(analyze_code(&root, "bin.c"), Err(Failure::Fault(Fault::NotText(_)))));
    assert!(matches!(analyze_code(&root, "absent.rs"), Err(Failure::Fault(Fault::NotFound(_)))));
    assert!(matches!(analyze_code(&root, "src"), Err(Failure::Fault(Fault::NotAFile(_)))));
}
