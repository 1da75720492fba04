"""A client in whole numbers, written from the parameters that are shipped: the exact law of its reports."""

import itertools
from collections import Counter
from fractions import Fraction


def face(coin):
    """How likely a flip of the coin shows 1."""
    digits = bytes.fromhex(coin["threshold"])
    rarer = Fraction(int.from_bytes(digits, "big"), 256 ** len(digits))
    return rarer if coin["rarer_face"] == 1 else 1 - rarer


def law_of_reports(parameters, value):
    """Each report, a number or a tuple, with its probability, by the rule of the parameters."""
    device, k = parameters["device"], parameters["k"]
    coins = {name: face(coin) for name, coin in device["coins"].items()}
    name = parameters["mechanism"].partition(":")[0]
    return {
        "krr": _krr, "ss": _ss, "olh": _olh, "hadamard": _hadamard, "channel-mechanism": _rows, "exponential": _rows,
    }.get(name, _bits)(device, coins, k, value)  # fmt: skip


def _krr(_, coins, k, value):
    law = Counter(dict.fromkeys(range(k), (1 - coins["truth"]) / k))
    law[value] += coins["truth"]
    return law


def _bits(_, coins, k, value):
    law = Counter()
    for bits in itertools.product((0, 1), repeat=k):
        probability = Fraction(1)
        for place, bit in enumerate(bits):
            one = coins["own" if place == value else "other"]
            probability *= one if bit else 1 - one
        law[bits] = probability
    return law


def _ss(device, coins, k, value):
    size, others, law = device["size"], [v for v in range(k) if v != value], Counter()
    for own, members in ((coins["own"], size - 1), (1 - coins["own"], size)):
        sets = [*itertools.combinations(others, members)]
        for each in sets:
            chosen = (*each, value) if members < size else each
            law[tuple(sorted(chosen))] += own / len(sets)
    return law


def _hadamard(device, coins, _, value):
    law, columns, row = Counter(), device["columns"], value + 1
    for column, (lie, probability) in itertools.product(range(columns), ((1, coins["lie"]), (0, 1 - coins["lie"]))):
        odd = ((row & column).bit_count() + lie) % 2
        law[column ^ (row & -row) if odd else column] += probability / columns
    return law


def _rows(device, _, __, value):
    row, law = device["rows"][value], Counter()
    ends = [0, *row["thresholds"], 2**53]
    for report, (low, high) in zip(row["reports"], itertools.pairwise(ends), strict=True):
        law[report] = Fraction(high - low, 2**53)
    return law


def _olh(device, coins, _, value):
    law, g, functions = Counter(), device["g"], int(device["functions"])
    for function in range(functions):
        hashed, rest, place = 0, function, 1
        for family in device["families"]:
            rest, own = divmod(rest, family["functions"])
            hashed += place * _class(family, own, value)
            place *= family["classes"]
        law[function * g + hashed] += (1 - coins["lie"]) / functions
        for shift in range(g - 1):
            law[function * g + (hashed + 1 + shift) % g] += coins["lie"] / (functions * (g - 1))
    return law


def _class(family, function, value):
    q, total = family["classes"], 0
    for _ in range(family["digits"]):
        function, a = divmod(function, q)
        value, v = divmod(value, q)
        total = _add(family, total, _product(family, a, v))
    return total


def _digits(family, element):
    return [element // family["characteristic"] ** j % family["characteristic"] for j in range(family["degree"])]


def _number(family, digits):
    return sum(digit * family["characteristic"] ** j for j, digit in enumerate(digits))


def _add(family, a, b):
    p = family["characteristic"]
    return _number(family, [(i + j) % p for i, j in zip(_digits(family, a), _digits(family, b), strict=True)])


def _product(family, a, b):
    """Of polynomials, whose power of x to the degree is another element."""
    p, degree = family["characteristic"], family["degree"]
    if degree == 1:
        return a * b % p
    power, total = _digits(family, family["power_of_x"]), 0
    for coefficient in reversed(_digits(family, b)):
        top, *low = reversed(_digits(family, total))
        shifted = [0, *reversed(low)]
        total = _number(family, [(s + top * x) % p for s, x in zip(shifted, power, strict=True)])
        total = _add(family, total, _number(family, [coefficient * digit % p for digit in _digits(family, a)]))
    return total
