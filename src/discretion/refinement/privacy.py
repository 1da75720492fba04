"""Privacy refinement: one system keeps each two secrets at most as far apart as another system does."""

import math

import numpy as np

from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.measures.privacy_loss.differential_privacy import log_likelihoods
from discretion.numerics.arrays import Reals
from discretion.refinement.nearest import TOLERANCE
from discretion.refinement.pair import ChannelPair
from discretion.refinement.verdict import PrivacyWitness, Refinement


def privacy_refines(C: System, D: System) -> Refinement[PrivacyWitness]:
    """Decide whether D is at least as private as C for each two secrets: ``C ⊑prv D``.

    ``d_C(x, x') = max_y |ln C[x, y] / C[x', y]| >= d_D(x, x')`` for all secrets x and x'

    Parameters
    ----------
    C, D
        As for `discretion.refines`.

    Returns
    -------
    Refinement
        Its ``witness`` has two secrets that D distinguishes better, with both ``distances``; these differ by a relative
        1e-12 at least. If it holds there is no certificate, since the distances are the whole proof.

    Notes
    -----
    Chatzikokolakis, Fernandes and Palamidessi, CSF 2019: if C is d-private, so is D. ``C ⊑max D`` implies it.

    Examples
    --------
    >>> import discretion as dc
    >>> C, D = dc.RandomizedResponse(3, epsilon=1), dc.RandomizedResponse(3, epsilon=2)
    >>> privacy_refines(D, C).holds, privacy_refines(C, D).witness.secrets
    (True, (0, 1))
    """
    try:
        pair = ChannelPair(C, D)
        of_C, of_D = _distances(C), _distances(D)
    except TooLargeError as error:
        return Refinement(None, reason=str(error))
    with np.errstate(invalid="ignore"):  # two infinite ones do not differ
        excess: Reals = np.nan_to_num(of_D - of_C, nan=0.0, posinf=math.inf)
    allowed = TOLERANCE * np.maximum(np.where(np.isfinite(of_C), of_C, 0.0), 1.0)
    a, b = (int(i) for i in np.unravel_index(int((excess - allowed).argmax()), excess.shape))
    if excess[a, b] <= allowed[a, b]:
        return Refinement(True)
    inputs, distances = pair.first.inputs, (float(of_C[a, b]), float(of_D[a, b]))
    return Refinement(False, witness=PrivacyWitness((inputs[a], inputs[b]), float(excess[a, b]), distances))


def closer_pair(C: System, D: System) -> str | None:
    """Return the reason that D cannot refine C in any sense, if it distinguishes two secrets better; else None.

    An observation may be rarer than the tolerance of a factor or a mixture, and still exclude a secret.
    """
    witness = privacy_refines(C, D).witness
    if not isinstance(witness, PrivacyWitness):
        return None
    (a, b), (of_C, of_D) = witness.secrets, witness.distances
    return (
        f"it holds within 1e-12 in total variation, but the second distinguishes {a!r} and {b!r} at a privacy distance "
        f"of {of_D:.6g} and the first at {of_C:.6g}, because of an observation that is rarer than 1e-12"
    )


def _distances(system: System) -> Reals:
    """Return the largest difference of the logarithms of each two rows; entries that are 0 in both are ignored."""
    rows = log_likelihoods(system)
    distances = np.zeros((len(rows), len(rows)))
    largest = np.max if np.isfinite(rows).all() else np.nanmax  # which takes several times as long
    with np.errstate(invalid="ignore"):
        for a, row in enumerate(rows):
            distances[a] = largest(np.abs(rows - row), axis=1, initial=0.0)
    return distances
