"""Inline PTX becomes C++ that computes the same: every instruction of the table runs on the simulator."""

# ruff: noqa: E501  # a statement is a line of a table
from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import ptx_cases
import pytest
from kept_programs import KeptPrograms
from nvidia_compiler import compile_with_nvcc, needs_nvcc
from ptx_cases import ROWS, WORDS, Case, Format
from translated_texts import findings, findings_in, translated

from musa_build.porting import SimplePorting
from musa_build.porting.engine.inline_ptx.ptx_syntax import Instruction, Registers, parse
from musa_build.porting.engine.inline_ptx.table import table
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import Translator, translate
from musa_build.toolchain.compile_flags import OLDER_CXX_FLAGS

ALL = list(enumerate(ptx_cases.cases()))


def differences(case: Case, number: int, results: list[list[int]]) -> list[str]:
    """Describe the wrong results of the program: outputs, global and shared memory of each thread."""
    table = ptx_cases.rows(case, number)
    wanted = (
        case.whole(table)
        if case.whole
        else [case.expected(*row[: len(case.inputs)]) for row in table]
        if case.expected
        else [()] * ROWS
    )
    found = []
    for thread, (row, result, values) in enumerate(zip(table, results, wanted)):
        outputs = values if isinstance(values, tuple) else (values,)
        for i, value in enumerate(outputs):
            if not same(case, result[i], value):
                inputs = [hex(x) for x in row[: len(case.inputs)]]
                found.append(f"{case.template!r} of {inputs}, thread {thread}: %{i} is {result[i]:#x}, not {value:#x}")
        if case.memory:
            start = 2 * WORDS if case.inputs.startswith("S") else WORDS
            memory, right = result[start : start + 4], case.memory(row)
            if memory != right:
                found.append(f"{case.template!r}, thread {thread}: memory is {memory}, not {right}")
    return found


def same(case: Case, value: int, wanted: int) -> bool:
    if value == wanted:
        return True
    form: Format = case.form
    if form in ptx_cases.PAIRS:
        bits = form.bits // 2
        half = ptx_cases.PAIRS[form]
        return all(
            (half.is_nan(x >> s & (1 << bits) - 1) and half.is_nan(y >> s & (1 << bits) - 1))
            or (x ^ y) >> s & (1 << bits) - 1 == 0
            for s in (0, bits)
            for x, y in [(value, wanted)]
        )
    if not set(case.outputs) & set("fdh"):
        return False
    if form.is_nan(value) and form.is_nan(wanted):
        return True
    if not case.tolerance or form.is_nan(value) or form.is_nan(wanted):
        return False
    a, b = form.value(value), form.value(wanted)
    return not isinstance(a, float) and not isinstance(b, float) and abs(a - b) <= case.tolerance * max(1, abs(b))


def test_every_instruction_gives_what_the_isa_says(
    sim_sdk_root: Path, kept_programs: KeptPrograms, tmp_path: Path
) -> None:
    tree = tmp_path / "cuda"
    tree.mkdir()
    has_directed = "__fsub_rz" in "".join(path.read_text() for path in (sim_sdk_root / "include").rglob("*.h"))
    chosen = [(number, case) for number, case in ALL if has_directed or not is_directed(case)]
    (tree / "cases.cu").write_text(ptx_cases.source(chosen))
    report = SimplePorting(tree).run()
    assert sum(finding.code == "inline-ptx" for finding in report.findings) == len(chosen)
    command = [str(sim_sdk_root / "bin" / "mcc"), "-O1", *OLDER_CXX_FLAGS]
    program = kept_programs.build(command, [report.output / "cases.mu"], ["-lmusart"])
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    inputs.write_bytes(b"".join(words(ptx_cases.rows(case, number)) for number, case in chosen))
    done = subprocess.run([program, inputs, outputs], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    content, size = outputs.read_bytes(), 3 * WORDS * ROWS * 8
    wrong: list[str] = []
    for i, (number, case) in enumerate(chosen):
        values = struct.unpack(f"<{3 * WORDS * ROWS}Q", content[i * size : (i + 1) * size])
        results = [list(values[3 * WORDS * t : 3 * WORDS * (t + 1)]) for t in range(ROWS)]
        wrong += differences(case, number, results)[:2]
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:40])


def words(table: Sequence[Sequence[int]]) -> bytes:
    return b"".join(struct.pack(f"<{WORDS}Q", *row) for row in table)


