"""What every paper's tests start from: its items, each computed once, and what holds of them all."""

import csv
import io
import json
from functools import cache

from discretion.reproduce import PAPERS

EVERY_ITEM = [(paper, item) for paper, given in PAPERS.items() for item in given.items]
# To compute these once more takes long.
SLOW = {
    ("ldp", "figure-2"), ("ldp", "figure-3"), ("ldp", "lemma-4-7"), ("ldp", "numbers"), ("bayes-security", "figure-5"),
}  # fmt: skip
# Whose seconds are measured anew.
TIMED = {("ldp", "table-10-2")}


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


class EveryItem:
    """What holds of every item of a paper, asked beside the paper's own tests: one process computes its items."""

    paper: str

    @property
    def items(self):
        return PAPERS[self.paper].items

    def test_every_printed_number_agrees_unless_it_is_a_slip(self):
        for item in self.items:
            for number in made(self.paper, item).published:
                assert number.agrees != bool(number.slip), (item, number)

    def test_every_item_has_a_csv_of_numbers_with_all_their_digits(self):
        for item in self.items:
            found = made(self.paper, item)
            rows = list(csv.DictReader(io.StringIO(found.to_csv())))
            assert len(rows) == len(found.rows), item
            for read, given in zip(rows, found.rows, strict=True):
                assert None not in read, item
                floats = {key: value for key, value in given.items() if isinstance(value, float)}
                assert {key: float(read[key]) for key in floats} == floats, item

    def test_nothing_is_said_twice_and_every_sentence_ends(self):
        for item in self.items:
            said = made(self.paper, item).findings
            assert len(set(said)) == len(said), item
            assert all(sentence.endswith(".") for sentence in said), item

    def test_every_item_has_a_chart_that_says_what_it_shows(self):
        for item in self.items:
            specification = drawn(self.paper, item)
            assert len(specification["description"]) > 40, item
            json.dumps(specification, allow_nan=False)

    def test_an_item_again_is_the_same(self):
        for item in self.items:
            if (self.paper, item) not in SLOW | TIMED:
                again, before = self.items[item].reproduce(), made(self.paper, item)
                assert again.rows == before.rows, item
                assert again.findings == before.findings, item
                assert again.chart().to_dict(validate=False) == drawn(self.paper, item), item
