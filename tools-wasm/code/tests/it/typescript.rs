use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn types_are_outlined_with_their_members() {
    let analysis = analyze(
        Language::TypeScript,
        r#"import type { Request } from "express";
import fs = require("fs");
import legacy, { type Opt } from './legacy';

/** What can be stored. */
export interface Store<T extends object> extends Base {
  readonly name: string;
  get(id: string): Promise<T | undefined>;
  on?(event: "change", handler: (v: T) => void): void;
}

export type Id = string | number;
type Shape = { area(): number };
export enum Color { Red = 1, Green }
declare const VERSION: string;
declare function ambient(x: number): void;

@Injectable({ scope: "x" })
export abstract class Service<T> implements Store<T> {
  private cache = new Map<string, T>();
  constructor(private readonly store: Store<T>) {}
  // why
  @Cached()
  public async get(id: string): Promise<T | undefined> {
    return this.cache.get(id);
  }
  protected abstract load(): void;
  private reset(): void {}
  onChange = (v: T): void => {};
}

export namespace Util {
  export function inner<T>(x: T): T { return x; }
  function hidden() {}
}

export function over(a: string): string;
export function over(a: number): number;
export function over(a: any): any { return a; }

const typed: Handler = async (req: Request): Promise<void> => {};
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "interface Store+ 6-10",
            "method Store.get+ 8-8",
            "method Store.on+ 9-9",
            "typealias Id+ 12-12",
            "typealias Shape 13-13",
            "method Shape.area 13-13",
            "enum Color+ 14-14",
            "constant VERSION 15-15",
            "function ambient 16-16",
            "class Service+ 19-30",
            "method Service.constructor+ 21-21",
            "method Service.get+ 24-26",
            "method Service.load+ 27-27",
            "method Service.reset 28-28",
            "method Service.onChange+ 29-29",
            "module Util+ 32-35",
            "function Util.inner+ 33-33",
            "function Util.hidden 34-34",
            "function over+ 37-37",
            "function over+ 38-38",
            "function over+ 39-39",
            "function typed 41-41",
        ]
    );
    assert_eq!(
        imports(&analysis),
        ["1 import express: Request", "2 require fs", "3 import ./legacy: legacy, type Opt"]
    );
    assert_eq!(
        head(&analysis, "Store"),
        ("interface Store<T extends object> extends Base", Some("What can be stored."))
    );
    assert_eq!(head(&analysis, "Service").0, "abstract class Service<T> implements Store<T>");
    assert_eq!(head(&analysis, "typed").0, "const typed: Handler = async (req: Request): Promise<void> =>");
    assert_eq!(head(&analysis, "Id").0, "type Id = string | number");
    assert_eq!(analysis.syntax_errors, 0);
}

#[test]
fn jsx_is_understood_in_tsx_and_type_assertions_in_ts() {
    let component = "export const Button: React.FC<Props> = ({ label }) => <button>{label}</button>;\n";
    let tsx = analyze(Language::Tsx, component);
    assert_eq!((outline(&tsx), tsx.syntax_errors), (vec!["function Button+ 1-1".to_owned()], 0));
    let ts = analyze(Language::TypeScript, "const x = <string>y;\n");
    assert_eq!(ts.syntax_errors, 0);
}
