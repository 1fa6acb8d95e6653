"""mcc skips work so that large sources compile in time: seen in LLVM's own output, not by a clock."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from musa_sim.mcc.clang import arguments, cc1
from musa_sim.mcc.clang.toolchain import Toolchain
from musa_sim.mcc.commands import Commands, Reporter
from musa_sim.mcc.ir.function import Function
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.kernel import Kernel, KernelStub
from musa_sim.mcc.llvm_tools import LlvmTools
from musa_sim.mcc.passes import optimise as passes
from musa_sim.mcc.passes.launches import type_sizes
from musa_sim.mcc.passes.optimise import mark_optimised, unmark_optimised

#: two functions that the optimiser makes `ret i32 3` of, and one that its author wants left alone
_WORK = "{\nentry:\n  %a = alloca i32\n  store i32 3, ptr %a\n  %v = load i32, ptr %a\n  ret i32 %v\n}\n"
_TEXT = (
    'target triple = "x86_64-unknown-linux-gnu"\n'
    f"define i32 @done() local_unnamed_addr {_WORK}define i32 @new() {_WORK}define i32 @users() #0 {_WORK}"
    "attributes #0 = { noinline optnone }\n"
)
_IR = Module.parse(_TEXT)
_LOOP = """
#define N 64
extern "C" int sum(const int (*a)[N]) {
    int s = 0;
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) s = s * a[i][j] + a[j][i] / 3;
    return s;
}
"""


@pytest.fixture(scope="module")
def llvm(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> LlvmTools:
    return _backend(sim_sdk_root, tmp_path_factory.mktemp("llvm"), size=0)


def _backend(root: Path, folder: Path, size: int) -> LlvmTools:
    toolchain = Toolchain.load(root / "share/musa_sim/toolchain.json")
    command, _ = cc1.ask_driver(toolchain, ["-O3", "-fPIC"], "-c", "/dev/null", "-")
    args = arguments.with_optimisation(arguments.backend_args(command), "-O3")
    return LlvmTools(Commands(Reporter()), command, arguments.limit_work(args, size), "mp_22", folder)


def _optimised(llvm: LlvmTools, ir: Module) -> dict[str, bool]:
    return {name: "alloca" not in function.text for name, function in llvm.optimise(ir, "a").functions.items()}


def test_the_optimiser_skips_marked_functions_once(llvm: LlvmTools) -> None:
    marked = llvm.optimise(mark_optimised(_IR, {"done"}), "marked")
    assert "alloca" in marked.functions["done"].text
    assert "alloca" not in marked.functions["new"].text
    assert marked.functions_with("optnone") == {"done", "users"}
    assert unmark_optimised(marked).functions_with("optnone") == {"users"}  # not ours to take away
    assert unmark_optimised(mark_optimised(_IR, {"users"})).functions_with("optnone") == {"users"}
    assert _optimised(llvm, unmark_optimised(marked)) == {"done": True, "new": True, "users": False}


@pytest.mark.parametrize("attribute", ["optsize", "minsize", "alwaysinline"])
def test_no_function_is_marked_where_llvm_would_refuse_optnone(llvm: LlvmTools, attribute: str) -> None:
    contrary = Module.parse(_TEXT.replace("{ noinline optnone }", f"{{ {attribute} }}"))
    assert _optimised(llvm, mark_optimised(contrary, {"done", "users"})) == {"done": False, "new": True, "users": True}


@pytest.mark.parametrize("has_block_functions", [True, False])
def test_kernels_of_large_modules_are_finished_as_they_are(
    llvm: LlvmTools, has_block_functions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = [Kernel(KernelStub("done", ()), (), ())]
    form = passes.Options(has_block_functions, has_coroutines=True, is_instrumented=False)
    assert passes.finish(_IR, kernels, form, llvm) == (_IR, ())  # it is small
    monkeypatch.setattr(passes, "_LARGE", 0)
    ir, flags = passes.finish(_IR, kernels, form, llvm)
    assert flags == (("-disable-llvm-passes",) if has_block_functions else ())
    made = {name: "alloca" not in function.text for name, function in ir.functions.items()}
    assert made == {"done": False, "new": has_block_functions, "users": False}
    assert ir.functions_with("optnone") == {"users"}
    llvm.compile(ir, *flags)


def test_in_large_modules_only_what_runs_is_fast(llvm: LlvmTools, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module.parse(f"{_TEXT}define void @__musa_sim_loop_done(ptr %args) {{\n  ret void\n}}\n")
    form = passes.Options(has_block_functions=True, has_coroutines=True, is_instrumented=False)
    monkeypatch.setattr(passes, "_LARGE", 0)
    ir, _ = passes.finish(module, [Kernel(KernelStub("done", ()), (), ())], form, llvm)
    assert ir.functions_with("optnone") == {"done", "users"}


@pytest.mark.parametrize(("count", "are_split"), [(3, True), (250, False)])
def test_many_grid_stride_kernels_are_not_split(
    sim_sdk_root: Path, tmp_path: Path, count: int, are_split: bool
) -> None:
    calls = "".join(f"k<{at}><<<1, 1>>>(a, n); " for at in range(count))
    (tmp_path / "k.mu").write_text(
        "template <int N> __global__ void k(float* a, int n) {\n"
        "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
        "        for (int j = 0; j < n; ++j) a[i] = a[i] / a[j] + a[(i + j) % n] * a[(i + N) % n] / n;\n"
        f"}}\nvoid run(float* a, int n) {{ {calls}}}\n"
    )
    command = [sim_sdk_root / "bin/mcc", "-v", "-O2", "-c", "k.mu"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300)
    assert ("mp_22.split.ll" in run.stderr) == are_split


@pytest.mark.parametrize(
    # of a kernel that is to be inlined, four launches have a copy of the stub
    ("kind", "stubs"),
    [("", 1), ("static ", 1), ("template <int N> ", 1), ("__forceinline__ ", 5)],
)
def test_a_kernels_stub_is_optimised_once(sim_sdk_root: Path, tmp_path: Path, kind: str, stubs: int) -> None:
    kernel = "k<1>" if "<" in kind else "k"
    launches = (f"void run{at}(float* a) {{ {kernel}<<<{at + 1}, 32>>>(a, {at}); }}\n" for at in range(4))
    source = f"{kind}__global__ void k(float* a, int n) {{ a[threadIdx.x] = n; }}\n{''.join(launches)}"
    (tmp_path / "k.mu").write_text(source)
    command = [sim_sdk_root / "bin/mcc", "-O3", "-c", "k.mu"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
    listed = subprocess.run(["readelf", "-rW", "k.o"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert listed.stdout.count("musaLaunchKernel") == stubs


def test_larger_sources_unroll_less(sim_sdk_root: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.cpp").write_text(_LOOP)
    clang = _backend(sim_sdk_root, tmp_path, 0).cc1
    front = clang.command(["-O3", *clang.args, "-emit-llvm", "-disable-llvm-passes"], "c++", "loop.cpp", "loop.ll")
    subprocess.run(front, cwd=tmp_path, check=True)
    ir = Module.parse((tmp_path / "loop.ll").read_text(encoding="latin-1"))
    divisions = [
        len(re.findall(r" = sdiv ", _backend(sim_sdk_root, tmp_path, size).optimise(ir, "loop").text))
        for size in (0, 4_000_000, 40_000_000)
    ]
    # all 4096 would not fit; one row does. Then what LLVM unrolls of itself, then nothing.
    assert divisions[0] >= 64 > divisions[1] >= divisions[2]


def test_sizes_that_the_text_tells_cost_no_process() -> None:
    def fold(ir: Module) -> Module:
        pytest.fail(f"LLVM was asked:\n{ir.text}")

    kinds = ["ptr", "i8", "float", "[12 x [2 x double]]", "half", "[0 x i64]"]
    assert type_sizes(Module.parse(""), kinds[:-1], fold) == dict(zip(kinds, (8, 1, 4, 192, 2)))


def test_sizes_with_padding_are_llvms(llvm: LlvmTools) -> None:
    ir = 'target datalayout = "e-p:64:64"\ntarget triple = "x86_64-unknown-linux-gnu"\n%s = type { i8, double }\n'
    kinds = ["x86_fp80", "<3 x float>", "%s", "[3 x %s]", "i1", "float", "[0 x i64]"]
    assert list(type_sizes(Module.parse(ir), kinds, llvm.fold).items()) == [
        ("float", 4),
        *zip(kinds[:5], (16, 16, 16, 48, 1)),
        ("[0 x i64]", 0),
    ]


def test_a_small_file_starts_few_processes(sim_sdk_root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.mu").write_text("__global__ void k(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }\n")
    command = [sim_sdk_root / "bin/mcc", "-v", "-O2", "-c", "k.mu"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    outputs = [re.search(r'"-o" "[^"]*?([^"/]*)"', line) for line in run.stderr.splitlines() if '"-cc1"' in line]
    # the front end twice, the optimiser, and two objects; `header` is a precompiled one, which is built once
    assert sorted(found[1] for found in outputs if found and found[1] != "header") == [
        *("host.front.ll", "host.object.o", "mp_22.front.ll", "mp_22.object.o", "mp_22.optimised.ll")
    ]


def test_functions_are_replaced_in_place() -> None:
    changed = _IR.change_functions({"new": Function("define i32 @new() ", "{\n  ret i32 0\n}\n")})
    assert list(changed.functions) == ["done", "new", "users"]
    assert changed.functions["new"].code == "{\n  ret i32 0\n}\n"
    assert changed.text.replace(changed.functions["new"].text, _IR.functions["new"].text) == _TEXT
    assert _IR.change_functions({}) is _IR


def test_calls_are_found_by_their_words() -> None:
    code = (
        "define void @f() {\n"
        "  %call.i = load ptr, ptr @p\n"  # a value's name, and no call
        "  %r = tail call i32 @a(ptr @b)\n"
        '  call void asm "call @x", ""()\n'
        "  %s = invoke i32 @c(i32 %call.i)\n          to label %n unwind label %u\n"
        "n:\n  ret void\n}\n"
        "define void @g() {\n  call void %call.i(i32 1)\n  ret void\n}\n"
    )
    edges = Module.parse(code).edges
    assert edges["f"] >= {"a", "c"}
    assert "p" not in edges["f"]
    assert "*" not in edges["f"]
    assert edges["g"] == {"*"}
