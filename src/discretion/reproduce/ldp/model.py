"""Figure 1: the model, and the information that passes each of its arrows."""

from scipy.special import psi

import discretion as dc
from discretion.reproduce.charts.model import dependence
from discretion.reproduce.item import Published, Reproduction, exact

_A, _EPSILON, _N = 3, 2.0, 10
_RELATIVE = 1e-10

_ARROWS = {
    "P → X1": "I(X1;P)",
    "X1 → Y1": "I(Y1;X1)",
    "P → Y1": "I(Y1;P)",
    "P → all X": "I(X;P)",
    "all X → all Y": "I(Y;X)",
    "P → all Y": "I(Y;P)",
}


def figure_1() -> Reproduction:
    """Return the information that passes the arrows of the model, for GRR with a = 3, ε = 2 and n = 10."""
    protocol = dc.RandomizedResponse(_A, epsilon=_EPSILON)
    information = [
        exact(part)
        for n in (1, _N)
        for split in (dc.information.information_split(protocol, n),)
        for part in (split.users.nonprivate, split.aggregator.total, split.aggregator.nonprivate)
    ]
    rows = tuple(
        {"arrow": arrow, "information": symbol, "nats": value}
        for (arrow, symbol), value in zip(_ARROWS.items(), information, strict=True)
    )
    of_one, answered, told_by_one, known, told, learned = information
    private = float(psi((_A + 2) / 2) - psi(3 / 2))
    leaked = (1 - dc.information.average_privacy(protocol)) * private
    uniform = exact(dc.mutual_information(protocol))
    published = (
        _identity("Remark 4.5", "I(Y;X), n = 10", "I(Y;P) + I(Y;X|P)", learned + _N * leaked, told),
        _identity("Remark 4.5", "I(Y;X), n = 1", "I(Y;P) + I(Y;X|P)", told_by_one + leaked, answered),
        _identity("Figure 1", "I(Y1;X1)", "by the law of X1, which is uniform", uniform, answered),
        _identity("Figure 1", "I(X1;P)", "H(X1) - H(X1|P)", exact(dc.mutual_information(_truth())) - private, of_one),
    )
    remark = (
        f"The arrows lose information: of the {known:.4f} nats that ten values have on P the reports keep "
        f"{learned:.4f}."
    )

    def chart() -> object:
        users = {"1": 0.0, "2": 1.0, "n": 2.6}
        places = {"P": (0.0, 1.3)}
        places |= {f"X{user}": (2.4, down) for user, down in users.items()}
        places |= {f"Y{user}": (5.1, down) for user, down in users.items()}
        arrows = [(start, end, text) for user in users for start, end, text in (
            ("P", f"X{user}", ""), (f"X{user}", f"Y{user}", "Q"))]  # fmt: skip
        frames = {
            "hidden from the aggregator": ((-0.6, -0.6), (3.0, 3.2)),
            "seen by the aggregator": ((4.2, -0.6), (6.0, 3.2)),
        }
        notes = (
            "P: the population's shares. X: a user's value. Y: the report, by the protocol Q. There are n users.",
            f"For GRR with a = {_A}, ε = {_EPSILON:g}, Jeffreys' prior and n = {_N}, in nats: "
            f"I(X;P) = {known:.4f}, I(Y;X) = {told:.4f}, I(Y;P) = {learned:.4f}.",
        )
        description = (
            "A diagram: arrows lead from the population's shares P to every user's value X, and by the protocol Q from "
            "each value to the user's report Y. The aggregator sees the reports alone."
        )
        title = "Figure 1: the model of local differential privacy"
        return dependence(places, arrows, frames, title, notes, description=description)

    return Reproduction(rows, chart, published, (remark,))


def _truth() -> dc.RandomizedResponse:
    return dc.RandomizedResponse(_A, p=1)


def _identity(where: str, what: str, formula: str, value: float, ours: float) -> Published:
    return Published(where, what, formula, value, ours, rounding=_RELATIVE * abs(value))
