"""The table of Joe and Kuo's direction numbers that muRAND is made with, from the copy that torch has.

python tests/sim/libraries/write_joe_kuo_table.py

A dimension's polynomial is found from the recurrence that its vectors obey.
"""

from __future__ import annotations

import base64
import textwrap
from pathlib import Path

import torch

TABLE = Path(__file__).resolve().parents[3] / "simulator/musa_sim/libraries/murand/joe_kuo_table.h"
DIMENSIONS, BITS = 20000, 30
#: How many dimensions have a primitive polynomial of degree 1, 2 and so on
OF_DEGREE = (1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776)
#: The description of the table and its license come before it in the file and are kept.
BEGIN = "constexpr char joe_kuo_table[] =\n"


def polynomial(vectors: list[int], degree: int) -> int:
    """Return the inner coefficients, the highest first, with which the vectors obey Sobol's recurrence."""
    positions = range(degree, BITS)

    def joined(values: list[int]) -> int:
        return sum(value << BITS * k for k, value in enumerate(values))

    # Solve for the coefficients over the field of two elements: each row is the vectors so many steps before.
    basis: list[tuple[int, int]] = []  # rows, and which coefficients they are made of
    for j in range(1, degree):
        row, made_of = joined([vectors[i - j] for i in positions]), 1 << (degree - 1 - j)
        for other, parts in basis:
            if row ^ other < row:
                row, made_of = row ^ other, made_of ^ parts
        basis = sorted([*basis, (row, made_of)], reverse=True)
    rest = joined([vectors[i] ^ vectors[i - degree] ^ vectors[i - degree] >> degree for i in positions])
    found = 0
    for row, made_of in basis:
        if rest ^ row < rest:
            rest, found = rest ^ row, found ^ made_of
    assert rest == 0, "the vectors obey no recurrence of this degree"
    return found


def main() -> None:
    """Write the table."""
    degrees = [degree for degree, count in enumerate(OF_DEGREE, 1) for _ in range(count)][: DIMENSIONS - 1]
    state = torch.quasirandom.SobolEngine(DIMENSIONS).sobolstate.tolist()
    bits = []
    for degree, vectors in zip(degrees, state[1:]):
        if degree > 1:
            bits.append(f"{polynomial(vectors, degree):0{degree - 1}b}")
        for i in range(1, degree):  # m_1 is 1
            bits.append(f"{vectors[i] >> (BITS - 1 - i) >> 1:0{i}b}")
    stream = "".join(bits)
    stream += "0" * (-len(stream) % 24)
    text = base64.b64encode(int(stream, 2).to_bytes(len(stream) // 8, "big")).decode()
    lines = "\n".join(f'    "{line}"' for line in textwrap.wrap(text, 120))
    head = TABLE.read_text(encoding="utf-8").partition(BEGIN)[0]
    TABLE.write_text(f"{head}{BEGIN}{lines};\n\n}}  // namespace musa_sim\n", encoding="utf-8")


if __name__ == "__main__":
    main()
