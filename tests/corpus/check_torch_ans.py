"""torch-ans on `musa`: each stream equals that of its CPU code bit for bit, and decodes on both devices."""

from __future__ import annotations

import torch
import torch_musa  # noqa: F401 - registers the musa device
from comparing import run_all
from torch_ans import _C

BITS = 12
CODERS = ("rans64", "rans32", "rans32_16")
LANES = (2, 4, 8, 32)  # of rans32_16


def check_single_states() -> None:
    for coder in CODERS:
        for streams, symbols in ((1, 1), (3, 50), (70, 200)):
            agree(coder, coder, streams, symbols, 1)


def check_interleaved_states() -> None:
    for lanes in LANES:
        for streams, symbols in ((1, lanes), (5, lanes * 9), (40, lanes * 3)):
            agree("rans32_16", f"rans32_16_i{lanes}", streams, symbols, lanes)


def agree(coder: str, variant: str, streams: int, symbols: int, lanes: int) -> None:
    """Encode on both devices, compare the streams, and decode each on the other device."""
    probabilities = torch.rand(6, 20) + 0.01
    tables = _C.rans_pmf_to_quantized_cdf(probabilities / probabilities.sum(-1, keepdim=True), precision=BITS)
    data = torch.randint(0, 19, (streams, symbols), dtype=torch.int32)
    which = torch.randint(0, 6, (streams, symbols), dtype=torch.int32)
    sizes, offsets = torch.full((6,), 21, dtype=torch.int32), torch.zeros(6, dtype=torch.int32)
    push, pop = getattr(_C, f"{variant}_push"), getattr(_C, f"{variant}_pop")
    encoded = {}
    for device in ("cpu", "musa"):
        stream = getattr(_C, f"{coder}_init_stream")(streams, lanes, 8 * symbols + 64 * lanes).to(device)
        options = {"indexes": which, "cdfs": tables, "cdfs_sizes": sizes, "offsets": offsets}
        moved = {name: each.to(device) for name, each in options.items()}
        push(stream, data.to(device), **moved, freq_precision=BITS)
        assert stream.device.type == device
        encoded[device] = _C.rans_stream_to_byte_strings(stream.cpu())
        back = stream.cpu()
        for other in ("cpu", "musa"):
            moved = {name: each.to(other) for name, each in options.items()}
            got = pop(back.clone().to(other), **moved, freq_precision=BITS)
            assert torch.equal(got.cpu().to(data.dtype), data), (variant, device, other)
    assert encoded["cpu"] == encoded["musa"], variant


if __name__ == "__main__":
    run_all()
