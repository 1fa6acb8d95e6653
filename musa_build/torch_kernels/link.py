"""Link the kernel files that compiled, and leave out those that call undefined functions.

A file that calls a function of another file needs that one too. The linker reports the undefined symbols of each
object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..environment.torch_info import TorchMusa
from ..errors import CompileFailedError
from ..system import process
from .options import LIBRARY, Options

if TYPE_CHECKING:
    from ..builder.context import BuildContext

# GNU ld names the object before the symbol or in the same line, lld after it, in lines that begin with >>>.
_BY_LD = re.compile(r"undefined reference to [`']?(?P<symbol>[^\n]*?)'?$")
_BY_LLD = re.compile(r"undefined symbol: (?P<symbol>[^\n]*)$")
_SDK = ("musart", "mublas", "mublasLt", "musparse", "musolver", "mufft", "murand")
_SOURCE_FOLDERS = ("aten/src/ATen", "c10/cuda", "torch/csrc/cuda")
_SOURCES = (".cu", ".cpp", ".cuh", ".h")


@dataclass(frozen=True)
class Linked:
    """The library, None if no object is in it, and per object that was left out the functions that it lacks."""

    library: Optional[Path]
    lacking: Mapping[str, tuple[str, ...]]


class Linker:
    """The linker of one build."""

    def __init__(self, context: BuildContext, options: Options) -> None:
        self._context = context
        self._options = options

    def link(self, objects: Sequence[str]) -> Linked:
        """Link as many of `objects` as can be. Raises CompileFailedError if the linker fails for another reason."""
        library = self._options.folder / LIBRARY
        lacking: dict[str, tuple[str, ...]] = {}
        left = list(objects)
        while left:
            done = process.run(self._command(left, library), extra_environment={"LC_ALL": "C"})  # as _BY_LD wants it
            if done.returncode == 0:
                return Linked(library, lacking)
            guilty = undefined(done.stderr + done.stdout, left)
            if not guilty:
                raise CompileFailedError("PyTorch's kernels cannot be linked", output=done.stderr or done.stdout)
            lacking.update(guilty)
            left = [name for name in left if name not in guilty]
        library.unlink(missing_ok=True)
        return Linked(None, lacking)

    def _command(self, objects: Sequence[str], library: Path) -> list[str]:
        context = self._context
        torch_musa = TorchMusa.find()
        sdk = context.sdk
        assert sdk is not None, "kernels need an SDK"
        own = [torch_musa.library_dir] if torch_musa else []
        folders = [*context.torch.library_dirs, *own, *sdk.library_dirs]
        libraries = ["torch", "torch_cpu", "c10", *(torch_musa.libraries if torch_musa else ())]
        libraries += [name for name in ("musa_kernels",) if _exists(name, own)]
        libraries += [name for name in _SDK if _exists(name, sdk.library_dirs)]
        run_paths = ["$ORIGIN", "$ORIGIN/../../torch/lib", *(map(str, sdk.library_dirs) if sdk.simulated else ())]
        return [
            *context.cxx.command,
            "-shared",
            *self._options.link_flags,
            *objects,
            *(f"-L{folder}" for folder in folders),
            # the linker searches them for the dependencies of libraries, too
            *(f"-Wl,-rpath-link,{folder}" for folder in folders),
            *(f"-Wl,-rpath,{folder}" for folder in run_paths),
            # A kernel of the same name in torch_musa's library must not replace this one.
            *("-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,--as-needed", f"-Wl,-soname,{LIBRARY}"),
            *(f"-l{name}" for name in libraries if name != "musa_python"),
            *("-o", str(library)),
        ]


def _exists(name: str, folders: Iterable[Path]) -> bool:
    return any((folder / f"lib{name}.so").exists() for folder in folders)


def undefined(output: str, objects: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the undefined functions and variables in a linker's messages, by object."""
    found: dict[str, dict[str, None]] = {}
    current = symbol = ""
    for line in output.splitlines():
        named = next((name for name in objects if f"{name}:" in line), "")
        current = named or current
        by_ld, by_lld = _BY_LD.search(line), _BY_LLD.search(line)
        symbol = by_lld["symbol"] if by_lld else symbol
        if by_ld and current:
            found.setdefault(current, {})[by_ld["symbol"]] = None
        elif named and symbol and line.startswith(">>>"):
            found.setdefault(named, {})[symbol] = None
    return {name: tuple(symbols) for name, symbols in found.items()}


class Definitions:
    """Where a checkout of PyTorch defines functions. The sources are read at the first lookup."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self._texts: dict[str, str] = {}

    def source_of(self, symbol: str) -> str:
        """Return the source that seems to define a demangled symbol, "" if there is none."""
        name = re.sub(r"<.*", "", symbol.split("(")[0]).split("::")[-1].strip()
        if not name.isidentifier():
            return ""
        definition = re.compile(rf"\b{name}\s*\([^;{{}}]*\)[^;{{}}()]*\{{")
        found = [path for path, text in self._read().items() if name in text and definition.search(text)]
        # a .cu is the likeliest: it is the one to add to the build
        return min(found, key=lambda path: (not path.endswith(".cu"), "/cuda/" not in path, path), default="")

    def _read(self) -> Mapping[str, str]:
        if not self._texts:
            for folder in _SOURCE_FOLDERS:
                for path in sorted((self._checkout / folder).rglob("*")):
                    if path.suffix in _SOURCES:
                        relative = path.relative_to(self._checkout).as_posix()
                        self._texts[relative] = path.read_text(encoding="utf-8", errors="replace")
        return self._texts


def describe(symbols: Sequence[str], definitions: Definitions) -> str:
    """Return the functions that an object lacks, with the source that defines each."""
    parts = []
    for symbol in symbols[:3]:
        source = definitions.source_of(symbol)
        parts.append(f"{symbol} is undefined" + (f"; {source} defines it" if source else "; no source defines it"))
    more = len(symbols) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more else "")
