"""Find the checkout of PyTorch in PYTORCH_REPO_PATH, and compare its version with the installed torch."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from ..errors import CheckoutError, CheckoutVersionError

VARIABLE = "PYTORCH_REPO_PATH"
KERNELS = "aten/src/ATen/native/cuda"
_EXAMPLE = f"{VARIABLE}=~/pytorch musa-build torch-musa"


@dataclass(frozen=True)
class Checkout:
    """A checkout of PyTorch's sources."""

    root: Path
    version: str

    @classmethod
    def find(cls, environment: Mapping[str, str], torch_version: str) -> Checkout:
        """Return the checkout that the environment names.

        Raises:
            CheckoutError: None is named, or the folder holds no PyTorch with kernels for CUDA.
            CheckoutVersionError: It has another version than the installed torch.
        """
        named = environment.get(VARIABLE, "")
        if not named:
            raise CheckoutError(
                f"{VARIABLE} is not set", wanted="the folder of a checkout of PyTorch", hint=f"for example: {_EXAMPLE}"
            )
        root = Path(named).expanduser().absolute()
        checkout = cls(root, _version(root))
        if not (root / KERNELS).is_dir():
            raise CheckoutError(
                f"the checkout in {VARIABLE} has no kernels for CUDA",
                found=f"no folder {root / KERNELS}",
                wanted="PyTorch's whole sources; a sparse checkout needs aten, c10 and torch",
            )
        _require_version(checkout, torch_version)
        return checkout

    def kernels(self) -> tuple[str, ...]:
        """Return the names of its kernel files, without their suffix: `AbsKernel`."""
        return tuple(sorted(path.stem for path in (self.root / KERNELS).glob("*.cu")))

    def text(self, kernel: str) -> str:
        """Return the text of a kernel file."""
        return (self.root / KERNELS / f"{kernel}.cu").read_text(encoding="utf-8", errors="replace")


def _version(root: Path) -> str:
    try:
        return (root / "version.txt").read_text(encoding="utf-8").strip()
    except OSError:
        raise CheckoutError(
            f"the folder in {VARIABLE} is no checkout of PyTorch",
            found=f"no version.txt in {root}" if root.is_dir() else f"no folder {root}",
            wanted="the root of PyTorch's sources",
            hint="git clone https://github.com/pytorch/pytorch",
        ) from None


def _require_version(checkout: Checkout, torch_version: str) -> None:
    wanted = Version(torch_version)
    try:
        # A release's branch calls itself 2.13.0a0, its tag 2.13.0.
        same = Version(checkout.version).release == wanted.release
    except InvalidVersion:
        same = False
    if not same:
        raise CheckoutVersionError(
            f"the checkout in {VARIABLE} is not of the installed PyTorch",
            found=f"version {checkout.version} in {checkout.root}",
            wanted=wanted.base_version,
            hint=f"git -C {shlex.quote(str(checkout.root))} checkout v{wanted.base_version}",
        )
