"""`MUSAExtension` and `BuildExtension`: the setuptools face, a drop-in for torch's CUDAExtension and BuildExtension.

torch's BuildExtension and setuptools decide every command; recorder.py writes the commands down; plan.py turns the MUSA
ones into mcc's; ninja runs all extensions of the project as one graph. No private name of torch is used.
"""

from __future__ import annotations

import copy
import logging
import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional, Union

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError

from .build_session import BuildSession, build_again
from .build_state import state_key
from .compile_flags import CompileFlags, copied
from .errors import MusaBuildError
from .extension_request import ExtensionRequest, check_sources
from .plan import object_path
from .recorder import record
from .settings import CXX, Settings
from .torch_info import IMPORT_FAILURES, torch_not_found

# setuptools' own order of positional arguments after name and sources.
_POSITIONAL = (
    *("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries", "runtime_library_dirs"),
    *("extra_objects", "extra_compile_args", "extra_link_args", "export_symbols", "swig_opts", "depends"),
)
_LISTS_OF_TEXT = tuple(name for name in _POSITIONAL if name not in ("define_macros", "extra_compile_args"))

PathLike = Union[str, "os.PathLike[str]"]


class MUSAExtension(Extension):  # type: ignore[misc]  # setuptools is untyped
    """An extension of C++ and MUSA sources (`.mu`, `.cu`) for torch: what CUDAExtension is for CUDA.

    Takes what `setuptools.Extension` takes, and `extra_compile_args` as a list (for both compilers) or as a dictionary
    with the keys "cxx" and "mcc". "force_mcc" among the "cxx" flags sends the `.cpp` files to mcc too, with the other
    "cxx" flags and then the "mcc" ones; the argument `force_mcc` does so for the sources that match its patterns.
    "nvcc" is accepted: its flags are translated for mcc. `arch` names architectures for this extension alone, as
    TORCH_MUSA_ARCH_LIST does for all. `dlink`, `dlink_libraries` and the key "mcc_dlink" add mcc's own link step, for
    relocatable device code (compile it with -fgpu-rdc).

    Lists may be tuples or None, paths may be Path objects; what the caller passes is copied, never changed. Creating
    one needs neither an SDK nor torch: both are looked for when it is built.
    """

    def __init__(self, name: str, sources: Union[PathLike, Sequence[PathLike]], *args: Any, **kwargs: Any) -> None:
        kwargs.update(zip(_POSITIONAL, args))
        self.arch: object = kwargs.pop("arch", None)
        self.force_mcc = _force_mcc(kwargs.pop("force_mcc", None))
        self.dlink_libraries = [os.fspath(item) for item in kwargs.pop("dlink_libraries", None) or ()]
        self.dlink = bool(kwargs.pop("dlink", False)) or bool(self.dlink_libraries)
        for key in _LISTS_OF_TEXT:
            kwargs[key] = [os.fspath(item) for item in kwargs.get(key) or ()]
        kwargs["define_macros"] = [_macro(*macro) for macro in kwargs.get("define_macros") or ()]
        kwargs["extra_compile_args"] = copied(kwargs.get("extra_compile_args"))
        kwargs["language"] = kwargs.get("language") or "c++"
        listed = [sources] if isinstance(sources, (str, os.PathLike)) else sources
        super().__init__(name, [os.fspath(source) for source in listed], **kwargs)


