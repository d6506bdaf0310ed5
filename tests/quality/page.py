"""Puts what was measured into words: the page `docs/quality.md`. Measures nothing itself."""

import datetime
import subprocess
import sys

import judged
from pairing import percent

SIDES = {"theirs": "only they", "ours": "only we"}

HEAD = """# What the code tools find, measured

Written by `tests/quality/run.py` on {date}; don't edit it. How to run it, and the bars: `tests/quality/README.md`.

The tools were run as native programs of this source (`{commit}`) on real packages as their registries
give them: {packages}.{missing}

Recall: of what the other tool finds, how much is found here. Precision: of what is found here, how much the
other tool finds. What is set apart is named, counted, and in neither of the two: there the tools mean
different things, or the other one is wrong.
"""


def written(all_measured):
    """The page."""
    parts = [head(all_measured), outline(*all_measured["outline"]), stack(all_measured["stack"])]
    parts += [languages(*all_measured["languages"]), graph(all_measured["graph"])]
    parts += [problems(all_measured["problems"]), verdicts(*all_measured["judged"]), LEFT_OUT]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def head(all_measured):
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
    names = [
        f"{one['name']} {one.get('version', '(Debian)')}" + (f" ({count} problems)" if (count := all_measured["counted"].get(one["name"])) else "")
        for one in all_measured["packages"]
    ]
    missing = all_measured["missing"]
    return HEAD.format(
        date=datetime.date.today(), commit=commit, packages=", ".join(names),
        missing=f" Not fetched, and so in no table: {', '.join(missing)}." if missing else "",
    ) + f"\nPython {sys.version.split()[0]}.\n"


def rows(titles, body):
    """A table; the first column is text, the others figures."""
    lines = ["| " + " | ".join(titles) + " |", "|---|" + "---:|" * (len(titles) - 1)]
    return "\n".join(lines + ["| " + " | ".join(map(str, one)) + " |" for one in body]) + "\n"


def listed(counted):
    return ", ".join(f"{rule} {count}" for rule, count in counted) or "–"


def outline(tool, measured):
    title = f"## Outline against {tool}\n\n"
    if measured is None:
        return title + f"Left out: {tool} isn't installed.\n"
    share = lambda one: "–" if one is None else f"{100 * one:.1f} %"
    table = rows(
        ("Language", "Files", "Theirs", "Ours", "Recall", "Precision"),
        [(f"`{one['language']}`", one["files"], one["ctags"], one["ours"], share(one["recall"]), share(one["precision"]))
         for one in measured],
    )
    apart = [
        f"- `{one['language']}`: " + "; ".join(f"{why} ({count})" for why, count in sorted(one["set_apart"].items()))
        for one in measured if one["set_apart"]
    ]
    files = sum(one["cut"] for one in measured), sum(one["minified"] for one in measured)
    return (
        title + "A definition is a kind, a name and a line.\n\n" + table + "\nSet apart, by the rules of `outline.py`:\n\n"
        + "\n".join(apart) + f"\n\nFiles left out: {files[0]} with more definitions than one answer holds, "
        f"{files[1]} with lines that no person wrote (minified). YAML and TOML: ctags has no comparable definitions.\n"
    )


def compared(measured):
    """A table of `sides` rows, and below it the reasons of what differs."""
    table = rows(
        ("Package", "Against", "Theirs", "Ours", "Both", "Recall", "Precision"),
        [
            (one["package"], one["tool"], f"left out: {one['skipped']}", "", "", "", "") if "skipped" in one else
            (one["package"], one["tool"], one["theirs"], one["ours"], one["both"],
             percent(*one["recall"]), percent(*one["precision"]))
            for one in measured
        ],
    )
    differences = [
        f"- {one['package']}, {SIDES[side]}: {why} ({count}), such as `{' → '.join(sample)}`"
        for one in measured for side, why, count, sample in one.get("reasons", ())
    ]
    return table + ("\nWhere they differ:\n\n" + "\n".join(differences) + "\n" if differences else "")


