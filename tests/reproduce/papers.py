"""What every paper's tests start from: its items, each computed once."""

from functools import cache

from tacit.reproduce import PAPERS

EVERY_ITEM = [(paper, item) for paper, given in PAPERS.items() for item in given.items]


@cache
def made(paper, item):
    """Return what reproducing the item gives."""
    return PAPERS[paper].items[item].reproduce()


@cache
def drawn(paper, item):
    """Return the specification of the item's chart."""
    return made(paper, item).chart().to_dict(validate=True)


def row(found, **where):
    """Return the only row with these values."""
    (only,) = (row for row in found.rows if all(row[key] == value for key, value in where.items()))
    return only


def slips(found):
    """Return what is printed wrong."""
    return {number.what for number in found.published if number.slip}


def findings(paper):
    """Return all that was found in the paper."""
    return " ".join(finding for item in PAPERS[paper].items for finding in made(paper, item).findings)
