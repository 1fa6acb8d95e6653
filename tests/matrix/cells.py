"""The cells of the matrix: which versions go together, and what each cell is checked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OLDEST_FOR_DEVICE = (2, 5)
"""backend/setup.py says the same."""


@dataclass(frozen=True)
class Cell:
    """A combination of versions: of PyTorch, Python (a command), setuptools (a requirement) and the C++ compiler."""

    torch: str
    python: str
    setuptools: str = "setuptools"
    cxx: str = "g++"

    @property
    def name(self) -> str:
        return "-".join(("torch", self.torch, f"python{self.python}", self.setuptools.replace("==", ""), self.cxx))

    @property
    def has_device(self) -> bool:
        """True if the simulated device is built and tested; older releases are for building and porting."""
        return tuple(int(part) for part in self.torch.split(".")[:2]) >= OLDEST_FOR_DEVICE

    @property
    def requirements(self) -> tuple[str, ...]:
        """The packages that are installed before ours."""
        # wheels of that age were compiled for NumPy 1, and say so at each import beside NumPy 2
        numpy = "numpy" if self.has_device else "numpy<2"
        return (f"torch=={self.torch}", self.setuptools, numpy, "wheel", "pytest", "expecttest", "pyyaml")


#: The newest and the oldest first, then those that MUSA's users have; then one thing at a time is another.
CELLS = (
    Cell("2.15.0", "3.13"),
    Cell("2.5.1", "3.10"),
    Cell("2.2.2", "3.10"),
    Cell("2.7.1", "3.10"),
    Cell("2.13.0", "3.11"),
    Cell("2.10.0", "3.12"),
    Cell("2.8.0", "3.9"),
    Cell("2.7.1", "3.10", setuptools="setuptools==59.8.0"),
    Cell("2.7.1", "3.10", setuptools="setuptools==69.5.1"),
    Cell("2.13.0", "3.11", setuptools="setuptools==77.0.3"),
    Cell("2.13.0", "3.11", cxx="g++-11"),
    Cell("2.13.0", "3.11", cxx="g++-13"),
    Cell("2.13.0", "3.11", cxx="g++-14"),
    Cell("2.13.0", "3.11", cxx="clang++"),
)

BUILD_TESTS = ("tests/build/test_build_extension.py", "tests/build/test_jit.py")
DEVICE_TESTS = tuple(
    f"tests/backend/test_{subject}.py"
    for subject in ("device", "streams", "autograd", "random", "training", "memory", "extension", "installation")
)
#: With the device: column of the table -> tests. They leave out what is marked slow.
CHECKS: Mapping[str, tuple[str, ...]] = {
    "device": DEVICE_TESTS,
    "freqencoder": ("tests/freqencoder",),
    "BuildExtension, load": BUILD_TESTS,
    "FORCE_MUSA": ("tests/force/test_force_build.py", "tests/force/test_force_load.py"),
}
#: Without it: there is nothing to run on.
CHECKS_WITHOUT_DEVICE: Mapping[str, tuple[str, ...]] = {
    "BuildExtension, load": BUILD_TESTS,
    "port": (
        "tests/porting/test_porting_golden.py",
        "tests/porting/test_porting_command.py",
    ),
}
