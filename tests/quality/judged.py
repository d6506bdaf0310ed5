"""Which findings are judged by hand, and how the judged ones stand with what is found now.

    judged.py FILE.json…    prints the fifty to judge: package, rule, place

Each FILE is `PACKAGE.json` with the packages' problems, as `run.py --keep` writes them.
"""

import hashlib
import json
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).parent
HOW_MANY, MOST_OF_A_RULE, BAR = 50, 4, 0.8
SEVERITIES = ("high", "medium", "low", "info")


def chosen(by_package):
    """The findings to judge: product code, the worst first, then by a hash; at most four of a rule."""
    all_found = [
        (SEVERITIES.index(one["severity"]) // 2, hashlib.sha256(one["fingerprint"].encode()).hexdigest(), package, one)
        for package, found in by_package.items()
        for one in found
        if one["setting"] == "product"
    ]
    picked, times = [], {}
    for _, _, package, one in sorted(all_found, key=lambda it: it[:2]):
        times[one["rule"]] = times.get(one["rule"], 0) + 1
        if times[one["rule"]] <= MOST_OF_A_RULE and len(picked) < HOW_MANY:
            picked.append((package, one))
    return picked


def key(package, one):
    """What a verdict is found again by."""
    return package, one["rule"], one["path"], one["first_line"]


def verdicts():
    """All verdicts, by key."""
    read = tomllib.loads((HERE / "judged.toml").read_text())["finding"]
    return {(one["package"], one["rule"], one["path"], one["line"]): one for one in read}


def standing(by_package):
    """The verdicts on what is found now, those on what isn't found any more, and what has none yet."""
    known = verdicts()
    found = {key(package, one) for package, all_found in by_package.items() for one in all_found}
    now = [one for place, one in known.items() if place in found]
    gone = [one for place, one in known.items() if place not in found and place[0] in by_package]
    open_ones = [place for place in (key(*one) for one in chosen(by_package)) if place not in known]
    return now, gone, open_ones


def main():
    by_package = {pathlib.Path(name).stem: json.loads(pathlib.Path(name).read_text()) for name in sys.argv[1:]}
    for package, one in chosen(by_package):
        print(f"{package}\t{one['rule']}\t{one['path']}:{one['first_line']}\t{one['severity']}\t{one['excerpt'].strip()}")


if __name__ == "__main__":
    main()
