"""A small real project to build: a C++ source, a MUSA source with a kernel, a header that both include.

The sources need only Python.h and the MUSA runtime, so that compiling them takes a fraction of a second.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NoReturn, Optional

import numpy as np

PROGRAMS = Path(__file__).with_name("programs")
BINDINGS = (PROGRAMS / "demo_bindings.cpp").read_text(encoding="utf-8")
COMMON = (PROGRAMS / "common.h").read_text(encoding="utf-8")
KERNEL = (PROGRAMS / "demo_kernel.mu").read_text(encoding="utf-8")

SETUP = """
from setuptools import Extension, setup
from musa_build import BuildExtension, MUSAExtension
{prelude}
setup(name="demo-project", version="1.0", packages=[], ext_modules=[{extensions}],
      cmdclass={{"build_ext": {command}}})
{epilogue}
"""

EXTENSION = 'MUSAExtension("demo", ["csrc/bindings.cpp", "csrc/kernel.mu"], include_dirs=["include"], {options})'


@dataclass(frozen=True)
class Outcome:
    """The outcome of one build."""

    returncode: int
    output: str

    @property
    def steps(self) -> list[str]:
        """The steps that ran, sorted: "demo: mcc csrc/kernel.mu", "demo: link demo...so" and so on."""
        return sorted(re.findall(r"^\[\d+/\d+\] (.*)$", self.output, re.MULTILINE))

    @property
    def compiled(self) -> list[str]:
        return [step.split(" ", 1)[1] for step in self.steps if ": link " not in step]

    @property
    def linked(self) -> int:
        return len(self.steps) - len(self.compiled)


@dataclass(frozen=True)
class Project:
    """A project in a folder of its own, with the environment that its builds get."""

    root: Path
    environment: Mapping[str, str]

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def configure(
        self,
        options: str = "",
        *,
        extensions: str = "",
        command: str = "BuildExtension",
        prelude: str = "",
        epilogue: str = "",
    ) -> None:
        """Writes setup.py: one extension `demo` with more keyword arguments, or other extensions."""
        listed = extensions or EXTENSION.format(options=options)
        text = SETUP.format(extensions=listed, command=command, prelude=prelude, epilogue=epilogue)
        self.write("setup.py", text)

    def run(self, *arguments: str, **environment: Optional[str]) -> Outcome:
        """Runs a new Python with `arguments` in the project; a None in `environment` unsets."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=self._merged(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Outcome(done.returncode, done.stdout)

    def script(self, *arguments: str, **environment: Optional[str]) -> Outcome:
        """Runs a script with arguments as `run` does, but in a fork of this process, where torch is already imported:
        that import takes longer than everything else a build of the demo project does."""
        import setuptools  # noqa: F401
        from torch.utils import cpp_extension  # noqa: F401

        with tempfile.TemporaryFile("w+") as output:
            child = os.fork()
            if child == 0:
                _become_script(self.root, self._merged(environment), list(arguments), output.fileno())
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            output.seek(0)
            return Outcome(status, output.read())

    def build(self, *arguments: str, **environment: Optional[str]) -> Outcome:
        """`setup.py build_ext --inplace`."""
        return self.script("setup.py", "build_ext", "--inplace", *arguments, **environment)

    def built(self, **environment: Optional[str]) -> Outcome:
        """`build`, which must succeed."""
        outcome = self.build(**environment)
        assert outcome.returncode == 0, outcome.output
        return outcome

    def _merged(self, environment: Mapping[str, Optional[str]]) -> dict[str, str]:
        merged = {**self.environment, **environment}
        return {name: value for name, value in merged.items() if value is not None}

    def load(self, name: str = "demo", folder: str = ".") -> ModuleType:
        """Imports the module that was built last. Its file is copied to a fresh name: CPython knows modules by path."""
        import torch  # noqa: F401  # the extension's libraries are found through those torch has loaded

        (built,) = (self.root / folder).glob(f"{name}.*so")
        fresh = self.root / f"loaded{len(list(self.root.glob('loaded*')))}" / built.name
        fresh.parent.mkdir()
        fresh.write_bytes(built.read_bytes())
        spec = importlib.util.spec_from_file_location(name, fresh)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _become_script(root: Path, environment: Mapping[str, str], arguments: list[str], output: int) -> NoReturn:
    """Turns a forked child into `python arguments...`: what an interpreter does before, around and after a script."""
    code: object = 0
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    try:
        os.chdir(root)
        logging.root.handlers.clear()  # pytest's, which a new interpreter would not have
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = arguments
        sys.path.insert(0, str(root))
        runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    os._exit(code if isinstance(code, int) else int(code is not None))


def check_kernel(module: ModuleType, offset: int = 1, sizes: Sequence[int] = (1, 127, 1000)) -> None:
    """Runs the kernel on random data and compares with NumPy."""
    generator = np.random.default_rng(5)
    for size in sizes:
        values = generator.standard_normal(size, dtype=np.float32)
        expected = np.float32(1.5) * values + np.float32(offset)
        assert module.affine_(values, 1.5) == 0
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)  # the device may fuse