class BuildExtension(build_ext):  # type: ignore[misc]  # as is its base
    """`build_ext` for MUSA extensions: pass it as `cmdclass={"build_ext": BuildExtension}`.

    What torch's BuildExtension can do stays: `with_options`, `use_ninja=False`, `no_python_abi_suffix`, the limited
    API, subclassing. All extensions of the project are compiled as one ninja graph, whose build.ninja and
    compile_commands.json stand in the build directory; what has not changed is neither compiled nor linked again.

    It becomes a subclass of torch's BuildExtension at the moment of building: metadata and source distributions need
    no torch, and a build whose graph still stands does not wait for its import.
    """

    extensions: list[Any]
    force: object
    parallel: object
    use_ninja: bool
    keep_going: bool = False  # whether a failure lets other files be compiled

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._session: Optional[BuildSession] = None
        self._requests: dict[str, ExtensionRequest] = {}
        super().__init__(*args, **kwargs)
        self.use_ninja = bool(kwargs.get("use_ninja", True))
        self.no_python_abi_suffix = bool(kwargs.get("no_python_abi_suffix", False))

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """A subclass with these keyword arguments, for `cmdclass`: use_ninja=False, no_python_abi_suffix=True."""

        class WithOptions(cls):  # type: ignore[misc, valid-type]
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **{**kwargs, **options})

        return WithOptions

    def get_ext_filename(self, fullname: str) -> str:
        name = super().get_ext_filename(fullname)
        parts = name.split(".")  # demo, cpython-311-x86_64-linux-gnu, so
        return ".".join([*parts[:-2], parts[-1]]) if self.no_python_abi_suffix and len(parts) > 2 else str(name)

    def finalize_options(self) -> None:
        super().finalize_options()
        if getattr(self, "editable_mode", False):
            # setuptools gives editable installs a temporary directory: every one of them would compile all again.
            self.build_temp = str(Path("build") / f"temp.{sysconfig.get_platform()}-{sys.implementation.cache_tag}")

    def run(self) -> None:
        # setuptools shows everybody's messages of level info; torch has some for the end of the process, after our own
        # last word, which should be the compiler's.
        logging.getLogger("torch").setLevel(logging.WARNING)
        with _errors_of_one_line():
            super().run()

    def build_extensions(self) -> None:
        # `build_ext -j 4` is 4, `-j` alone is True
        jobs = self.parallel if type(self.parallel) is int else None
        settings = Settings.read()
        key = self._graph_key(settings)
        if not build_again(Path(self.build_temp), key, settings, jobs):
            with _derived_from_torch(self):
                self._build_extensions(jobs, key)

    def _graph_key(self, settings: Settings) -> str:
        """What stands for everything that decides the graph; "" for a graph that has to be made each time."""
        return "" if self._is_eager or not self.use_ninja else state_key(self, settings, settings.words(CXX))

    @property
    def _is_eager(self) -> bool:
        """A project's own build_extension() may want the library as soon as ours returns."""
        return type(self).build_extension is not BuildExtension.build_extension

    def _build_extensions(self, jobs: Optional[int], key: str) -> None:
        declared, parallel, force, self._with_ninja = self.extensions, self.parallel, self.force, self.use_ninja
        requests = [_request(extension) for extension in declared]
        self._requests = {request.name: request for request in requests}
        self._session = BuildSession(requests, jobs, self.keep_going)
        # Copies, for the caller may build the same objects twice, and torch adds its flags to what it gets.
        self.extensions = [self._prepared(extension) for extension in declared]
        # torch's own ninja path and setuptools' threads would run commands; all we want is to hear about them, and of
        # all of them, whatever setuptools thinks of time stamps.
        self.use_ninja, self.force, self.parallel = False, True, None
        self.compiler.force = True
        try:
            super().build_extensions()
            self._run_plan(key)
        finally:
            self.extensions, self.parallel, self.force, self.use_ninja = declared, parallel, force, self._with_ninja

    def build_extension(self, ext: Any) -> None:
        with _errors_of_one_line():  # here too: setuptools only forgives an optional extension its own errors
            self._plan_extension(ext)
            if self._is_eager:
                self._run_plan()

    def _plan_extension(self, ext: Any) -> None:
        assert self._session is not None, "build_extensions() comes first"
        declared = self._requests[ext.name]
        ext.sources = [*ext.sources, *filter(_hidden_from_torch, declared.sources)]
        # A project's own build_extension() may have added some before it called ours.
        request = replace(declared, sources=tuple(ext.sources))
        check_sources(request)
        directory = f"{self.build_temp}/{ext.name}"
        with record(
            self.compiler,
            forced=request.forced,
            object_name=lambda source: object_path(source, directory, str(Path.cwd())),
        ) as recording:
            super().build_extension(ext)
        self._session.add(request, recording, directory)

    def _prepared(self, declared: Any) -> Any:
        """A copy of an extension as torch's BuildExtension should see it."""
        assert self._session is not None
        request = self._requests[declared.name]
        ext = copy.deepcopy(declared)
        ext.extra_compile_args = {"cxx": list(request.flags.cxx), "mcc": list(request.flags.mcc)}
        # Absolute, for compilers print and debuggers keep what -I says.
        ext.include_dirs = [str(Path(place).absolute()) for place in ext.include_dirs]
        ext.sources = [source for source in request.sources if not _hidden_from_torch(source)]
        if request.for_torch:
            needs = self._session.needs(request)
            ext.include_dirs = [*ext.include_dirs, *needs.include_dirs]
            ext.library_dirs = [*ext.library_dirs, *needs.library_dirs]
            ext.libraries = [*ext.libraries, *needs.libraries]
            ext.runtime_library_dirs = [*ext.runtime_library_dirs, *needs.run_paths]
        return ext

    def _run_plan(self, key: str = "") -> None:
        assert self._session is not None
        if self._with_ninja:
            self._session.build_with_ninja(Path(self.build_temp), key, whole=not self._is_eager)
        else:
            self._session.build_in_order()


