"""What samples say of a claim of differential privacy, in the words of who has to act on it."""

from typing import TYPE_CHECKING

from tacit.presenting.numbers import in_full
from tacit.presenting.rounding import rounded_down

if TYPE_CHECKING:
    from tacit.jobs.estimate import Estimated


def privacy_in_words(found: "Estimated", epsilon: float | None, delta: float | None) -> str:
    """Return whether the samples refute a claim, by a single bound, so that this is as sure as the bound is."""
    profile, least = found.estimate_privacy_profile, found.estimate_epsilon
    if least is not None:
        shown = f"its ε at δ = {in_full(delta)} is at least {rounded_down(least.low, 6)}"
        if epsilon is None:
            return f"These samples show of the program that {shown}, as far as its outputs on these two inputs go."
        return _verdict(f"({in_full(epsilon)}, {in_full(delta)})", shown, refuted=least.low > epsilon)
    if profile is not None:
        shown = f"its δ at ε = {in_full(epsilon)} is at least {rounded_down(profile.low, 6)}"
        return _verdict(in_full(epsilon), shown, refuted=profile.low > 0)
    return ""


def _verdict(claim: str, shown: str, *, refuted: bool) -> str:
    if refuted:
        return f"These samples show that the program is not {claim}-differentially private: {shown}."
    return (
        f"These samples do not refute the claim that the program is {claim}-differentially private: they show that "
        f"{shown}. Other inputs, or more samples, may."
    )
