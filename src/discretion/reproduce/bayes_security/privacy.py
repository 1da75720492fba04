"""Figure 4: the least Bayes security that differential privacy allows, by two bounds."""

import math

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.reproduce.item import Published, Reproduction, exact
from discretion.security import bayes_security_of_ldp, membership_advantage, yeom_advantage

_BOUND, _YEOM, _ATTAINED = "Corollary 2: 2/(1+e^ε)", "Yeom et al.: 2 - e^ε", "geometric noise, sensitivity 1"
_LOOKS: dict[str, Look] = {_BOUND: "solid", _YEOM: "dotted", _ATTAINED: "circles"}
_MOST, _STEP, _EVERY = 3.0, 0.025, 8


def figure_4() -> Reproduction:
    """Return the lower bounds on β under ε-DP for ε = 0 to 3, and a mechanism that attains one of them."""
    levels = [round(step * _STEP, 3) for step in range(round(_MOST / _STEP) + 1)]
    rows = tuple(
        {"epsilon": epsilon, "corollary 2": bayes_security_of_ldp(epsilon), "Yeom": 1 - yeom_advantage(epsilon),
         "geometric noise": exact(dc.bayes_security(dc.Geometric(epsilon))) if epsilon else 1.0}
        for epsilon in levels
    )  # fmt: skip
    published = tuple(
        Published("Corollary 2", f"{what} at ε = {epsilon:g}", printed, value, ours)
        for epsilon in (0.5, 1.0, 3.0)
        for what, printed, value, ours in (
            ("β*, attained", "2/(1+e^ε)", 2 / (1 + math.exp(epsilon)), exact(dc.bayes_security(dc.Geometric(epsilon)))),
            ("Adv", "(e^ε-1)/(e^ε+1)", 1 - 2 / (1 + math.exp(epsilon)), membership_advantage(epsilon)),
        )
    )
    remark = f"Yeom's bound is 0 from ε = log 2 = {math.log(2):.4f} on, where the least possible β is {2 / 3:.4f}."

    def chart() -> object:
        drawn = [
            Curve([(row["epsilon"], row["corollary 2"]) for row in rows], _BOUND),
            Curve([(row["epsilon"], row["Yeom"]) for row in rows], _YEOM),
            Curve([(row["epsilon"], row["geometric noise"]) for row in rows[_EVERY::_EVERY]], _ATTAINED),
        ]
        panel = Panel(drawn, Axis("ε", 0, _MOST), Axis("lower bound on β", 0, 1))
        note = (
            "Between two adjacent databases. No ε-DP mechanism is below the solid line; one that lies on it is drawn."
        )
        description = (
            "Curves: lower bounds on Bayes security over ε. Both start at 1; Yeom's reaches 0 at ε = log 2, that of "
            "Corollary 2 comes down slowly, and geometric noise lies on it."
        )
        return curves([panel], _LOOKS, "Figure 4: the Bayes security that ε-DP guarantees", [note], description)

    return Reproduction(tuple(rows), chart, published, (remark, "The range of ε is our choice."))