@contextmanager
def _derived_from_torch(command: BuildExtension) -> Iterator[None]:
    """While active, `command` is of a class that also derives from torch's BuildExtension, so that `super()` in ours
    means torch's. Raises TorchNotFoundError."""
    try:
        from torch.utils.cpp_extension import BuildExtension as TorchBuildExtension
    except IMPORT_FAILURES as error:
        raise torch_not_found(error) from error
    own = type(command)
    command.__class__ = type(own.__name__, (own, TorchBuildExtension), {})
    try:
        yield
    finally:
        command.__class__ = own


def _request(extension: Any) -> ExtensionRequest:
    """An extension as a value. Raises SettingError."""
    flags = CompileFlags.parse(extension.extra_compile_args, extension.name)
    if getattr(extension, "dlink", False):
        libraries = [f"-l{library}" for library in extension.dlink_libraries]
        places = [f"-L{place}" for place in extension.library_dirs]
        flags = replace(flags, device_link=(*(flags.device_link or ()), *places, *libraries))
    return ExtensionRequest(
        name=extension.name,
        sources=tuple(map(os.fspath, extension.sources)),
        flags=flags,
        depends=tuple(map(os.fspath, extension.depends or ())),
        for_torch=isinstance(extension, MUSAExtension),
        arch=getattr(extension, "arch", None),
        force_mcc=tuple(getattr(extension, "force_mcc", ())),
        limited_api=bool(getattr(extension, "py_limited_api", False)),
        optional=bool(extension.optional),
    )


def _hidden_from_torch(source: str) -> bool:
    """torch asks for a CUDA toolkit as soon as it sees a .cu, so it sees none until it has looked."""
    return Path(source).suffix == ".cu"


def _force_mcc(given: object) -> list[str]:
    """The patterns of the argument force_mcc; True means every C++ source."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    if isinstance(given, (list, tuple)):
        return [os.fspath(pattern) for pattern in given]
    return ["*"] if given else []


def _macro(name: str, value: object = None) -> tuple[str, Optional[str]]:
    """A pair of define_macros; setuptools wants text for the value, people also write numbers."""
    return name, value if value is None else str(value)


@contextmanager
def _errors_of_one_line() -> Iterator[None]:
    """setuptools prints its own errors as a message and exits with 1; any other class would bring a traceback."""
    try:
        yield
    except MusaBuildError as error:
        raise BaseError(str(error)) from error
