"""Build torch_musa for the simulated MUSA SDK. All declarative settings are in pyproject.toml."""

# The environment must be set before torch is imported.
# ruff: noqa: E402

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.errors import SetupError

HERE = Path(__file__).resolve().parent
CSRC = Path("torch_musa", "csrc")
# An older build of this very package may be installed and broken; it must not be imported along with torch.
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
# This package exists for the simulator only; still, an SDK that the user chose is not silently passed over.
if not (os.environ.get("MUSA_HOME") or os.environ.get("MUSA_PATH")):
    os.environ.setdefault("MUSA_BUILD_SIMULATOR", "1")

import torch
import torch.distributed
from torch.utils.cpp_extension import include_paths

import musa_build
from musa_build import BuildExtension, MUSAExtension
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings
from musa_build.environment.torch_info import TorchInfo
from musa_build.porting.pytorch.headers import port_torch_headers, torch_include
from musa_build.system.files import write_if_changed
from musa_build.system.switch import is_on
from musa_sim.mcc.clang import cpu

PORTED = "generated_cuda_compatible"
# A header that Moore Threads' torch_musa has written anew and this one has not: PyTorch's will do.
LACKING = ("ATen/cuda/CUDADataType.h",)
LIBRARY = "torch_musa.lib.libtorch_musa"
"""The device, its kernels and its fallback, for C++ programs as for Python: it names no symbol of Python."""
SDK_LIBRARIES = ["mublas", "mublasLt", "mccl", "musolver", "musparse"]
"""The SDK's libraries that it needs besides the runtime."""
MODULE = "torch_musa.lib.libmusa_python"
"""The module torch_musa._MUSAC; linked to the first."""
KERNELS = "torch_musa.lib.libmusa_kernels"
"""The kernel library; linked to the first. It takes minutes to compile, so it is built only where MUSA_KERNELS=1."""
MUDNN = "torch_musa.lib.libmusa_mudnn"
"""The library that calls muDNN for products, convolutions and softmax; built only where USE_MUDNN=1."""
MUDNN_SOURCES = CSRC / "aten" / "mudnn" / "library"
OPS = CSRC / "aten" / "ops"
"""The sources of the kernel library, and musa_functions.yaml: a new file in it, or in its folder musa, is compiled."""
TORCH_CPU = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
VENDOR_DISTRIBUTION = "torch_musa"
OLDEST_TORCH = (2, 5)
OLDEST_TORCH_FOR_KERNELS = (2, 8)
TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])


def _is_on(name: str) -> bool:
    try:
        return is_on(os.environ.get(name, ""))
    except ValueError as error:
        sys.exit(f"error: {name} is a switch: {error}")


DEBUG = _is_on("DEBUG")
"""As in PyTorch's own build: no optimisation, and debug information."""
ASAN = ["-fsanitize=address"] if _is_on("USE_ASAN") else []
"""As in PyTorch's own build: AddressSanitizer. Python then needs LD_PRELOAD="$(g++ -print-file-name=libasan.so)"."""
CXX_FLAGS = [*(["-O0", "-g"] if DEBUG else ["-O2", "-g0"]), *ASAN]
KERNELS_CPU = os.environ.get("MUSA_KERNELS_CPU") or (cpu.V4 if cpu.has_v4() else cpu.of_this_machine())
"""The CPU that the kernel library is compiled for, as in -march: this machine's by default."""
MCC_FLAGS = [*(["-O0", "-g"] if DEBUG else ["-O3"]), f"-march={KERNELS_CPU}", *ASAN]
NO_UNDEFINED = ["-Wl,--no-undefined"]
STRIPPED = [] if DEBUG or ASAN else ["-Wl,--strip-all"]
"""The names of thousands of kernels' host functions, which nothing asks for, are a seventh of the kernel library."""


def version() -> str:
    """Return the version: the one that a source distribution was given, in a checkout musa_build's."""
    given = HERE / "PKG-INFO"
    if given.is_file():
        return str(importlib.metadata.PathDistribution(given.parent).version)
    return musa_build.__version__


def require_torch(who: str, oldest: tuple[int, int]) -> None:
    """End the build if PyTorch is older than `who` needs: before pip reads the requirements, and replaces PyTorch."""
    if oldest > TORCH:
        sys.exit("error: {} needs PyTorch {}.{} or newer, but finds {}".format(who, *oldest, torch.__version__))


