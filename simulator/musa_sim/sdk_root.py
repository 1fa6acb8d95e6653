"""Create the simulated SDK: a directory like that of Moore Threads' toolkit, built once per content.

Its name is a digest of everything in it. It is built beside its final path, under a lock, and moved there in one step.
So an SDK root that exists is complete, and never changes. Its libraries are copies: other SDK roots have the same ones.
Roots that nothing has used for some time are removed when a new one is created.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import SDK_VERSION
from .content_cache import build_once, prune
from .lapack import find_lapack
from .mcc.clang.toolchain import Toolchain, find, find_host_cxx
from .mcc.errors import DriverError
from .mcc.sdk import LAST_USED, mark_used
from .sdk_libraries import (
    add_second_names,
    compiler_facts,
    content_digest,
    files_of,
    library_names,
    program_names,
    sdk_libraries,
)

_PACKAGE = Path(__file__).resolve().parent

_MCC_MAIN = f'''"""Entry point of the simulated mcc; the package beside it is this SDK's own copy."""
import gc
import sys
from pathlib import Path

gc.disable()  # looking for cycles, of which so short a process makes few, takes hundredths of its time
sys.path.insert(0, str(Path(__file__).resolve().parent))
from mcc.driver import main

sys.exit(main(sys.argv[1:], Path(__file__).resolve().parents[2], {SDK_VERSION!r}))
'''

_MUSIFY = """python3 -c 'import musa_build.porting' 2>/dev/null || {
    echo "musify-text: error: the python3 on PATH has no musa_build, which replaces the names" >&2; exit 1; }
exec python3 -m musa_build.porting.musify "$@"
"""


def cache_dir() -> Path:
    """MUSA_SIM_CACHE, else the user's cache directory."""
    chosen = os.environ.get("MUSA_SIM_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(chosen) if chosen else Path(base) / "musa_build" / "sdk"


def _key(toolchain: Toolchain, lapack: str) -> str:
    facts = [toolchain._asdict(), *compiler_facts(toolchain.host_cxx), _interpreter(), SDK_VERSION, _MCC_MAIN, lapack]
    sources = files_of(("cmake", "include", "libraries", "mcc", "programs", "runtime"))
    return content_digest(json.dumps(facts), [*sources, _PACKAGE / "sdk_libraries.py", Path(__file__)])


def sdk_root() -> Path:
    """Return the path of a complete simulated SDK. Create it if no SDK of this content exists.

    Raises DriverError when g++ or clang is missing or the runtime does not compile.
    """
    _check_machine()
    toolchain, lapack = find(), find_lapack()
    root = cache_dir() / f"musa-{SDK_VERSION}-{_key(toolchain, lapack)}"
    mark_used(root / LAST_USED)
    with _explained(root):
        return build_once(root, lambda building: _lay_out(building, root, toolchain, lapack))


def compiled_libraries() -> Path:
    """Return the folder of the libraries that the SDK root has copies of. Compile them if this was never done.

    Raises DriverError when g++ is missing or the runtime does not compile.
    """
    _check_machine()
    with _explained(cache_dir()):
        return sdk_libraries(cache_dir(), find_host_cxx())


def _check_machine() -> None:
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        here = f"{platform.machine()} {platform.system()}"
        raise DriverError("the simulator runs on x86-64 Linux only", found=here)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Raise DriverError where the cache cannot be written."""
    try:
        yield
    except OSError as error:
        raise DriverError(
            f"cannot write the SDK to {target}",
            found=error.strerror or str(error),
            hint="set MUSA_SIM_CACHE to a directory of yours",
        ) from None


def _interpreter() -> str:
    """Return the Python that runs mcc, under one name: `python`, `python3` and virtual environments link to it.

    mcc needs the standard library alone.
    """
    return os.path.realpath(sys.executable)


def _lay_out(building: Path, root: Path, toolchain: Toolchain, lapack: str) -> None:
    for kind in ("musa", "libraries"):
        prune(path for path in root.parent.glob(f"{kind}-*") if ".partial-" not in path.name)
    compiled = sdk_libraries(root.parent, toolchain.host_cxx)
    shutil.copytree(compiled / "lib", building / "lib", symlinks=True)
    add_second_names(building / "lib")  # of a wheel, which has no links
    for folder in ("bin", "share/musa_sim"):
        (building / folder).mkdir(parents=True)
    for name in program_names():
        shutil.copy2(compiled / "bin" / name, building / "bin" / name)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_PACKAGE / "include", building / "include", ignore=ignore)
    _lay_out_mupti(building)
    if (_PACKAGE / "cmake").is_dir():
        shutil.copytree(_PACKAGE / "cmake", building / "cmake", ignore=ignore)
    else:
        (building / "cmake").mkdir()
    shutil.copytree(_PACKAGE / "mcc", building / "share/musa_sim/mcc", ignore=ignore)
    toolchain.save(building / "share/musa_sim/toolchain.json")
    (building / "share/musa_sim/lapack").write_text(f"{lapack}\n")  # for libmusolver
    (building / "share/musa_sim/mcc_main.py").write_text(_MCC_MAIN)
    (building / LAST_USED).touch()
    libraries = (name for name in library_names() if name != "omp")  # mcc's own, as clang's is
    names = ("musa_toolkits", "musa_runtime", "mcc", *libraries, "musa_sim")
    modules = {name: {"version": SDK_VERSION} for name in names}
    (building / "version.json").write_text(json.dumps(modules, indent=4) + "\n")
    main = shlex.quote(str(root / "share/musa_sim/mcc_main.py"))
    _script(building / "bin/mcc", f'exec {shlex.quote(_interpreter())} -IS {main} "$@"\n')
    for name in ("clang", "clang++"):  # ggml and whisper.cpp look here for a MUSA compiler
        (building / "bin" / name).symlink_to("mcc")
    blocks = {name: f'{name}:\n{{\n\t"version":\t"{facts["version"]}"\n}}\n' for name, facts in modules.items()}
    _script(building / "bin/musa_version_query", f"cat <<'END'\n{''.join(blocks.values())}END\n")
    for name, block in blocks.items():
        _script(building / "bin" / f"{name}_version", f"cat <<'END'\n{block}END\n")
    _script(building / "bin/musify-text", _MUSIFY)
    (building / "tools").mkdir()
    (building / "tools/musify-text").symlink_to("../bin/musify-text")


def _lay_out_mupti(building: Path) -> None:
    """Give MUPTI the folder that profilers look in; its headers and its library lie beside the others as well."""
    folder = building / "extras/MUPTI"
    (folder / "include").mkdir(parents=True)
    for header in (building / "include").glob("mupti*.h"):
        (folder / "include" / header.name).symlink_to(f"../../../include/{header.name}")
    (folder / "lib64").symlink_to("../../lib")


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}")
    path.chmod(0o755)
