"""Compile a MUSA source on another machine: preprocess it here, and have distcc run mcc on the text there.

        +- preprocessed for each architecture --+
source -+                                       +- NAME.ii -> distcc -> `mcc -c NAME.ii` there -> object
        +- preprocessed for the host -----------+

distcc sends a file that ends in .ii unchanged. The file holds everything that decides the object: the texts, the
arguments of clang's front end, and the compiler's identity. A different compiler refuses the file. The object is the
same as from a compilation on this machine; with debug info, LLVM may number it in another order.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .clang.cc1 import Cc1
from .commands import Commands, write_output
from .errors import DriverError

if TYPE_CHECKING:
    from .sdk import Sdk

_MAGIC = "# musa_sim preprocessed texts 1 "
_PACKAGE = Path(__file__).parent


def is_texts(path: str) -> bool:
    """Return whether a file holds preprocessed texts of mcc, and not preprocessed C++."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC.encode()
    except OSError:
        return False


def compiler_identity(sdk: Sdk) -> str:
    """Return a digest of mcc's own code and of clang's version, which both machines must have in common."""
    digest = hashlib.sha256(sdk.toolchain.clang_version.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


class Texts(NamedTuple):
    """A source after preprocessing, with all else that decides its object."""

    compiler: str  # compiler_identity
    source: str  # as the user named it
    cc1_args: tuple[str, ...]
    device_cpu: str
    level: str  # of optimisation, of device code
    same: Mapping[str, str]  # per architecture, the first one that has the same text
    checks: tuple[str, ...]
    unit: str  # the number of a relocatable source; empty without -fgpu-rdc
    driver_args: tuple[str, ...]  # the flags that a relocatable object keeps for its device link
    texts: Mapping[str, bytes]  # for "host", and for each architecture that has a text of its own

    def encode(self) -> bytes:
        """Return the content of a file: a line with the facts, and the texts."""
        sizes = {target: len(text) for target, text in self.texts.items()}
        facts = json.dumps({**self._asdict(), "texts": sizes})
        return b"".join((f"{_MAGIC}{facts}\n".encode(), *self.texts.values()))

    @classmethod
    def decode(cls, content: bytes, compiler: str) -> Texts:
        """Read what `encode` returned. Raises DriverError for texts of another compiler than this one."""
        line, _, rest = content.partition(b"\n")
        facts = json.loads(line[len(_MAGIC) :])
        if facts["compiler"] != compiler:
            raise DriverError(
                f"'{facts['source']}' was preprocessed by another release of the simulated SDK: compiler"
                f" {facts['compiler']}, this is {compiler}; install the same musa_build and ziglang on both machines"
            )
        texts: dict[str, bytes] = {}
        for target, size in facts["texts"].items():
            texts[target], rest = rest[:size], rest[size:]
        words = {name: tuple(facts[name]) for name in ("cc1_args", "checks", "driver_args")}
        return cls(**{**facts, **words, "texts": texts})

    def cc1_on(self, sdk: Sdk, program: tuple[str, ...]) -> Cc1:
        """Return the front end's command line with the programs of this machine."""
        args = list(self.cc1_args)
        args[args.index("-resource-dir") + 1] = sdk.toolchain.resource_dir
        return Cc1(program, tuple(args), self.device_cpu)


def compile_elsewhere(program: str, sdk: Sdk, texts: Texts, output: str, commands: Commands, scratch: Path) -> str:
    """Have `program` compile preprocessed texts, and write the object.

    Returns:
        Nothing if it succeeded, else the program's messages: then there is no object. The caller then compiles the
        source itself, which reports a mistake in it best.
    """
    sent, made = scratch / f"{Path(texts.source).stem}.ii", scratch / "distributed.o"
    sent.write_bytes(texts.encode())
    command = [program, "mcc", "-c", str(sent), "-o", str(made)]
    # distcc runs a job here where it finds no other machine for it
    path = os.pathsep.join((str(sdk.root / "bin"), os.environ.get("PATH", os.defpath)))
    try:
        done = commands.capture(command, {**os.environ, "PATH": path})
    except OSError as error:
        return f"{program}: {error.strerror}\n"
    if done.returncode or not made.is_file():
        return done.stderr or f"{program} ended with {done.returncode}\n"
    commands.reporter.say(done.stderr)
    write_output(output, made.read_bytes())
    return ""
