"""What two tools say of the same code, put side by side. Owns the figures; knows nothing of either tool."""

import collections


def percent(part, whole):
    """A share in words; a dash where there is nothing to share."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def sides(package, tool, theirs, ours, reason=lambda side, one: "no reason found"):
    """The figures of two sets: counts, and why they differ, by `reason(side, one)`.

    The reasons that start with `set apart:` are taken out of both recall and precision: they say that the
    two tools mean different things, not that one of them is wrong.
    """
    reasons = {"theirs": collections.Counter(), "ours": collections.Counter()}
    apart = collections.Counter()
    samples = {}
    for side, only in (("theirs", theirs - ours), ("ours", ours - theirs)):
        for one in sorted(only):
            why = reason(side, one)
            reasons[side][why] += 1
            samples.setdefault((side, why), one)
            apart[side] += why.startswith("set apart:")
    both = len(theirs & ours)
    return {
        "package": package,
        "tool": tool,
        "theirs": len(theirs),
        "ours": len(ours),
        "both": both,
        "recall": (both, len(theirs) - apart["theirs"]),
        "precision": (both, len(ours) - apart["ours"]),
        "reasons": [
            (side, why, count, samples[side, why])
            for side, counter in reasons.items()
            for why, count in counter.most_common(5)
        ],
    }


def skipped(package, tool, why):
    """A comparison that wasn't made."""
    return {"package": package, "tool": tool, "skipped": why}
