"""Sections 3 and 8: trust as information, entries that are redacted locally, and a curator that asks in rounds."""

from collections.abc import Sequence

import numpy as np

import discretion as dc
from discretion.anonymity import (
    RedactionRule,
    cheapest_questions,
    hierarchical_rounds,
    redacted_exposure,
    redaction_leakage,
    trust_tradeoff,
    value_rounds,
)
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.estimate import highest, lowest
from discretion.reproduce.anonymity.tables import people_with
from discretion.reproduce.item import Published, Reproduction, Row

ADULT, BUDGET, K, ROUNDS = ("sex", "race", "workclass", "education"), "0.01", 10, 5


def section_3() -> Reproduction:
    """Return the information that the curator of Adult receives in each design, and the release that it allows."""
    adult = dc.Population("example:adult", ADULT)
    tradeoff = trust_tradeoff(adult, BUDGET, k=K)
    needed = cheapest_questions(adult, BUDGET, k=K, columns=ADULT[:2])
    rows: list[Row] = [
        {
            "design": each.name,
            "curator, bits of a record": each.curator.record_bits,
            "curator, bits of the table at least": lowest(each.curator.table_bits),
            "curator, bits of the table at most": highest(each.curator.table_bits),
            "participants, bits of a record": each.participants.record_bits,
            "goes out": " ".join(each.columns),
            "utility": each.utility,
            "certified": highest(each.certified_exposure),
            "exposed": highest(each.exposure),
        }
        for each in tradeoff.designs
    ]
    two, by_value = rows[1], rows[4]
    of_all = f"of the {tradeoff.record_bits:.2f} bits of a record"
    remarks = (
        f"Section 3: a curator of two rounds receives {two['curator, bits of a record']:.2f} {of_all} in one message, "
        f"and releases {two['utility']:.2f}; one of rounds by value receives "
        f"{by_value['curator, bits of a record']:.2f}, and releases {by_value['utility']:.2f}. For a record the number "
        "is the mutual information with one message, for the table the capacity of all answers.",
        f"Section 3: to certify a release of {' and '.join(ADULT[:2])} a curator needs {needed.bits:.2f} bits of a "
        f"record: whether it has the most frequent value of {needed.questions[0].columns[0]}.",
    )
    return Reproduction(tuple(rows), tradeoff.chart, (), remarks)


def section_8() -> Reproduction:
    """Return the release of a curator of Adult after each round, by column and by value, and the effect of rules."""
    adult = dc.Population("example:adult", ADULT)
    by_column = hierarchical_rounds(adult, BUDGET, k=K, rounds=ROUNDS)
    by_value = value_rounds(adult, BUDGET, k=K, rounds=ROUNDS)
    columns = [each.largest_certified for each in by_column]
    columns += columns[-1:] * (len(by_value) - len(columns))
    rows: list[Row] = []
    for chosen, each in zip(columns, by_value, strict=False):
        release = each.release
        rows.append({
            "round": each.number,
            "by column": " ".join(chosen),
            "by column, bits": adult.class_sizes(chosen).entropy,
            "by value": "" if release is None else " ".join(release.columns),
            "by value, values kept distinct": "" if release is None else " ".join(map(str, release.kept)),
            "by value, bits": 0.0 if release is None else release.bits,
            "by value, certified": 0.0 if release is None else release.certified,
            "by value, exposed": 0.0 if release is None else release.exposure,
        })  # fmt: skip
    last = rows[-1]
    remarks = (
        f"Section 8.2: of {', '.join(ADULT)} of Adult, within {float(BUDGET):.0%}".replace("%", " %")
        + f" of the people in classes of fewer than {K}, {last['by column'].replace(' ', ' and ')} can be released "
        f"after rounds by column, {last['by column, bits']:.2f} bits; after rounds by value "
        f"{last['by value'].replace(' ', ', ')} with the "
        f"{last['by value, values kept distinct'].replace(' ', ', ')} most frequent values kept distinct, "
        f"{last['by value, bits']:.2f} bits.",
        "Section 8.1: the redaction of a value reveals that it is the rare one. Decoys hide that, and split classes of "
        "people: the number that makes the suspicion one half need not be enough for a crowd, and redaction_rules "
        "takes the larger of the two.",
    )
    return Reproduction(tuple(rows), lambda: _chart(rows), of_rules(), remarks)


def of_rules() -> tuple[Published, ...]:
    """Return the statements of section 8.1 on one user with a value v* among a thousand, as numbers."""
    value = np.array(["v*", *["other"] * 999])
    people = people_with({"feature 1": value, "feature 2": np.resize(["a", "b"], value.size)})
    alone = RedactionRule("feature 1", values=["v*"])
    hidden = RedactionRule("feature 1", values=["v*"], decoys=0.05)
    elsewhere = RedactionRule("feature 2", when={"feature 1": ["v*"]})
    n, where = value.size, "section 8.1"
    return (
        Published(where, "users exposed, v* redacted by its one user", "nothing has changed", 1.0,
                  n * float(redacted_exposure(people, [alone], k=2, columns=["feature 1"]))),
        Published(where, "the probability that a redacted value is v*", "contains some information", 1.0,
                  redaction_leakage(people, alone).suspicion),
        Published(where, "the same where others redact at random, 5 %", "could be overcome", 1 / (1 + 999 * 0.05),
                  redaction_leakage(people, hidden).suspicion),
        Published(where, "users exposed then", "could be overcome", 0.0,
                  n * float(redacted_exposure(people, [hidden], k=2, columns=["feature 1"])), 1e-12),
        Published(where, "users exposed on both, feature 2 redacted if feature 1 is v*", "a conditional statement", 1.0,
                  n * float(redacted_exposure(people, [elsewhere], k=2))),
    )  # fmt: skip


_LOOKS: dict[str, Look] = {"by column": "dashed", "by value": "solid"}


def _chart(rows: Sequence[Row]) -> object:
    drawn = [Curve([(row["round"], row[f"{how}, bits"]) for row in rows], how) for how in _LOOKS]
    most = max(row[f"{how}, bits"] for row in rows for how in _LOOKS)
    across = Axis("round", 1, rows[-1]["round"], ticks=[row["round"] for row in rows])
    up = Axis("bits of a person that can be released", 0, most)
    notes = [
        f"Adult: {', '.join(ADULT)}. At most {float(BUDGET):.0%}".replace("%", " %")
        + f" are in classes of fewer than {K}.",
        "By column a question covers all values of a column, or none; by value rare values answer other.",
    ]
    description = "Two curves over the rounds: by column the released bits stay the same, by value they grow."
    title = "Section 8.2: rounds of questions, by column and by value"
    return curves([Panel(drawn, across, up)], _LOOKS, title, notes, description)
