"""muDNN: the names that torch_musa uses, on small tensors."""

from __future__ import annotations

from library_programs import Build

NOT_SUPPORTED, INVALID = 4, 1


def test_small_tensors(build: Build) -> None:
    done = build("mudnn.cpp", libraries=["mudnn"])()
    assert (done.status, done.stderr) == (0, "")
    lines = done.stdout.decode().splitlines()
    numbers = [(name, int(status), [float(x) for x in rest]) for name, status, *rest in map(str.split, lines)]
    assert numbers == [
        ("add", 0, [11, 22, 33, 14, 25, 36]),
        ("clip", 0, [2, 2, 3, 4, 4, 4]),
        ("matmul", 0, [7, 16, 16, 38.5]),
        ("matmul", 0, [14, 32, 32, 77]),
        ("softmax", 0, [0.0900306, 0.244728, 0.665241] * 2),
        ("log_softmax", 0, [-3.04859] * 3 + [-0.0485874] * 3),
        ("refused", NOT_SUPPORTED, []),
        ("refused", INVALID, []),
    ]
