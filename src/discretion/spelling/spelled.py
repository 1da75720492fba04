"""The text of an object: each kind registers its writer next to its reader."""

from functools import singledispatch

from discretion.errors import UnsupportedError


@singledispatch
def spelled(thing: object) -> str:
    """Return the text of a mechanism, knowledge, a law, a gain, a prior or a rule, from which it can be read again.

    Parameters
    ----------
    thing
        A mechanism, a small `discretion.Channel`, knowledge of a crowd, a law of a population, a gain, a prior as an
        array, or a redaction rule.

    Returns
    -------
    str
        The text; numbers have enough digits to distinguish them from every other double.

    Raises
    ------
    UnsupportedError
        If it has no spelling.

    Examples
    --------
    >>> import discretion as dc
    >>> spelled(dc.RandomizedResponse(5, epsilon=1)), spelled(dc.AllButOne([3, 4]))
    ('krr:k=5,epsilon=1', 'all-but-one:3,4')
    """
    raise UnsupportedError(
        f"a {type(thing).__name__} has no spelling; what has one is a mechanism, a channel in memory, knowledge of a "
        "crowd, a law of a population, a gain, a prior or a redaction rule"
    )
