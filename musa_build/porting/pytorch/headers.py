"""PyTorch's own CUDA code, ported: torch_musa ships the result as `share/generated_cuda_compatible`.

An extension that includes `<ATen/cuda/Atomic.cuh>` includes `<ATen/musa/Atomic.muh>` after porting. This module makes
that file from the installed torch. Headers that torch_musa has rewritten (`torch_musa/csrc/...`) are not ported:
includes of them lead there, and so does a header of the name that porting would give (`ATen/musa/MUSAContext.h`), which
torch_musa's own kernels include.

PyTorch's headers for all devices offer their types to kernels only where `__CUDACC__` is defined (`C10_HOST_DEVICE`,
`c10::Half` as `__half`); mcc defines `__MUSACC__`. So the headers that test it are ported as well, under their own
names, and the result comes before torch's own `include` folder on a command line.

Given a checkout of PyTorch, its kernels are ported too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ...errors import PortingError
from ...system.files import digest
from ..engine.hazards import DEFAULT_TARGET, TARGETS
from ..engine.inline_ptx.rewrite import HEADERS
from ..tree.output import NO_STAMP, FileRecord, PortedFile, opened, reason_of, write_tree
from ..tree.session import PortReport, Session
from .files import INCLUDE, cuda_headers, kernels, portable_headers, rewritten_headers
from .rules import known_headers, translators

if TYPE_CHECKING:
    from ..engine.scanner import Include
    from ..engine.translate import Translator
    from ..tree.output import Manifest
    from ..tree.source_tree import SourceTree

# PyTorch's CMake generates this for CUDA (a torch for CUDA has it, with other values; no library but the runtime is
# promised here: headers need none), the functions of libtorch_cuda for torch/csrc/stable/macros.h, PyTorch's few C++
# functions for a device (torch::cuda::is_available becomes torch::musa's; torch/all.h brings them too, so torch/cuda.h
# is there beside PyTorch's own), names of torch_musa up to 2.x (mmcv and MooreThreads/vllm_musa include them), and two
# of PyTorch before 1.11.
_SUPPLIED = {
    "ATen/musa/MUSAConfig.h": (
        "#pragma once\n"
        "#define AT_CUDNN_ENABLED() 0\n"
        "#define AT_CUSPARSELT_ENABLED() 0\n"
        "#define AT_HIPSPARSELT_ENABLED() 0\n"
        "#define AT_ROCM_ENABLED() 0\n"
        "#define AT_MAGMA_ENABLED() 0\n"
        '#define NVCC_FLAGS_EXTRA ""\n'
    ),
    "c10/musa/impl/musa_cmake_macros.h": "#pragma once\n#define C10_MUSA_BUILD_SHARED_LIBS\n",
    "torch/csrc/stable/c/musa_shim.h": (
        "#pragma once\n"
        "#include <torch/csrc/stable/c/shim.h>\n"
        "#include <musa_runtime_api.h>\n"
        "#include <cstdint>\n"
        "#include <cstdlib>\n"
        "#include <cstring>\n"
        "#include <string>\n"
        "/* As PyTorch's functions for CUDA: no message for success. */\n"
        "inline void torch_c10_musa_check_msg(int32_t status, const char* file, const char* function, uint32_t line,\n"
        "                                     bool /* assertions */, char** message) {\n"
        "  *message = nullptr;\n"
        "  if (status == musaSuccess) return;\n"
        "  musaGetLastError();\n"
        '  const std::string text = std::string("MUSA error: ") +\n'
        "      musaGetErrorString(static_cast<musaError_t>(status)) +\n"
        '      " (" + function + " at " + file + ":" + std::to_string(line) + ")";\n'
        "  *message = strdup(text.c_str());\n"
        "}\n"
        "inline void torch_c10_musa_free_error_msg(char* message) { free(message); }\n"
    ),
    "torch/cuda.h": (
        "#pragma once\n#include <torch/csrc/api/include/torch/cuda.h>\n"
        "#if !defined(TORCH_STABLE_ONLY) && !defined(TORCH_TARGET_VERSION)\n#include <torch/musa.h>\n#endif\n"
    ),
    "torch/musa.h": (
        "#pragma once\n"
        "/* PyTorch's torch/cuda.h for MUSA, in terms of what PyTorch knows of any device. */\n"
        "#include <ATen/Context.h>\n"
        "#include <ATen/core/Generator.h>\n"
        "#include <c10/core/DeviceGuard.h>\n"
        "#include <c10/core/impl/DeviceGuardImplInterface.h>\n"
        "#include <torch/version.h>\n"
        "#include <cstdint>\n"
        "#include <mutex>\n"
        "#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 6\n"
        "#include <torch_musa/csrc/core/MUSAFunctions.h>\n"
        "#endif\n"
        "namespace torch::musa {\n"
        "inline c10::DeviceIndex device_count() {\n"
        "  constexpr auto musa = c10::DeviceType::PrivateUse1;\n"
        "  return c10::impl::hasDeviceGuardImpl(musa) ? c10::impl::getDeviceGuardImpl(musa)->deviceCount() : 0;\n"
        "}\n"
        "inline bool is_available() { return device_count() > 0; }\n"
        "/* Code that asks would call cuDNN next. */\n"
        "inline bool cudnn_is_available() { return false; }\n"
        "namespace detail {\n"
        "inline c10::Device device(int64_t index) {\n"
        "  const c10::Device given(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(index));\n"
        "  return index < 0 ? c10::impl::getDeviceGuardImpl(given.type())->getDevice() : given;\n"
        "}\n"
        "inline void seed(c10::Device device, uint64_t value) {\n"
        "  auto generator = at::globalContext().defaultGenerator(device);\n"
        "  const std::lock_guard<std::mutex> lock(generator.mutex());\n"
        "  generator.set_current_seed(value);\n"
        "}\n"
        "} // namespace detail\n"
        "inline void manual_seed(uint64_t seed) {\n"
        "  if (is_available()) detail::seed(detail::device(-1), seed);\n"
        "}\n"
        "inline void manual_seed_all(uint64_t seed) {\n"
        "  for (int64_t index = 0; index < device_count(); ++index) detail::seed(detail::device(index), seed);\n"
        "}\n"
        "inline void synchronize(int64_t device_index = -1) {\n"
        '  TORCH_CHECK(is_available(), "No MUSA GPUs are available");\n'
        "  TORCH_CHECK(\n"
        '      device_index < device_count(), "Device index out of range: ", device_index);\n'
        "  const c10::DeviceGuard guard(detail::device(device_index));\n"
        "#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 6\n"
        "  c10::musa::device_synchronize();\n"
        "#else\n"
        "  const auto device = guard.current_device();\n"
        "  c10::impl::getDeviceGuardImpl(device.type())->synchronizeDevice(device.index());\n"
        "#endif\n"
        "}\n"
        "} // namespace torch::musa\n"
    ),
    "ATen/musa/MUSA_PORT_ApplyUtils.muh": "#pragma once\n#include <ATen/musa/MUSAApplyUtils.muh>\n",
    "ATen/musa/MUSA_PORT_TensorMethods.muh": "#pragma once\n#include <ATen/musa/MUSATensorMethods.muh>\n",
    "THC/THCAtomics.muh": "#pragma once\n#include <ATen/musa/Atomic.muh>\n",
    "THC/THCDeviceUtils.muh": "#pragma once\n#include <ATen/musa/DeviceUtils.muh>\n",
}
# The functions that ported inline PTX calls. Compilers search this folder for CUDA code only, but PyTorch's headers are
# for all code.
_OF_INLINE_PTX = Path(__file__).parents[2] / "toolchain" / "cxx_headers"


def torch_include() -> Path:
    """Return the include folder of the installed torch, without importing torch.

    Raises:
        PortingError: There is none.
    """
    spec = find_spec("torch")
    folder = None if spec is None or spec.origin is None else Path(spec.origin).parent / "include"
    if folder is None or not (folder / "ATen").is_dir():
        raise PortingError("PyTorch's headers were not found", wanted="an installed torch, or its include folder")
    return folder


def port_torch_headers(
    include: Path, output: Path, checkout: Optional[Path] = None, lacking: Iterable[str] = ()
) -> PortReport:
    """Port PyTorch's headers below `include` (a torch's include folder) into `output`/include.

    Args:
        include: The include folder of a torch.
        output: The folder to write.
        checkout: The root of PyTorch's sources, whose kernels go into `output`/aten/src, c10 and torch.
        lacking: Headers that Moore Threads' torch_musa has rewritten and the torch_musa at hand has not. They are
            ported too, to where torch_musa has them.

    Raises:
        PortingError: `include` holds no such headers, `checkout` no such kernels, or `output` cannot be written.
    """
    sessions = _sessions(include, checkout, lacking)
    fingerprint = digest(*(session.fingerprint for session in sessions))
    try:
        with opened(output) as old:
            files = chain(*(_ported(session, output, old, fingerprint) for session in sessions), _supplied(include))
            result = write_tree(output, files, old, fingerprint)
    except OSError as error:
        raise PortingError("the ported headers cannot be written", found=reason_of(error, output)) from error
    records = [result.records[target] for target in sorted(result.records)]
    findings = (*(finding for record in records for finding in record.findings), *result.findings)
    edits = sum(record.edits for record in records)
    return PortReport(
        include, output, len(records), edits, tuple(result.written), tuple(result.removed), findings, unused_rules=()
    )


def _sessions(include: Path, checkout: Optional[Path], lacking: Iterable[str]) -> list[Session]:
    """Return one session for each part of the files that is ported in its own way."""
    known = known_headers()
    root = str(include.absolute())
    headers = cuda_headers(root, known, lacking) if include.is_dir() else None
    if headers is None or not headers.files:
        raise PortingError(
            "there are no CUDA headers of PyTorch", found=f"none in {include}", wanted="torch's include folder"
        )
    supplied = {INCLUDE + path for path in _SUPPLIED}
    trees = [headers.with_files(file for file in headers.files if file.target not in supplied)]
    if checkout is not None:
        present = [*(file.target for file in headers.files), *supplied]
        trees.append(kernels(str(checkout.absolute()), known, present))
        if not trees[-1].files:
            wanted = "the root of PyTorch's sources, with aten/src/ATen below"
            raise PortingError("there are no CUDA kernels of PyTorch", found=f"none in {checkout}", wanted=wanted)
    cuda, all_devices = translators(trees)
    return [*(_session(tree, cuda) for tree in trees), _session(portable_headers(root), all_devices)]


def _session(tree: SourceTree, translator: Translator) -> Session:
    targets = {file.path: file.target for file in tree.files}
    return Session(tree, translator, TARGETS[DEFAULT_TARGET], lambda path, include: _beside(targets, path, include))


def _ported(session: Session, output: Path, old: Manifest, fingerprint: str) -> Iterator[PortedFile]:
    """Yield the files of `session` as they should be in `output`. `fingerprint` is that of all sessions together."""
    return session.ported(output, old._replace(rules=session.fingerprint if old.rules == fingerprint else ""))


def _beside(targets: dict[str, str], path: str, include: Include) -> Optional[str]:
    """Return the new path of a quoted include of a neighbour of `path`; all others are in the table of headers."""
    if not include.quoted:
        return None
    target = targets.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), include.path)))
    return None if target is None else posixpath.relpath(target, posixpath.dirname(targets[path]))


def _supplied(include: Path) -> Iterator[PortedFile]:
    forwarding = rewritten_headers(str(include), known_headers())
    texts = {**{path: f"#pragma once\n#include <{new}>\n" for path, new in forwarding.items()}, **_SUPPLIED}
    ptx = {name: (_OF_INLINE_PTX / name).read_bytes() for name in HEADERS}
    for path, content in {**{path: text.encode() for path, text in texts.items()}, **ptx}.items():
        target = INCLUDE + path
        record = FileRecord(target, NO_STAMP, "", NO_STAMP, digest(content), 0, (), ())
        yield PortedFile(target, content, 0o644, record)
