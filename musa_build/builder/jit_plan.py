"""Plan one extension without setuptools, for `load()`, and make the key of its build directory. This module is pure."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..errors import SettingError
from ..mcc_toolchain import default_optimisation
from ..system import files
from ..toolchain.compile_flags import CompileFlags, flag_list
from ..toolchain.compilers import Language, language_of, split_standard
from .plan import BuildPlan, Toolchains, object_path, plan_extension
from .recorder import RecordedCompile, RecordedLink, Recording, forced_flags
from .spec import ExtensionRequirements, ExtensionSpec, extension_requirements

if TYPE_CHECKING:
    from .context import BuildContext

_PYTHON_LIBRARIES = ("torch_python", "musa_python")
_DEVICE_LIBRARY = "torch_musa"


@dataclass(frozen=True)
class JitJob:
    """One call of load(). A `standalone` job builds a program, which is not linked to torch_python."""

    spec: ExtensionSpec
    link_flags: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    standalone: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        sources: tuple[str, ...],
        flags: Mapping[str, object],
        link_flags: object,
        include_dirs: object,
        *,
        standalone: bool,
        mcc_version: str = "",
    ) -> JitJob:
        """Check the arguments of load(); `sources` are absolute paths. Raises SettingError."""
        if not name.isidentifier():
            raise SettingError("load() needs a name that Python can import", found=repr(name), wanted="an identifier")
        spec = ExtensionSpec(name=name, sources=sources, flags=CompileFlags.parse(flags, name, sources, mcc_version))
        directories = flag_list(include_dirs, f"{name}: extra_include_paths")
        return cls(
            spec,
            flag_list(link_flags, f"{name}: extra_ldflags"),
            tuple(str(Path(directory.strip()).absolute()) for directory in directories),
            standalone,
        )

    @property
    def file_name(self) -> str:
        return self.spec.name if self.standalone else f"{self.spec.name}.so"


def plan_job(job: JitJob, context: BuildContext, toolchains: Toolchains, directory: str) -> BuildPlan:
    """Return the plan of one job below `directory`, with the flags that setuptools would choose for a setup.py."""
    spec = job.spec
    found = (context.torch, context.torch_musa, context.machine.sdk)
    requirements = extension_requirements(spec.name, *found, limited_api=spec.limited_api)
    compiles = [
        _compile(job, context, requirements, source, object_path(source, directory, "/")) for source in spec.sources
    ]
    output = f"{directory}/{spec.name}.{'out' if job.standalone else 'so'}"
    command = (
        *(*context.cxx.command, *([] if job.standalone else ["-shared"]), *(compile.output for compile in compiles)),
        *(f"-L{directory}" for directory in requirements.library_dirs),
        *(f"-Wl,-rpath,{directory}" for directory in requirements.library_dirs),
        *_library_flags(requirements.libraries, job.standalone),
        *(*job.link_flags, "-o", output),
    )
    recording = Recording(compiles, [RecordedLink(command, output)])
    return plan_extension(spec.name, recording, toolchains, directory=directory)


def job_key(job: JitJob, context: BuildContext, toolchains: Toolchains) -> str:
    """Return the key of a job: a digest of its commands, and of the versions that do not appear in them.

    The build directory has this name, so changed flags never meet old objects. If a fact that decides the objects is
    missing here, `load` delivers a stale library. Add it, with a case in tests/build/test_jit.py.
    """
    commands = repr(plan_job(job, context, toolchains, "."))
    sdk_version = context.sdk.version if context.sdk else ""
    return files.digest(context.torch.version, sys.version, sdk_version, commands)[:16]


def _library_flags(libraries: Sequence[str], standalone: bool) -> list[str]:
    """Return the -l flags. A program names no symbol of torch_musa, so linkers would drop it, and with it the device.

    The program also links the libraries that torch_musa needs: the loader then searches the program's run paths first.
    """
    names = [name for name in libraries if not (standalone and name in _PYTHON_LIBRARIES)]
    flags = [f"-l{name}" for name in names]
    if not (standalone and _DEVICE_LIBRARY in names):
        return flags
    return ["-Wl,--push-state,--no-as-needed", *flags, "-Wl,--pop-state"]


def _compile(
    job: JitJob, context: BuildContext, requirements: ExtensionRequirements, source: str, output: str
) -> RecordedCompile:
    language = language_of(source)
    flags = job.spec.flags
    chosen: Sequence[str]
    if language is Language.CXX and job.spec.forced(source):
        language = Language.MUSA
        chosen = forced_flags(flags.cxx, flags.mcc)
    else:
        chosen = flags.mcc if language is Language.MUSA else flags.cxx
    standard, others = split_standard(chosen)
    python = sysconfig.get_path("include")
    include_dirs: tuple[Optional[str], ...] = (*job.include_dirs, *requirements.include_dirs, python)
    abi = (f"-D{definition}" for definition in context.torch.definitions)
    defines = (f"-DTORCH_EXTENSION_NAME={job.spec.name}", "-DTORCH_API_INCLUDE_EXTENSION_H", *abi)
    return RecordedCompile(
        source=source,
        output=output,
        language=language,
        head=("cc", "-fPIC", *default_optimisation(others)),
        preprocessor=(*defines, *(f"-I{directory}" for directory in include_dirs), "-c"),
        flags=others,
        requested_standard=standard,
        torch_standard=context.torch.cxx_floor,
    )