def refuse_beside_vendor() -> None:
    """Raise SetupError if Moore Threads' torch_musa is installed: both packages have the same name."""
    try:
        version = importlib.metadata.version(VENDOR_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return
    raise SetupError(
        f"Moore Threads' torch_musa {version} is installed here and owns the package 'torch_musa'. "
        "Use another environment for the simulator, or first run: pip uninstall torch_musa"
    )


def require_simulated_sdk() -> None:
    """Raise SetupError if the MUSA SDK in use is a real one: there Moore Threads' torch_musa is the right package."""
    sdk = MusaSdk.find(Settings.read())
    if not sdk.simulated:
        raise SetupError(
            f"torch-musa-sim is for the simulated MUSA SDK only, but the SDK in use is {sdk.root}. "
            'Unset MUSA_HOME, or set it to the simulated one: export MUSA_HOME="$(python -m musa_sim root)"'
        )


def joined(sources: list[str], folder: Path) -> list[str]:
    """Write a source per folder of csrc/ that includes all of `sources` there; return these.

    Nearly all of a source's time goes into PyTorch's headers, which a joined source reads once.
    """
    groups: dict[str, list[str]] = {}
    for source in sources:
        groups.setdefault(Path(source).relative_to(CSRC).parts[0], []).append(source)
    folder.mkdir(parents=True, exist_ok=True)
    for name, members in groups.items():
        text = "".join(f'#include "{member}"\n' for member in members)
        write_if_changed(folder / f"{name}.cpp", text)
    return [str(folder / f"{name}.cpp") for name in groups]


class BuildBackend(BuildExtension):
    """Build the libraries and, beside them, the ported torch headers and the package for CMake."""

    def run(self) -> None:
        """Build, port torch's headers, and write the package for CMake."""
        refuse_beside_vendor()
        require_simulated_sdk()
        ported = Path(self.build_temp) / PORTED
        port_torch_headers(torch_include(), ported, lacking=LACKING)
        for built in self.extensions:
            if built is kernels:
                self.generate_registrations(ported.absolute())
            else:
                built.sources = joined(built.sources, Path(self.build_temp) / "joined" / built.name)
        try:
            super().run()
        except Exception:
            self.check_kernels()  # says which entry an undefined function belongs to, if that is the reason
            raise
        self.check_kernels()
        self.remove_what_is_not_built()
        share = Path(self.get_ext_fullpath(LIBRARY)).parents[1] / "share"
        shutil.rmtree(share, ignore_errors=True)  # files of an earlier build
        # The manifest of the porting stays behind: no one ports into an installed package.
        shutil.copytree(ported, share / PORTED, ignore=shutil.ignore_patterns(".*"))
        write_cmake_package(share / "cmake" / "TorchMusa")
        linked = [name for built in self.extensions for name in built.libraries]
        write_build_facts(Path(self.get_ext_fullpath(LIBRARY)).with_name("built_with.json"), linked)

    def remove_what_is_not_built(self) -> None:
        """Remove the libraries of an earlier build that this one leaves out: they would be installed, too."""
        for name in {KERNELS, MUDNN}.difference(built.name for built in self.extensions):
            Path(self.get_ext_fullpath(name)).unlink(missing_ok=True)

    def check_kernels(self) -> None:
        """Hold the compiled kernel library against musa_functions.yaml. Raises SetupError if they do not fit."""
        objects = sorted((Path(self.build_temp) / KERNELS).rglob("*.o"))
        made = {found.name: found.stat().st_mtime for found in objects}
        sources = [HERE / source for source in kernels.sources]
        if kernels not in self.extensions or any(
            made.get(f"{source.name}.o", 0) < source.stat().st_mtime for source in sources
        ):
            return  # it is not built, or a source did not compile: then an older object may be there
        from musa_codegen.__main__ import check_objects
        from musa_codegen.errors import FunctionsError

        try:
            check_objects(HERE / OPS / "musa_functions.yaml", sources, objects, TORCH_CPU)
        except FunctionsError as error:
            raise SetupError(str(error)) from None

    def generate_registrations(self, ported: Path) -> None:
        """Write what musa_functions.yaml says, and compile the kernel library with it and the ported headers.

        Raises SetupError if the file has mistakes; the message has their lines.
        """
        sys.path.insert(0, str(HERE / "codegen"))
        from musa_codegen.__main__ import generate
        from musa_codegen.errors import FunctionsError

        generated = Path(self.build_temp).absolute() / "generated"
        try:
            generate(HERE / OPS / "musa_functions.yaml", generated)
        except FunctionsError as error:
            raise SetupError(str(error)) from None
        kernels.sources += sorted(str(path) for path in generated.glob("*.cpp"))
        folders = ("include", "include/torch/csrc/api/include", "aten/src")
        kernels.include_dirs[:0] = [str(generated), *(str(ported / folder) for folder in folders)]

    def build_extensions(self) -> None:
        """Build the library first, and link the others with it."""
        # As an input of the module's link step, by the path that ninja makes it under, the library is linked first.
        for linked in (module, kernels, mudnn):
            linked.extra_objects = [f"{self.build_temp}/{LIBRARY}/libtorch_musa.so"]
        super().build_extensions()


def write_cmake_package(folder: Path) -> None:
    """Write the files of find_package(TorchMusa), with the versions and paths of this build."""
    torch_info = TorchInfo.find()
    facts = {
        "TORCH_VERSION": "{}.{}".format(*TORCH),
        "CXX_STANDARD": torch_info.cxx_floor.replace("c++", ""),
        "SDK": MusaSdk.find(Settings.read()).root.as_posix(),
        "LIBRARIES": " ".join(SDK_LIBRARIES),
    }
    text = (HERE / "cmake" / "TorchMusaConfig.cmake.in").read_text(encoding="utf-8")
    for name, value in facts.items():
        text = text.replace(f"@{name}@", value)
    folder.mkdir(parents=True)
    (folder / "TorchMusaConfig.cmake").write_text(text, encoding="utf-8")


def write_build_facts(file: Path, linked: list[str]) -> None:
    """Write what the libraries were compiled for; torch_musa/_library.py refuses to load them for anything else.

    `linked` are the libraries that the extensions are linked with, PyTorch's and the SDK's.
    """
    sdk = MusaSdk.find(Settings.read())
    files = {name: sdk.root / "lib" / f"lib{name}.so" for name in ("musart", *linked)}
    needed = [file.resolve().name for file in files.values() if file.exists()]
    versions = {"torch": str(torch.__version__), "musa-build": importlib.metadata.version("musa-build")}
    source = {"torch source": torch.version.git_version, "C++ ABI": torch.compiled_with_cxx11_abi()}
    facts = {**versions, **source, "sdk": str(sdk.root), "sdk version": sdk.version, "sdk libraries": needed}
    write_if_changed(file, json.dumps(facts, indent=4) + "\n")


def all_sources() -> list[Path]:
    """Return the C++ files. Those of `mccl` are left out if PyTorch was built without torch.distributed."""
    others = (HERE / OPS, HERE / MUDNN_SOURCES)
    found = sorted(path for path in (HERE / CSRC).rglob("*.cpp") if path.parent not in others)
    if torch.distributed.is_available():
        return found
    return [path for path in found if "distributed" not in (path.stem.lower(), path.parent.name)]


def extension(name: str, python: bool, libraries: list[str], link_args: list[str]) -> MUSAExtension:
    """Return one of the two libraries: of the sources in csrc/python, or of all others."""
    in_python = HERE / CSRC / "python"
    return MUSAExtension(
        name,
        sources=[str(path.relative_to(HERE)) for path in all_sources() if (path.parent == in_python) == python],
        # The names under which PyTorch's own build knows that torch.distributed is there.
        define_macros=[("USE_DISTRIBUTED", None), ("USE_C10D", None)] if torch.distributed.is_available() else [],
        # torch's own headers first: an installed older torch_musa may bring ported ones of another PyTorch.
        include_dirs=[str(HERE), *include_paths(), str(torch_include() / "kineto")],
        libraries=libraries,
        # PyTorch's CachingHostAllocator.h warns g++ about its own alignment, once per use.
        extra_compile_args={"cxx": [*CXX_FLAGS, "-Wno-interference-size"]},
        extra_link_args=[f"-Wl,-soname,{name.rpartition('.')[2]}.so", *link_args, *ASAN],
    )


require_torch("torch-musa-sim", OLDEST_TORCH)
if _is_on("MUSA_KERNELS") or _is_on("USE_MUDNN"):
    require_torch("the kernel library (MUSA_KERNELS, USE_MUDNN)", OLDEST_TORCH_FOR_KERNELS)

# A symbol of Python in the library would be undefined in a program without it: --no-undefined says so here.
library = extension(LIBRARY, python=False, libraries=SDK_LIBRARIES, link_args=NO_UNDEFINED)
module = extension(MODULE, python=True, libraries=["torch_python"], link_args=[])

kernels = MUSAExtension(
    KERNELS,
    sources=[
        str(path.relative_to(HERE)) for path in sorted([*(HERE / OPS).glob("*.cpp"), *(HERE / OPS).glob("musa/*.mu")])
    ],
    # With these names, a DispatchStub has the members that it has in PyTorch's own build: sources call stubs.
    define_macros=[("HAVE_AVX2_CPU_DEFINITION", None), ("HAVE_AVX512_CPU_DEFINITION", None)],
    include_dirs=[str(HERE)],
    libraries=["mufft"],
    extra_compile_args={"cxx": CXX_FLAGS, "mcc": MCC_FLAGS},
    extra_link_args=["-Wl,-soname,libmusa_kernels.so", *NO_UNDEFINED, *STRIPPED, *ASAN],
)

mudnn = MUSAExtension(
    MUDNN,
    sources=[str(path.relative_to(HERE)) for path in sorted((HERE / MUDNN_SOURCES).glob("*.cpp"))],
    include_dirs=[str(HERE), *include_paths()],
    libraries=["mudnn"],
    extra_compile_args={"cxx": CXX_FLAGS},
    extra_link_args=["-Wl,-soname,libmusa_mudnn.so", *NO_UNDEFINED, *ASAN],
)

setup(
    version=version(),
    ext_modules=[
        *(library, module),
        *([kernels] if _is_on("MUSA_KERNELS") else []),
        *([mudnn] if _is_on("USE_MUDNN") else []),
    ],
    cmdclass={"build_ext": BuildBackend.with_options(no_python_abi_suffix=True)},
    # Not the PyTorch that it was compiled for: pip keeps the wheel in its cache, would install it in the next
    # environment too, and then replace the PyTorch there. write_build_facts says it instead.
    install_requires=[
        "torch>={}.{}".format(*OLDEST_TORCH),
        *(f"{name}=={version()}" for name in ("musa-build", "musa-sim", "musa-tools")),
    ],
)
