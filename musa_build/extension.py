"""`MUSAExtension` and `BuildExtension`: the setuptools face, a drop-in for torch's CUDAExtension and BuildExtension.

torch's BuildExtension and setuptools decide every command; recorder.py writes them down; plan.py turns the MUSA ones into
mcc's; ninja runs all extensions of the project as one graph. No private name of torch is used.
"""

from __future__ import annotations

import copy
import difflib
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from setuptools import Extension
from setuptools.errors import BaseError

from . import files, ninja_file, process, resources, serial
from .arch import parse_arch_list
from .cxx_toolchain import CxxToolchain
from .errors import MusaBuildError, NotYetError, SettingError, SourceError, ToolNotFoundError
from .logger_util import LOGGER
from .mcc_toolchain import MccToolchain, names_arch, translate_nvcc_flags
from .plan import BuildPlan, Toolchains, join, object_path, plan_extension, raised_standards
from .recorder import language_of, record
from .sdk import MusaSdk
from .settings import ARCH, CXX, MAX_JOBS, MCC, NO_WRAPPER, VERBOSE, Settings
from .torch_info import TorchInfo, TorchMusa, musa_include_dirs, musa_library_dirs, torch_not_found

if TYPE_CHECKING:
    from setuptools.command.build_ext import build_ext as _TorchBuildExtension

    _TORCH_MISSING: Optional[ImportError] = None
else:
    try:
        from torch.utils.cpp_extension import BuildExtension as _TorchBuildExtension

        _TORCH_MISSING = None
    except ImportError as error:
        # sdist, egg_info and metadata work without torch; building says what is missing when it comes to that.
        from setuptools.command.build_ext import build_ext as _TorchBuildExtension

        _TORCH_MISSING = error

FORCE_MCC = "force_mcc"
_COMPILERS = ("cxx", "mcc")
# setuptools' own order of positional arguments after name and sources.
_POSITIONAL = (
    *("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries", "runtime_library_dirs"),
    *("extra_objects", "extra_compile_args", "extra_link_args", "export_symbols", "swig_opts", "depends"),
)
_LISTS_OF_TEXT = tuple(name for name in _POSITIONAL if name not in ("define_macros", "extra_compile_args"))


class MUSAExtension(Extension):
    """An extension of C++ and MUSA sources (`.mu`, `.cu`) for torch: what CUDAExtension is for CUDA.

    Takes what `setuptools.Extension` takes, and `extra_compile_args` as a list (for both compilers) or as a dictionary
    with the keys "cxx" and "mcc". "force_mcc" among the "cxx" flags sends the `.cpp` files to mcc too, with the other
    "cxx" flags and then the "mcc" ones. "nvcc" is accepted for "mcc": its flags are translated. `arch` names
    architectures for this extension alone, as TORCH_MUSA_ARCH_LIST does for all.

    Lists may be tuples or None, paths may be Path objects; what the caller passes is copied, never changed. Creating one
    needs neither an SDK nor torch: both are looked for when it is built.
    """

    def __init__(self, name: str, sources: Sequence[os.PathLike[str] | str], *args: Any, **kwargs: Any) -> None:
        kwargs.update(zip(_POSITIONAL, args))
        self.arch: object = kwargs.pop("arch", None)
        self.dlink: bool = bool(kwargs.pop("dlink", False) or kwargs.pop("dlink_libraries", None))
        for key in _LISTS_OF_TEXT:
            kwargs[key] = [os.fspath(item) for item in kwargs.get(key) or ()]
        kwargs["define_macros"] = [_macro(macro) for macro in kwargs.get("define_macros") or ()]
        kwargs["extra_compile_args"] = _copied_flags(kwargs.get("extra_compile_args"))
        kwargs["language"] = kwargs.get("language") or "c++"
        given = [sources] if isinstance(sources, (str, os.PathLike)) else sources
        super().__init__(name, [os.fspath(source) for source in given], **kwargs)


