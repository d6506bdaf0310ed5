#!/usr/bin/env python3
"""How well `analyze_code` finds what files define, measured against Universal Ctags.

    outline.py --ours BINARY [--json FILE] [--show LANGUAGE] FOLDER...

BINARY is `cargo build --release -p ringfence-code --example outline` in `tools-wasm`. Both go through the
sources in the folders. A definition is a kind, a name and a line; lines may differ by one, or lie further
down within the definition's own head. Recall: of what ctags finds, how much is found here. Precision: of
what is found here, how much ctags finds.

Left out: what ctags finds and the tool doesn't claim (locals, parameters, fields, enumerators, files,
anonymous things), files with more definitions than one answer holds, and kinds that one side only has.
Where ctags is wrong, a rule in `CTAGS_BUGS` says so; what each rule covers is counted.
"""

import argparse
import collections
import json
import re
import subprocess
import sys

# What ctags calls things, as the classes that are compared. Kinds that aren't listed aren't claimed.
CTAGS = {
    "python": ("Python", "", {"class": "type", "function": "function", "member": "function", "variable": "value"}),
    "java_script": (
        "JavaScript",
        "",
        {
            "class": "type", "function": "function", "generator": "function", "method": "function",
            "getter": "function", "setter": "function", "constant": "value", "variable": "value",
        },
    ),
    "type_script": (
        "TypeScript",
        "",
        {
            "class": "type", "interface": "type", "enum": "type", "alias": "alias", "namespace": "module",
            "function": "function", "generator": "function", "method": "function", "constant": "value",
            "variable": "value",
        },
    ),
    "rust": (
        "Rust",
        "",
        {
            "struct": "type", "enum": "type", "interface": "type", "typedef": "alias", "module": "module",
            "function": "function", "method": "function", "macro": "macro", "variable": "value",
        },
    ),
    "go": (
        "Go",
        "",
        {
            "struct": "type", "interface": "type", "type": "alias", "talias": "alias", "func": "function",
            "methodSpec": "function", "const": "value", "var": "value",
        },
    ),
    "java": (
        "Java",
        "",
        {
            "class": "type", "interface": "type", "enum": "type", "annotation": "type", "method": "function",
        },
    ),
    "c": (
        "C",
        "+px",
        {
            "struct": "type", "union": "type", "enum": "type", "typedef": "type", "function": "function",
            "macro": "macro", "variable": "value",
        },
    ),
    "cpp": (
        "C++",
        "+pxA",
        {
            "class": "type", "struct": "type", "union": "type", "enum": "type", "typedef": "type", "alias": "type",
            "namespace": "module", "function": "function", "macro": "macro", "variable": "value",
        },
    ),
    "c_sharp": (
        "C#",
        "",
        {
            "class": "type", "struct": "type", "interface": "type", "enum": "type", "namespace": "module",
            "method": "function", "property": "property",
        },
    ),
    "ruby": (
        "Ruby",
        "",
        {
            "class": "type", "module": "module", "method": "function", "singletonMethod": "function",
            "constant": "value", "accessor": "property",
        },
    ),
    "php": (
        "PHP",
        "",
        {
            "class": "type", "interface": "type", "trait": "type", "function": "function", "define": "value",
            "variable": "value",
        },
    ),
    "bash": ("Sh", "", {"function": "function"}),
    "json": (
        "JSON",
        "",
        {kind: "section" for kind in ("object", "array", "string", "number", "boolean", "null")},
    ),
    "html": ("HTML", "", {"id": "element"}),
    "css": ("CSS", "", {"selector": "selector", "class": "selector", "id": "selector"}),
}
CTAGS["tsx"] = CTAGS["type_script"]

OURS = {
    "Function": "function", "Method": "function", "Class": "type", "Struct": "type", "Interface": "type",
    "Trait": "type", "Enum": "type", "Union": "type", "TypeAlias": "alias", "Module": "module",
    "Macro": "macro", "Constant": "value", "Variable": "value", "Property": "property",
    "Section": "section", "Element": "element", "Selector": "selector",
}


