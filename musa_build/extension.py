"""`MUSAExtension` and `BuildExtension`: drop-in replacements for torch's CUDAExtension and BuildExtension.

torch's BuildExtension and setuptools decide every command. builder/recorder.py records the commands, builder/plan.py
turns the MUSA ones into mcc's, and ninja builds all extensions of the project as one graph. No private name of torch is
used. An incremental build skips all of that, and its imports.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError

from .builder.incremental import STATE_FILE, Fingerprint, try_incremental_build
from .builder.machine import Machine
from .errors import MusaBuildError, UnreadableError, UnwritableError

if TYPE_CHECKING:
    from .builder.session import BuildSession

# setuptools' own order of positional arguments after name and sources.
_POSITIONAL = (
    *("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries", "runtime_library_dirs"),
    *("extra_objects", "extra_compile_args", "extra_link_args", "export_symbols", "swig_opts", "depends"),
    *("language", "optional"),
)
_NOT_LISTS_OF_TEXT = ("define_macros", "extra_compile_args", "language", "optional")
_LISTS_OF_TEXT = tuple(name for name in _POSITIONAL if name not in _NOT_LISTS_OF_TEXT)


_PERMISSION = (errno.EACCES, errno.EPERM)
_WRITING = {
    errno.EROFS: "the file system of the build output is read-only",
    errno.ENOSPC: "no space is left for build output",
    errno.EDQUOT: "the disk quota is used up by build output",
}

PathLike = Union[str, "os.PathLike[str]"]


class MUSAExtension(Extension):  # type: ignore[misc]  # setuptools is untyped
    """An extension of C++ and MUSA sources (`.mu`, `.cu`) for torch: the counterpart of CUDAExtension.

    Lists may be tuples or None, and paths may be Path objects. Arguments are copied, never changed. Creating an
    extension needs neither an SDK nor torch: the build looks for them.

    Args:
        name: The full name of the module, such as "package._C".
        sources: The C, C++ and MUSA files, relative to setup.py.
        args: The further positional arguments of `setuptools.Extension`.
        kwargs: The keyword arguments of `setuptools.Extension`, and:
            `extra_compile_args`, a list for both compilers, or a dictionary with the keys "cxx" and "mcc". The flags
            of the key "nvcc" are translated for mcc. The word "force_mcc" among the "cxx" flags compiles the `.cpp`
            files with mcc too, with the other "cxx" flags and then the "mcc" ones.
            `force_mcc`, patterns of the C++ sources to compile with mcc, or True for all of them.
            `arch`, the architectures of this extension alone, in the format of TORCH_MUSA_ARCH_LIST.
            `dlink`, `dlink_libraries` and the key "mcc_dlink" of `extra_compile_args` add mcc's device link step,
            for relocatable device code (compiled with -fgpu-rdc).
    """

    def __init__(self, name: str, sources: Union[PathLike, Sequence[PathLike]], *args: Any, **kwargs: Any) -> None:
        kwargs = {**_positional_as_keywords(args, kwargs), **kwargs}
        self.arch: object = kwargs.pop("arch", None)
        self.force_mcc = _force_mcc(kwargs.pop("force_mcc", None))
        self.dlink_libraries = [os.fspath(item) for item in kwargs.pop("dlink_libraries", None) or ()]
        self.dlink = bool(kwargs.pop("dlink", False)) or bool(self.dlink_libraries)
        # Reported at build time: raising here would show a traceback.
        self.invalid_lists = [key for key in _LISTS_OF_TEXT if isinstance(kwargs.get(key), (str, os.PathLike))]
        for key in _LISTS_OF_TEXT:
            value: Any = kwargs.get(key) or ()
            kwargs[key] = [os.fspath(item) for item in ([value] if key in self.invalid_lists else value)]
        macros = kwargs.get("define_macros") or ()
        kwargs["define_macros"] = [_macro(macro) for macro in ([macros] if isinstance(macros, str) else macros)]
        kwargs["extra_compile_args"] = _copy_of_flags(kwargs.get("extra_compile_args"))
        kwargs["language"] = kwargs.get("language") or "c++"
        source_list = [sources] if isinstance(sources, (str, os.PathLike)) else sources
        super().__init__(name, [os.fspath(source) for source in source_list], **kwargs)


class BuildExtension(build_ext):  # type: ignore[misc]  # so is torch's build_ext
    """The command `build_ext` for MUSA extensions: pass it as `cmdclass={"build_ext": BuildExtension}`.

    It supports what torch's BuildExtension does: `with_options`, `use_ninja=False`, `no_python_abi_suffix`, the limited
    API, subclassing. All extensions of the project are one ninja graph. Its build.ninja and compile_commands.json are
    in the build directory. A second build compiles and links only what changed.

    The class derives from torch's BuildExtension only while it builds. So metadata and source distributions need no
    torch, and a build with an up-to-date graph does not import it.

    Args:
        args: The distribution, as setuptools passes it.
        kwargs: `use_ninja` (True): whether ninja runs the graph, or Python one step at a time.
            `no_python_abi_suffix` (False): whether the library's name has no tag of Python's ABI.
    """

    # setuptools looks options up by this name. With that of the class it would ignore [build_ext] of setup.cfg where it
    # creates the command a second time, as for editable installs.
    command_name = "build_ext"
    extensions: list[Any]
    build_lib: str
    build_temp: str
    force: object
    parallel: object
    use_ninja: bool
    keep_going: bool = False  # compile the other files after a failure

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._session: Optional[BuildSession] = None
        super().__init__(*args, **kwargs)
        self.use_ninja = bool(kwargs.get("use_ninja", True))
        self.no_python_abi_suffix = bool(kwargs.get("no_python_abi_suffix", False))

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """Return a subclass that is made with these keyword arguments.

        Args:
            options: `use_ninja=False`, `no_python_abi_suffix=True`: those of the constructor.
        """

        class WithOptions(cls):  # type: ignore[misc, valid-type]  # a base known at run time
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **{**kwargs, **options})

        return WithOptions

    def get_ext_filename(self, fullname: str) -> str:
        name = super().get_ext_filename(fullname)
        parts = name.split(".")  # demo, cpython-311-x86_64-linux-gnu, so
        return ".".join([*parts[:-2], parts[-1]]) if self.no_python_abi_suffix and len(parts) > 2 else str(name)

    def finalize_options(self) -> None:
        configured = self.build_temp
        super().finalize_options()
        if getattr(self, "editable_mode", False):
            # setuptools uses a new temporary directory for each editable install: each would compile everything.
            self.build_temp = configured or self._persistent_build_temp()

    def _persistent_build_temp(self) -> str:
        """Return build_temp as other builds than editable ones have it: [build] build_temp, else below build_base."""
        build = type(self.get_finalized_command("build"))(self.distribution)
        for option, (_, value) in self.distribution.get_option_dict("build").items():
            setattr(build, option, value)
        build.build_base = self.get_finalized_command("build").build_base
        build.ensure_finalized()
        return str(build.build_temp)

    def run(self) -> None:
        # setuptools shows all messages of level info. torch logs some when the process ends, below the compiler's
        # errors, which should come last.
        logging.getLogger("torch").setLevel(logging.WARNING)
        self._use_own_bdist_dir()
        with _errors_for_setuptools():
            super().run()

    def _use_own_bdist_dir(self) -> None:
        """Pack the wheel in a directory of this process.

        setuptools packs in build/bdist.*/wheel and then deletes it. Of two concurrent builds in one tree, one would
        delete the files that the other packs, and make an empty wheel.
        """
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if getattr(wheel, "bdist_dir", None):
            wheel.bdist_dir = f"{wheel.bdist_dir}-{os.getpid()}"

    def build_extensions(self) -> None:
        # `build_ext -j 4` gives 4, `-j` alone gives True
        jobs = self.parallel if type(self.parallel) is int else None
        machine = Machine.read()
        taken, directory = self._fingerprint(machine), Path(self.build_temp)
        fingerprint = taken if isinstance(taken, Fingerprint) else None
        key = fingerprint.key if fingerprint else ""
        if not try_incremental_build(directory, key, machine, jobs, self.keep_going):
            from .builder.reasons import log_planning
            from .builder.recorder import derived_from_torch
            from .builder.session import BuildSession

            log_planning(directory / STATE_FILE, taken.facts if isinstance(taken, Fingerprint) else taken)
            with derived_from_torch(self):
                for_torch = [isinstance(extension, MUSAExtension) for extension in self.extensions]
                self._session = BuildSession(machine, self.extensions, for_torch, jobs, self.keep_going)
                self._build_extensions(self._session, fingerprint)

    def _fingerprint(self, machine: Machine) -> Union[Fingerprint, str]:
        """Return everything that decides the graph; if the graph must be planned anyway, say why."""
        if self.force:
            return "--force"
        if self._builds_one_by_one or not self.use_ninja:
            return "the project overrides build_extension()" if self.use_ninja else "use_ninja=False"
        return Fingerprint.take(self, machine)

    @property
    def _builds_one_by_one(self) -> bool:
        """Whether the project overrides build_extension(): it may need the library as soon as ours returns."""
        return type(self).build_extension is not BuildExtension.build_extension

    def _build_extensions(self, session: BuildSession, fingerprint: Optional[Fingerprint]) -> None:
        declared, parallel, force, self._with_ninja = self.extensions, self.parallel, self.force, self.use_ninja
        self._forced = bool(force)
        self.extensions = [session.extension_for_torch(extension) for extension in declared]
        # torch's ninja backend and setuptools' threads would run commands; here they are only recorded. And all of them
        # are needed, also for files that setuptools considers up to date.
        self.use_ninja, self.force, self.parallel = False, True, None
        self.compiler.force = True
        try:
            super().build_extensions()
            self._run_plan(fingerprint)
        finally:
            self.extensions, self.parallel, self.force, self.use_ninja = declared, parallel, force, self._with_ninja

    def build_extension(self, ext: Any) -> None:
        assert self._session is not None, "build_extensions() comes first"
        try:
            with _errors_for_setuptools():  # here too: for optional extensions setuptools catches its own errors only
                self._session.record(ext, self.compiler, self.build_temp, super().build_extension)
                if self._builds_one_by_one:
                    self._run_plan()
        except BaseError:
            if ext.optional:  # remove the library of an earlier build
                Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            raise

    def copy_extensions_to_source(self) -> None:
        super().copy_extensions_to_source()
        for ext in self.extensions:
            built = Path(self.build_lib, self.get_ext_filename(self.get_ext_fullname(ext.name)))
            if ext.optional and not built.exists():  # it failed: remove the library of an earlier build
                Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)

    def _run_plan(self, fingerprint: Optional[Fingerprint] = None) -> None:
        assert self._session is not None
        if self._with_ninja:
            complete = not self._builds_one_by_one
            self._session.build_with_ninja(Path(self.build_temp), fingerprint, complete=complete, force=self._forced)
        else:
            self._session.build_in_order()


def _positional_as_keywords(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return positional arguments by name.

    Raises:
        TypeError: Too many arguments, or one that is given twice, as for a Python function.
    """
    if len(args) > len(_POSITIONAL):
        most, count = len(_POSITIONAL) + 2, len(args) + 2
        raise TypeError(f"MUSAExtension() takes at most {most} positional arguments, but {count} were given")
    named = dict(zip(_POSITIONAL, args))
    for name in named:
        if name in kwargs:
            raise TypeError(f"MUSAExtension() got multiple values for argument {name!r}")
    return named


