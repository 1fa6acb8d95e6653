"""The command `python -m musa_codegen`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Optional

from .cross_check import Compiled, contradictions
from .dispatch_stubs import DispatchStubs, called_stubs, registered_stubs, undefined_functions
from .entries import read_entries
from .errors import FunctionsError
from .plan import Plan, plan
from .pytorch import PyTorch
from .write import files_of, write

_EXAMPLES = """
examples:
  python -m musa_codegen torch_musa/csrc/aten/ops/musa_functions.yaml -o build/generated
  python -m musa_codegen musa_functions.yaml --check     # say what is wrong, write nothing

exit status: 0, or 1 if the file has mistakes or cannot be read
"""


def generate(file: Path, output: Path, shards: Optional[int] = None, skip_unknown: bool = False) -> Plan:
    """Write everything for a file of functions.

    Args:
        file: musa_functions.yaml.
        output: The folder for the generated files.
        shards: Number of C++ files; by the number of functions if None.
        skip_unknown: Leave out functions that this PyTorch does not have.

    Raises:
        FunctionsError: The file has mistakes; nothing was written.
        OSError: It cannot be read, or the folder cannot be written.
    """
    made = plan(file, read_entries(file), PyTorch.installed(), skip_unknown)
    write(files_of(made, shards), output)
    return made


def check_objects(file: Path, sources: Iterable[Path], objects: Sequence[Path], torch_library: Path) -> None:
    """Hold compiled sources against the file of functions.

    Args:
        file: musa_functions.yaml.
        sources: The sources.
        objects: What was compiled from them, and from the generated files.
        torch_library: libtorch_cpu.so, whose functions call the stubs.

    Raises:
        FunctionsError: An entry has no kernel, a kernel no entry, or a function is not defined.
        OSError: A file, or the tools nm, c++filt and readelf, cannot be used.
    """
    entries = read_entries(file)
    pytorch = PyTorch.installed()
    compiled = Compiled(registered_stubs(objects, sources), called_stubs(objects), undefined_functions(objects, "at"))
    made = plan(file, entries, pytorch)
    mistakes = contradictions(made, entries, pytorch, DispatchStubs.of_library(torch_library), compiled)
    if mistakes:
        raise FunctionsError(file, mistakes)


def report(made: Plan) -> str:
    """Return how many entries became what."""
    counts = Counter(kind.value for kind in made.kinds.values())
    lines = [f"{count:6} {kind}" for kind, count in counts.most_common()]
    if made.unknown:
        lines.append(f"{len(made.unknown):6} unknown to this PyTorch: {', '.join(made.unknown)}")
    return "\n".join(lines)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m musa_codegen",
        description="Generate registrations and declarations from musa_functions.yaml.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="musa_functions.yaml")
    parser.add_argument("-o", "--output", type=Path, default=Path("generated"), help="folder (default: generated)")
    parser.add_argument("--shards", type=int, help="number of C++ files (default: by the number of functions)")
    parser.add_argument("--skip-unknown", action="store_true", help="leave out what this PyTorch does not have")
    parser.add_argument("--check", action="store_true", help="write nothing")
    choice = parser.parse_args()
    try:
        if choice.check:
            made = plan(choice.file, read_entries(choice.file), PyTorch.installed(), choice.skip_unknown)
        else:
            made = generate(choice.file, choice.output, choice.shards, choice.skip_unknown)
    except FunctionsError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    print(report(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
