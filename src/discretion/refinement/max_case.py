"""Max-case refinement: safety for every single observation, however rare it is."""

import numpy as np

from discretion.adversaries.gains import gain_matrix
from discretion.adversaries.priors import uniform
from discretion.channels.channel import Channel, System
from discretion.channels.storage import stored
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Reals
from discretion.refinement.nearest import TOLERANCE
from discretion.refinement.pair import ChannelPair
from discretion.refinement.privacy import closer_pair
from discretion.refinement.verdict import Certificate, Refinement, Witness


def max_case_refines(C: System, D: System) -> Refinement[Witness]:
    """Decide whether D refines C in the worst case: no observation of D helps an adversary more than the best one of C.

    ``C ⊑max D`` exactly if each posterior of D, under a uniform prior, is a mixture of C's posteriors.

    Parameters
    ----------
    C, D
        As for `discretion.refines`.

    Returns
    -------
    Refinement
        Its ``certificate`` is a channel from D's observations to C's: the mixture for each posterior, within 1e-12 in
        total variation. Its ``witness`` has one guess, whose largest gain on any posterior under a uniform prior is
        larger for D; ``vulnerabilities`` are these largest gains.

    Notes
    -----
    Chatzikokolakis, Fernandes and Palamidessi, CSF 2019: ``C ⊑ D`` implies it, and it implies ``C ⊑prv D``.

    Examples
    --------
    >>> import discretion as dc
    >>> C = dc.Channel([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])  # it reveals all, but only with probability 1/2
    >>> max_case_refines(C, dc.RandomizedResponse(2, p=0.9)).holds, dc.refines(C, dc.RandomizedResponse(2, p=0.9)).holds
    (True, False)
    """
    try:
        pair = ChannelPair(C, D)
        of_C, of_D = (part.matrix / part.matrix.sum(axis=0) for part in pair.reduced)
        pairs = [_mixture(of_C, posterior) for posterior in of_D.T]
    except (TooLargeError, RuntimeError) as error:  # the latter where SciPy takes too many steps
        return Refinement(None, reason=str(error))
    guess = max((each[1] for each in pairs), key=lambda gain: _gap(gain, of_C, of_D))
    if _gap(guess, of_C, of_D) > pair.rounding:
        most_of_C, most_of_D = float((guess @ of_C).max()), float((guess @ of_D).max())
        prior, gain = uniform(pair.first.secrets), gain_matrix(guess[None])
        return Refinement(False, witness=Witness(prior, gain, most_of_D - most_of_C, (most_of_C, most_of_D)))
    mixtures = np.stack([each[0] for each in pairs])
    off = float(np.abs(of_C @ mixtures.T - of_D).sum(axis=0).max()) / 2
    if off <= TOLERANCE:
        if (reason := closer_pair(C, D)) is not None:
            return Refinement(None, reason=reason)
        return Refinement(True, certificate=Certificate(_whole(pair, mixtures), off))
    return Refinement(
        None, reason=f"posteriors are mixtures within {off:.1e}, and no guess distinguishes them for certain"
    )


def _mixture(posteriors: Reals, posterior: Reals) -> tuple[Reals, Reals]:
    """Return the mixture nearest to a posterior, and a guess that gains more from it if no mixture equals it.

    The difference to the nearest point of their cone is orthogonal to that point, and has no positive product with the
    rest.
    """
    from scipy.optimize import nnls  # noqa: PLC0415 - slow to import

    weights: Reals = nnls(posteriors, posterior)[0]
    missed: Reals = posterior - posteriors @ weights
    above: Reals = missed - missed.min()
    return weights / weights.sum(), above / max(float(above.max()), np.finfo(float).tiny)


def _gap(gain: Reals, of_C: Reals, of_D: Reals) -> float:
    return float((gain @ of_D).max() - (gain @ of_C).max())


def _whole(pair: ChannelPair, mixtures: Reals) -> Channel:
    """Return mixtures of reduced observations as mixtures of all, with equivalent ones mixed by their frequency."""
    of_first, of_second = pair.reduced
    factor: Reals = mixtures[of_second.group][:, of_first.group] * of_first.share
    factor /= factor.sum(axis=1, keepdims=True)
    return Channel.derived(stored(factor), pair.second.outputs, pair.first.outputs)
