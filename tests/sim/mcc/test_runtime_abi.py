"""The table of the runtime's functions: the header, device_abi.h and the passes say what it says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import musa_sim
from musa_sim import runtime_header
from musa_sim.mcc import driver
from musa_sim.mcc.errors import InternalError
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes.prepare import mark_suspending
from musa_sim.mcc.runtime_abi import functions, names
from musa_sim.mcc.runtime_abi.functions import FUNCTIONS, RuntimeFunction

PACKAGE = Path(musa_sim.__file__).parent
HEADERS = [path for path in sorted((PACKAGE / "include").rglob("*")) if path.is_file()]
ABI = " ".join((PACKAGE / "runtime/base/device_abi.h").read_text().split())


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def test_the_header_is_up_to_date() -> None:
    assert runtime_header.HEADER.read_text() == runtime_header.text(), "run python -m musa_sim.runtime_header"


def test_the_runtime_declares_the_same(tmp_path: Path) -> None:
    """A compiler compares the types and offsets, so the header's layout does not matter."""
    lines = ["#include <type_traits>", '#include "base/device_abi.h"', "using namespace musa_sim;"]
    for function in FUNCTIONS:
        if function.name not in names.ACCESSORS:
            declared = f"{function.result}({', '.join(function.parameters)})"
            lines.append(f'static_assert(std::is_same_v<decltype({function.name}), {declared}>, "{function.name}");')
            if not function.returns:
                lines.append(f"int returns_nothing_{function.name}() {{ {function.name}({_arguments(function)}); }}")
    offsets = {
        "thread_idx": names.INDICES["__musa_sim_thread_idx_x"],
        "block_idx": names.INDICES["__musa_sim_block_idx_x"],
        "dynamic_shared": names.DYNAMIC_SHARED_OFFSET,
        "warp_size": names.WARP_SIZE_OFFSET,
        "location": names.LOCATION_OFFSET,
    }
    for member, offset in offsets.items():
        lines.append(f'static_assert(offsetof(__musa_sim_context_t, {member}) == {offset}, "{member}");')
    assert compiles(tmp_path, lines) == ""
    wrong = lines[-1].replace(str(names.LOCATION_OFFSET), "81")
    assert "location" in compiles(tmp_path, [*lines[:-1], wrong])


def _arguments(function: RuntimeFunction) -> str:
    return ", ".join("{}" for _ in function.parameters)


