"""`MUSAExtension` and `BuildExtension`: the setuptools face, a drop-in for torch's CUDAExtension and BuildExtension.

torch's BuildExtension and setuptools decide every command; builder/recorder.py records the commands; builder/plan.py
turns the MUSA ones into mcc's; ninja runs all extensions of the project as one graph. No private name of torch is used.
An incremental build skips all that, and its imports.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError

from .builder.fingerprint import Fingerprint
from .builder.incremental import try_incremental_build
from .builder.machine import Machine
from .errors import MusaBuildError
from .system.os_errors import refused_access

if TYPE_CHECKING:
    from .builder.session import BuildSession

# setuptools' own order of positional arguments after name and sources.
_POSITIONAL = (
    *("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries", "runtime_library_dirs"),
    *("extra_objects", "extra_compile_args", "extra_link_args", "export_symbols", "swig_opts", "depends"),
    *("language", "optional"),
)
_OTHER_KINDS = ("define_macros", "extra_compile_args", "language", "optional")
_LISTS_OF_TEXT = tuple(name for name in _POSITIONAL if name not in _OTHER_KINDS)

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
        kwargs = {**_named(args, kwargs), **kwargs}
        self.arch: object = kwargs.pop("arch", None)
        self.force_mcc = _force_mcc(kwargs.pop("force_mcc", None))
        self.dlink_libraries = [os.fspath(item) for item in kwargs.pop("dlink_libraries", None) or ()]
        self.dlink = bool(kwargs.pop("dlink", False)) or bool(self.dlink_libraries)
        # Reported at build time: raising here would show a traceback.
        self.invalid_lists = [key for key in _LISTS_OF_TEXT if isinstance(kwargs.get(key), (str, os.PathLike))]
        for key in _LISTS_OF_TEXT:
            given: Any = kwargs.get(key) or ()
            kwargs[key] = [os.fspath(item) for item in ([given] if key in self.invalid_lists else given)]
        macros = kwargs.get("define_macros") or ()
        kwargs["define_macros"] = [_macro(macro) for macro in ([macros] if isinstance(macros, str) else macros)]
        kwargs["extra_compile_args"] = _copied(kwargs.get("extra_compile_args"))
        kwargs["language"] = kwargs.get("language") or "c++"
        listed = [sources] if isinstance(sources, (str, os.PathLike)) else sources
        super().__init__(name, [os.fspath(source) for source in listed], **kwargs)


class BuildExtension(build_ext):  # type: ignore[misc]  # so is torch's build_ext
    """`build_ext` for MUSA extensions: pass it as `cmdclass={"build_ext": BuildExtension}`.

    What torch's BuildExtension can do stays: `with_options`, `use_ninja=False`, `no_python_abi_suffix`, the limited
    API, subclassing. All extensions of the project are compiled as one ninja graph, whose build.ninja and
    compile_commands.json stand in the build directory; what has not changed is neither compiled nor linked again.

    It becomes a subclass of torch's BuildExtension at the moment of building: metadata and source distributions need
    no torch, and a build whose graph still stands does not wait for its import.
    """

    # setuptools looks options up by this name, else by that of the class: [build_ext] of setup.cfg would be forgotten
    # where it starts a command over, as for editable installs.
    command_name = "build_ext"
    extensions: list[Any]
    build_lib: str
    build_temp: str
    force: object
    parallel: object
    use_ninja: bool
    keep_going: bool = False  # whether a failure lets other files be compiled

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._session: Optional[BuildSession] = None
        super().__init__(*args, **kwargs)
        self.use_ninja = bool(kwargs.get("use_ninja", True))
        self.no_python_abi_suffix = bool(kwargs.get("no_python_abi_suffix", False))

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """A subclass with these keyword arguments, for `cmdclass`: use_ninja=False, no_python_abi_suffix=True."""

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
            # setuptools gives editable installs a temporary directory: every one of them would compile all again.
            self.build_temp = configured or self._lasting_build_temp()

    def _lasting_build_temp(self) -> str:
        """Where other builds than editable ones keep objects: [build] build_temp, else what setuptools makes of
        build_base."""
        build = type(self.get_finalized_command("build"))(self.distribution)
        for option, (_, value) in self.distribution.get_option_dict("build").items():
            setattr(build, option, value)
        build.build_base = self.get_finalized_command("build").build_base
        build.ensure_finalized()
        return str(build.build_temp)

    def run(self) -> None:
        # setuptools shows everybody's messages of level info; torch has some for the end of the process, after our own
        # last word, which should be the compiler's.
        logging.getLogger("torch").setLevel(logging.WARNING)
        self._keep_wheels_apart()
        with _errors_of_one_line():
            super().run()

    def _keep_wheels_apart(self) -> None:
        """A wheel is packed in build/bdist.*/wheel, which is deleted then. Of two pips at once over one tree, one would
        delete what the other packs, whose wheel would be empty."""
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if getattr(wheel, "bdist_dir", None):
            wheel.bdist_dir = f"{wheel.bdist_dir}-{os.getpid()}"

    def build_extensions(self) -> None:
        # `build_ext -j 4` is 4, `-j` alone is True
        jobs = self.parallel if type(self.parallel) is int else None
        machine = Machine.read()
        key = self._graph_key(machine)
        if not try_incremental_build(Path(self.build_temp), key, machine, jobs, self.keep_going):
            from .builder.recorder import derived_from_torch
            from .builder.session import BuildSession

            with derived_from_torch(self):
                for_torch = [isinstance(extension, MUSAExtension) for extension in self.extensions]
                self._session = BuildSession(machine, self.extensions, for_torch, jobs, self.keep_going)
                self._build_extensions(self._session, key)

    def _graph_key(self, machine: Machine) -> str:
        """Return what stands for everything that decides the graph; "" for a graph that is planned in each build."""
        if self.force or self._is_eager or not self.use_ninja:
            return ""
        fingerprint = Fingerprint.take(self, machine)
        return fingerprint.key if fingerprint else ""

    @property
    def _is_eager(self) -> bool:
        """A project's own build_extension() may want the library as soon as ours returns."""
        return type(self).build_extension is not BuildExtension.build_extension

    def _build_extensions(self, session: BuildSession, key: str) -> None:
        declared, parallel, force, self._with_ninja = self.extensions, self.parallel, self.force, self.use_ninja
        self._forced = bool(force)
        self.extensions = [session.prepared(extension) for extension in declared]
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
        assert self._session is not None, "build_extensions() comes first"
        try:
            with _errors_of_one_line():  # here too: setuptools only forgives an optional extension its own errors
                self._session.record(ext, self.compiler, self.build_temp, super().build_extension)
                if self._is_eager:
                    self._run_plan()
        except BaseError:
            if ext.optional:  # what an earlier build made of it must not be taken for the new one
                Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            raise

    def copy_extensions_to_source(self) -> None:
        super().copy_extensions_to_source()
        for ext in self.extensions:
            built = Path(self.build_lib, self.get_ext_filename(self.get_ext_fullname(ext.name)))
            if ext.optional and not built.exists():  # it fails now: an earlier build's is not left in its place
                Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)

    def _run_plan(self, key: str = "") -> None:
        assert self._session is not None
        if self._with_ninja:
            whole = not self._is_eager
            self._session.build_with_ninja(Path(self.build_temp), key, whole=whole, force=self._forced)
        else:
            self._session.build_in_order()


