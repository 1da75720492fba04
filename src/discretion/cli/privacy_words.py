"""What samples say of a claim of differential privacy, in the words of who has to act on it."""

from typing import TYPE_CHECKING

from discretion.presenting.numbers import in_full, rounded_down

if TYPE_CHECKING:
    from discretion.jobs.estimate import BlackBoxEstimates


def privacy_in_words(found: "BlackBoxEstimates", epsilon: float | None, delta: float | None) -> str:
    """Return whether the samples refute a claim, by a single bound, so that this is as sure as the bound is."""
    profile, least = found.estimate_privacy_profile, found.estimate_epsilon
    if least is not None:
        at = f"at δ = {in_full(delta)}"
        shown = f"its ε {at} is at least {rounded_down(least.low, 6)}" if least.low > 0 else f"no ε above 0 {at}"
        if epsilon is not None:
            claim = f"({in_full(epsilon)}, {in_full(delta)})"
            return _verdict(claim, shown, refuted=least.low > epsilon, vacuous=least.low <= 0)
        if least.low <= 0:
            return f"Nothing can be concluded on how private the program is: these samples show {shown}."
        return f"These samples show of the program that {shown}, as far as its outputs on these two inputs go."
    if profile is not None:
        at, refuted = f"at ε = {in_full(epsilon)}", profile.low > 0
        shown = f"its δ {at} is at least {rounded_down(profile.low, 6)}" if refuted else f"no δ above 0 {at}"
        return _verdict(in_full(epsilon), shown, refuted=refuted, vacuous=not refuted)
    return ""


def _verdict(claim: str, shown: str, *, refuted: bool, vacuous: bool) -> str:
    if refuted:
        return f"These samples show that the program is not {claim}-differentially private: {shown}."
    they_show = f"they show {shown}, and nothing can be concluded from that" if vacuous else f"they show that {shown}"
    return (
        f"These samples do not refute the claim that the program is {claim}-differentially private: {they_show}. Other "
        "inputs, or more samples, may."
    )