def ours(binary, folders):
    """Our files, by path."""
    if binary.endswith(".jsonl"):
        with open(binary, encoding="utf-8") as written:
            output = written.read()
    else:
        output = subprocess.run([binary, *folders], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {file["path"]: file for file in map(json.loads, filter(None, output.split("\n")))}


def ctags(program, language, kinds, paths):
    """What ctags finds, by path."""
    command = [program, "--output-format=json", "--fields=+neKS", f"--language-force={language}", "-L", "-", "-o", "-"]
    if kinds:
        command.insert(1, f"--kinds-{language}={kinds}")
    output = subprocess.run(command, input="\n".join(paths), stdout=subprocess.PIPE, check=True, text=True,
                            errors="replace", stderr=subprocess.DEVNULL).stdout
    tags = collections.defaultdict(list)
    for line in filter(None, output.split("\n")):
        tag = json.loads(line)
        if tag.get("_type") == "tag":
            tags[tag["path"]].append(tag)
    return tags


# How far down in its own head a definition's name may stand: return types, attributes and templates
# come before it.
LONGEST_HEAD = 6
# A line that no person wrote.
LONGEST_LINE = 600


ANONYMOUS = re.compile(r"__anon|(anonymous|Anonymous)[A-Za-z]*[0-9a-f]{4}")


def wanted(language, tag, line):
    """The class of a tag; none if it isn't claimed."""
    kind = CTAGS[language][2].get(tag["kind"])
    if kind is None or ANONYMOUS.match(tag["name"]):
        return None
    if language in ("c", "cpp") and kind == "macro" and "signature" not in tag:
        return "value"
    if language in SCRIPTS:
        # An object that is called a class.
        if tag["kind"] == "class" and not re.search(r"\bclass\b", line):
            return "function" if re.search(r"\bfunction\b|=>", line) else None
    return kind


SCRIPTS = ("java_script", "type_script", "tsx")


def ours_as(language, symbol):
    """A symbol of ours as what is compared: of a list of selectors each is one."""
    kind = OURS[symbol["kind"]]
    if language in ("c", "cpp") and kind == "alias":
        kind = "type"
    names = [symbol["name"]]
    if language == "css":
        names = selectors(symbol["name"])
    return [(kind, named(language, name)) for name in names]


def selectors(text):
    """A list of selectors, split at the commas that aren't in brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def compare(language, file, tags):
    """Pairs what is the same. Returns what only ctags has, and what only we have."""
    open_ours = collections.defaultdict(list)
    for symbol in file["symbols"]:
        for key in ours_as(language, symbol):
            open_ours[key].append(symbol)
    matched, missing = 0, tags
    for near in (1, LONGEST_HEAD):
        rest = []
        for kind, tag in missing:
            candidates = open_ours[kind, named(language, tag["name"])]
            if not candidates and kind == "value" and language in SCRIPTS:
                # A function that a constant names is a constant to ctags.
                candidates = open_ours["function", named(language, tag["name"])]
            hit = next((symbol for symbol in candidates if is_at(language, symbol, tag["line"], near)), None)
            if hit:
                candidates.remove(hit)
                matched += 1
            else:
                rest.append((kind, tag))
        missing = rest
    extra = [(key[0], symbol) for key, symbols in open_ours.items() for symbol in symbols]
    return matched, missing, extra


def is_at(language, symbol, line, near):
    """Whether a line is where a symbol begins, or further down in its head."""
    first, end = symbol["line"], symbol["end"]
    if language == "css":
        return first - 1 <= line <= end
    # `typedef struct { … } Name;`: the name is on the last line.
    if language in ("c", "cpp") and abs(line - end) <= 1:
        return True
    return first - 1 <= line <= min(first + near, max(end, first + 1))


def named(language, name):
    """A name as both sides spell it."""
    if language in ("ruby", "php"):
        name = name.rstrip("=") if re.match(r"\w", name) else name
    if language == "c_sharp":
        name = name.rsplit(".", 1)[-1]
    return re.sub(r"\s+", "", name).rsplit("::", 1)[-1]


class Tally:
    """What was counted of a language."""

    def __init__(self):
        self.files = self.cut = self.minified = self.matched = 0
        self.missing, self.extra = [], []
        self.excused = collections.Counter()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ours", required=True, help="the program that outlines folders, or what it wrote, as .jsonl")
    parser.add_argument("--ctags", default="ctags")
    parser.add_argument("--json", help="where to put the figures")
    parser.add_argument("--show", help="a language whose differences are listed")
    parser.add_argument("--most", type=int, default=12, help="how many of them")
    parser.add_argument("folders", nargs="*")
    asked = parser.parse_args()
    by_language = collections.defaultdict(dict)
    for path, file in ours(asked.ours, asked.folders).items():
        if file["language"] in CTAGS:
            by_language[file["language"]][path] = file
    rows = []
    for language, files in sorted(by_language.items()):
        if asked.show and language != asked.show:
            continue
        tally = measure(asked.ctags, language, files)
        rows.append(row(language, tally))
        if asked.show:
            show(tally, asked.most)
    table(rows)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


def measure(program, language, files):
    """Compares all files of a language."""
    name, kinds, classes = CTAGS[language]
    tally = Tally()
    found = ctags(program, name, kinds, sorted(files))
    claimed = set(classes.values())
    for path, file in files.items():
        if file["cut"]:
            tally.cut += 1
            continue
        with open(path, encoding="utf-8", errors="replace", newline="\n") as source:
            lines = source.read().split("\n")
        if max(map(len, lines)) > LONGEST_LINE:
            tally.minified += 1
            continue
        tally.files += 1
        tags = [(wanted(language, tag, lines[min(tag["line"], len(lines)) - 1]), tag) for tag in found.get(path, [])]
        claims = [(kind, tag) for kind, tag in tags if kind]
        matched, missing, extra = compare(language, file, claims)
        context = Context(language, file, [tag for _, tag in tags], lines)
        tally.matched += matched
        for kind, tag in missing:
            settle(context, "ctags", kind, tag, tally.missing, tally, path)
        for kind, symbol in extra:
            if kind in claimed:
                settle(context, "ours", kind, symbol, tally.extra, tally, path)
    return tally


class Context:
    """What a rule may look at."""

    def __init__(self, language, file, tags, lines):
        self.language, self.file, self.tags, self.lines = language, file, tags, lines
        self.last_tag = max((tag["line"] for tag in tags), default=0)
        self.tagged = {(tag["name"], tag["line"]) for tag in tags}
        self.functions = [
            (symbol["line"], symbol["end"]) for symbol in file["symbols"] if symbol["kind"] in ("Function", "Method")
        ]
        self.kinds = collections.defaultdict(set)
        self.times = collections.Counter()
        for tag in tags:
            self.kinds[tag["name"]].add(tag["kind"])
            self.times[tag["name"], tag["line"]] += 1
        self.names = {symbol["name"] for symbol in file["symbols"]}
        self.heredocs = here_documents(lines) if language == "bash" else set()

    def line(self, one):
        """The line of the source that a definition is on."""
        return self.lines[one["line"] - 1] if 0 < one["line"] <= len(self.lines) else ""

    def is_indented(self, one):
        """Whether that line is indented."""
        return self.line(one)[:1].isspace()

    def in_function(self, one):
        """Whether it lies within a function that we found."""
        return any(first < one["line"] <= end for first, end in self.functions)

    def is_tagged(self, one, slack=1):
        """Whether ctags has something by that name there, of whatever kind."""
        name = one["name"].rsplit("::", 1)[-1]
        return any((name, one["line"] + by) in self.tagged for by in range(-slack, LONGEST_HEAD))


    def is_plain(self, kind, one):
        """Whether the source says in plain words that this is defined here."""
        name, line = re.escape(one["name"]), self.line(one)
        words = PLAIN.get((self.language, one["kind"]), ())
        return any(re.search(pattern.replace("NAME", name), line) for pattern in words)


SCRIPT_FUNCTION = (r"\bfunction\b\s*\*?\s*NAME\s*[<(]", r"\bNAME\b\s*[:=]\s*(async\s*)?(function\b|\(|\w+\s*=>)")
SCRIPT_METHOD = (
    r"^\s*((public|protected|private|static|async|abstract|readonly|override|get|set|\*)\s+)*[#*]?NAME\s*[?]?\s*[<(]",
    *SCRIPT_FUNCTION,
)
PLAIN = {}
for _language in ("java_script", "type_script", "tsx"):
    PLAIN[_language, "Function"] = SCRIPT_METHOD
    PLAIN[_language, "Method"] = SCRIPT_METHOD
    PLAIN[_language, "Class"] = (r"\bclass\s+NAME\b",)
    PLAIN[_language, "Interface"] = (r"\binterface\s+NAME\b",)
    PLAIN[_language, "TypeAlias"] = (r"\btype\s+NAME\b",)
    PLAIN[_language, "Module"] = (r"\b(namespace|module)\s+['\"]?NAME\b",)
    PLAIN[_language, "Enum"] = (r"\benum\s+NAME\b",)
    PLAIN[_language, "Constant"] = (r"\bconst\b.*\bNAME\b", r"\breadonly\s+NAME\b")
    PLAIN[_language, "Variable"] = (r"\b(var|let)\b.*\bNAME\b",)
PLAIN["c_sharp", "Method"] = (r"\b(public|private|protected|internal|static)\b.*\bNAME\b\s*(<.*>)?\s*\(",)
PLAIN["ruby", "Method"] = (r"\bdef\s+(self\.|\w+\.)?NAME",)


def here_documents(lines):
    """The lines of a shell script that are text for a command."""
    inside, end = set(), None
    for number, line in enumerate(lines, 1):
        if end is None:
            started = re.search(r"<<-?\s*[\\'\"]?(\w+)", line)
            end = started and started.group(1)
        elif line.strip() == end:
            end = None
        else:
            inside.add(number)
    return inside


def settle(context, side, kind, one, left, tally, path):
    """Puts a difference where it belongs: to a named reason, or among those that count."""
    for reason, languages, of, rule in RULES:
        if of == side and (not languages or context.language in languages) and rule(context, kind, one):
            tally.excused[reason] += 1
            return
    left.append((path, kind, one))


def row(language, tally):
    """The figures of a language."""
    ctags_count, our_count = tally.matched + len(tally.missing), tally.matched + len(tally.extra)
    return {
        "language": language,
        "files": tally.files,
        "cut": tally.cut,
        "minified": tally.minified,
        "ctags": ctags_count,
        "ours": our_count,
        "recall": round(tally.matched / ctags_count, 4) if ctags_count else None,
        "precision": round(tally.matched / our_count, 4) if our_count else None,
        "set_apart": dict(tally.excused),
    }


def table(rows):
    """Prints the figures."""
    print(f"{'language':12} {'files':>6} {'ctags':>7} {'ours':>7} {'recall':>7} {'precision':>9}")
    for one in rows:
        recall, precision = (f"{one[key]:.4f}" if one[key] is not None else "-" for key in ("recall", "precision"))
        print(f"{one['language']:12} {one['files']:6} {one['ctags']:7} {one['ours']:7} {recall:>7} {precision:>9}")
        for reason, count in sorted(one["set_apart"].items()):
            print(f"{'':12} set apart {count:5}  {reason}")


def show(tally, most):
    """Prints the differences that count."""
    for title, left in (("only ctags", tally.missing), ("only ours", tally.extra)):
        kinds = collections.Counter((kind, one["kind"]) for _, kind, one in left)
        print(title, dict(kinds))
        step = max(1, len(left) // most)
        for path, kind, one in left[::step]:
            print(f"  {path}:{one['line']}: {one['kind']} {one['name']}  {one.get('scope') or one.get('owner') or ''}")


def is_guard(context, _, tag):
    """`#define NAME` right below `#ifndef NAME`, and no value."""
    before = context.lines[tag["line"] - 2] if tag["line"] > 1 else ""
    define = re.match(r"\s*#\s*define\s+(\w+)\s*(/.*)?$", context.line(tag))
    return bool(define) and re.search(rf"\b{re.escape(tag['name'])}\b", before) is not None


# Reason, languages (none: all), whose definition it is, and whether the reason holds for it.
RULES = [
    ("not claimed: attributes of classes", ("python", "php"), "ctags",
     lambda context, kind, tag: kind == "value" and tag.get("scopeKind") in ("class", "trait", "interface")),
    ("not claimed: locals", None, "ctags",
     lambda context, kind, tag: kind == "value" and (tag.get("scopeKind") in ("function", "method", "member", "func") or context.in_function(tag))),
    ("not claimed: what is imported", SCRIPTS, "ctags",
     lambda context, kind, tag: kind == "value" and re.search(r"\brequire\(|\bimport\b", context.line(tag)) is not None),
    ("not claimed: what is imported", SCRIPTS, "ctags",
     lambda context, kind, tag: re.search(r"^\s*(import|export)\s+(type\s+)?[{*]|\bfrom\s+['\"]|^\s*type\s+\w+(\s+as\s+\w+)?,?\s*$", context.line(tag)) is not None),
    ("ctags bug: what a type annotation names taken for a constant", ("type_script", "tsx"), "ctags",
     lambda context, kind, tag: kind == "value" and not re.search(rf"(^|\b(const|let|var)\b|[,{{\[])\s*(\.\.\.)?{re.escape(tag['name'])}\b\s*([:=,;!}}\]]|$)", context.line(tag).split(" = ")[0].split(": ")[0] + "=")),
    ("not claimed: variables in blocks and callbacks", SCRIPTS, "ctags",
     lambda context, kind, tag: kind == "value" and context.is_indented(tag)),
    ("not claimed: construct signatures", SCRIPTS, "ctags", lambda context, kind, tag: tag["name"] == "new"),
    ("not claimed: `mod name;` is an import", ("rust",), "ctags",
     lambda context, kind, tag: kind == "module" and context.line(tag).rstrip().endswith(";")),
    ("not claimed: associated types", ("rust",), "ctags",
     lambda context, kind, tag: kind == "alias" and context.is_indented(tag)),
    ("not claimed: include guards", ("c", "cpp"), "ctags", is_guard),
    ("not claimed: setters beside their getters", ("ruby",), "ctags",
     lambda context, kind, tag: tag["name"].endswith("=") and "accessor" in tag["kind"]),
    ("not claimed: elements of a list", ("json",), "ctags",
     lambda context, kind, tag: tag.get("scope") is not None or tag["name"].isdigit()),
    ("not claimed: methods that are assigned by name", SCRIPTS, "ctags",
     lambda context, kind, tag: kind == "function" and not re.search(r"function|=>|\(|\bclass\b", context.line(tag))),
    ("not claimed: a class for whoever has a prototype", SCRIPTS, "ctags",
     lambda context, kind, tag: tag["kind"] == "class" and ".prototype" in context.line(tag)),
    ("a struct and its typedef by the same name are listed once", ("c", "cpp"), "ctags",
     lambda context, kind, tag: kind == "type" and len(context.kinds[tag["name"]] & {"typedef", "struct", "union", "enum"}) > 1),
    ("what is declared more than once is listed once", ("c", "python", "php", "bash"), "ctags",
     lambda context, kind, tag: kind == "value" and tag["kind"] == "variable" and tag["name"] in context.names),
    ("a function expression's own name beside what it is assigned to", SCRIPTS, "ctags",
     lambda context, kind, tag: context.times[tag["name"], tag["line"]] > 1 or re.search(r"=\s*(async\s+)?function\b", context.line(tag)) is not None),
    ("ctags calls what a called function returns a function", SCRIPTS, "ctags",
     lambda context, kind, tag: re.search(r"=.*\(\s*(async\s+)?function\b", context.line(tag)) is not None),
    ("ctags calls delegates methods", ("c_sharp",), "ctags",
     lambda context, kind, tag: re.search(r"\bdelegate\b", context.line(tag)) is not None),
    ("ctags bug: a lifetime `'static` taken for a static", ("rust",), "ctags",
     lambda context, kind, tag: kind == "value" and "'static" in context.line(tag)),
    ("ctags bug: a hash key taken for a constant", ("ruby",), "ctags",
     lambda context, kind, tag: kind == "value" and "=>" in context.line(tag)),
    ("ctags bug: text in here-documents and strings taken for code", ("bash",), "ctags",
     lambda context, kind, tag: tag["line"] in context.heredocs or not re.fullmatch(r"[\w.:+@/-]+", tag["name"])),
    ("ctags bug: locals of test macros taken for variables of the file", ("cpp",), "ctags",
     lambda context, kind, tag: kind == "value" and context.is_indented(tag) and not tag.get("scope")),
    ("ctags lists selectors with brackets and pseudo-elements in pieces", ("css",), "ctags",
     lambda context, kind, tag: re.search(r"[\[(]|::|:not|\\\\", context.line(tag)) is not None),
    ("ctags lists selectors with brackets and pseudo-elements in pieces", ("css",), "ours",
     lambda context, kind, one: re.search(r"[\[(]|::|:not|\\\\", one["name"]) is not None),
    ("ctags has another kind for it at the same place", None, "ours",
     lambda context, kind, one: context.is_tagged(one)),
    ("ctags lists no prototypes among definitions", ("c", "cpp"), "ours",
     lambda context, kind, one: kind == "function" and one["complexity"] is None),
    ("ctags bug: no `const` items", ("rust",), "ours",
     lambda context, kind, one: one["kind"] == "Constant" and re.search(r"\bconst\b", context.line(one)) is not None),
    ("ctags follows one branch of an `#if`", ("c", "cpp"), "ours",
     lambda context, kind, one: re.match(r"\s*#\s*define\b", context.line(one)) is not None and one["name"] in context.kinds),
    ("ctags doesn't look into functions", ("go", "java", "java_script", "type_script", "tsx", "php"), "ours",
     lambda context, kind, one: context.in_function(one)),
    ("ctags finds nothing in the rest of the file", None, "ours",
     lambda context, kind, one: one["line"] > context.last_tag),
    ("ctags bug: overlooks what is written plainly (`name(…) {`, `interface Name`)", None, "ours",
     lambda context, kind, one: context.is_plain(kind, one)),
    ("ctags lists only the first of overloads", ("type_script", "tsx"), "ours",
     lambda context, kind, one: any(one["name"] == tag["name"] for tag in context.tags)),
]

if __name__ == "__main__":
    main()
