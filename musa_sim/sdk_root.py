"""Create the simulated SDK: a directory like that of Moore Threads' toolkit, built once per content.

Its name is a digest of everything in it. It is built beside its final place, under a lock, and moved there in one step.
So an SDK root that exists is complete, and never changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from . import SDK_VERSION
from .mcc.clang.toolchain import Toolchain, find
from .mcc.errors import DriverError

_PACKAGE = Path(__file__).resolve().parent
_SONAME = f"libmusart.so.{SDK_VERSION.split('.')[0]}"

_MCC_MAIN = f'''"""Entry point of the simulated mcc; the package beside it is this SDK's own copy."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mcc.driver import main

sys.exit(main(sys.argv[1:], Path(__file__).resolve().parents[2], {SDK_VERSION!r}))
'''


def cache_dir() -> Path:
    """MUSA_SIM_CACHE, else the user's cache directory."""
    chosen = os.environ.get("MUSA_SIM_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(chosen) if chosen else Path(base) / "musa_build" / "sdk"


def _inputs() -> Iterator[Path]:
    """Every file of the package that ends up in a root, in a stable order."""
    for folder in ("cmake", "include", "libraries", "mcc", "runtime"):
        for path in sorted((_PACKAGE / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def _key(toolchain: Toolchain) -> str:
    digest = hashlib.sha256()
    host = subprocess.run([toolchain.host_cxx, "--version"], capture_output=True, text=True, check=False).stdout
    facts = [asdict(toolchain), host, sys.executable, platform.machine(), SDK_VERSION, _MCC_MAIN]
    digest.update(json.dumps(facts).encode())
    for path in [*_inputs(), Path(__file__)]:
        digest.update(f"{path.relative_to(_PACKAGE)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def sdk_root() -> Path:
    """Return the path of a complete simulated SDK. Create it if no SDK of this content exists.

    Raises DriverError when g++ or clang is missing or the runtime does not compile.
    """
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise DriverError(f"the simulator runs on x86-64 Linux only; this is {platform.machine()} {platform.system()}")
    toolchain = find()
    root = cache_dir() / f"musa-{SDK_VERSION}-{_key(toolchain)}"
    if root.is_dir():
        return root
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with Path(f"{root}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # closing the file releases it, and so does the end of the process
            if not root.is_dir():
                _lay_out_beside(root, toolchain)
    except OSError as error:
        raise DriverError(
            f"cannot write the SDK to {root}: {error.strerror}; set MUSA_SIM_CACHE to a directory of yours"
        ) from None
    return root


def _lay_out_beside(root: Path, toolchain: Toolchain) -> None:
    """Build under another name, then move; the caller holds the root's lock."""
    prefix = f"{root.name}.partial-"
    for left in root.parent.glob(f"{prefix}*"):  # of a run that was killed: the lock says that nobody is in it
        shutil.rmtree(left, ignore_errors=True)
    print("musa_sim: laying out the simulated MUSA SDK (once, some 20 s) ...", file=sys.stderr, flush=True)
    building = Path(tempfile.mkdtemp(prefix=prefix, dir=root.parent))
    try:
        _lay_out(building, root, toolchain)
        building.chmod(0o755)
        building.replace(root)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _lay_out(building: Path, root: Path, toolchain: Toolchain) -> None:
    for folder in ("bin", "lib", "share/musa_sim"):
        (building / folder).mkdir(parents=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_PACKAGE / "include", building / "include", ignore=ignore)
    if (_PACKAGE / "cmake").is_dir():
        shutil.copytree(_PACKAGE / "cmake", building / "cmake", ignore=ignore)
    else:
        (building / "cmake").mkdir()
    shutil.copytree(_PACKAGE / "mcc", building / "share/musa_sim/mcc", ignore=ignore)
    toolchain.save(building / "share/musa_sim/toolchain.json")
    (building / "share/musa_sim/mcc_main.py").write_text(_MCC_MAIN)
    _build_runtime(building / "lib" / _SONAME, toolchain)
    (building / "lib" / "libmusart.so").symlink_to(_SONAME)
    libraries = sorted(path.name for path in (_PACKAGE / "libraries").iterdir() if path.is_dir())
    for name in libraries:
        _build_library(name, building / "lib", toolchain)
    names = ("musa_toolkits", "musa_runtime", "mcc", *libraries, "musa_sim")
    modules = {name: {"version": SDK_VERSION} for name in names}
    (building / "version.json").write_text(json.dumps(modules, indent=4) + "\n")
    main = shlex.quote(str(root / "share/musa_sim/mcc_main.py"))
    _script(building / "bin/mcc", f'exec {shlex.quote(sys.executable)} -IS {main} "$@"\n')
    for name in ("clang", "clang++"):  # where ggml and its kin look for a MUSA compiler
        (building / "bin" / name).symlink_to("mcc")
    blocks = "".join(f'{name}:\n{{\n\t"version":\t"{facts["version"]}"\n}}\n' for name, facts in modules.items())
    _script(building / "bin/musa_version_query", f"cat <<'END'\n{blocks}END\n")


def _build_runtime(output: Path, toolchain: Toolchain) -> None:
    """libmusart: everything in runtime/."""
    runtime = _PACKAGE / "runtime"
    sources = [path for path in runtime.iterdir() if path.suffix in (".cpp", ".S")]
    _build_shared(output, sources, [f"-I{runtime}"], ["-lpthread", "-ldl"], toolchain)


def _build_library(name: str, lib: Path, toolchain: Toolchain) -> None:
    """Build a library above the runtime: libraries/<name>/*.cpp, linked to the libmusart that lies beside it."""
    soname = f"lib{name}.so.1"
    sources = list((_PACKAGE / "libraries" / name).glob("*.cpp"))
    compile_flags = ["-O3", f"-I{_PACKAGE / 'runtime'}"]  # for device_abi.h
    _build_shared(lib / soname, sources, compile_flags, [f"-L{lib}", "-lmusart", "-Wl,-rpath,$ORIGIN"], toolchain)
    (lib / f"lib{name}.so").symlink_to(soname)


def _build_shared(
    output: Path, sources: list[Path], compile_flags: list[str], link_flags: list[str], toolchain: Toolchain
) -> None:
    """Compile file by file on all cores; ccache, where there is one, spares the unchanged files."""
    ccache = shutil.which("ccache")
    compiler = [*([ccache] if ccache else []), toolchain.host_cxx]
    flags = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", f"-I{_PACKAGE / 'include'}", *compile_flags]
    with tempfile.TemporaryDirectory(prefix="musa-sim-") as made:
        objects = {source: str(Path(made) / f"{source.name}.o") for source in sorted(sources)}
        commands = [[*compiler, *flags, "-c", str(source), "-o", out] for source, out in objects.items()]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for _ in pool.map(_run_compiler, commands):
                pass
        # never unloaded: the runtime's threads run as long as the process does
        link = [toolchain.host_cxx, "-shared", f"-Wl,-soname,{output.name},-z,nodelete", *objects.values()]
        _run_compiler([*link, "-o", str(output), *link_flags])


def _run_compiler(command: list[str]) -> None:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise DriverError(f"the simulated SDK does not compile:\n{shlex.join(command)}\n{run.stderr}")


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}")
    path.chmod(0o755)