class BuildExtension(_TorchBuildExtension):  # type: ignore[misc]  # its base is known at run time only
    """`build_ext` for MUSA extensions: pass it as `cmdclass={"build_ext": BuildExtension}`.

    Everything torch's BuildExtension can do stays (`with_options`, `use_ninja=False`, `no_python_abi_suffix`, limited
    API, subclassing). All extensions of the project are compiled as one ninja graph, whose build.ninja and
    compile_commands.json stand in the build directory; what has not changed is neither compiled nor linked again.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._asked_for_ninja = bool(kwargs.get("use_ninja", True))
        super().__init__(*args, **kwargs)
        self._session: Optional[_Session] = None

    if _TORCH_MISSING is not None:

        @classmethod
        def with_options(cls, **options: Any) -> Any:
            """Stands in for torch's method where torch is missing, so that a setup.py can be read."""
            return cls

    def finalize_options(self) -> None:
        super().finalize_options()
        if getattr(self, "editable_mode", False):
            # setuptools gives editable installs a temporary directory: every one of them would compile all again.
            self.build_temp = str(Path("build") / f"temp.{sysconfig.get_platform()}-{sys.implementation.cache_tag}")

    def run(self) -> None:
        with _errors_of_one_line():
            if self.extensions and _TORCH_MISSING is not None:
                raise torch_not_found(_TORCH_MISSING)
            super().run()

    def build_extensions(self) -> None:
        declared, parallel = self.extensions, self.parallel
        self._session = _Session(declared, self._jobs_asked())
        # Work on copies: the caller may build the same objects twice, and torch adds its flags to what it gets.
        self.extensions = [self._session.prepared(extension) for extension in declared]
        # torch's own ninja path and setuptools' threads would run commands; all we want is to hear about them.
        self.use_ninja, self.force, self.parallel = False, True, None
        try:
            super().build_extensions()
            self._run_plan()
        finally:
            self.extensions, self.parallel, self._session = declared, parallel, None

    def build_extension(self, ext: Any) -> None:
        session = self._session
        assert session is not None, "build_extensions() comes first"
        ext.sources = session.sources_of(ext)
        directory = f"{self.build_temp}/{ext.name}"
        with record(
            self.compiler,
            force_mcc=FORCE_MCC in session.flags_of(ext)["cxx"],
            object_name=lambda source: object_path(source, directory, str(Path.cwd())),
        ) as recording:
            super().build_extension(ext)
        session.add(ext, recording, directory)
        if type(self).build_extension is not BuildExtension.build_extension:
            # A project's own build_extension() may want the library as soon as ours returns.
            self._run_plan()

    def _run_plan(self) -> None:
        session = self._session
        assert session is not None
        if self._asked_for_ninja:
            session.build_with_ninja(Path(self.build_temp))
        else:
            session.build_in_order()

    def _jobs_asked(self) -> Optional[int]:
        """The N of `build_ext -j N`; `-j` alone is True."""
        return self.parallel if type(self.parallel) is int else None


