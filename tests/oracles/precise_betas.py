"""Means over a beta law, and what a count tells of its probability, to as many digits as mpmath works with."""


def precise_nodes(a, b, step=0.04):
    """Return p, 1-p and weights that sum to 1, evenly in t, where ``logit p = its mean's + width · sinh t``."""
    import mpmath as mp

    a, b = mp.mpf(a), mp.mpf(b)
    width = min(mp.sqrt(1 / a + 1 / b), mp.mpf(1))
    reach = int(mp.asinh((30 + 100 / min(a, b, mp.mpf(1))) / width) / step) if min(a, b) < 100 else int(5 / step)
    nodes = []
    for i in range(-reach, reach + 1):
        away = width * mp.sinh(i * mp.mpf(step))
        odds = a / b * mp.exp(away)
        p, q = odds / (1 + odds), 1 / (1 + odds)
        weight = mp.exp(a * mp.log(p * (a + b) / a) + b * mp.log(q * (a + b) / b)) * mp.cosh(i * mp.mpf(step))
        nodes.append((p, q, weight))
    total = mp.fsum(weight for _, _, weight in nodes)
    return [(p, q, weight / total) for p, q, weight in nodes if weight > 0]


def precise_beta_mean(function, a, b, step=0.04):
    """``E f(P, 1-P)`` for P ~ Beta(a, b)."""
    import mpmath as mp

    return mp.fsum(weight * function(p, q) for p, q, weight in precise_nodes(a, b, step))


def information_of_a_count(n, a, b, rates, step=0.04):
    """``I(S; P)`` for S ~ Binomial(n, hit P + other (1-P)), P ~ Beta(a, b): a sum over all counts and nodes."""
    import mpmath as mp

    hit, other = map(mp.mpf, rates)
    nodes = [
        (hit * p + other * q, (1 - hit) * p + (1 - other) * q, weight) for p, q, weight in precise_nodes(a, b, step)
    ]
    laws = [[mp.binomial(n, s) * q**s * r ** (n - s) for q, r, _ in nodes] for s in range(n + 1)]
    told = mp.mpf(0)
    for law in laws:
        whole = mp.fsum(weight * mass for mass, (_, _, weight) in zip(law, nodes, strict=True))
        told += mp.fsum(w * mass * mp.log(mass / whole) for mass, (_, _, w) in zip(law, nodes, strict=True) if mass)
    return told
