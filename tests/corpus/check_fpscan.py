"""fpscan on `musa`: the recurrence `h = gate * h + token`, against a loop in double precision."""

from __future__ import annotations

import torch
from comparing import on_both, run_all
from fpscan import pscan, scan_forward

TOLERANCES = {torch.float32: (1e-4, 1e-4), torch.bfloat16: (3e-2, 6e-2), torch.float16: (5e-3, 1e-2)}
LENGTHS = (32, 64, 128, 256, 512, 1024, 2048, 4096)
SEVERAL_CHUNKS = (8192, 16384)


def check_scans() -> None:
    for dtype, (relative, absolute) in TOLERANCES.items():
        for length in (*LENGTHS, *(SEVERAL_CHUNKS if dtype == torch.float32 else ())):
            for reverse in (False, True):
                gates, tokens = inputs(length, dtype)
                got = scan_forward(gates.musa(), tokens.musa(), reverse=reverse)
                wanted = scanned(gates.double(), tokens.double(), reverse=reverse)
                assert got.device.type == "musa" and got.dtype == dtype
                torch.testing.assert_close(got.cpu().double(), wanted, rtol=relative, atol=absolute)


def check_gradients() -> None:
    for length in (32, 64, 256, 1024):
        for dtype in (torch.float32, torch.bfloat16):
            relative, absolute = TOLERANCES[dtype]
            given = [tensor.requires_grad_() for tensor in inputs(length, torch.float32)]

            def reference(gates: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
                return scanned(gates.double(), tokens.double()).to(tokens.dtype)

            on_both(reference, given, other_device=pscan, dtype=dtype, rtol=relative, atol=10 * absolute)


def inputs(length: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    return (0.3 + 0.65 * torch.rand(2, 3, length)).to(dtype), torch.randn(2, 3, length).to(dtype)


def scanned(gates: torch.Tensor, tokens: torch.Tensor, *, reverse: bool = False) -> torch.Tensor:
    if reverse:
        return scanned(gates.flip(-1), tokens.flip(-1)).flip(-1)
    state, states = torch.zeros_like(tokens[..., 0]), []
    for at in range(tokens.shape[-1]):
        state = gates[..., at] * state + tokens[..., at]
        states.append(state)
    return torch.stack(states, -1)


if __name__ == "__main__":
    run_all()
