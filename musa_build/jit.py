"""`load` and `load_inline`: compile an extension while a program runs, and import it.

The commands, torch, Python and the SDK name the build's directory, so that changed flags never meet old objects; ninja
sees changed files. The lock is the operating system's: a killed process leaves none behind. The finished library is
imported from a path named after its content, because CPython knows extension modules by their path.

Of the libraries that one directory has made, the last two stay, and those that a running program has loaded. In the
user's cache, directories that were not used for a month go, but for the last two of each name.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Optional, Union

from .builder import ninja_runner
from .builder.context import BuildContext
from .builder.graph import write_graph
from .builder.jit_plan import JitJob, plan_job
from .builder.machine import Machine
from .builder.spec import check_sources
from .errors import SettingError
from .logger_util import LOGGER
from .system import cache_directory, files

PathLike = Union[str, "os.PathLike[str]"]
Texts = Union[str, Sequence[str], None]

_OURS = re.compile(r"(?:inline-)?[0-9a-f]{16}")  # folders that this module names after a digest
_INLINE_CXX = "#include <torch/extension.h>\n"
_INLINE_MUSA = "#include <torch/types.h>\n#include <musa.h>\n#include <musa_runtime.h>\n"


class _Modules:
    """The modules that were imported, by path. Executing one again would overwrite a newer module of its name.

    Also the folders that this process uses: they stay for as long as it runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_path: dict[Path, ModuleType] = {}
        self._uses: dict[Path, IO[str]] = {}

    def use(self, folder: Path) -> None:
        with self._lock:
            before = self._uses.get(folder)
            self._uses[folder] = cache_directory.use(folder)
            if before is not None:
                before.close()

    def load(self, name: str, path: Path) -> ModuleType:
        with self._lock:
            if path not in self._by_path:
                spec = importlib.util.spec_from_file_location(name, path)
                assert spec is not None and spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                self._by_path[path] = module
            return self._by_path[path]


_MODULES = _Modules()


def load(
    name: str,
    sources: Union[PathLike, Sequence[PathLike]],
    extra_cflags: Optional[Sequence[str]] = None,
    extra_musa_cflags: Optional[Sequence[str]] = None,
    extra_ldflags: Optional[Sequence[str]] = None,
    extra_include_paths: Optional[Sequence[PathLike]] = None,
    build_directory: Optional[PathLike] = None,
    verbose: bool = False,
    with_musa: Optional[bool] = None,
    is_python_module: bool = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
    *,
    extra_cuda_cflags: Optional[Sequence[str]] = None,
    with_cuda: Optional[bool] = None,
) -> Any:
    """Compiles `sources` (C++ and MUSA) and imports the module `name`: torch's `load`, for MUSA.

    `extra_cuda_cflags` are nvcc's flags, translated for mcc. `with_musa`, `with_cuda` and `keep_intermediates` are
    accepted for their callers' sake: MUSA's libraries are always linked, objects always kept.

    Returns the module, or the library's path when `is_python_module` is false (it is loaded into the process then), or,
    with `is_standalone`, the path of a program: the sources have a main() and are not linked to Python's side of torch.
    Raises CompileFailedError with the compiler's text, and the errors of a missing SDK, torch or compiler.
    """
    if not name.isidentifier():
        raise SettingError("load() needs a name that Python can import", found=repr(name), wanted="an identifier")
    listed = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    flags = {"cxx": extra_cflags, "mcc": extra_musa_cflags, "nvcc": extra_cuda_cflags}
    paths = tuple(str(Path(source).absolute()) for source in listed)
    machine = Machine.read()
    job = JitJob.of(
        name,
        paths,
        flags,
        extra_ldflags,
        extra_include_paths,
        standalone=is_standalone,
        mcc_version=machine.mcc_version,
    )
    library = _build(machine, job, Path(build_directory).absolute() if build_directory else None, verbose)
    if is_standalone:
        return str(library)
    if is_python_module:
        return _MODULES.load(name, library)
    import torch

    operators: Any = torch.ops
    operators.load_library(str(library))
    return str(library)


