"""Information of an order by its definition, in decimals of 60 digits."""

from decimal import Decimal, localcontext

from oracles.measures import decimal


def _power(base, exponent):
    return (base.ln() * exponent).exp() if base else Decimal(0)


def sibson(C, order, prior):
    """In nats; of rows that sum to 1 exactly."""
    with localcontext(prec=60, Emin=-(10**9)):
        alpha = Decimal(order)
        total = Decimal(0)
        for column in zip(*C, strict=True):
            inner = sum(
                (decimal(p) * _power(decimal(q), alpha) for p, q in zip(prior, column, strict=True)), Decimal(0)
            )
            total += _power(inner, 1 / alpha)
        return alpha / (alpha - 1) * total.ln()


def renyi_entropy(prior, order):
    with localcontext(prec=60, Emin=-(10**9)):
        alpha = Decimal(order)
        return sum((_power(decimal(p), alpha) for p in prior), Decimal(0)).ln() / (1 - alpha)


def arimoto(C, order, prior):
    """In nats: the Rényi entropy less what is left of it."""
    with localcontext(prec=60, Emin=-(10**9)):
        alpha = Decimal(order)
        total = Decimal(0)
        for column in zip(*C, strict=True):
            joint = (decimal(p * q) for p, q in zip(prior, column, strict=True))
            total += _power(sum((_power(each, alpha) for each in joint), Decimal(0)), 1 / alpha)
        return renyi_entropy(prior, order) - alpha / (1 - alpha) * total.ln()