def compiles(folder: Path, lines: list[str]) -> str:
    """Return the errors of g++ for a source."""
    source = folder / "abi.cpp"
    source.write_text("\n".join(lines))
    command = ["g++", "-std=c++17", "-fsyntax-only", "-Werror=return-type", f"-I{PACKAGE / 'runtime'}", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


# Functions that host code calls.
OF_THE_HOST = {
    *("__musa_sim_launch_library_work", "__musa_sim_register_managed", "__musa_sim_default_of_thread"),
    # for the driver API
    *("__musa_sim_fill", "__musa_sim_find_allocation", "__musa_sim_wait_until", "__musa_sim_unpack_arguments"),
}
OF_LIBRARIES = set(re.findall(r"\b(__musa_sim_\w+)\(", (PACKAGE / "include/musa_sim_work.h").read_text()))


def test_the_runtime_has_no_function_for_kernels_beside_the_table() -> None:
    declared = set(re.findall(r"MUSA_SIM_EXPORT [^();]*?\b(__musa_sim_\w+)\(", ABI))
    assert declared - OF_THE_HOST == {function.name for function in FUNCTIONS} - set(names.ACCESSORS)


def test_headers_use_what_the_table_has_for_them() -> None:
    """Nothing is declared by hand, and nothing is called that neither a header defines nor the table has."""
    known = {function.name for function in FUNCTIONS if function.for_headers}
    texts = {path: without_comments(path.read_text()) for path in HEADERS}
    defined: set[str] = set()
    for text in texts.values():
        defined |= set(re.findall(r"\b(__musa_sim_[a-z]\w*)\s*\([^;{}]*\)(?: noexcept)?\s*\{", text))
        vectors = re.findall(r"MUSA_SIM_VECTOR_FUNCTION(?:_OF_TWO)?\((\w+)\) \{", text)
        defined |= {f"__musa_sim_vector_{name}" for name in vectors}
    for path, text in texts.items():
        if path == runtime_header.HEADER:
            continue
        assert not re.search(r'extern "C"[^;{]*\b__musa_sim_', text), f"{path.name} declares one by hand"
        used = set(re.findall(r"\b(__musa_sim_[a-z]\w*)\s*[(<]", text))
        types = set(re.findall(r"struct (__musa_sim_\w+)", text)) | set(re.findall(r"\b(__musa_sim_\w+)\(\) =", text))
        assert used - defined - types - OF_THE_HOST - OF_LIBRARIES <= known, path.name


@pytest.mark.parametrize(
    "name",
    [
        *(names.ENTRY_PREFIX, names.LOOP_PREFIX, names.ARGUMENT_SIZES_PREFIX, names.LAUNCH_BOUNDS_PREFIX),
        *(names.STATIC_SHARED_PREFIX, names.SHARED_VARIABLES_PREFIX, names.GLOBAL_VARIABLES),
    ],
)
def test_names_of_images(name: str) -> None:
    assert f'= "{name}"' in ABI


def test_declarations_in_ir() -> None:
    assert functions.declaration(functions.RUN_BLOCK) == f"declare void @{functions.RUN_BLOCK}(ptr, ptr) nounwind"
    wanted = f'declare void @{functions.YIELD}() convergent nounwind "musa-suspends"'
    assert functions.declaration(functions.YIELD) == wanted


MODULE = """\
define void @k() {
  call void @__musa_sim_sync_threads()
  call void @__musa_sim_is_cooperative()
  ret void
}
declare void @__musa_sim_sync_threads() #1
declare i32 @__musa_sim_is_cooperative() #2
declare void @__musa_sim_sync_somehow_else() #1

attributes #1 = { convergent nounwind }
attributes #2 = { nounwind }
"""


def test_functions_are_known_by_an_attribute_and_not_by_their_names() -> None:
    module = MODULE.replace("@__musa_sim_sync_somehow_else", "@a_sync_function_of_the_program")
    marked = mark_suspending(Module.parse(module))
    assert marked.functions_with(functions.SUSPENDS) == {functions.BARRIER}
    renamed = Module.parse(marked.text.replace(f"@{functions.BARRIER}", "@another_name"))
    assert renamed.functions_with(functions.SUSPENDS) == {"another_name"}
    assert Module.parse(module).functions_with(functions.SUSPENDS) == frozenset()


def test_a_function_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(InternalError, match="__musa_sim_sync_somehow_else is not in the table"):
        mark_suspending(Module.parse(MODULE))


#: Any function that images can be linked with and that no header declares will do.
OTHER_NAME = "gnu_get_libc_version"
KERNELS = f"""
extern "C" __device__ __attribute__((convergent)) const char* {OTHER_NAME}();
__device__ __forceinline__ void wrapped() {{ {OTHER_NAME}(); }}
__device__ inline void twice() {{ wrapped(); wrapped(); }}
__global__ void passes_it(int* out) {{ twice(); out[threadIdx.x] = 1; }}
__global__ void spins(volatile int* flag) {{ while (flag[0] == 0) wrapped(); }}
"""


@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("suspends", [True, False])
def test_a_function_that_suspends_under_another_name(
    sim_sdk_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, suspends: bool
) -> None:
    """Wrapped and inlined: a kernel that reaches it gets no loop over threads, and a loop with it no other yield."""
    other = RuntimeFunction(OTHER_NAME, "const char*", suspends=suspends)
    monkeypatch.setattr(functions, "FUNCTIONS", (*FUNCTIONS, other))
    source, image = tmp_path / "k.mu", tmp_path / "k.mubin"
    source.write_text(KERNELS)
    argv = [level, "--cuda-device-only", "-c", str(source), "-o", str(image)]
    assert driver.main(argv, sim_sdk_root, "5.2.0") == 0
    code = image.read_bytes()
    assert OTHER_NAME.encode() in code and b"__musa_sim_entry__Z9passes_itPi" in code
    has_loop = b"__musa_sim_loop__Z9passes_itPi" in code
    assert has_loop == (level == "-O3" and not suspends)
    assert (functions.YIELD.encode() in code) == (not suspends)