def is_directed(case: Case) -> bool:
    """Whether the C++ needs a function with another rounding than to nearest."""
    return re.search(r"\.(?:rz|rm|rp)\.(?:f32|f64)|sub\.rn", case.template) is not None


# The program above cannot run these: they end the kernel, or make memory undefined.
NOT_RUN = {"trap", "brkpt", "discard", "exit"}


def test_every_rule_of_the_table_has_a_case() -> None:
    the_table = table()
    met = set()
    for _, case in ALL:
        items = list(parse(f"{case.before} {case.template}"))
        predicates = {
            name for item in items if isinstance(item, Registers) and item.type == "pred" for name in item.names
        }
        met |= {the_table.rule_of(item, predicates) for item in items if isinstance(item, Instruction)}
    missing = [  # rules for matrices are in ptx_matrices.py
        rule.line
        for rule in the_table.rules
        if rule not in met
        and "musa_ptx::matrix" not in rule.cxx
        and rule.line.split(".")[0].split("[")[0].split()[0] not in NOT_RUN
    ]
    assert not missing


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize("architecture", sorted({case.arch for _, case in ALL} - {"0"}))  # 0: those that nvcc refuses
def test_the_cases_are_valid_ptx(architecture: str, tmp_path: Path) -> None:
    cases = [(number, case) for number, case in ALL if case.arch == architecture]
    compile_with_nvcc(ptx_cases.source(cases), architecture, tmp_path)


def ported(text: str) -> str:
    """Port a function with `text`; return it without the #include."""
    source = f"__device__ void f() {{\n{text}\n}}\n"
    new = translated(source).text
    return re.sub(r"\A#include <musa_ptx(?:_half)?\.h>\n", "", new, count=1).removeprefix("__device__ void f() {\n")[
        : -len("\n}\n")
    ]


