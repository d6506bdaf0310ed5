use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn modules_of_the_newer_kind_are_outlined() {
    let analysis = analyze(
        Language::JavaScript,
        r#"import React, { useState, useEffect as effect } from "react";
import * as path from 'node:path';
import "./side-effect.css";
export { a, b as c } from "./other.js";
export * from './all.js';
export * as ns from "./ns.js";

/**
 * Adds two numbers.
 * @param a one
 */
export const add = (a, b) => {
  return a + b;
};

export default function App({ title }) {
  const [n, setN] = useState(0);
  const onClick = () => setN(n + 1);
  function helper() {}
  return <div onClick={() => {}}>{title}</div>;
}

class Queue extends Base {
  #secret = 1;
  static count = 0;
  handler = async (event) => { };
  constructor() { super(); }
  get size() { return 0; }
  async *items() {}
  #hidden() {}
}

function local() {}
export { Queue, local as renamed };

const lazy = () => import('./lazy.js');
const { x, y: z } = await import("./dyn.js");
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "function add+ 12-14",
            "function App+ 16-21",
            "function App.onClick 18-18",
            "function App.helper 19-19",
            "class Queue+ 23-31",
            "method Queue.handler+ 26-26",
            "method Queue.constructor+ 27-27",
            "method Queue.size+ 28-28",
            "method Queue.items+ 29-29",
            "method Queue.#hidden 30-30",
            "function local+ 33-33",
            "function lazy 36-36",
        ]
    );
    assert_eq!(
        imports(&analysis),
        [
            "1 import react: React, useState, useEffect as effect",
            "2 import node:path: * as path",
            "3 import ./side-effect.css",
            "4 reexport ./other.js: a, b as c",
            "5 reexport ./all.js: *",
            "6 reexport ./ns.js: * as ns",
            "36 dynamic ./lazy.js",
            "37 dynamic ./dyn.js: x, y: z",
        ]
    );
    assert_eq!(head(&analysis, "add"), ("const add = (a, b) =>", Some("Adds two numbers.")));
    assert_eq!(head(&analysis, "Queue").0, "class Queue extends Base");
    assert_eq!(head(&analysis, "handler").0, "handler = async (event) =>");
    assert_eq!(analysis.syntax_errors, 0);
}

#[test]
fn commonjs_modules_are_outlined() {
    let analysis = analyze(
        Language::JavaScript,
        r#"'use strict'
var EventEmitter = require('events').EventEmitter;
const { join, resolve: r } = require("path");
var app = exports = module.exports = {};

/**
 * Initialize the server.
 */
app.init = function init() {
  var self = this;
  this.close = function () {};
};

exports.helper = (a) => a;
exports.Router = Router;

function Router(options) {
  if (!(this instanceof Router)) return new Router(options);
}

Router.prototype.handle = function handle(req, res) {};
function internal() {}

module.exports.run = async function () {};
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "variable app+ 4-4",
            "method app.init+ 9-12",
            "method app.init.close 11-11",
            "function helper+ 14-14",
            "function Router+ 17-19",
            "method Router.handle+ 21-21",
            "function internal 22-22",
            "function run+ 24-24",
        ]
    );
    assert_eq!(imports(&analysis), ["2 require events", "3 require path: join, resolve: r"]);
    assert_eq!(head(&analysis, "init"), ("app.init = function init()", Some("Initialize the server.")));
}

#[test]
fn objects_and_whole_module_exports_hand_their_members_out() {
    let analysis = analyze(
        Language::JavaScript,
        "const api = {\n  get(id) { return id },\n  put: function (x) {},\n  del: async () => {},\n  n: 1,\n};\n\
         function b() {}\nmodule.exports = { api, c: b, run() {} };\n",
    );
    assert_eq!(
        outline(&analysis),
        [
            "constant api+ 1-6",
            "method api.get+ 2-2",
            "method api.put+ 3-3",
            "method api.del+ 4-4",
            "function b+ 7-7",
            "method exports.run+ 8-8",
        ]
    );
    let analysis = analyze(Language::JavaScript, "module.exports = function createApp(x) {}");
    assert_eq!(outline(&analysis), ["function createApp+ 1-1"]);
    let analysis = analyze(Language::JavaScript, "module.exports = class {\n  go() {}\n}");
    assert_eq!(outline(&analysis), ["class default+ 1-3", "method default.go+ 2-2"]);
    let analysis = analyze(Language::JavaScript, "export default class extends A { go() {} }");
    assert_eq!(outline(&analysis), ["class default+ 1-1", "method default.go+ 1-1"]);
    for text in ["export default function () {}", "export default (x) => x", "export default function* () {}"]
    {
        assert_eq!(outline(&analyze(Language::JavaScript, text)), ["function default+ 1-1"], "{text}");
    }
}

#[test]
fn callbacks_without_a_name_are_no_symbols() {
    let analysis = analyze(
        Language::JavaScript,
        "describe('x', () => { it('y', function () {}) })\nfoo({ bar: () => 1 })\nitems.map((x) => x)\n",
    );
    assert!(analysis.outline.is_empty(), "{:?}", outline(&analysis));
}

#[test]
fn comments_of_every_kind_are_counted() {
    let analysis = analyze(Language::JavaScript, "// a\n/* b\n\n c */\nf(); // d\n\n/** e */ g();\n");
    let counts = analysis.counts;
    assert_eq!((counts.lines, counts.code_lines, counts.comment_lines, counts.blank_lines), (7, 2, 3, 2));
}
