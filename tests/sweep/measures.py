"""All measures of a system of which every row can be written down."""

from collections.abc import Iterator
from typing import Any

from oracles import rows as exact
from sweep.draws import Draw
from sweep.gains import a_gain
from sweep.question import DIGITS, Call, Question, Seen, call, mpmath


def about(
    system: Call | Seen,
    views: list[Any],
    draw: Draw,
    *,
    own: list[float] | None = None,
) -> Iterator[Question]:
    """Ask everything of a system; of a crowd, what the worst of several views gives away.

    An adversary may have her own prior.
    """
    k = len(views[0])
    prior = None if own or draw.chance(0.3) else draw.distribution(k)
    gain, weights = a_gain(draw, k) if draw.chance(0.4) else (None, [[int(w == x) for x in range(k)] for w in range(k)])
    asked = {} if prior is None else {"prior": prior}
    wanted = asked if gain is None else asked | {"gain": gain}

    def question(name: str, truth: Any, *given: Any, refusable: bool = False, **named: Any) -> Question:
        return Question(call(name, system, *given, **named), truth, refusable)

    def before() -> Any:
        return exact.prior_vulnerability(law, weights)

    def after() -> Any:
        return max(exact.posterior_vulnerability(rows, law, weights) for rows in views)

    def risk() -> Any:
        return min(exact.bayes_risk(rows, law) for rows in views)

    pairs = [pair for rows in views for pair in exact.ordered_pairs(rows)]
    with mpmath.workdps(DIGITS):
        law, most = exact.exactly(prior or own or [1.0] * k), max(map(exact.ldp_epsilon, views))
    yield question("posterior_vulnerability", after, **wanted)
    yield question("leakage", lambda: after() - before(), **wanted, kind="additive")
    if gain is None:
        yield question("leakage", lambda: after() / before(), **asked)
    yield question("bayes_risk", risk, **asked)
    yield question("mutual_information", lambda: max(exact.mutual_information(rows, law) for rows in views), **asked)
    yield question(
        "measures.posterior_entropy", lambda: min(exact.posterior_entropy(rows, law) for rows in views), **asked
    )
    yield question(
        "measures.posterior_guessing_entropy",
        lambda: min(exact.guessing_entropy(rows, law) for rows in views),
        **asked,
        refusable=isinstance(system, Seen),
    )
    yield question("bayes_security", lambda: min(map(exact.bayes_security, views)))
    if prior is not None and max(law) < 1:
        yield question("bayes_security", lambda: risk() / (1 - max(law)), **asked)
    if prior is not None and gain is not None:
        best = max(0, *(worth for guess in weights for worth in guess))
        if all(min(guess) < best for guess in weights) and before() < best:
            yield question("bayes_security", lambda: (best - after()) / (best - before()), **wanted)
    epsilon, delta, order = draw.epsilon(), draw.delta(), draw.order()
    if draw.chance(0.5) and mpmath.isfinite(most):
        epsilon = float(most) * draw.between(0, 1.01)
    yield question("privacy_profile", lambda: max(exact.hockey_stick(*p, epsilon) for p in pairs), epsilon)
    yield question("dp_epsilon", lambda: max(exact.least_epsilon(*p, delta) for p in pairs), delta)
    yield question(
        "renyi_dp",
        lambda: max(exact.renyi_divergence(*p, order) for p in pairs),
        order,
        refusable=isinstance(system, Seen),
    )
    if isinstance(system, Call):
        yield question("multiplicative_bayes_capacity", lambda: exact.capacity(views[0]))
        yield question("ldp_epsilon", lambda: most)
        yield question("shannon_capacity", lambda: exact.shannon_capacity(views[0]), refusable=True)
        # Of a small order, what is too unlikely for a double counts as impossible.
        level = order if most < 700 or mpmath.isinf(most) else max(0.5, order)
        yield question(
            "measures.sibson_information",
            lambda: exact.sibson_information(views[0], law, level),
            level,
            refusable=True,
            **asked,
        )
