"""Lower bounds on the δ and ε of a mechanism, from its outputs on two neighboring inputs."""

from numpy.typing import ArrayLike

from discretion.blackbox.classifiers import Method, is_classifier
from discretion.blackbox.privacy_stream import PrivacyStream
from discretion.blackbox.samples import checked_sides
from discretion.estimate import Estimate
from discretion.numerics.draws import Seed, generator


def estimate_privacy_profile(  # noqa: PLR0917 - what estimate_bayes_risk takes, of two inputs, and ε
    x: ArrayLike,
    y: ArrayLike,
    epsilon: float,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
) -> Estimate:
    """Return a lower bound on the least δ for which a mechanism is (ε, δ)-differentially private.

    ``δ(ε) = max_S max(P(S) - e^ε Q(S), Q(S) - e^ε P(S))``, where P and Q are the laws of its outputs on two inputs

    Parameters
    ----------
    x, y
        Its outputs on each of two neighboring inputs, shape ``(m,)`` or ``(m, d)``: independent draws; the numbers of
        outputs may differ. Discrete outputs are compared for equality, as whole rows.
    epsilon
        ε >= 0 of the claim.
    confidence
        The probability with which the bound holds, in (0, 1), for any mechanism and any number of outputs.
    method
        The guesser of the input from an output; the bound holds for any guesser:

        - ``"frequentist"``: by the frequencies with which either input gave this output.
        - ``"nearest-neighbours"``: by the distances to the nearest outputs on either input.
        - any object with ``fit(X, y)`` and ``predict(X)``, such as a scikit-learn classifier, by ``predict_proba`` if
          it has that; copies of it are fitted, and must judge every output by itself.
        - ``"auto"``: a histogram for single numbers; for rows of numbers, nearest neighbors until fewer than half of
          the known rows are distinct, and then frequentist; else frequentist.
    rng
        A generator or a seed for the order of the outputs and the coins; None draws a fresh seed.

    Returns
    -------
    Estimate
        One-sided: ``low`` and ``value`` are the bound, 0 if there is no evidence of a positive δ; ``high`` is 1.
        Another pair of inputs may lead to a larger bound.

    Notes
    -----
    To check the bound repeatedly as outputs come in, and to stop at any time, use `discretion.blackbox.PrivacyStream`.

    The function guesses the inputs of each block of outputs from the outputs before it, or withholds its guess, and
    bets on the guesses. If the claim is true, its wealth is unlikely to grow much:
    ``P(wealth ever >= 1/(1 - confidence)) <= 1 - confidence`` (Ville 1939; Waudby-Smith and Ramdas, JRSS B 2024). The
    bound is the largest δ whose claim is refuted in this way.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.laplace(1, 0.5, size=5000), rng.laplace(0, 0.5, size=5000)      # δ(1) is 0.39
    >>> estimate_privacy_profile(x, y, epsilon=1, rng=1).low > 0.3
    True
    """
    return _filled(x, y, confidence, method, rng).estimate_privacy_profile(epsilon)


def estimate_epsilon(  # noqa: PLR0917 - what estimate_privacy_profile takes
    x: ArrayLike,
    y: ArrayLike,
    delta: float,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
) -> Estimate:
    """Return a lower bound on the least ε for which a mechanism is (ε, δ)-differentially private.

    ``ε(δ) = min {ε >= 0 : δ(ε) <= δ}``, with δ(ε) as in `estimate_privacy_profile`

    Parameters
    ----------
    x, y, confidence, method, rng
        As in `estimate_privacy_profile`.
    delta
        δ of the claim, in [0, 1].

    Returns
    -------
    Estimate
        One-sided: ``low`` and ``value`` are the bound, in nats, 0 if there is no evidence of a positive ε; ``high`` is
        infinite. For any mechanism, the bound from m outputs is at most about ``ln m``.

    Notes
    -----
    The method is that of `estimate_privacy_profile`. Either bound can refute a claim of both an ε and a δ; for a test
    with the given confidence, choose one of the two bounds beforehand.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> estimate_epsilon(rng.laplace(1, 0.5, size=5000), rng.laplace(0, 0.5, size=5000), delta=0, rng=1).low > 1.5
    True
    """
    return _filled(x, y, confidence, method, rng).estimate_epsilon(delta)


def _filled(x: ArrayLike, y: ArrayLike, confidence: float, method: Method, rng: Seed) -> PrivacyStream:
    source = generator(rng)
    stream = PrivacyStream(confidence, method, source)
    sides = checked_sides(x, y, counted=not is_classifier(method))
    stream.add(*map(source.permutation, sides))
    return stream