@pytest.mark.parametrize(
    ("statement", "cxx"),
    [
        ('asm("mov.u32 %0, %%laneid;" : "=r"(lane));', "lane = __get_laneid();"),
        ('asm volatile ("bar.sync 0;" ::: "memory");', "__syncthreads();"),
        ('asm("add.s32 %0, %1, 1;" : "=r"(x) : "r"(a + b));', "x = (unsigned)(a + b) + 1u;"),
        ('__asm__ __volatile__("trap;");', "__trap();"),
        ('asm volatile("brkpt;");', "__trap();"),
        ('asm volatile("exit;");', "__musa_exit();"),
        ('asm("discard.global.L2 [%0], 128;" :: "l"(p));', "(void)0;"),
        ('asm("mov.b64 %0, %1;" : "=l"(p) : "d"(v[i]));', "p = (__typeof__(p))((unsigned long long)__double_as_longlong(v[i]));"),
        ('asm("mov.u32 %0, %[value];" : "=r"(x) : [value] "n"(N));', "x = (unsigned)(N);"),
        ('asm(R"(mov.u32 %0, 1;)" : "=r"(x));', "x = 1u;"),
        ('asm("mov.u32 %0, cudaX;" : "=r"(x));', 'asm("mov.u32 %0, cudaX;" : "=r"(x));'),
        ('asm("mov.u32 %0, %1;" : "=r"(x) : "r"(cudaFree(p)));', "x = (unsigned)(musaFree(p));"),
        ('asm volatile("" ::: "memory");', 'asm volatile("" ::: "memory");'),
        ('asm volatile("" : "+f"(x));', "(void)0;"),
        ('asm volatile("// note" :: "r"(x));', "(void)0;"),
        ('#define LD "ld.global.cs.nc"\n#define LD "ld.global.nc"\nasm(LD ".f32 %0, [%1];" : "=f"(x) : "l"(p));', '#define LD "ld.global.cs.nc"\n#define LD "ld.global.nc"\nx = ::musa_ptx::load<float>((float*)p);'),
        ('asm("vadd.s32.s32.u32 %0, %1.h1, %2.b0;" : "=r"(v) : "r"(a), "r"(b + 1));', "v = (unsigned)((int)((long long)(short)((unsigned)a >> 16) + (long long)(unsigned char)((unsigned)(b + 1))));"),
        ('asm("vmin.u32.u32.u32.sat %0.h1, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(c));', "v = ::musa_ptx::merge(::musa_ptx::saturate<unsigned short>(::musa_ptx::vmin((long long)(unsigned)a, (long long)(unsigned)b)), 1, (unsigned)c);"),
        ('if (p) asm("trap;"); else asm("nanosleep.u32 %0;" :: "r"(n));', "if (p) __trap(); else __nanosleep((unsigned)n);"),
    ],
)  # fmt: skip
def test_a_statement_of_one_instruction_is_one_expression(statement: str, cxx: str) -> None:
    assert ported(statement) == cxx


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ('asm("wgmma.fence.sync.aligned;");', "wgmma.fence.sync.aligned"),
        ('asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1}, {%2}, {%3};" : "=f"(a) : "r"(b), "r"(c), "f"(d));', "mma.sync.aligned.m16n8k8"),
        ('asm("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%10,%11}, %12, 0x0;" : "=r"(d) : "r"(a));', "mma.sp.sync.aligned.m16n8k32"),
        ('asm("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(a));', "ldmatrix.sync.aligned.m16n16"),
        ('asm("tcgen05.wait::ld.sync.aligned;" ::);', "tcgen05.wait::ld"),
        ('asm("{ .reg .pred p; L: setp.eq.u32 p, %0, 0; @p bra L; }" :: "r"(x));', "a label"),
        ('asm("@p bra done;");', "bra"),
        ('asm(PREFIX "mov.u32 %0, 1;" : "=r"(x));', "the macro PREFIX"),
        ('#define OP "add"\n#define OP "sub"\nasm(OP ".u32 %0, %0, 1;" : "+r"(x));', "several meanings"),
        ('#define N(a, b) "." #b\nasm("add" N(u32, s32, f32) " %0, %0, 1;" : "+r"(x));', "the macro N"),
        ('#define N(a) "." #a\nasm("add" N " %0, %0, 1;" : "+r"(x));', "the macro N"),
        ('#define N(a) "." #a\n#define N other\nasm("add" N(u32) " %0, %0, 1;" : "+r"(x));', "the macro N"),
        ('#define N(a) "." #a\n#define N(a) ".s32"\nasm("max" N(u32) " %0, %0, 1;" : "+r"(x));', "several meanings"),
        ('#define N(a) "." #b\nasm("add" N(u32) " %0, %0, 1;" : "+r"(x));', "the macro N"),
        ('asm("mov.u32 %0, %globaltimer_lo;" : "=r"(x));', "%globaltimer_lo"),
        ('asm("addc.u32 %0, %0, 0;" : "+r"(x));', "carry of another statement"),
        ('asm("mov.u128 %0, 0;" : "=q"(x));', "mov.u128"),
        ('asm("mov.u32 %0, 1;" : "=q"(x));', "constraint =q"),
        ('asm("mov.u32 %0, %1;" : "=r"(x) : "d"(y));', "another type"),
        ('asm("vadd.s32.s32.s32 %0, %1.b4, %2;" : "=r"(x) : "r"(a), "r"(b));', "vadd.s32.s32.s32"),
        ('asm("add.s32 %0, %1.h0, %2;" : "=r"(x) : "r"(a), "r"(b));', "add.s32"),
        ('asm("add.s32 %0, -%1, %2;" : "=r"(x) : "r"(a), "r"(b));', "add.s32"),
        ('asm("isspacep.shared p, %0;" :: "l"(x));', "isspacep.shared"),
        ('asm("mov.u32 %0, 1" : "=r"(x)', "cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_ported_stays_and_is_named(statement: str, reason: str) -> None:
    text = f"__device__ void f() {{\n{statement}\n}}\n"
    translation = translated(text)
    assert translation.text == text
    (finding,) = findings_in(translation)
    assert finding.code == "inline-assembly" and reason in finding.message


HINT = """\
#if X >= 11
#define HINT(size) ".L2::" #size "B"  // from CUDA 11.4 on
#else
#define HINT(size)
#endif
#define TYPE(sign, bits) "." #sign #bits "  "
"""


@pytest.mark.parametrize(
    ("statement", "cxx"),
    [
        ('asm("cp.async.cg.shared.global" HINT(128) " [%0], [%1], 16;" :: "r"(a), "l"(p));', None),
        ('asm("cp.async.cg.shared.global" HINT( 64 ) " [%0], [%1], 16;" :: "r"(a), "l"(p));', None),
        ('asm("add" TYPE(s, 32) "%0, %1, 1;" : "=r"(x) : "r"(a));', "x = (unsigned)a + 1u;"),
    ],
)
def test_macros_with_parameters_make_templates(statement: str, cxx: str | None) -> None:
    """Where the definitions of a macro mean the same in C++, it does not matter which one is taken."""
    plain = re.sub(r"\s*HINT\(.*?\)\s*", "", statement)
    wanted = cxx or ported(plain)
    assert "asm" not in wanted
    assert ported(HINT + statement) == HINT + wanted


def test_a_macro_keeps_its_continued_lines_and_the_header_follows_the_includes() -> None:
    text = (
        "#pragma once\n#include <stdint.h>\n#ifdef X\n#include <x.h>\n#endif\n"
        '#define CARRY(d, a) \\\n    asm volatile("add.cc.u32 %0, %1, 1;" \\\n                 "addc.u32 %0, %0, 0;" \\\n'
        '                 : "=r"(d) : "r"(a))\n__device__ int x;\n'
    )
    new = translated(text).text
    assert new.startswith("#pragma once\n#include <stdint.h>\n#include <musa_ptx.h>\n#ifdef X\n")
    macro = new[new.index("#define CARRY") : new.index("__device__")].rstrip("\n").split("\n")
    assert all(line.endswith("\\") for line in macro[:-1]) and macro[-1].endswith("while (0)")
    assert translated(new).text == new


def test_assembly_of_the_host_is_neither_changed_nor_reported() -> None:
    text = 'void f() { asm volatile("pause"); asm("cpuid" : "=a"(a) : "a"(b)); }\n'
    translation = translated(text)
    assert translation.text == text
    assert not findings_in(translation, name="k.cpp")


@pytest.mark.parametrize("architecture", ["mp_21", "mp_31"])
def test_the_headers_compile_for_each_architecture_and_are_empty_elsewhere(
    architecture: str, sim_sdk_root: Path, tmp_path: Path
) -> None:
    source = tmp_path / "k.mu"
    source.write_text(
        "#include <musa_ptx_half.h>\n__global__ void k(unsigned short* x) { *x = musa_ptx::f16::ex2(*x); }\n"
    )
    mcc = [str(sim_sdk_root / "bin" / "mcc"), *OLDER_CXX_FLAGS, "-std=c++17", "-Wall", "-Werror", "-fsyntax-only"]
    assert subprocess.run([*mcc, f"--offload-arch={architecture}", source], check=False).returncode == 0
    plain = tmp_path / "k.cpp"
    plain.write_text("#include <musa_ptx_half.h>\nnamespace musa_ptx { int f16; }\n")
    assert subprocess.run(["g++", *OLDER_CXX_FLAGS, "-fsyntax-only", plain], check=False).returncode == 0


def _documented_products() -> set[str]:
    """Return the names of the instructions in the table of docs/porting.md about mma.sync."""
    page = (Path(__file__).parents[2] / "docs" / "porting.md").read_text()
    rows = re.findall(r"^\| (m[^|]*) \| ([^|]*) \| ([^|]*) \|$", page, re.MULTILINE)
    assert len(rows) > 5
    found = set()
    for shapes, elements, sums in rows:
        kinds = re.findall(r"\b(?:[befsu]f?\d+(?:m\d)?|tf32)\b", elements)
        pairs = product(kinds, kinds) if "may differ" in elements else ((kind, kind) for kind in kinds)
        layouts = product(("row", "col"), repeat=2) if ".col" in shapes else (("row", "col"),)
        limits = ("", ".satfinite") if ".satfinite" in sums else ("",)
        operations = (".and.popc", ".xor.popc") if ".popc" in elements else ("",)
        for shape, (a, b), total, layout, limit, operation in product(
            *(re.findall(r"m\d+n8k\d+", shapes), pairs, set(re.findall(r"\b[fs]\d+", sums))),
            *(list(layouts), limits, operations),
        ):
            found.add(f"mma.sync.aligned.{shape}.{'.'.join(layout)}{limit}.{total}.{a}.{b}.{total}{operation}")
    return found


def test_the_products_of_matrices_are_those_of_the_documentation() -> None:
    numbers = ("f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1")
    names = {
        f"mma.sync.aligned.m{m}n8k{k}.{layout}.{layout_b}{limit}.{total}.{a}.{b}.{total}{operation}"
        for m, k in product((8, 16), (4, 8, 16, 32, 64, 128, 256))
        for layout, layout_b in product(("row", "col"), repeat=2)
        for limit, operation in (("", ""), (".satfinite", ""), ("", ".and.popc"), ("", ".xor.popc"))
        for total in ("f16", "f32", "f64", "s32")
        for a, b in product(numbers, numbers)
    }
    documented = _documented_products()
    assert documented <= names
    patterns = [rule.name for rule in table().rules if rule.line.startswith("mma.")]
    known = {name for name in names if any(pattern.fullmatch(name) for pattern in patterns)}
    assert known == documented


@pytest.mark.parametrize(
    "instruction",
    [
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0}, %1, %2, 1, 1, 1",
        "wgmma.fence.sync.aligned",
        "wgmma.wait_group.sync.aligned 0",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32",
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%3}, %4, 0x0",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%0}, {%1}, {%2}, {%3}, %4, {0, 0}",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2]",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16",
        "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%0], 16",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2]",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 16",
        "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1",
        "barrier.cluster.arrive.aligned",
        "mapa.shared::cluster.u32 %0, %1, 1",
        "ld.shared::cluster.u32 %0, [%1]",
        "multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1]",
        "fence.mbarrier_init.release.cluster",
    ],
)
def test_what_is_left_is_named_with_what_a_port_would_take(instruction: str) -> None:
    text = f'__global__ void k() {{\n  asm volatile("{{ .reg .pred P1, p; {instruction}; }}" :: "r"(a), "r"(b));\n}}\n'
    (finding,) = findings(text)
    name = instruction.split()[0]
    assert (finding.code, finding.line) == ("inline-assembly", 2)
    assert re.search(rf"none: {re.escape(name)} \(.{{20,}}\); rewrite", finding.message), finding.message


