"""The hyper-distribution of a system: the adversary's possible posteriors and their probabilities."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import System
from discretion.channels.labels import Labels
from discretion.measures.measure import as_plain, prior_on
from discretion.notebook import Chartable, Tabular
from discretion.numerics.arrays import Reals


@dataclass(frozen=True, eq=False)
class Hyper(Tabular, Chartable):
    """A distribution over posteriors, ``[π ▷ C]``; `discretion.hyper` returns one.

    Parameters
    ----------
    secrets
        The labels of the secrets.
    outer
        The probability of each posterior, shape ``(posteriors,)``.
    inners
        The posteriors, a row each and a column per secret: rows sum to 1, and ``outer @ inners`` is the prior.
    """

    secrets: Labels
    outer: Reals
    inners: Reals

    def __post_init__(self) -> None:
        for part in (self.outer, self.inners):
            part.setflags(write=False)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.outer.size} posteriors of {len(self.secrets)} secrets)"


def hyper(system: System, prior: ArrayLike | None = None) -> Hyper:
    """Return the adversary's possible posteriors, each with its probability; equal posteriors are merged.

    ``p(y) = Σ_x π_x C[x, y]`` and ``p(x | y) = π_x C[x, y] / p(y)``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with an explicit channel.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.

    Returns
    -------
    Hyper
        ``.outer``, the probabilities of the posteriors, and ``.inners``, the posteriors as rows, in the order of the
        first observation that leads to each. For three secrets ``.chart()`` draws them in a triangle.

    Raises
    ------
    TooLargeError, UnsupportedError
        If the object is not a system, or its explicit channel is too large.

    Notes
    -----
    Posteriors count as equal if they agree within a relative 1e-12, as for `discretion.Channel.reduced`; an impossible
    observation has no posterior. Source: Alvim et al., The Science of Quantitative Information Flow (2020), chapter 4.

    Examples
    --------
    >>> import discretion as dc
    >>> found = hyper(dc.Channel([[0.5, 0.25, 0.25], [0, 0.5, 0.5]]))
    >>> found.outer.tolist(), found.inners.round(6).tolist()
    ([0.25, 0.75], [[1.0, 0.0], [0.333333, 0.666667]])
    """
    plain = as_plain(system)
    law = prior_on(plain, prior)
    channel = plain.channel()
    merged, _ = channel.storage.weighted(prior_vector(law, channel.secrets)).merged()
    joint = merged.dense()
    outer = joint.sum(axis=0)
    return Hyper(channel.inputs, outer / outer.sum(), (joint / outer).T)
