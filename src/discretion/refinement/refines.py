"""Refinement: one system is at least as safe as another against every adversary."""

from fractions import Fraction

from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.refinement.nearest import TOLERANCE, Nearest
from discretion.refinement.pair import ChannelPair
from discretion.refinement.privacy import closer_pair
from discretion.refinement.verdict import Refinement, Witness


def refines(C: System, D: System) -> Refinement[Witness]:
    """Decide whether D refines C, ``C ⊑ D``: whether every adversary gains at least as much from C as from D.

    ``C ⊑ D`` exactly if some channel R makes D of what C shows, ``C R = D``.

    Parameters
    ----------
    C, D
        Channels, mechanisms or structured systems whose channel can be written down, with the same secrets: as many,
        and with the same labels in the same order unless one side is unlabelled.

    Returns
    -------
    Refinement
        ``holds`` is True with a ``certificate``: such a channel R, and its ``residual``, the largest total variation of
        a row of C R from that of D, computed anew, at most 1e-12. It is False with a ``witness``: a prior and a gain in
        [0, 1] by which D tells more than C, where the ``gap`` of the two ``vulnerabilities``, by
        `discretion.posterior_vulnerability`, is over 1e-12 and what rounding explains. It is None with a ``reason``
        where neither was found, where a channel is too large, or where D shows rarely, under 1e-12, what tells two
        secrets apart better than C does (`discretion.refinement.privacy_refines`). Of probabilities that were rounded
        to fewer digits `discretion.deficiency` says how near they are. Of channels of fractions all of these are
        Fractions: any gap is one, and where the equations of a factor are solved exactly, as of small channels, its
        residual is 0.

    Notes
    -----
    The coriaceous theorem: Shuffle, Theorem 4; McIver, Morgan, Smith, Espinoza and Meinicke, POST 2014. Proportional
    columns are added up first; where that leaves independent columns in C, or each column of D has only one way, R is
    solved for; else a linear program decides.

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
        nearest = pair.nearest
        nearest.search(lambda current: _is_decided(current, pair.rounding))
        certificate = pair.certificate(nearest.factor) if nearest.high <= TOLERANCE else None
    except TooLargeError as error:
        return Refinement(None, reason=str(error))
    if nearest.low > pair.allowed and (witness := pair.witness(nearest.gain)).gap > pair.allowed:
        return Refinement(False, witness=witness)
    if certificate is not None and certificate.residual <= TOLERANCE:
        if not isinstance(certificate.residual, Fraction) and (reason := closer_pair(C, D)) is not None:
            return Refinement(None, reason=reason)
        return Refinement(True, certificate=certificate)
    return Refinement(
        None,
        reason=f"the best factor found is {nearest.high:.1e} off in total variation, and the best gain found tells "
        f"{nearest.low:.1e} more of the second: rounding hides which it is",
    )


def _is_decided(nearest: Nearest, rounding: float) -> bool:
    return nearest.high <= TOLERANCE or nearest.low > rounding
