"""How private a mechanism is at best, from its outputs on two neighbouring inputs."""

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
    """Return a lower bound of the least δ for which a mechanism is (ε, δ)-differentially private.

    ``δ(ε) = max_S max(P(S) - e^ε Q(S), Q(S) - e^ε P(S))``, where P and Q are the laws of its outputs

    Parameters
    ----------
    x, y
        Its outputs on one and on the other of two neighbouring inputs, shape ``(m,)`` or ``(m, d)``: independent draws,
        as many as there are of either. Discrete ones are compared as they are, rows whole.
    epsilon
        ε >= 0 of the claim.
    confidence
        With what probability the bound holds, in (0, 1), whatever the mechanism and however many outputs.
    method
        What guesses the input from an output, which the bound holds for whatever it is:

        - ``"frequentist"``: by how often either input gave this output.
        - ``"nearest-neighbours"``: by how far off the nearest outputs on either are.
        - any object with ``fit(X, y)`` and ``predict(X)``, such as a scikit-learn classifier, by ``predict_proba`` if
          it has that; copies of it are fitted, and must judge every output by itself.
        - ``"auto"``: a histogram of single numbers. Of rows of numbers frequentist once fewer than half of the known
          ones are distinct, and nearest neighbours before. Else frequentist.
    rng
        A generator or a seed for the order of the outputs and the coins; None draws fresh ones.

    Returns
    -------
    Estimate
        One-sided: low and value are the bound, 0 if nothing is shown; high is 1. What a pair of inputs does not show,
        another one may.

    Notes
    -----
    To look at it again as outputs come in, and stop when it pleases, take `discretion.blackbox.PrivacyStream`.

    Each block of outputs is guessed from those before it, or withheld, and money is bet on the guesses, of which nobody
    makes much if the claim is true: ``P(wealth ever >= 1/(1 - confidence)) <= 1 - confidence`` (Ville 1939;
    Waudby-Smith and Ramdas, JRSS B 2024). The bound is the largest δ whose claim loses so.

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
    """Return a lower bound of the least ε for which a mechanism is (ε, δ)-differentially private.

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
        One-sided: low and value are the bound, in nats, 0 if nothing is shown; high is infinite. Whatever the
        mechanism, m outputs show no more than about ``ln m``.

    Notes
    -----
    As `estimate_privacy_profile`. Who claims both an ε and a δ is refuted by either bound; to be sure of it at the
    confidence, choose one beforehand.

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
