"""Whether one system is refined by another, and what proves it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from discretion.adversaries.gains import Gain
from discretion.channels.channel import Channel
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Reals


@dataclass(frozen=True, eq=False)
class Certificate:
    """A channel that turns the observations of one system into those of another.

    Parameters
    ----------
    factor
        A channel from observations to observations.
    residual
        The largest total variation that is left of two rows, computed anew from the factor: a Fraction, and 0 where
        an exact factor was found, of channels of fractions.
    """

    factor: Channel
    residual: float | Fraction


@dataclass(frozen=True, eq=False)
class Witness:
    """An adversary who gains more from the second system than from the first.

    Parameters
    ----------
    prior
        The law of the secret.
    gain
        The gains, in [0, 1].
    gap
        By how much it gains more.
    vulnerabilities
        Its gain from the first and from the second; Fractions of channels of fractions.
    """

    prior: Reals
    gain: Gain
    gap: float | Fraction
    vulnerabilities: tuple[float | Fraction, float | Fraction]

    def __repr__(self) -> str:
        of_C, of_D = (float(each) for each in self.vulnerabilities)
        return f"Witness(gap={float(self.gap):.4g}, vulnerabilities {of_C:.6g} and {of_D:.6g}, {self.gain!r})"


@dataclass(frozen=True, eq=False)
class PrivacyWitness:
    """Two secrets that the second system distinguishes better than the first.

    Parameters
    ----------
    secrets
        Their labels.
    gap
        By how much more, in nats.
    distances
        The largest ``|ln C[x, y] / C[x', y]|`` of either system.
    """

    secrets: tuple[Any, Any]
    gap: float
    distances: tuple[float, float]


W = TypeVar("W", Witness, PrivacyWitness)


@dataclass(frozen=True, eq=False)
class Refinement(Generic[W]):
    """A verdict on whether a second system refines a first, and is then at least as safe.

    Parameters
    ----------
    holds
        True, False, or None where that is not decided.
    certificate
        Where it holds: what makes the second system of the first. None of an order that is read off.
    witness
        Where it does not: who gains more from the second.
    reason
        Where it is not decided: why.

    Examples
    --------
    >>> import discretion as dc
    >>> bool(dc.refines(dc.RandomizedResponse(2, p=0.9), dc.RandomizedResponse(2, p=0.8)))
    True
    """

    holds: bool | None
    certificate: Certificate | None = None
    witness: W | None = None
    reason: str = ""

    def __bool__(self) -> bool:
        if self.holds is None:
            raise InvalidValueError(f"whether the second refines the first is not decided: {self.reason}")
        return self.holds

    def __repr__(self) -> str:
        if self.holds is None:
            return f"Refinement(not decided: {self.reason})"
        if self.witness is not None:
            return f"Refinement(does not hold, gap={float(self.witness.gap):.4g})"
        return (
            "Refinement(holds"
            + ("" if self.certificate is None else f", {float(self.certificate.residual):.1e} off")
            + ")"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as one object, as JSON has it; factors, priors and gains are left to Python."""
        fields: dict[str, Any] = {"holds": self.holds}
        if self.certificate is not None:
            fields["residual"] = float(self.certificate.residual)
        if isinstance(self.witness, Witness):
            fields |= {
                "gap": float(self.witness.gap),
                "vulnerabilities": [float(v) for v in self.witness.vulnerabilities],
            }
        elif self.witness is not None:
            fields |= {"gap": self.witness.gap, "secrets": list(self.witness.secrets)}
        return fields | ({"reason": self.reason} if self.reason else {})
