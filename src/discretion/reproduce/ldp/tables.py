"""Tables 4.1 and 10.1: the information split, and the unary encodings."""

import math

import numpy as np
from scipy.special import entr, gammaln, psi

import discretion as dc
from discretion.numerics.arrays import Reals
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.item import Published, Reproduction, exact
from discretion.reproduce.ldp.protocols import ENCODINGS

_A, _EPSILON, _N = 3, 2.0, 10
# The precision of a float.
_RELATIVE = 1e-10


def table_4_1() -> Reproduction:
    """Return the information split of GRR with a = 3, ε = 2 and n = 10, and its sums by other routes."""
    protocol = dc.RandomizedResponse(_A, epsilon=_EPSILON)
    split = dc.information.information_split(protocol, _N)
    users, aggregator = (
        [exact(part) for part in (side.nonprivate, side.group_private, side.individual_private, side.total)]
        for side in (split.users, split.aggregator)
    )
    tallies, law, orders = _tallies()
    of_values = float(entr(law).sum() + law @ orders)
    private = _N * float(psi((_A + 2) / 2) - psi(3 / 2))
    utility = (
        exact(dc.information.tally_utility(protocol, _N)),
        exact(dc.information.distribution_utility(protocol, _N)),
    )
    published = (
        _identity("total of the users", "H(X) by (D.20)", of_values, users[3]),
        _identity("private of the users", "H(X|P) by (10.2)", private, users[1] + users[2]),
        _identity("nonprivate of the users", "H(X) - H(X|P)", of_values - private, users[0]),
        _identity("tally-relevant of the users", "H(T)", float(entr(law).sum()), users[0] + users[1]),
        _identity(
            "leakage", "(1 - S) H(X|P)", (1 - dc.information.average_privacy(protocol)) * private, sum(aggregator[1:3])
        ),
        _identity("tally gains", "I(S;T)", exact(dc.mutual_information(tallies, law)), sum(aggregator[:2])),
        _identity("tally gains", "U_tally H(T)", utility[0] * float(entr(law).sum()), sum(aggregator[:2])),
        _identity("distribution gains", "U_distr I(X;P)", utility[1] * users[0], aggregator[0]),
        _identity("total of the aggregator", "all three parts", sum(aggregator[:3]), aggregator[3]),
    )
    rows = tuple(
        {"row": side, "column": column, "printed": symbol, "ours": value, "remark": ""}
        for side, symbols, values in (("users", _USERS, users), ("aggregator", _AGGREGATOR, aggregator))
        for column, symbol, value in zip(_PARTS, symbols, values, strict=True)
    )

    def chart() -> object:
        notes = (
            f"GRR with a = {_A}, ε = {_EPSILON:g}, Jeffreys' prior and n = {_N}; in nats.",
            "The three parts of a row sum to its total.",
        )
        words = "; ".join(f"{row['row']}, {row['column']}: {row['ours']:.4f}" for row in rows)
        drawing = channel_cells(rows, "Table 4.1: the information split", notes)
        return drawing.properties(description=f"Cells: information in nats, of users and aggregator by part. {words}.")

    shares = [
        f"{100 * seen / known:.1f} % of the {part}" for seen, known, part in zip(aggregator, users, _PARTS, strict=True)
    ]
    return Reproduction(rows, chart, published, (f"The aggregator receives {', '.join(shares)}.",))


_PARTS = ("nonprivate", "group-private", "individual private", "total")
_USERS = ("I(X;P)", "H(T|P)", "H(X|T)", "H(X)")
_AGGREGATOR = ("I(Y;P)", "I(Y;T|P)", "I(Y;X|T)", "I(Y;X)")


def _tallies() -> tuple[dc.Channel, Reals, Reals]:
    """Return the channel from tallies of values to those of reports, the law of the former, and log n!/Π t!."""
    channel = dc.shuffling.reduced_dataset_channel(dc.RandomizedResponse(_A, epsilon=_EPSILON), _N)
    counts = np.array(channel.inputs)
    orders = gammaln(_N + 1) - gammaln(counts + 1).sum(axis=1)
    sequence = gammaln(counts + 0.5).sum(axis=1) - gammaln(_N + _A / 2) - _A * gammaln(0.5) + gammaln(_A / 2)
    return channel, np.exp(orders + sequence), orders


def _identity(what: str, formula: str, value: float, ours: float) -> Published:
    return Published("Table 4.1", what, formula, value, ours, rounding=_RELATIVE * abs(value))


def table_10_1() -> Reproduction:
    """Return κ and λ of the three unary encodings at ε = 2, and that each then has that ε."""
    cells = tuple(
        Published("Table 10.1", f"{name} → {letter}", formula, value, ours)
        for name, make in ENCODINGS.items()
        for letter, (formula, value), ours in zip(
            "κλ", _PRINTED[name], (make(_A, _EPSILON).kappa, make(_A, _EPSILON).lam), strict=True
        )
    )
    levels = tuple(
        Published.number(
            "section 10.2", f"ε of {name}, asked for {epsilon:g}", f"{epsilon:g}", dc.ldp_epsilon(make(_A, epsilon))
        )
        for name, make in ENCODINGS.items()
        for epsilon in (1, 2, 5)
    )
    rows = tuple(cell.in_table() for cell in cells)

    def chart() -> object:
        notes = ("Above, what the paper prints;", f"below, its value at ε = {_EPSILON:g}, by which cells are shaded.")
        words = "; ".join(f"{row['row']}, {row['column']}: {row['ours']:.4f}" for row in rows)
        drawing = channel_cells(rows, "Table 10.1: unary encodings", notes)
        description = f"Cells: the probability that a bit is 1, one's own (κ) and another's (λ), by encoding. {words}."
        return drawing.properties(description=description)

    return Reproduction(rows, chart, (*cells, *levels))


_ODDS, _ROOT = math.exp(_EPSILON), math.exp(_EPSILON / 2)
_PRINTED = {
    "basic RAPPOR": (("e^(ε/2)/(e^(ε/2)+1)", _ROOT / (_ROOT + 1)), ("1/(e^(ε/2)+1)", 1 / (_ROOT + 1))),
    "OUE": (("1/2", 1 / 2), ("1/(e^ε+1)", 1 / (_ODDS + 1))),
    "BLH": (("e^ε/(e^ε+1)", _ODDS / (_ODDS + 1)), ("1/2", 1 / 2)),
}
