"""Which places two tools both find. A place is a file and lines; lines may differ by one."""

import collections


def overlap(theirs, ours):
    """Counts of what both find, only they, only we, with the most frequent rules of each.

    A find is (package, path, first line, last line, rule, weakness). `same_cwe` counts how many of the
    places found by both are given the same weakness.
    """
    by_file = collections.defaultdict(list)
    for one in ours:
        by_file[one[:2]].append(one)
    both, only_they, hit, same_cwe = [], [], set(), 0
    for one in theirs:
        near = [two for two in by_file[one[:2]] if two[2] <= one[3] + 1 and one[2] <= two[3] + 1]
        if near:
            both.append(one)
            hit.update(near)
            same_cwe += any(two[5] == one[5] for two in near)
        else:
            only_they.append(one)
    only_we = [one for one in ours if one not in hit]
    return {
        "both": (len(both), most(both)),
        "theirs": (len(only_they), most(only_they)),
        "ours": (len(only_we), most(only_we)),
        "same_cwe": same_cwe,
    }


def most(found):
    """The five most frequent rules."""
    return collections.Counter(one[4] for one in found).most_common(5)
