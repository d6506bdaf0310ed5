//! How projects of each language are put together.

use ringfence_code::{CodeMap, MapRequest, OneByOne, Outcome, Setting, map_code};
use ringfence_guest_project::Root;
use std::fs;
use tempfile::TempDir;

/// A project with these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    folder
}

fn map_of(folder: &TempDir, request: &MapRequest) -> CodeMap {
    let root = Root::at(folder.path());
    map_code(&root, &OneByOne(&root), request).unwrap()
}

fn map(files: &[(&str, &str)]) -> CodeMap {
    map_of(&project(files), &MapRequest::default())
}

fn imports<'m>(map: &'m CodeMap, path: &str) -> Vec<&'m str> {
    let module = map.modules.iter().find(|module| module.path == path);
    module.unwrap_or_else(|| panic!("{path} isn't in the map")).imports.iter().map(String::as_str).collect()
}

fn externals(map: &CodeMap, standard: bool) -> Vec<&str> {
    let mut names: Vec<_> =
        map.externals.iter().filter(|one| one.standard == standard).map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn python_imports_lead_to_modules_packages_and_names() {
    let map = map(&[
        ("pyproject.toml", "[project.scripts]\nshop = \"shop.cli:main\"\n"),
        ("src/shop/__init__.py", "from .store import Store\nfrom . import views\n"),
        (
            "src/shop/store.py",
            "import os.path\nimport requests.sessions\nfrom shop.views.pages import page\n",
        ),
        ("src/shop/cli.py", "def f():\n    from shop import store, VERSION\n"),
        ("src/shop/views/__init__.py", ""),
        ("src/shop/views/pages.py", "from ...nowhere import x\nfrom ..store import Store\n"),
        ("tests/test_shop.py", "import shop\n"),
    ]);
    assert_eq!(imports(&map, "src/shop/__init__.py"), ["src/shop/store.py", "src/shop/views/__init__.py"]);
    assert_eq!(imports(&map, "src/shop/store.py"), ["src/shop/views/pages.py"]);
    assert_eq!(imports(&map, "src/shop/cli.py"), ["src/shop/__init__.py", "src/shop/store.py"]);
    assert_eq!(imports(&map, "tests/test_shop.py"), ["src/shop/__init__.py"]);
    assert_eq!((externals(&map, true), externals(&map, false)), (vec!["os"], vec!["requests"]));
    assert_eq!(map.unresolved, ["src/shop/views/pages.py:1: ...nowhere"]);
    assert_eq!(map.cycles[0].members, ["src/shop/store.py", "src/shop/views/pages.py"]);
    assert_eq!(
        (map.entry_points[0].path.as_str(), map.entry_points[0].why.as_str()),
        ("src/shop/cli.py", "pyproject.toml: script shop")
    );
    let names: Vec<_> = map.packages.iter().map(|one| (one.name.as_str(), one.setting)).collect();
    assert!(
        names.contains(&("shop.views", Setting::Product)) && names.contains(&("tests", Setting::Test)),
        "{names:?}"
    );
}

#[test]
fn a_python_package_with_a_module_named_as_a_standard_one_imports_the_standard_one() {
    let map = map(&[
        ("shop/__init__.py", "import typing\n"),
        ("shop/typing.py", "Price = int\n"),
        ("shop/own.py", "from .typing import Price\n"),
    ]);
    assert!(imports(&map, "shop/__init__.py").is_empty());
    assert_eq!(imports(&map, "shop/own.py"), ["shop/typing.py"]);
    assert_eq!(externals(&map, true), ["typing"]);
}

#[test]
fn javascript_imports_lead_by_extension_index_alias_and_workspace() {
    let map = map(&[
        ("package.json", r#"{"name": "root", "workspaces": ["packages/*"], "main": "./web/main.js"}"#),
        ("tsconfig.json", "{ \"compilerOptions\": { \"paths\": { \"~ui/*\": [\"web/ui/*\"], }, } } // end\n"),
        ("packages/core/package.json", r#"{"name": "@shop/core", "main": "dist/index.js"}"#),
        ("packages/core/src/index.ts", "export * from './math.js'\n"),
        ("packages/core/src/math.ts", "import fs from 'node:fs'\n"),
        (
            "web/main.js",
            "const core = require('@shop/core')\nimport './ui'\nimport('~ui/button')\nimport 'react-dom/client'\nimport '@babel/core/lib/x'\n",
        ),
        ("web/ui/index.tsx", "import { b } from './button'\nimport './style.css'\nimport './gone'\n"),
        ("web/ui/button.jsx", "import path from 'path'\n"),
    ]);
    assert_eq!(
        imports(&map, "web/main.js"),
        ["packages/core/src/index.ts", "web/ui/button.jsx", "web/ui/index.tsx"]
    );
    assert_eq!(imports(&map, "packages/core/src/index.ts"), ["packages/core/src/math.ts"]);
    assert_eq!(externals(&map, true), ["fs", "path"]);
    assert_eq!(externals(&map, false), ["@babel/core", "react-dom"]);
    assert_eq!(map.unresolved, ["web/ui/index.tsx:3: ./gone"]);
    assert_eq!(map.entry_points[0].path, "web/main.js");
}

#[test]
fn rust_imports_lead_through_modules_and_crates_of_a_workspace() {
    let map = map(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", "[package]\nname = \"first-crate\"\n"),
        ("a/src/lib.rs", "mod deep;\npub use deep::inner::Thing;\nuse std::fmt;\n"),
        ("a/src/deep/mod.rs", "pub mod inner;\nuse super::Other;\n"),
        ("a/src/deep/inner.rs", "use crate::deep::{self, inner as x};\nuse serde::Serialize;\n"),
        ("b/Cargo.toml", "[package]\nname = \"second\"\n"),
        (
            "b/src/main.rs",
            "use first_crate::deep::inner::Thing;\nuse first_crate::{Thing as T};\nfn main() {}\n",
        ),
    ]);
    assert_eq!(imports(&map, "a/src/lib.rs"), ["a/src/deep/inner.rs", "a/src/deep/mod.rs"]);
    assert_eq!(imports(&map, "a/src/deep/mod.rs"), ["a/src/deep/inner.rs", "a/src/lib.rs"]);
    assert_eq!(imports(&map, "b/src/main.rs"), ["a/src/deep/inner.rs", "a/src/lib.rs"]);
    assert_eq!((externals(&map, true), externals(&map, false)), (vec!["std"], vec!["serde"]));
    let main = map.entry_points.iter().find(|entry| entry.path == "b/src/main.rs").unwrap();
    assert_eq!((main.line, main.why.as_str()), (Some(3), "fn main"));
    assert!(map.packages.iter().any(|one| one.name == "first_crate::deep"));
}

#[test]
fn a_module_and_its_parts_are_no_cycle() {
    let map = map(&[
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ("src/lib.rs", "mod part;\n"),
        ("src/part.rs", "use super::Thing;\n"),
    ]);
    assert_eq!(imports(&map, "src/lib.rs"), ["src/part.rs"]);
    assert!(map.cycles.is_empty());
}

#[test]
fn go_java_php_and_c_sharp_packages_are_found_by_their_names() {
    let map = map(&[
        ("go.mod", "module example.com/shop\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.0\n)\n"),
        (
            "main.go",
            "package main\nimport (\n\"fmt\"\n\"example.com/shop/store\"\n\"github.com/gin-gonic/gin/binding\"\n)\nfunc main() {}\n",
        ),
        ("store/store.go", "package store\n"),
        ("store/store_test.go", "package store\n"),
        (
            "src/com/acme/App.java",
            "package com.acme;\nimport com.acme.db.*;\nimport com.acme.util.Text;\nimport static com.acme.util.Text.trim;\nimport java.util.List;\n",
        ),
        ("src/com/acme/db/Store.java", "package com.acme.db;\nclass Store {}\n"),
        ("src/com/acme/util/Text.java", "package com.acme.util;\nclass Text {}\n"),
        (
            "php/A.php",
            "<?php\nnamespace Acme;\nuse Acme\\Db\\Store;\nuse Symfony\\Component\\Console\\Command;\n",
        ),
        ("php/Db/Store.php", "<?php\nnamespace Acme\\Db;\nclass Store {}\n"),
        ("cs/A.cs", "using System;\nusing Acme.Net;\nnamespace Acme { class A {} }\n"),
        ("cs/B.cs", "namespace Acme.Net { class B {} }\n"),
    ]);
    assert_eq!(imports(&map, "main.go"), ["store/store.go"]);
    assert_eq!(
        imports(&map, "src/com/acme/App.java"),
        ["src/com/acme/db/Store.java", "src/com/acme/util/Text.java"]
    );
    assert_eq!(imports(&map, "php/A.php"), ["php/Db/Store.php"]);
    assert_eq!(imports(&map, "cs/A.cs"), ["cs/B.cs"]);
    assert_eq!(externals(&map, true), ["System", "fmt", "java.util"]);
    assert_eq!(externals(&map, false), ["Symfony\\Component", "github.com/gin-gonic/gin"]);
}

#[test]
fn headers_scripts_and_gems_are_found_where_their_languages_look() {
    let map = map(&[
        ("include/shop/a.h", "#include <stdio.h>\n"),
        ("src/a.c", "#include <shop/a.h>\n#include \"b.h\"\n#include \"lost.h\"\n#include <boost/any.hpp>\n"),
        ("src/b.h", "#include <vector>\n"),
        ("bin/run.sh", "#!/bin/sh\n. ./lib.sh\n"),
        ("bin/lib.sh", "x=1\n"),
        ("lib/shop.rb", "require 'shop/cart'\nrequire 'json'\nrequire 'rack'\n"),
        ("lib/shop/cart.rb", "require_relative 'item'\n"),
        ("lib/shop/item.rb", ""),
    ]);
    assert_eq!(imports(&map, "src/a.c"), ["include/shop/a.h", "src/b.h"]);
    assert_eq!(imports(&map, "bin/run.sh"), ["bin/lib.sh"]);
    assert_eq!(imports(&map, "lib/shop.rb"), ["lib/shop/cart.rb"]);
    assert_eq!(imports(&map, "lib/shop/cart.rb"), ["lib/shop/item.rb"]);
    assert_eq!(externals(&map, true), ["json", "stdio.h", "vector"]);
    assert_eq!(externals(&map, false), ["boost", "rack"]);
    assert_eq!(map.unresolved, ["src/a.c:3: \"lost.h\""]);
}

#[test]
fn vendored_and_generated_code_is_set_apart_unless_there_is_nothing_else() {
    let both = map(&[
        ("a.js", "x"),
        ("node_modules/b/b.js", "y"),
        ("gen.go", "// Code generated by x. DO NOT EDIT.\npackage a\n"),
    ]);
    assert_eq!((both.total, both.set_apart), (1, 2));
    let only = map(&[("dist/a.js", "x()"), ("dist/b.js", "y()")]);
    assert_eq!((only.total, only.set_apart), (2, 0));
}

#[test]
fn layers_rise_from_what_imports_nothing_and_pages_follow_each_other() {
    let files: Vec<(String, String)> =
        (0..9).map(|n| (format!("m{n}.py"), format!("import m{}\n", n + 1))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = project(&files);
    let first = map_of(&folder, &MapRequest { max_modules: Some(4), ..MapRequest::default() });
    assert_eq!((first.modules.len(), first.total, first.next), (4, 9, Some(4)));
    assert_eq!(first.modules[0].layer, 8);
    let last = map_of(&folder, &MapRequest { skip: Some(8), ..MapRequest::default() });
    assert_eq!((last.modules.len(), last.next, last.packages.len()), (1, None, 0));
    assert_eq!((last.modules[0].layer, last.modules[0].imported_by), (0, 1));
}

#[test]
fn what_cannot_be_read_is_named_and_what_was_not_reached_makes_the_map_incomplete() {
    struct Late;
    impl ringfence_code::FanOut for Late {
        fn run(&self, _task: &[u8], paths: &[String]) -> Vec<Outcome> {
            let one = |path: &String| match path.as_str() {
                "a.py" => Outcome::TooLarge(9),
                "b.py" => Outcome::Failed("it broke".to_owned()),
                _ => Outcome::NotReached,
            };
            paths.iter().map(one).collect()
        }
    }
    let folder = project(&[("a.py", ""), ("b.py", ""), ("c.py", "")]);
    let map = map_code(&Root::at(folder.path()), &Late, &MapRequest::default()).unwrap();
    let skipped: Vec<_> = map.skipped.iter().map(|one| (one.path.as_str(), one.reason.as_str())).collect();
    assert_eq!(skipped, [("a.py", "over 2 MiB (9 bytes)"), ("b.py", "it broke")]);
    assert!(!map.complete);
}

#[test]
fn a_hostile_project_is_mapped_all_the_same() {
    let many: String = (0..10_000).map(|n| format!("import x{n}\n")).collect();
    let map = map(&[
        ("loop.py", "from . import loop\nimport loop\n"),
        ("many.py", &many),
        ("tsconfig.json", "{{{"),
        ("package.json", "[1]"),
        ("go.mod", "module"),
        ("up.js", "import '../../../../../../etc/passwd'\nimport ''\nimport '/'\n"),
        ("\u{202e}evil\u{7}.py", "import os\n"),
        ("empty.rs", "use ;\nuse crate;\nuse super::super::super::x;\nmod r#type;\n"),
    ]);
    assert_eq!(map.total, 5);
    assert!(serde_json::to_string(&map).unwrap().len() < 256 << 10);
}

#[test]
fn python_names_that_lead_into_a_module_or_out_of_the_project_are_told_apart() {
    let map = map(&[
        ("a/__init__.py", ""),
        ("a/b.py", "from . import c\nfrom ... import x\n"),
        ("a/c.py", ""),
        ("top.py", "import a.b.attribute\nimport google.protobuf.message\nfrom . import other\n"),
        ("other.py", ""),
        ("google/own/x.py", ""),
    ]);
    assert_eq!(imports(&map, "top.py"), ["a/b.py", "other.py"]);
    assert_eq!(imports(&map, "a/b.py"), ["a/c.py"]);
    assert_eq!(externals(&map, false), ["google"]);
    assert_eq!(map.unresolved, ["a/b.py:2: ..."]);
}

#[test]
fn rarer_ways_to_import_lead_where_they_should() {
    let map = map(&[
        ("Cargo.toml", "[package]\nname = \"r\"\n"),
        ("src/lib.rs", "mod x;\npub use self::x::*;\n"),
        ("src/x.rs", "pub struct X;\n"),
        ("web/y.ts", "export const y = 1\n"),
        ("web/a.ts", "import y = require('./y')\nexport * from './z'\n"),
        ("web/z.ts", "const name = 'y'\nimport(`./${name}.js`)\n"),
    ]);
    assert_eq!(imports(&map, "src/lib.rs"), ["src/x.rs"]);
    assert_eq!(imports(&map, "web/a.ts"), ["web/y.ts", "web/z.ts"]);
    assert!(map.unresolved.is_empty(), "{:?}", map.unresolved);
}

#[test]
fn the_nearest_configuration_and_the_longest_module_path_win() {
    let alias = |to: &str| format!(r#"{{"compilerOptions": {{"paths": {{"@lib/*": ["{to}/*"]}}}}}}"#);
    let map = map(&[
        ("tsconfig.json", &alias("far")),
        ("app/tsconfig.json", &alias("near")),
        ("far/u.ts", ""),
        ("app/near/u.ts", ""),
        ("app/main.ts", "import '@lib/u'\n"),
        ("go.mod", "module example.com/m\n"),
        ("inner/go.mod", "module example.com/m/inner\n"),
        ("inner/p/p.go", "package p\n"),
        ("main.go", "package main\nimport \"example.com/m/inner/p\"\n"),
    ]);
    assert_eq!(imports(&map, "app/main.ts"), ["app/near/u.ts"]);
    assert_eq!(imports(&map, "main.go"), ["inner/p/p.go"]);
}

#[test]
fn a_map_fits_whatever_the_names_of_folders_are() {
    let long = format!("{}/{}", "\"\u{1}".repeat(60), "\\".repeat(200));
    let all: String =
        (0..120).map(|n| format!("import m{n}\nimport outer_{n}\nfrom .gone{n} import x\n")).collect();
    let files: Vec<(String, &str)> = (0..120).map(|n| (format!("{long}/m{n}.py"), all.as_str())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let map = map(&files);
    assert!(!map.modules.is_empty() && !map.cycles.is_empty() && !map.unresolved.is_empty());
    let size = serde_json::to_string(&map).unwrap().len();
    assert!(size < 256 << 10, "{size}");
}
