"""Verdicts on whether one system refines another, and their proofs."""

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
        The largest total variation between two rows, computed again from the factor: a Fraction for channels of
        fractions, and 0 if an exact factor was found.
    """

    factor: Channel
    residual: float | Fraction


@dataclass(frozen=True, eq=False)
class Witness:
    """An adversary that gains more from the second system than from the first.

    Parameters
    ----------
    prior
        The law of the secret.
    gain
        The gains, in [0, 1].
    gap
        The difference of its two gains.
    vulnerabilities
        Its gain from the first system and from the second; Fractions for channels of fractions.
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
        The labels of the secrets.
    gap
        The difference of the two distances, in nats.
    distances
        The largest ``|ln C[x, y] / C[x', y]|`` of each system.
    """

    secrets: tuple[Any, Any]
    gap: float
    distances: tuple[float, float]


W = TypeVar("W", Witness, PrivacyWitness)


@dataclass(frozen=True, eq=False)
class Refinement(Generic[W]):
    """A verdict on whether a second system refines a first, so that it is at least as safe.

    Parameters
    ----------
    holds
        True, False, or None if it is not decided.
    certificate
        If it holds: the channel from the first system to the second; None if the order needs no channel.
    witness
        If it does not hold: the adversary that gains more from the second system.
    reason
        If it is not decided: the reason.

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
        """Return the verdict as a dictionary for JSON, without factors, priors and gains."""
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
