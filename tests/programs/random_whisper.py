"""Write a small whisper of random numbers in ggml's format: four layers, 128 wide, with the words of a test model.

python random_whisper.py whisper.cpp/models/for-tests-ggml-tiny.bin MODEL.bin f32|f16

The test model has whisper's words and the filters of its spectrum, and no tensors.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

WIDTH, HEADS, LAYERS, AUDIO, TEXT = 128, 2, 4, 1500, 64
#: the position of the text at which it ends, and the word for that in a vocabulary of many languages
LAST, END = 20, 50257
Shape = tuple[int, ...]


def tensors(words: int, bands: int) -> Iterator[tuple[str, Shape]]:
    """Yield the names and shapes of the model's tensors, as NumPy has shapes."""
    yield "encoder.positional_embedding", (AUDIO, WIDTH)
    yield from _with_bias("encoder.conv1", (WIDTH, bands, 3), (WIDTH, 1))
    yield from _with_bias("encoder.conv2", (WIDTH, WIDTH, 3), (WIDTH, 1))
    yield from _with_bias("encoder.ln_post", (WIDTH,))
    yield "decoder.positional_embedding", (TEXT, WIDTH)
    yield "decoder.token_embedding.weight", (words, WIDTH)
    yield from _with_bias("decoder.ln", (WIDTH,))
    for at in range(LAYERS):
        for block, attentions in (("encoder", ["attn"]), ("decoder", ["attn", "cross_attn"])):
            name = f"{block}.blocks.{at}"
            yield from _with_bias(f"{name}.mlp_ln", (WIDTH,))
            yield from _with_bias(f"{name}.mlp.0", (4 * WIDTH, WIDTH))
            yield from _with_bias(f"{name}.mlp.2", (WIDTH, 4 * WIDTH))
            for attention in attentions:
                yield from _with_bias(f"{name}.{attention}_ln", (WIDTH,))
                yield f"{name}.{attention}.key.weight", (WIDTH, WIDTH)
                for part in ("query", "value", "out"):
                    yield from _with_bias(f"{name}.{attention}.{part}", (WIDTH, WIDTH))


def _with_bias(name: str, shape: Shape, bias: Shape = ()) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", bias or shape[:1]


def values(rng: np.random.Generator, words: int, bands: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the model's tensors, always the same numbers."""
    made = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in tensors(words, bands)}
    for name, value in made.items():
        if value.ndim == 1 or name.endswith(".bias"):
            made[name] = value / 10 + (1 if name.endswith(("ln.weight", "ln_post.weight")) else 0)
        elif "embedding" not in name:
            made[name] = value / np.sqrt(np.prod(value.shape[1:]))
        if "cross_attn.query.weight" in name or "cross_attn.out.weight" in name:
            made[name] *= 4  # the sound is to matter
    # short words, so that the position and the sound decide on the next one, and these by far
    embedding = made["decoder.token_embedding.weight"]
    embedding /= 20
    made["decoder.ln.weight"] *= 40
    made["decoder.positional_embedding"][LAST:] = 1000 * embedding[END]
    yield from made.items()


def write(test_model: Path, path: Path, kind: str) -> None:
    """Write the model, its matrices in this type."""
    given = test_model.read_bytes()
    numbers = list(struct.unpack_from("<12i", given))
    words, bands = numbers[1], numbers[10]
    numbers[2:10] = [AUDIO, WIDTH, HEADS, LAYERS, TEXT, WIDTH, HEADS, LAYERS]
    numbers[11] = int(kind == "f16")
    with path.open("wb") as out:
        out.write(struct.pack("<12i", *numbers))
        out.write(given[48 : _end_of_words(given)])
        for name, value in values(np.random.default_rng(5), words, bands):
            _tensor(out, name, value, half=kind == "f16")


def _end_of_words(given: bytes) -> int:
    bands, frequencies = struct.unpack_from("<2i", given, 48)
    at = 56 + 4 * bands * frequencies
    (count,) = struct.unpack_from("<i", given, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<i", given, at)
        at += 4 + length
    return at


def _tensor(out: BinaryIO, name: str, value: np.ndarray, *, half: bool) -> None:
    # whisper.cpp has these in single precision always
    half &= value.ndim > 1 and not name.endswith((".bias", "positional_embedding"))
    out.write(struct.pack("<3i", value.ndim, len(name), int(half)))
    out.write(struct.pack(f"<{value.ndim}i", *reversed(value.shape)))
    out.write(name.encode())
    out.write(value.astype(np.float16 if half else np.float32).tobytes())


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
