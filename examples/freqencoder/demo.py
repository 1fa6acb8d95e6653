"""Run the encoder on the GPU, compare it with NumPy in float64, and draw it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

# After `pip install .` the compiled package is elsewhere, and the folder beside this file must not hide it.
_HERE = Path(__file__).resolve().parent
if not any((_HERE / "freqencoder").glob("_*.so")):
    sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE)  # moves only this folder, to the end

from encoding_picture import picture  # noqa: E402
from freqencoder import DEVICE, FreqEncoder, freq_encode  # noqa: E402

DEGREE = 6
# A few roundings of a result of size 1 in each type; float16 is computed in float32 and rounded once.
TOLERANCE = {torch.float16: 5e-4, torch.float32: 5e-7, torch.float64: 1e-15}


def reference(x: np.ndarray, degree: int) -> np.ndarray:
    """Compute the encoding by its definition, in float64."""
    x = x.astype(np.float64)
    blocks = [x]
    for k in range(degree):
        blocks += [np.sin(2.0**k * x), np.cos(2.0**k * x)]
    return np.concatenate(blocks, axis=-1)


def max_error(dtype: torch.dtype) -> float:
    """Encode random points on the GPU, print one line, and return the largest error."""
    inputs = (torch.rand(1000, 3, generator=torch.Generator().manual_seed(0)) * 2 - 1).to(dtype)
    outputs = FreqEncoder(input_dim=3, degree=DEGREE)(inputs.to(DEVICE))
    error = float(np.abs(outputs.cpu().double().numpy() - reference(inputs.numpy(), DEGREE)).max())
    shapes = f"{tuple(inputs.shape)} -> {tuple(outputs.shape)}"
    print(f"{shapes}  {dtype!s:14}  {outputs.device}  max error {error:.1e} (allowed {TOLERANCE[dtype]:.0e})")
    return error


def gradcheck() -> bool:
    """Compare first and second derivatives with finite differences, in float64."""
    inputs = torch.rand(4, 3, dtype=torch.float64).to(DEVICE).requires_grad_()
    first = torch.autograd.gradcheck(lambda x: freq_encode(x, 4), (inputs,), raise_exception=False)
    second = torch.autograd.gradgradcheck(lambda x: freq_encode(x, 4), (inputs,), raise_exception=False)
    print(f"gradcheck: {'passed' if first else 'FAILED'}, second derivatives: {'passed' if second else 'FAILED'}")
    return first and second


def draw(path: Path, errors: Mapping[torch.dtype, float]) -> None:
    """Draw the channels over x from -pi to pi, x itself and sine and cosine of rising frequency, and the errors."""
    x = torch.linspace(-np.pi, np.pi, 641)
    values = freq_encode(x.reshape(-1, 1).to(DEVICE), DEGREE).cpu().numpy().T
    names = [f"{function} {2**k if k else ''}x" for k in range(DEGREE) for function in ("sin", "cos")]
    channels = dict(zip(["x / π", *names], [values[0] / np.pi, *values[1:]]))
    shown = {str(dtype).partition(".")[2]: (error, TOLERANCE[dtype]) for dtype, error in errors.items()}
    path.write_text(picture(f"{DEVICE}, torch {torch.__version__}", x.numpy(), channels, shown), encoding="utf-8")
    print(f"wrote {path}: {len(channels)} channels, and the errors")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="where to put freqencoder.svg")
    folder = parser.parse_args().out

    print(f"freqencoder on {DEVICE}, torch {torch.__version__}")
    errors = {dtype: max_error(dtype) for dtype in TOLERANCE}
    accurate = all(errors[dtype] <= TOLERANCE[dtype] for dtype in TOLERANCE)
    correct = gradcheck()
    folder.mkdir(parents=True, exist_ok=True)
    draw(folder / "freqencoder.svg", errors)
    if not (accurate and correct):
        print(f"FAILED: {DEVICE} does not agree with the reference", file=sys.stderr)
        return 1
    print(f"{DEVICE} agrees with the reference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
