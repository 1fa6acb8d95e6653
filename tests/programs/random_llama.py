"""Write a small llama of random numbers as a GGUF file: two layers, 256 wide, 256 words, no tokenizer.

python random_llama.py MODEL.gguf f32|f16|q4_0|q8_0

The package `gguf` writes no q4_K; llama.cpp itself makes that of the float model (quantize.cpp).
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import numpy as np

WIDTH, INNER, HEADS, KV_HEADS, LAYERS, WORDS = 256, 512, 4, 2, 2, 256
KV_WIDTH = WIDTH // HEADS * KV_HEADS


def matrices() -> dict[str, tuple[int, int]]:
    """Return the shapes of the model's matrices."""
    layer = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (KV_WIDTH, WIDTH),
        "attn_v": (KV_WIDTH, WIDTH),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (INNER, WIDTH),
        "ffn_up": (INNER, WIDTH),
        "ffn_down": (WIDTH, INNER),
    }
    named = {f"blk.{at}.{name}.weight": shape for at in range(LAYERS) for name, shape in layer.items()}
    return {"token_embd.weight": (WORDS, WIDTH), **named, "output.weight": (WORDS, WIDTH)}


def write(path: Path, kind: str) -> None:
    """Write the model, its matrices in this type, always the same numbers."""
    rng = np.random.default_rng(5)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(WORDS)
    writer.add_tokenizer_model("no_vocab")
    # each word has one that follows it by far: rounding changes no token
    words = rng.standard_normal((WORDS, WIDTH)).astype(np.float32)
    decisive = {"token_embd.weight": words, "output.weight": words[rng.permutation(WORDS)] / WIDTH}
    stored = gguf.GGMLQuantizationType[kind.upper()]
    for name, shape in matrices().items():
        values = decisive.get(name, (rng.standard_normal(shape) / np.sqrt(shape[1])).astype(np.float32))
        writer.add_tensor(name, gguf.quants.quantize(values, stored), raw_dtype=stored)
    norms = [f"blk.{at}.{name}_norm.weight" for at in range(LAYERS) for name in ("attn", "ffn")]
    for name in [*norms, "output_norm.weight"]:
        writer.add_tensor(name, np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
