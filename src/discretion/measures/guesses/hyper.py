"""What an adversary may come to believe, and how likely that is: the hyper-distribution of a system."""

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
        How likely each posterior is, shape ``(posteriors,)``.
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
    """Return the posteriors that an adversary may come to, each with its probability; equal ones are one.

    ``p(y) = Σ_x π_x C[x, y]`` and ``p(x | y) = π_x C[x, y] / p(y)``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system that can be written out as a channel.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.

    Returns
    -------
    Hyper
        ``.outer``, the probabilities of the posteriors, and ``.inners``, the posteriors as rows, in the order of the
        first observation that leads to each. Of three secrets ``.chart()`` draws them in a triangle.

    Raises
    ------
    TooLargeError, UnsupportedError
        If the system is none, or cannot be written out.

    Notes
    -----
    Posteriors are equal when they agree within 1e-12 of themselves, as for `discretion.Channel.reduced`; what cannot be
    observed has none. Source: Alvim et al., The Science of Quantitative Information Flow (2020), chapter 4.

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