class _Session:
    """One run of build_extensions(): the facts it found, the plans it collected."""

    def __init__(self, extensions: Sequence[Any], jobs: Optional[int]) -> None:
        self._settings = Settings.read()
        self._jobs = jobs
        self._sources = {extension.name: list(extension.sources) for extension in extensions}
        self._flags = {extension.name: _normalised_flags(extension) for extension in extensions}
        if len(self._sources) < len(extensions):
            raise SettingError("two extensions have one name", found=", ".join(ext.name for ext in extensions))
        self._torch = TorchInfo.find()
        self._torch_musa = TorchMusa.find()
        self._cxx = self._find_cxx()
        self._sdk = self._find_sdk(extensions)
        self._plans: list[tuple[BuildPlan, bool]] = []

    def prepared(self, extension: Any) -> Any:
        """A copy of an extension as torch's BuildExtension should see it."""
        ext = copy.copy(extension)
        ext.extra_compile_args = {key: list(flags) for key, flags in self._flags[ext.name].items()}
        ext.extra_compile_args["cxx"] = [flag for flag in ext.extra_compile_args["cxx"] if flag != FORCE_MCC]
        # The commands run in the project's root, but compilers print and debuggers keep what -I says.
        ext.include_dirs = [str(Path(place).absolute()) for place in ext.include_dirs]
        # torch asks for a CUDA toolkit as soon as it sees a .cu.
        ext.sources = [source for source in ext.sources if not _is_musa(source)]
        if isinstance(extension, MUSAExtension):
            self._add_musa(ext)
        return ext

    def sources_of(self, extension: Any) -> list[str]:
        sources = self._sources[extension.name]
        for source in sources:
            _check_source(extension.name, source)
        return list(sources)

    def flags_of(self, extension: Any) -> dict[str, list[str]]:
        return self._flags[extension.name]

    def add(self, extension: Any, recording: Any, directory: str) -> None:
        """Plans one recorded extension."""
        for asked, used in raised_standards(recording):
            LOGGER.info("%s: -std=%s raised to -std=%s, which torch %s needs", extension.name, asked, used, self._torch.version)
        plan = plan_extension(
            extension.name,
            recording,
            Toolchains(self._cxx, self._mcc_toolchain(extension)),
            directory=directory,
            depends=extension.depends,
            optional=bool(extension.optional),
        )
        self._plans.append((plan, bool(extension.optional)))

    def build_with_ninja(self, directory: Path) -> None:
        """Builds what was planned so far. The graph holds all of it, so that ninja forgets nothing it has built."""
        plan = join([plan for plan, _ in self._plans])
        verbose = self._settings.flag(VERBOSE)
        jobs = resources.job_count(
            self._settings.value(MAX_JOBS), self._jobs, resources.usable_cores(), resources.free_memory()
        )
        ninja_file.find_ninja()
        with files.locked(directory / "build.lock"):
            file = ninja_file.write(plan, directory)
            for optional in (False, True):
                chosen = [link for part, is_optional in self._plans if is_optional is optional for link in part.links]
                targets = [link.output for link in chosen]
                if targets:
                    with _only_warn(optional):
                        ninja_file.run(plan, file, targets, jobs=jobs, verbose=verbose, keep_going=optional)
            _deliver(plan)

    def build_in_order(self) -> None:
        """Builds what was planned since the last call, without ninja."""
        for plan, optional in self._plans:
            with _only_warn(optional):
                serial.run(plan, verbose=self._settings.flag(VERBOSE))
            _deliver(plan)
        self._plans.clear()

    def _add_musa(self, ext: Any) -> None:
        """What every MUSA extension needs: headers, libraries and run paths of torch, torch_musa and the SDK."""
        assert self._sdk is not None
        if ext.dlink or "mcc_dlink" in ext.extra_compile_args:
            raise NotYetError(f"{ext.name} asks for device linking (dlink), which has not landed yet")
        ext.include_dirs = [*ext.include_dirs, *map(str, musa_include_dirs(self._torch, self._torch_musa, self._sdk))]
        ext.library_dirs = [*ext.library_dirs, *map(str, musa_library_dirs(self._torch, self._torch_musa, self._sdk))]
        ext.libraries = [*ext.libraries, *self._libraries(ext)]
        ext.runtime_library_dirs = [*ext.runtime_library_dirs, *self._run_paths(ext)]

    def _libraries(self, ext: Any) -> list[str]:
        python = [] if ext.py_limited_api else ["torch_python"]
        musa_python = ["musa_python"] if self._torch_musa and self._torch_musa.has_library else []
        own = ext.name.rpartition(".")[2]  # torch_musa itself is such an extension and must not link to itself
        names = ["c10", "torch", "torch_cpu", *python, *musa_python, "musart"]
        return [name for name in names if f"lib{name}" != own]

    def _run_paths(self, ext: Any) -> list[str]:
        """Relative ones, right once the extension is installed beside torch; wheels hold no path of this machine.

        The simulated SDK is the exception: it stands in a cache directory that no loader knows. Moore Threads' own is
        found as its installation says (LD_LIBRARY_PATH or ld.so.conf).
        """
        assert self._sdk is not None
        top = "/".join(["$ORIGIN", *[".."] * ext.name.count(".")])
        simulated = [str(self._sdk.root / "lib")] if self._sdk.simulated else []
        return [f"{top}/torch/lib", f"{top}/torch_musa/lib", *simulated]

    def _find_cxx(self) -> CxxToolchain:
        command = self._settings.words(CXX)
        if not command or process.find_program(command[0]) is None:
            raise ToolNotFoundError(
                "the C++ compiler was not found",
                found=" ".join(command),
                wanted="a C++ compiler on PATH",
                hint="install g++ (Debian, Ubuntu: apt install g++), or set CXX to one",
            )
        wrapped = Path(command[0]).name in ("ccache", "sccache")
        ccache = None if wrapped or self._settings.flag(NO_WRAPPER) else process.find_program("ccache")
        environment = self._settings.environment
        asked = " ".join(environment.get(name, "") for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS")).split()
        return CxxToolchain(command, (str(ccache),) if ccache else (), any(flag.startswith("-g") for flag in asked))

    def _find_sdk(self, extensions: Sequence[Any]) -> Optional[MusaSdk]:
        if not any(isinstance(extension, MUSAExtension) or self._uses_mcc(extension) for extension in extensions):
            return None
        sdk = MusaSdk.find(self._settings)
        if sdk.simulated:
            LOGGER.info("building for the simulator (MUSA SDK on the CPU): %s", sdk.root)
        return sdk

    def _uses_mcc(self, extension: Any) -> bool:
        return FORCE_MCC in self._flags[extension.name]["cxx"] or any(map(_is_musa, self._sources[extension.name]))

    def _mcc_toolchain(self, extension: Any) -> Optional[MccToolchain]:
        if self._sdk is None or not self._uses_mcc(extension):
            return None
        value = self._settings.value(ARCH, getattr(extension, "arch", None))
        if value.is_default and not names_arch(self._flags[extension.name]["mcc"]):
            LOGGER.info("%s: no architecture named, compiling for %s (see TORCH_MUSA_ARCH_LIST)", extension.name, value.text)
        command = self._settings.words(MCC) or (str(self._sdk.mcc),)
        return MccToolchain(command, parse_arch_list(value, self._sdk.cards))


def _normalised_flags(extension: Any) -> dict[str, list[str]]:
    """extra_compile_args as {"cxx": [...], "mcc": [...]}, whatever of the accepted shapes it has. Raises SettingError."""
    given = extension.extra_compile_args or []
    if not isinstance(given, Mapping):
        flags = _flag_list(given, extension.name, "")
        return {"cxx": flags, "mcc": [flag for flag in flags if flag != FORCE_MCC]}
    table = {key: _flag_list(value, extension.name, key) for key, value in given.items()}
    if "mcc_dlink" in table or "nvcc_dlink" in table:
        raise NotYetError(f"{extension.name} asks for device linking (mcc_dlink), which has not landed yet")
    translated, notes = translate_nvcc_flags(table.pop("nvcc", []))
    if "nvcc" in given:
        LOGGER.info("%s: the flags of nvcc are used for mcc%s", extension.name, "".join(f"\n  {note}" for note in notes))
    for key in table:
        if key not in _COMPILERS:
            near = difflib.get_close_matches(str(key), (*_COMPILERS, "nvcc"), n=1)
            raise SettingError(
                f"{extension.name}: extra_compile_args has an unknown key",
                found=str(key),
                wanted="cxx, mcc (or nvcc, whose flags are translated)",
                hint=f"did you mean {near[0]}?" if near else "",
            )
    return {"cxx": table.get("cxx", []), "mcc": [*translated, *table.get("mcc", [])]}


def _flag_list(value: object, extension: str, key: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [os.fspath(item) for item in value]
    where = f"extra_compile_args[{key!r}]" if key else "extra_compile_args"
    raise SettingError(f"{extension}: {where} is not a list", found=repr(value), wanted="a list of flags")


def _copied_flags(value: Any) -> Any:
    """A copy of extra_compile_args down to the lists, whatever its shape; its meaning is checked when it is built."""
    if isinstance(value, Mapping):
        return {key: list(flags) if isinstance(flags, (list, tuple)) else flags for key, flags in value.items()}
    return list(value) if isinstance(value, (list, tuple)) else value or []


def _macro(macro: Any) -> Any:
    """define_macros' pairs; setuptools wants text for the value, people also write numbers."""
    name, value = macro
    return name, value if value is None else str(value)


def _is_musa(source: str) -> bool:
    return Path(source).suffix.lower() in (".mu", ".muh", ".cu", ".cuh")


def _check_source(extension: str, source: str) -> None:
    path = Path(source)
    if path.suffix in (".pyx", ".i"):  # Cython and SWIG turn these into something else first
        return
    if not path.is_file():
        beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, beside, n=1)
        raise SourceError(
            f"a source of {extension} does not exist",
            found=source,
            wanted="a file, relative to the directory of setup.py",
            hint=f"did you mean {path.parent / near[0]}?" if near else "",
        )
    language_of(source)


def _deliver(plan: BuildPlan) -> None:
    """Copies finished libraries to where setuptools expects them; atomically, since a running program may have the old
    one mapped."""
    for link in plan.links:
        built, destination = Path(link.output), Path(link.destination)
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)


@contextmanager
def _only_warn(optional: bool) -> Iterator[None]:
    """`Extension(optional=True)`: a failure is reported and the build goes on."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        LOGGER.warning("an optional extension was not built: %s", error)


@contextmanager
def _errors_of_one_line() -> Iterator[None]:
    """setuptools prints its own errors as one line and exits with 1; any other class would bring a traceback."""
    try:
        yield
    except MusaBuildError as error:
        raise BaseError(str(error)) from error