def stack(measured):
    return "## Stack against manifests read by other means\n\nName, version and dependencies of the package itself.\n\n" + compared(measured)


def languages(tool, measured):
    title = "### Largest language\n\n"
    if tool is None:
        return title + "Left out: cloc isn't installed (`apt-get install cloc`).\n"
    same = sum(one["theirs"] == one["ours"] for one in measured)
    table = rows(
        ("Package", tool, "Ours", "Our share"),
        [(one["package"], one["theirs"], one["ours"], f"{one['permille'] / 10:.1f} %") for one in measured],
    )
    return title + (
        f"The same in {same} of {len(measured)} packages. cloc counts lines of all files, we bytes of product code; "
        "of cloc's languages those count that we name.\n\n" + table
    )


def graph(measured):
    return (
        "## Import graph\n\nEdges among the package's own files (Python, JavaScript, TypeScript) or packages (Go).\n\n"
        + compared(measured)
    )


def problems(measured):
    parts = [
        "## Problems\n\nPlaces in product code: the same file, lines that overlap or differ by one. Of ours those that "
        "concern security. Other tools' findings aren't truth: bandit reports each `assert` and each import of "
        "`subprocess`. So no recall is given; what is found is judged below."
    ]
    for language, tool, found in measured:
        if found is None:
            parts.append(f"### {language} against {tool}\n\nLeft out: {tool} isn't installed.")
            continue
        table = rows(
            ("Found by", "Places", "Most frequent rules"),
            [("both", found["both"][0], listed(found["both"][1])),
             ("only they", found["theirs"][0], listed(found["theirs"][1])),
             ("only we", found["ours"][0], listed(found["ours"][1]))],
        )
        weakness = f"\nThe same weakness (CWE) in {found['same_cwe']} of {found['both'][0]}.\n" if found["same_cwe"] else ""
        parts.append(f"### {language} against {tool}\n\n{table}{weakness}")
    return "\n\n".join(parts)


def verdicts(now, gone, open_ones):
    true = sum(one["verdict"] for one in now)
    share = true / len(now) if now else 0
    listing = [
        f"- {one['package']}, `{one['rule']}`, `{one['path']}:{one['line']}`: {one['why']}" for one in now if not one["verdict"]
    ]
    return (
        f"## Judged by hand\n\nOf the judged findings {len(now)} are still found; {true} of them are true "
        f"({percent(true, len(now))}; the bar is {judged.BAR:.0%}: {'held' if share >= judged.BAR else 'missed'}). "
        f"{len(gone)} are found no more ({sum(not one['verdict'] for one in gone)} of them false ones); "
        f"{len(open_ones)} of those that the rule of choice picks now have no verdict yet. "
        "A finding is true if the weakness or the waste that the rule names is really there, even where the "
        "authors took it knowingly; false if what is around the place makes it harmless, or the advice can't be "
        "followed there.\n\n" + by_rule(now) + "\n"
        "The false ones:\n\n" + "\n".join(listing or ["none"]) + "\n"
    )


def by_rule(now):
    """How each rule stands, those with false findings first."""
    counted = {}
    for one in now:
        true, false = counted.get(one["rule"], (0, 0))
        counted[one["rule"]] = (true + one["verdict"], false + (not one["verdict"]))
    order = sorted(counted.items(), key=lambda it: (-it[1][1], it[0]))
    return rows(("Rule", "True", "False"), [(f"`{rule}`", *both) for rule, both in order])


LEFT_OUT = """## Left out

- Rust's import graph: `cargo-modules` wasn't built for this; nothing is known of how well it does.
- Semgrep: its registry of rules isn't reached, and no package `semgrep-rules` is on PyPI or npm; public fixtures weren't looked for further.
- C, C++, C#, Java, PHP, Ruby: graphs and problems weren't compared.
- github-linguist wasn't tried; cloc stands in for it.
"""
