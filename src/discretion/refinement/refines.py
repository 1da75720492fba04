"""Refinement: one system is at least as safe as another against every adversary."""

import sys
from fractions import Fraction

from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.refinement.nearest import TOLERANCE, Nearest
from discretion.refinement.pair import ChannelPair
from discretion.refinement.privacy import closer_pair
from discretion.refinement.verdict import Certificate, Refinement, Witness


def refines(C: System, D: System) -> Refinement[Witness]:
    """Decide whether D refines C, ``C ⊑ D``: whether every adversary gains at least as much from C as from D.

    ``C ⊑ D`` exactly if some channel R turns the observations of C into those of D, ``C R = D``.

    Parameters
    ----------
    C, D
        Channels, mechanisms or structured systems whose channel fits in memory, with the same secrets: the same number
        of them, and the same labels in the same order unless one side is unlabeled.

    Returns
    -------
    Refinement
        ``holds`` is True with a ``certificate``: such a channel R, and its ``residual``, the largest total variation
        between a row of C R and that of D, computed again, at most 1e-12. ``holds`` is False with a ``witness``: a
        prior and a gain in [0, 1] with a larger vulnerability for D than for C. The ``gap`` of the two
        ``vulnerabilities``, by `discretion.posterior_vulnerability`, is over 1e-12 and over the possible rounding.
        ``holds`` is None with a ``reason`` if neither was found, if a channel is too large, or if an observation of D
        with a probability under 1e-12 distinguishes two secrets better than C does
        (`discretion.refinement.privacy_refines`). For probabilities that were rounded to fewer digits,
        `discretion.deficiency` returns how near the systems are. For channels of fractions all these numbers are
        Fractions: any gap above 0 counts, and if the equations of a factor are solved exactly, as for small channels,
        the residual is 0.

    Notes
    -----
    The coriaceous theorem: Shuffle, Theorem 4; McIver, Morgan, Smith, Espinoza and Meinicke, POST 2014. Proportional
    columns are added up first. If that leaves independent columns in C, or only one combination for each column of D, R
    is the solution of equations; else a linear program decides.

    Examples
    --------
    >>> import discretion as dc
    >>> C, D = dc.RandomizedResponse(3, p=0.9), dc.RandomizedResponse(3, p=0.8)
    >>> refines(C, D).certificate.factor.matrix.round(4).tolist()[0]
    [0.8824, 0.0588, 0.0588]
    >>> round(refines(D, C).witness.gap, 12)
    0.1
    """
    try:
        pair = ChannelPair(C, D)
        if (certificate := pair.solution()) is not None:
            return _held(certificate, pair, C, D)
        nearest = pair.nearest
        nearest.search(lambda current: _is_decided(current, pair.rounding))
        certificate = pair.certificate(nearest.factor) if nearest.high <= TOLERANCE else None
    except TooLargeError as error:
        return Refinement(None, reason=str(error))
    if nearest.low > pair.allowed and (witness := pair.witness(nearest.gain)).gap > pair.allowed:
        return Refinement(False, witness=witness)
    if certificate is not None and certificate.residual <= TOLERANCE:
        return _held(certificate, pair, C, D)
    return Refinement(
        None,
        reason=f"the best factor found is {nearest.high:.1e} off in total variation, and the best gain found has a "
        f"vulnerability that is {nearest.low:.1e} higher for the second: rounding leaves the verdict open",
    )


def _held(certificate: Certificate, pair: ChannelPair, C: System, D: System) -> Refinement[Witness]:
    if not _keeps_ratios(certificate.residual, pair) and (reason := closer_pair(C, D)) is not None:
        return Refinement(None, reason=reason)
    return Refinement(True, certificate=certificate)


def _keeps_ratios(residual: float | Fraction, pair: ChannelPair) -> bool:
    """Whether the factor's product is so near D, next to D's smallest entry, that no two secrets are closer in C.

    A total variation bounds the difference of each entry.
    """
    if isinstance(residual, Fraction):
        return True
    least = float(pair.second.dense().min())
    return least > 0 and 2 * (residual / least + pair.first.shape[1] * sys.float_info.epsilon) < TOLERANCE


def _is_decided(nearest: Nearest, rounding: float) -> bool:
    return nearest.high <= TOLERANCE or nearest.low > rounding
