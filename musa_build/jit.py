"""`load` and `load_inline`: compile an extension at run time and import it.

The name of the build directory is a digest of everything that decides the objects (jit_plan.job_key). ninja detects
changed files. The finished library is imported from a path named after its content, because CPython identifies
extension modules by their path.

A build directory keeps the last two libraries, and those that a running program has loaded. In the user's cache,
directories that were not used for a month are removed, except the last two of each name.
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

from .builder.context import BuildContext
from .builder.graph import write_graph
from .builder.jit_plan import JitJob, job_key, plan_job
from .builder.machine import Machine
from .builder.spec import check_sources
from .logger_util import LOGGER
from .system import cache_directory, files
from .system.process import locked
from .toolchain.shell_flags import split_flags

PathLike = Union[str, "os.PathLike[str]"]
Texts = Union[str, Sequence[str], None]

_DIGEST_NAME = re.compile(r"(?:inline-)?[0-9a-f]{16}")  # folders that this module creates
_INLINE_CXX = "#include <torch/extension.h>\n"
_INLINE_MUSA = "#include <torch/types.h>\n#include <musa.h>\n#include <musa_runtime.h>\n"


class _Modules:
    """The imported modules, by path, and the folders that this process uses.

    Executing a module again would overwrite a newer one of its name. The folders stay while the process runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_path: dict[Path, ModuleType] = {}
        self._uses: dict[Path, IO[str]] = {}

    def use(self, folder: Path) -> None:
        with self._lock:
            previous = self._uses.get(folder)
            self._uses[folder] = cache_directory.use(folder)
            if previous is not None:
                previous.close()

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
    """Compile `sources` (C++ and MUSA) and import the module `name`, as torch's `load` does for CUDA.

    Args:
        name: The name of the module.
        sources: The files to compile.
        extra_cflags: Flags of the C++ compiler. As in torch's `load`, a shell reads all flags, joined by blanks: one
            item may hold several of them.
        extra_musa_cflags: Flags of mcc.
        extra_ldflags: Flags of the linker.
        extra_include_paths: Include directories.
        build_directory: Where to build; the default is a directory in the user's cache.
        verbose: Print the build's progress.
        with_musa: Ignored: MUSA's libraries are always linked.
        is_python_module: If false, load the library into the process and return its path.
        is_standalone: Build a program: the sources have a main(), and torch_python is not linked.
        keep_intermediates: Ignored: objects are always kept.
        extra_cuda_cflags: Flags of nvcc, translated for mcc.
        with_cuda: Ignored, as `with_musa`.

    Returns:
        The module, or the path of the library or program.

    Raises:
        CompileFailedError: With the compiler's messages.
        MusaBuildError: The SDK, torch or a compiler was not found, or an argument is invalid.
    """
    source_list = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    flags = {
        "cxx": split_flags(extra_cflags, f"{name}: extra_cflags"),
        "mcc": split_flags(extra_musa_cflags, f"{name}: extra_musa_cflags"),
    }
    if extra_cuda_cflags is not None:  # even an empty list says that the code is CUDA's
        flags["nvcc"] = split_flags(extra_cuda_cflags, f"{name}: extra_cuda_cflags")
    paths = tuple(str(Path(source).absolute()) for source in source_list)
    machine = Machine.read()
    job = JitJob.of(
        name,
        paths,
        flags,
        split_flags(extra_ldflags, f"{name}: extra_ldflags"),
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
    """Compile C++ and MUSA text and import the module `name`, as torch's `load_inline` does for CUDA.

    Args:
        name: The name of the module.
        cpp_sources: C++ text.
        musa_sources: MUSA text.
        functions: The functions to bind to Python, by name or as {name: docstring}.
        cuda_sources: Another name for `musa_sources`. The text is not ported: it must be MUSA.
        build_directory: Where to build; the default is a directory in the user's cache.
        no_implicit_headers: Do not include the headers of torch and MUSA.
        with_pytorch_error_handling: Bind functions through torch's wrapper for errors.
        options: Other arguments of `load`.

    Returns:
        The module, or the path of the library or program, as `load`.

    Raises:
        MusaBuildError: As `load`.
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
    """Build the job's library if it is out of date. Return its path, which has a digest of its content."""
    check_sources(job.spec)
    context = BuildContext.find(machine, [job.spec])
    toolchains = context.toolchains(job.spec)
    for note in job.spec.flags.notes:
        LOGGER.info("%s: nvcc's flag %s", job.spec.name, note)
    folder = directory or _cache_directory() / job.spec.name / job_key(job, context, toolchains)
    _MODULES.use(folder)
    plan = plan_job(job, context, toolchains, str(folder))
    output = print if verbose else LOGGER.debug
    with locked(folder / "build.lock"):
        graph = write_graph(plan, folder, context)
        graph.run(machine.jobs(), verbose=context.verbose, on_line=output)
        content = Path(plan.links[0].output).read_bytes()
        library = folder / files.digest(content)[:16] / job.file_name
        if files.write_if_changed(library, content):
            library.chmod(0o755)
        _MODULES.use(library.parent)
        cache_directory.prune((path for path in _digest_folders(folder) if (path / job.file_name).exists()), days=0)
    if directory is None:
        cache_directory.prune(_digest_folders(folder.parent))
    return library


def _digest_folders(root: Path) -> list[Path]:
    return [path for path in root.iterdir() if _DIGEST_NAME.fullmatch(path.name)]


def _cache_directory() -> Path:
    """Return the folder beside torch's own, one per Python."""
    return cache_directory.jit_builds() / f"py{sys.version_info.major}{sys.version_info.minor}_musa"


def _texts(value: Texts) -> Sequence[str]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


def _bindings(functions: Union[Sequence[str], Mapping[str, str], str, None], wrap: str) -> str:
    """Return the C++ text that binds `functions`; `wrap` is the format of what pybind11 binds."""
    if functions is None:
        return ""
    names = [functions] if isinstance(functions, str) else functions
    docs = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    lines = [f"    m.def({json.dumps(name)}, {wrap.format(name)}, {json.dumps(docs[name])});" for name in docs]
    return "\n".join(["PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}"])