# Statements with conditions: around parts of the template, around operands, nested, one after the other.
_CONDITIONAL = [
    'asm volatile("mov.u32 %0, 1;"\n#if A\n"add.u32 %0, %0, %1;"\n#else\n"sub.u32 %0, %0, %1;"\n#endif\n: "+r"(x) : "r"(y));',
    'asm("add.u32 %0, %0, %1;"\n#if A\n"add.u32 %0, %0, 2;"\n#endif\n: "+r"(x) : "r"(y));',
    'asm(\n#if A\n"add.u32 %0, %0, 1;"\n#elif B\n"add.u32 %0, %0, 2;"\n#else\n"add.u32 %0, %0, 3;"\n#endif\n: "+r"(x));',
    'asm("{"\n#if A\n"add.u32 %0, %0, 1;"\n# if B\n"add.u32 %0, %0, 2;"\n# endif\n#else\n"sub.u32 %0, %0, 3;"\n#endif\n"}" : "+r"(x));',
    'asm("add.u32 %0, %0, %1;" : "+r"(x) :\n#if A\n"r"(y)\n#else\n"r"(f(y, 1))\n#endif\n);',
    'asm("add.u32 %0, %0, 1;"\n#if A\n"add.u32 %0, %0, 1;"\n#endif\n#if B\n"add.u32 %0, %0, 2;"\n#endif\n: "+r"(x));',
]


