"""Inverse answers of shuffled crowds against forward ones: ε of δ, the smallest crowd, the largest ε."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import discretion as dc
from discretion.errors import InvalidValueError
from support.lowering import lowered
from sweep.channels import a_system
from sweep.draws import Draw
from sweep.inverse_answers import inverted
from sweep.question import Agreement

_RELATIVE = 1e-9
# Most crowds are asked with so little room that bounds answer, and thousands of questions take a minute.
_LITTLE = {
    "MAX_HISTOGRAMS": 1 << 10,
    "MAX_TERMS_ADDED": 1 << 13,
    "MAX_LOG_TERMS": 1 << 12,
    "MAX_CELLS_SUMMED": 1 << 12,
    "MAX_INTEGRAL_TERMS": 1 << 14,
    "MAX_PEAKS": 1 << 8,
    "MAX_LIKELIHOODS_TRIED": 1 << 14,
    "MAX_LIKELIHOODS_EXPECTED": 1 << 13,
    "MAX_USERS_SPLIT": 1 << 5,
    "MAX_CROWDS_DRAWN": 1 << 8,
}
_OFTEN, _INVERSELY = 0.9, 0.1


def questions(draw: Draw) -> Iterator[Agreement]:
    little = draw.chance(_OFTEN)
    mechanism, n = _mechanism(draw), draw.either(1, 2, 3, draw.size(1, 10**9))
    if draw.chance(_INVERSELY):
        little, (asked, agree) = True, draw.either(_crowd, _epsilon)(draw, mechanism, n)
    else:
        knowledge = draw.either(*_KNOWLEDGE)(draw, mechanism.secrets, n)
        little |= isinstance(knowledge, dc.WorstAllButOne)  # of whom there are too many to try each time
        system = dc.Shuffled(mechanism, n).seen_by(knowledge, seed=1)
        delta = draw.either(draw.scale(1e-300, 1), draw.scale(1e-12, 1), 1 - draw.scale(1e-14, 0.5))
        asked = f"Shuffled({mechanism!r}, {n}).seen_by({knowledge!r}): dp_epsilon({delta!r}) and back"
        agree = partial(inverted, system, delta)
    yield Agreement(asked + " with little room" * little, lambda: _in_room(little, agree))


def _in_room(little: bool, agree: Any) -> str | None:
    with lowered(**_LITTLE if little else {}):
        try:
            return agree()
        except InvalidValueError:  # refused: there is no answer to compare
            return None


def _mechanism(draw: Draw) -> Any:
    k, epsilon = draw.whole(2, 5), draw.either(0.0, draw.scale(1e-6, 20), draw.between(0.01, 6), draw.between(0, 20))
    return draw.either(
        lambda: dc.RandomizedResponse(k, epsilon),
        lambda: dc.UnaryEncoding.oue(k, epsilon),
        lambda: dc.UnaryEncoding.rappor(k, epsilon),
        lambda: dc.SubsetSelection(k, epsilon),
        lambda: dc.LocalHashing(k, epsilon),
        lambda: dc.HadamardResponse(k, epsilon),
        a_system(draw, most=4, reports=4)[0].answer,
    )()


def _uninformed(draw: Draw, k: int, n: int) -> Any:
    return dc.Uninformed(draw.either(None, draw.distribution(k)))


def _all_but_one(draw: Draw, k: int, n: int) -> Any:
    return dc.AllButOne(draw.counts(n - 1, k))


def _partly(draw: Draw, k: int, n: int) -> Any:
    return dc.PartlyInformed(draw.counts(draw.whole(0, n - 1), k), draw.either(None, draw.distribution(k)))


def _worst(draw: Draw, k: int, n: int) -> Any:
    return dc.WorstAllButOne()


def _exchangeable(draw: Draw, k: int, n: int) -> Any:
    return dc.Exchangeable(draw.alphas(k))


_KNOWLEDGE = (_uninformed, _all_but_one, _partly, _worst, _exchangeable)


def _crowd(draw: Draw, mechanism: Any, n: int) -> tuple[str, Any]:
    question, target = _target(draw, mechanism.secrets)
    most = min(n, 10**6)
    asked = f"smallest_crowd({mechanism!r}, {target!r}, up_to={most})"
    return asked, lambda: _smallest(mechanism, question, target, most)


def _smallest(mechanism: Any, question: Any, target: dict[str, float], most: int) -> str | None:
    found = dc.shuffling.smallest_crowd(mechanism, question, up_to=most, **target)
    here = question(dc.Shuffled(mechanism, found))
    if not _meets(here, target):
        return f"{found} users do not meet the target: {here!r}"
    fewer = question(dc.Shuffled(mechanism, found - 1)) if found > 1 else None
    return f"{found - 1} users meet it too: {fewer!r}" if _is_exact(fewer) and _meets(fewer, target) else None


def _epsilon(draw: Draw, mechanism: Any, n: int) -> tuple[str, Any]:
    k = mechanism.secrets
    question, target = _target(draw, k)
    family = draw.either(partial(dc.RandomizedResponse, k), partial(dc.UnaryEncoding.oue, k))
    asked = f"largest_epsilon({family!r}, {n}, {target!r})"
    return asked, lambda: _largest(family, n, question, target)


def _largest(family: Any, n: int, question: Any, target: dict[str, float]) -> str | None:
    found = dc.shuffling.largest_epsilon(family, n, question, **target)
    here = question(dc.Shuffled(family(found), n))
    if not _meets(here, target):
        return f"ε = {found!r} does not meet the target: {here!r}"
    more = question(dc.Shuffled(family(found * (1 + 4 * _RELATIVE)), n)) if 0 < found < 100 else None
    return f"a larger ε than {found!r} meets it too: {more!r}" if _is_exact(more) and _meets(more, target) else None


def _target(draw: Draw, k: int) -> tuple[Any, dict[str, float]]:
    """Draw a question of a crowd and what its answer is to be."""
    knowledge = draw.either(dc.Uninformed(), dc.WorstAllButOne())
    share, epsilon = draw.scale(1e-4, 0.5), draw.between(0, 1)

    def seen(crowd: Any) -> Any:
        return crowd.seen_by(knowledge, seed=1)

    return draw.either(
        (lambda s: dc.posterior_vulnerability(seen(s)), {"at_most": 1 / k + (1 - 1 / k) * share}),
        (lambda s: dc.mutual_information(seen(s)), {"at_most": share}),
        (lambda s: dc.bayes_security(seen(s)), {"at_least": 1 - share}),
        (lambda s: dc.privacy_profile(seen(s), epsilon), {"at_most": share**3}),
    )


def _is_exact(answer: Any) -> bool:
    """Bounds need not change as steadily as what they bound."""
    return isinstance(answer, float)


def _meets(answer: Any, target: dict[str, float]) -> bool:
    low, high = (answer.low, answer.high) if isinstance(answer, dc.Estimate) else (answer, answer)
    if math.isnan(low):
        return False
    return high <= target["at_most"] if "at_most" in target else low >= target["at_least"]