def _copy_of_flags(flags: object) -> object:
    """Copy extra_compile_args with its lists: extensions do not share them with each other or with the caller."""
    if isinstance(flags, Mapping):
        return {key: list(value) if isinstance(value, (list, tuple)) else value for key, value in flags.items()}
    return list(flags) if isinstance(flags, (list, tuple)) else flags or []


def _force_mcc(patterns: object) -> list[str]:
    """Return the patterns of the argument force_mcc; True matches every C++ source."""
    if isinstance(patterns, (str, os.PathLike)):
        return [os.fspath(patterns)]
    if isinstance(patterns, (list, tuple)):
        return [os.fspath(pattern) for pattern in patterns]
    return ["*"] if patterns else []


def _macro(macro: Any) -> Any:
    """Return an entry of define_macros as setuptools expects it: a number in a pair becomes text.

    A tuple of a name alone undefines the macro. The build reports anything else.
    """
    if isinstance(macro, (tuple, list)) and len(macro) == 2 and macro[1] is not None:
        return macro[0], str(macro[1])
    return tuple(macro) if isinstance(macro, list) else macro


@contextmanager
def _errors_for_setuptools() -> Iterator[None]:
    """Raise our errors as setuptools' own, which it prints as one message. Others would show a traceback."""
    try:
        yield
    except MusaBuildError as error:
        raise BaseError(error.block) from error
    except OSError as error:
        refused = refused_access(error)
        if refused is None:
            raise
        raise BaseError(refused.block) from error


def refused_access(error: OSError) -> Optional[MusaBuildError]:
    """Return an error with a hint for a denied access to a file; None for any other `error`."""
    if error.errno not in (*_PERMISSION, *_WRITING):
        return None
    path = Path(os.fsdecode(error.filename)) if isinstance(error.filename, (str, bytes)) else None
    found = f"{error.strerror}: {path}" if path else str(error)
    if error.errno in _PERMISSION and path is not None and _cannot_be_read(path):
        return UnreadableError(
            "permission denied while reading",
            found=found,
            wanted="a file that the current user can read",
            hint="change its owner or its mode (chmod)",
        )
    return UnwritableError(
        _WRITING.get(error.errno or 0, "permission denied while writing build output"),
        found=found,
        wanted="a writable directory",
        hint="choose others with `build_ext --build-temp DIR --build-lib DIR`; sources may be read-only",
    )


def _cannot_be_read(path: Path) -> bool:
    """Return whether the path, or the nearest existing directory above it, is not readable."""
    nearest = next((folder for folder in (path, *path.parents) if os.path.lexists(folder)), path)
    needed = os.R_OK | os.X_OK if nearest.is_dir() else os.R_OK
    return not os.access(nearest, needed)