def _named(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Positional arguments by their names. Raises TypeError where Python itself would."""
    if len(args) > len(_POSITIONAL):
        most, given = len(_POSITIONAL) + 2, len(args) + 2
        raise TypeError(f"MUSAExtension() takes at most {most} positional arguments, but {given} were given")
    named = dict(zip(_POSITIONAL, args))
    for name in named:
        if name in kwargs:
            raise TypeError(f"MUSAExtension() got multiple values for argument {name!r}")
    return named


def _copied(given: object) -> object:
    """A copy of extra_compile_args down to its lists: what a caller passed is never changed, nor shared between
    extensions. Its meaning is checked when it is built."""
    if isinstance(given, Mapping):
        return {key: list(flags) if isinstance(flags, (list, tuple)) else flags for key, flags in given.items()}
    return list(given) if isinstance(given, (list, tuple)) else given or []


def _force_mcc(given: object) -> list[str]:
    """The patterns of the argument force_mcc; True means every C++ source."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    if isinstance(given, (list, tuple)):
        return [os.fspath(pattern) for pattern in given]
    return ["*"] if given else []


def _macro(given: Any) -> Any:
    """An entry of define_macros. setuptools wants text for the value of a pair, people also write numbers. A tuple of a
    name alone undefines. Anything else is refused when it is built."""
    if isinstance(given, (tuple, list)) and len(given) == 2 and given[1] is not None:
        return given[0], str(given[1])
    return tuple(given) if isinstance(given, list) else given


@contextmanager
def _errors_of_one_line() -> Iterator[None]:
    """setuptools prints its own errors as a message and exits with 1; any other class would bring a traceback."""
    try:
        yield
    except MusaBuildError as error:
        raise BaseError(str(error)) from error
    except OSError as error:
        refused = refused_access(error)
        if refused is None:
            raise
        raise BaseError(str(refused)) from error