def _preprocessed(text: str, defined: dict[str, bool]) -> str:
    lines, open_ = [], []  # of each condition: is this branch compiled, has one been?
    for line in text.splitlines():
        word = re.match(r"\s*#\s*(\w+)\s*(\w*)", line)
        if word and word[1] == "if":
            open_.append([defined[word[2]], defined[word[2]]])
        elif word and word[1] in ("elif", "else"):
            taken = not open_[-1][1] and (word[1] == "else" or defined[word[2]])
            open_[-1] = [taken, open_[-1][1] or taken]
        elif word and word[1] == "endif":
            open_.pop()
        elif all(is_compiled for is_compiled, _ in open_):
            lines.append(line)
    return "\n".join(lines)


def _bare(text: str) -> str:
    """Return a text without blanks, and without the `do {} while (0)` around conditions."""
    text = re.sub(r"\s+", "", text)
    while (shorter := re.sub(r"do\{((?:(?!do\{).)*?;)\}while\(0\);", r"\1", text)) != text:
        text = shorter
    return re.sub(r";+", ";", text)


@pytest.mark.parametrize("statement", _CONDITIONAL)
@pytest.mark.parametrize("values", list(product((False, True), repeat=2)))
def test_conditions_inside_a_statement_stand_around_whole_ones(statement: str, values: tuple[bool, bool]) -> None:
    defined = dict(zip("AB", values))
    text = f"__global__ void k(unsigned x, unsigned y) {{\n    if (x)\n    {statement}\n    else y = 0;\n}}\n"

    def port(given: str) -> str:
        return translate(given.encode(), Translator(rule_set()), lambda include: None).text

    assert "asm" not in port(text)
    assert _bare(_preprocessed(port(text), defined)) == _bare(port(_preprocessed(text, defined)))