def load_inline(
    name: str,
    cpp_sources: Texts,
    musa_sources: Texts = None,
    functions: Union[Sequence[str], Mapping[str, str], str, None] = None,
    *,
    cuda_sources: Texts = None,
    build_directory: Optional[PathLike] = None,
    no_implicit_headers: bool = False,
    with_pytorch_error_handling: bool = True,
    **options: Any,
) -> Any:
    """Compiles C++ and MUSA text and imports the module `name`: torch's `load_inline`, for MUSA.

    `functions` are bound to Python by name, or as {name: docstring}. `cuda_sources` is another name for `musa_sources`;
    the text must be MUSA already. `options` are those of `load`, which see for what is returned and raised.
    """
    wrap = "torch::wrap_pybind_function({0})" if with_pytorch_error_handling else "&{0}"
    cxx = [*([] if no_implicit_headers else [_INLINE_CXX]), *_texts(cpp_sources), _bindings(functions, wrap)]
    musa = [*_texts(musa_sources), *_texts(cuda_sources)]
    texts = {"main.cpp": "\n".join(cxx)}
    if musa:
        texts["musa.mu"] = "\n".join([*([] if no_implicit_headers else [_INLINE_MUSA]), *musa])
    root = Path(build_directory).absolute() if build_directory else _cache_directory() / name
    folder = root / f"inline-{files.digest(*texts.values())[:16]}"
    _MODULES.use(folder)
    for file, text in texts.items():
        files.write_if_changed(folder / file, text + "\n")
    return load(name, [folder / file for file in texts], build_directory=build_directory, **options)


def _build(machine: Machine, job: JitJob, directory: Optional[Path], verbose: bool) -> Path:
    """Build the job's library where it is not up to date. Return its path, which names its content."""
    check_sources(job.spec)
    context = BuildContext.find(machine, [job.spec])
    toolchains = context.toolchains(job.spec)
    for note in job.spec.flags.notes:
        LOGGER.info("%s: nvcc's flag %s", job.spec.name, note)
    # The commands with a placeholder for the directory, and what they do not say.
    commands = repr(plan_job(job, context, toolchains, "."))
    sdk_version = context.sdk.version if context.sdk else ""
    key = files.digest(context.torch.version, sys.version, sdk_version, commands)[:16]
    folder = directory or _cache_directory() / job.spec.name / key
    _MODULES.use(folder)
    plan = plan_job(job, context, toolchains, str(folder))
    output = print if verbose else LOGGER.debug
    with files.locked(folder / "build.lock"):
        graph = write_graph(plan, folder, context)
        targets = [link.output for link in plan.links]
        names, jobs = graph.plan.descriptions, machine.jobs()
        ninja_runner.run(names, graph.build_ninja, targets, jobs=jobs, verbose=context.verbose, tell=output)
        content = Path(targets[0]).read_bytes()
        library = folder / files.digest(content)[:16] / job.file_name
        if files.write_if_changed(library, content):
            library.chmod(0o755)
        _MODULES.use(library.parent)
        cache_directory.prune((path for path in _our_folders(folder) if (path / job.file_name).exists()), days=0)
    if directory is None:
        cache_directory.prune(_our_folders(folder.parent))
    return library


def _our_folders(root: Path) -> list[Path]:
    return [path for path in root.iterdir() if _OURS.fullmatch(path.name)]


def _cache_directory() -> Path:
    """Where torch keeps its own, with a folder for each Python: TORCH_EXTENSIONS_DIR or the user's cache."""
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or cache_directory.user_cache() / "torch_extensions"
    return Path(root).absolute() / f"py{sys.version_info.major}{sys.version_info.minor}_musa"


def _texts(value: Texts) -> Sequence[str]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


def _bindings(functions: Union[Sequence[str], Mapping[str, str], str, None], wrap: str) -> str:
    """The C++ text that binds `functions`; `wrap` turns a name into what pybind11 binds."""
    if functions is None:
        return ""
    listed = [functions] if isinstance(functions, str) else functions
    docs = dict(listed) if isinstance(listed, Mapping) else {name: name for name in listed}
    lines = [f"    m.def({json.dumps(name)}, {wrap.format(name)}, {json.dumps(docs[name])});" for name in docs]
    return "\n".join(["PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}"])
