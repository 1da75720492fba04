"""The entries of Tables I to V as the paper prints them, with q for p̄ = 1 - p."""

from collections.abc import Callable, Mapping
from fractions import Fraction

Formula = Callable[[Fraction, Fraction], Fraction]

FORMULAS: Mapping[str, Formula] = {
    "0": lambda p, q: Fraction(0),
    "1": lambda p, q: Fraction(1),
    "1/3": lambda p, q: Fraction(1, 3),
    "p³": lambda p, q: p**3,
    "p²q": lambda p, q: p**2 * q,
    "pq²": lambda p, q: p * q**2,
    "q³": lambda p, q: q**3,
    "3p²q": lambda p, q: 3 * p**2 * q,
    "3pq²": lambda p, q: 3 * p * q**2,
    "p³+2pq²": lambda p, q: p**3 + 2 * p * q**2,
    "2p²q+q³": lambda p, q: 2 * p**2 * q + q**3,
    "(p³+2pq²)/3": lambda p, q: (p**3 + 2 * p * q**2) / 3,
    "(2p²q+q³)/3": lambda p, q: (2 * p**2 * q + q**3) / 3,
}

TABLE_1A = """
·    aaa  aab  aba  baa  abb  bab  bba  bbb
aaa  p³   p²q  p²q  p²q  pq²  pq²  pq²  q³
aab  p²q  p³   pq²  pq²  p²q  p²q  q³   pq²
aba  p²q  pq²  p³   pq²  p²q  q³   p²q  pq²
baa  p²q  pq²  pq²  p³   q³   p²q  p²q  pq²
abb  pq²  p²q  p²q  q³   p³   pq²  pq²  p²q
bab  pq²  p²q  q³   p²q  pq²  p³   pq²  p²q
bba  pq²  q³   p²q  p²q  pq²  pq²  p³   p²q
bbb  q³   pq²  pq²  pq²  p²q  p²q  p²q  p³
"""

TABLE_1B = """
·    aaa  aab  aba  abb  baa  bab  bba  bbb
aaa  1    0    0    0    0    0    0    0
aab  0    1/3  1/3  0    1/3  0    0    0
aba  0    1/3  1/3  0    1/3  0    0    0
abb  0    0    0    1/3  0    1/3  1/3  0
baa  0    1/3  1/3  0    1/3  0    0    0
bab  0    0    0    1/3  0    1/3  1/3  0
bba  0    0    0    1/3  0    1/3  1/3  0
bbb  0    0    0    0    0    0    0    1
"""

TABLE_1C = """
·    a:3,b:0  a:2,b:1  a:1,b:2  a:0,b:3
aaa  1        0        0        0
aab  0        1        0        0
aba  0        1        0        0
abb  0        0        1        0
baa  0        1        0        0
bab  0        0        1        0
bba  0        0        1        0
bbb  0        0        0        1
"""

TABLE_2 = """
·    aaa  aab          aba          baa          abb          bab          bba          bbb
aaa  p³   p²q          p²q          p²q          pq²          pq²          pq²          q³
aab  p²q  (p³+2pq²)/3  (p³+2pq²)/3  (p³+2pq²)/3  (2p²q+q³)/3  (2p²q+q³)/3  (2p²q+q³)/3  pq²
aba  p²q  (p³+2pq²)/3  (p³+2pq²)/3  (p³+2pq²)/3  (2p²q+q³)/3  (2p²q+q³)/3  (2p²q+q³)/3  pq²
baa  p²q  (p³+2pq²)/3  (p³+2pq²)/3  (p³+2pq²)/3  (2p²q+q³)/3  (2p²q+q³)/3  (2p²q+q³)/3  pq²
abb  pq²  (2p²q+q³)/3  (2p²q+q³)/3  (2p²q+q³)/3  (p³+2pq²)/3  (p³+2pq²)/3  (p³+2pq²)/3  p²q
bab  pq²  (2p²q+q³)/3  (2p²q+q³)/3  (2p²q+q³)/3  (p³+2pq²)/3  (p³+2pq²)/3  (p³+2pq²)/3  p²q
bba  pq²  (2p²q+q³)/3  (2p²q+q³)/3  (2p²q+q³)/3  (p³+2pq²)/3  (p³+2pq²)/3  (p³+2pq²)/3  p²q
bbb  q³   pq²          pq²          pq²          p²q          p²q          p²q          p³
"""

TABLE_3 = """
·    a:3,b:0  a:2,b:1  a:1,b:2  a:0,b:3
aaa  p³       3p²q     3pq²     q³
aab  p²q      p³+2pq²  2p²q+q³  pq²
aba  p²q      p³+2pq²  2p²q+q³  pq²
baa  p²q      p³+2pq²  2p²q+q³  pq²
abb  pq²      2p²q+q³  p³+2pq²  p²q
bab  pq²      2p²q+q³  p³+2pq²  p²q
bba  pq²      2p²q+q³  p³+2pq²  p²q
bbb  q³       3p²q     3pq²     p³
"""

TABLE_4 = """
·        a:3,b:0  a:2,b:1      a:1,b:2      a:0,b:3
a:3,b:0  p³       3p²q         3pq²         q³
a:2,b:1  p²q      (p³+2pq²)/3  (2p²q+q³)/3  pq²
a:1,b:2  pq²      (2p²q+q³)/3  (p³+2pq²)/3  p²q
a:0,b:3  q³       3pq²         3p²q         p³
"""

TABLE_5 = """
·    a:3,b:0  a:2,b:1  a:1,b:2  a:0,b:3
aaa  p³       3p²q     3pq²     q³
aab  p²q      p³+2pq²  2p²q+q³  pq²
aba  p²q      p³+2pq²  2p²q+q³  pq²
baa  p²q      p³+2pq²  2p²q+q³  pq²
abb  pq²      2p²q+q³  p³+2pq²  p²q
bab  pq²      2p²q+q³  p³+2pq²  p²q
bba  pq²      2p²q+q³  p³+2pq²  p²q
bbb  q³       3pq²     3p²q     p³
"""


def entries(grid: str) -> dict[tuple[str, str], str]:
    """Return the printed entries by row and column."""
    (_, *columns), *rows = (line.split() for line in grid.strip().splitlines())
    return {(row, column): entry for row, *printed in rows for column, entry in zip(columns, printed, strict=True)}
