"""Hold what mcc gives LLVM against what it gave before a change: every line of every module, and the flags.

    python tests/sim/mcc/llvm_inputs.py SDK FOLDER            # record, or compare with what FOLDER has
    python tests/sim/mcc/llvm_inputs.py SDK FOLDER -k thrust  # only sources with this in their path

SDK is an SDK root, whose clang and headers are used; mcc itself is that of this checkout. The folder keeps what clang
answered, so a comparison runs mcc alone and takes seconds. A module that differs is written beside the old one.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from musa_sim.mcc import device_image
from musa_sim.mcc.driver import main
from musa_sim.mcc.front_end import FrontEnd
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.llvm_tools import LlvmTools

ROOT = Path(__file__).parents[3]
FLAGS = (("-O2",), ("-O0",), ("-O3", "-g"), ("-O2", "--sim-check=memory,race,sync,init"))
FOLDERS = ("tests/sim", "examples", "benchmarks", "tests/nvidia_card", "tests/fuzz")


class Record:
    """The inputs of LLVM in one compilation, and LLVM's answers of all compilations."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inputs: dict[str, list[str]] = {}

    def path(self, *parts: object) -> Path:
        digest = hashlib.sha256("\0".join(map(str, parts)).encode("latin-1", "replace")).hexdigest()
        return self.folder / "texts" / digest[:2] / digest

    def text(self, path: Path) -> str:
        return zlib.decompress(path.read_bytes()).decode("latin-1")

    def keep(self, text: str, *parts: object) -> Path:
        path = self.path(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(zlib.compress(text.encode("latin-1"), 1))
        return path


def watch(record: Record, spent: list[float]) -> None:
    """Have mcc's runs of clang noted, and answered from the record where it has an answer."""
    run, modules = LlvmTools._run, FrontEnd.modules

    def noted_run(self: LlvmTools, args: Sequence[str], module: Module, name: str, suffix: str) -> Path:
        ir, started = module.text, time.process_time()
        scratch = str(self.scratch)
        flags = json.dumps([arg.replace(scratch, "SCRATCH") for arg in args if "/tmp" not in arg])
        kept = record.keep(ir, ir)
        record.inputs[name] = [flags, kept.name]
        output = self.scratch / f"{name}{suffix}"
        if suffix != ".ll":
            output.write_bytes(b"")
        else:
            answer = record.path("answer", flags, kept.name)
            if not answer.exists():
                record.keep(run(self, args, module, name, suffix).read_text("latin-1"), "answer", flags, kept.name)
            output.write_text(record.text(answer), "latin-1")
        spent.append(time.process_time() - started)
        return output

    def noted_modules(self: FrontEnd) -> tuple[dict[str, Module], Module]:
        started = time.process_time()
        source = Path(self.source).read_text("latin-1")
        key = ("front end", self.source, source, self.level, self.archs, [a for a in self.cc1.args if "/tmp" not in a])
        if not record.path(*key).exists():
            found, other = modules(self)
            record.keep(json.dumps([{arch: module.text for arch, module in found.items()}, other.text]), *key)
        device, host = json.loads(record.text(record.path(*key)))
        spent.append(time.process_time() - started)
        return {arch: Module.parse(text) for arch, text in device.items()}, Module.parse(host)

    LlvmTools._run, FrontEnd.modules = noted_run, noted_modules  # type: ignore[method-assign]
    device_image.link_image = lambda *_, **__: b""  # type: ignore[assignment]


def sources(chosen: str) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[mc]u")):
            if chosen in str(path) and "build" not in path.parts:
                yield path


def differences(record: Record, before: Path, name: str) -> list[str]:
    """Compare the inputs with those of the last time; note them if there are none yet."""
    if not before.exists():
        before.parent.mkdir(parents=True, exist_ok=True)
        before.write_text(json.dumps(record.inputs))
        return []
    old = json.loads(before.read_text())

    def lines_of(inputs: dict[str, list[str]], module: str) -> list[str]:
        """Return the flags and the lines of a module, without blank ones and those with names of temporary files."""
        flags, digest = inputs.get(module, ["", ""])
        text = record.text(record.folder / "texts" / digest[:2] / digest) if digest else ""
        return [
            flags,
            *(
                line
                for line in text.splitlines()
                if line and not line.startswith(("; ModuleID", 'module asm ".incbin'))
            ),
        ]

    named = dict.fromkeys([*old, *record.inputs])
    changed = [
        each
        for each in named
        if old.get(each) != record.inputs.get(each) and lines_of(old, each) != lines_of(record.inputs, each)
    ]
    for module in changed:
        for side, inputs in (("old", old), ("new", record.inputs)):
            if inputs.get(module, ["", ""])[1]:
                digest = inputs[module][1]
                text = record.text(record.folder / "texts" / digest[:2] / digest)
                (record.folder / f"{name}.{module}.{side}.ll").write_text(text, "latin-1")
    return changed


def compare(sdk: Path, folder: Path, chosen: str) -> int:
    record = Record(folder)
    spent: list[float] = []
    watch(record, spent)
    failures = compiled = 0
    total = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for source in [*sources(chosen), *(path for path in sorted(folder.glob("*.mu")) if chosen in str(path))]:
            for flags in FLAGS:
                record.inputs, started = {}, time.process_time()
                spent.clear()
                name = f"{source.stem}{''.join(flags).replace('=', '.').replace(',', '.')}"
                try:
                    status = main([*flags, "-c", str(source), "-o", f"{scratch}/a.o"], sdk, "5.2.0")
                except Exception:
                    traceback.print_exc()
                    status = -1
                total += time.process_time() - started - sum(spent)
                record.inputs["status"] = [str(status), ""] if status else ["0", ""]
                where = source.relative_to(ROOT) if source.is_relative_to(ROOT) else source.name
                before = folder / "before" / f"{str(where).replace('/', '+')}{name}.json"
                changed = [module for module in differences(record, before, name) if module != "status"]
                if changed or json.loads(before.read_text())["status"] != record.inputs["status"]:
                    failures += 1
                    print(f"{where} {' '.join(flags)}: differs in {', '.join(changed)}", flush=True)
                compiled += 1
                gc.collect()
    print(f"{compiled} compilations, {failures} differ, {total:.1f} s of mcc itself")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sdk", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-k", default="", help="only sources with this in their path")
    given = parser.parse_args()
    sys.exit(compare(given.sdk, given.folder, given.k))
