"""Kernels that copy asynchronously or use matrix instructions, each right or with one defect, as CUDA source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

THREADS = 64


class Case(NamedTuple):
    """One kernel. `expected`: how a finding begins, with the marks of its lines in braces; none: no finding."""

    name: str
    source: str
    expected: str = ""


class _Way(NamedTuple):
    """How copies are written: `{to}`, `{source}` and `{left}` are put in."""

    name: str
    width: int  # bytes that a thread copies
    start: str
    commit: str
    wait: str
    wait_is_barrier: bool = False

    @property
    def written(self) -> int:
        """Bytes of one access: of a copy with zeros, the two halves are written one by one."""
        return 8 if self.name == "zfill" else self.width


def _cp_async(name: str, width: int, hint: str, more: str = "") -> _Way:
    start = (
        f'asm volatile("cp.async.{hint} [%0], [%1], {width}{more};" '
        ':: "r"((unsigned)__cvta_generic_to_shared({to})), "l"({source}));'
    )
    return _Way(
        name,
        width,
        start,
        'asm volatile("cp.async.commit_group;");',
        'asm volatile("cp.async.wait_group {left};" ::: "memory");',
    )


WAYS = (
    _cp_async("ca4", 4, "ca.shared.global"),
    _cp_async("ca8", 8, "ca.shared.global.L2::128B"),
    _cp_async("cg16", 16, "cg.shared.global"),
    _cp_async("zfill", 16, "cg.shared::cta.global", ", 8"),
    _Way(
        "pipeline",
        16,
        "__pipeline_memcpy_async({to}, {source}, 16);",
        "__pipeline_commit();",
        "__pipeline_wait_prior({left});",
    ),
    _Way(
        "group",
        16,
        "cg::memcpy_async(cg::this_thread_block(), {to} - 16 * i, {source} - 16 * i, 16 * 64);",
        "",
        "cg::wait_prior<{left}>(cg::this_thread_block());",
        wait_is_barrier=True,
    ),
)

_BARRIER = "__syncthreads();"
_NOT_AWAITED = (
    "race: read of 1 byte at {read} and an asynchronous copy at {copy%d}, which its thread has not waited for"
)
_NO_BARRIER = "race: read of 1 byte at {read} and a write at {copy%d}, with no barrier between them"


def _two_stages(way: _Way, name: str, then: str, read: str, expected: str) -> Case:
    """Start two groups of copies, do `then`, read."""
    starts = "".join(
        "  "
        + way.start.format(
            to=f"(tile[{stage}] + {way.width} * i)", source=f"(from + {way.width} * ({THREADS * stage} + i))"
        )
        + f" // {way.name}_{name}:copy{stage}\n  {way.commit}\n"
        for stage in range(2)
    )
    source = f"""__global__ void {way.name}_{name}(const unsigned char* from, unsigned char* out) {{
  __shared__ __align__(16) unsigned char tile[2][{way.width * THREADS}];
  const int i = threadIdx.x;
{starts}  {then}
  out[i] = {read}; // {way.name}_{name}:read
}}
"""
    return Case(f"{way.name}_{name}", source, expected)


def _copies(way: _Way) -> Iterator[Case]:
    others, own = (f"tile[%d][{way.width} * {index}]" for index in ("(63 - i)", "i"))
    wait0, wait1 = (way.wait.format(left=left) for left in range(2))
    yield _two_stages(way, "good", f"{wait0} {_BARRIER}", others % 1, "")
    yield _two_stages(way, "good_first", f"{wait1} {_BARRIER}", others % 0, "")
    yield _two_stages(way, "good_own", wait0, own % 1, "")
    yield _two_stages(way, "no_wait", _BARRIER, others % 1, _NOT_AWAITED % 1)
    yield _two_stages(way, "no_wait_own", "", own % 0, _NOT_AWAITED % 0)
    yield _two_stages(way, "waits_for_the_first", f"{wait1} {_BARRIER}", others % 1, _NOT_AWAITED % 1)
    if not way.wait_is_barrier:
        # the first thread reads before the others have come to their copies
        early = f"race: write of {way.written} bytes at {{copy1}} and a read at {{read}}, with no barrier between them"
        yield _two_stages(way, "no_barrier", wait0, others % 1, early)
        yield _two_stages(way, "barrier_first", f"{_BARRIER} {wait0}", others % 1, _NOT_AWAITED % 1)
        # the reader waited for its own copies later than all others, so theirs are writes
        late = f"if (i == 0) __nanosleep(1); {wait0}"
        yield _two_stages(way, "no_barrier_late", late, f"i == 0 ? {others % 0} : 0", _NO_BARRIER % 0)
        again = way.start.format(to="tile[0]", source="from").replace("tile[0]", f"(tile[0] + {way.width} * (63 - i))")
        used = f"{wait0} {_BARRIER} out[i] = {own % 0}; // {way.name}_reused:used"
        reused = f"{used}\n  {again} // {way.name}_reused:again\n  {way.commit} {wait0}"
        expected = "race: read of 1 byte at {used} and a write at {again}, with no barrier between them"
        yield _two_stages(way, "reused", reused, "0", expected)


def _memory(way: _Way) -> Iterator[Case]:
    def case(name: str, to: str, source: str, expected: str) -> Case:
        start = way.start.format(to=f"({to})", source=f"({source})")
        text = f"""__global__ void {way.name}_{name}(const unsigned char* from, unsigned char* out) {{
  __shared__ __align__(16) unsigned char tile[{way.width * THREADS}];
  const int i = threadIdx.x;
  {start} // {way.name}_{name}:copy
  {way.commit} {way.wait.format(left=0)} {_BARRIER}
  out[i] = tile[{way.width} * i];
}}
"""
        return Case(f"{way.name}_{name}", text, expected)

    width, ends = way.width, way.width * THREADS
    yield case(
        "past_source",
        f"tile + {width} * i",
        f"from + {2 * 16 * THREADS} + {width} * i",
        f"memory: read of {way.written} bytes, out of bounds, at {{copy}}",
    )
    yield case(
        "past_tile",
        f"tile + {ends} + {width} * i",
        f"from + {width} * i",
        f"memory: write of {way.written} bytes, out of bounds, at {{copy}}",
    )
    if "cp.async" in way.start and way.name != "zfill":
        yield case(
            "misaligned",
            f"tile + {width} * i",
            f"from + {width} * i + {width // 2}",
            f"memory: read of {width} bytes, misaligned, at {{copy}}",
        )


_OPERANDS = {
    # instruction: type, count and constraint of A and B, then of C
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": (("unsigned", 4), ("unsigned", 2), ("float", 4)),
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": (("float", 4), ("float", 2), ("float", 4)),
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16": (("unsigned", 4), ("unsigned", 2), ("unsigned", 2)),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32": (("int", 4), ("unsigned", 2), ("int", 4)),
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64": (("double", 1), ("double", 1), ("double", 2)),
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32": (("unsigned", 2), ("unsigned", 2), ("float", 8)),
}
_CONSTRAINTS = {"unsigned": "r", "int": "r", "float": "f", "double": "d"}


def _mma(number: int, instruction: str, unwritten: str) -> Case:
    operands = dict(zip("abc", _OPERANDS[instruction]))
    name = f"mma{number}_{'no_' + unwritten if unwritten else 'good'}"

    declarations = " ".join(f"{kind} {operand}[{count}];" for operand, (kind, count) in operands.items())
    fills = " ".join(
        f"for (int i = 0; i < {count}; ++i) {operand}[i] = ({kind})from[i];"
        for operand, (kind, count) in operands.items()
        if operand != unwritten
    )
    count_c = operands["c"][1]
    numbers = iter(range(count_c, 100))
    sets = [", ".join(f"%{i}" for i in range(count_c))]
    inputs = []
    for operand, (kind, count) in operands.items():
        sets.append(", ".join(f"%{next(numbers)}" for _ in range(count)))
        is_bits = kind == "float" and operand != "c"
        inputs += [
            f'"{"r" if is_bits else _CONSTRAINTS[kind]}"'
            f"({f'*(unsigned*)&{operand}[{i}]' if is_bits else f'{operand}[{i}]'})"
            for i in range(count)
        ]
    outputs = ", ".join(f'"={_CONSTRAINTS[operands["c"][0]]}"(d[{i}])' for i in range(count_c))
    template = f"{instruction} {', '.join('{' + each + '}' for each in sets)};"
    source = f"""__global__ void {name}(const unsigned char* from, unsigned char* out) {{
  {declarations} {operands["c"][0]} d[{count_c}];
  {fills}
  asm volatile("{template}" : {outputs} : {", ".join(inputs)}); // {name}:read
  out[threadIdx.x] = d[0] + d[1] > 0;
}}
"""
    expected = "init: a matrix instruction reads a fragment that nobody wrote, at {read}" if unwritten else ""
    return Case(name, source, expected)


def _wmma(unwritten: str) -> Case:
    name = f"wmma_{'no_' + unwritten if unwritten else 'good'}"
    fills = " ".join(f"fill_fragment({each}, from[0]);" for each in "abc" if each != unwritten)
    source = f"""__global__ void {name}(const unsigned char* from, unsigned char* out) {{
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  {fills}
  mma_sync(c, a, b, c); // {name}:read
  out[threadIdx.x] = c.x[0] > 0;
}}
"""
    expected = "init: a matrix instruction reads a fragment that nobody wrote, at {read}" if unwritten else ""
    return Case(name, source, expected)


def _ldmatrix(name: str, write: str, row: str, expected: str) -> Case:
    source = f"""__global__ void ldmatrix_{name}(const unsigned char* from, unsigned char* out) {{
  __shared__ __align__(16) unsigned short tile[64 * 8];
  const int i = threadIdx.x, lane = i % 32;
  {write} // ldmatrix_{name}:write
  unsigned a, b, c, d;
  const unsigned row = (unsigned)__cvta_generic_to_shared(tile + 8 * ({row}));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%0, %1, %2, %3}}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(row)); // ldmatrix_{name}:read
  out[i] = a + b + c + d;
}}
"""
    return Case(f"ldmatrix_{name}", source, expected)


def cases() -> list[Case]:
    """Return all kernels."""
    fill = "for (int j = 0; j < 8; ++j) tile[8 * i + j] = from[j];"
    found = [case for way in WAYS for case in (*_copies(way), *_memory(way))]
    found += [
        _mma(number, instruction, unwritten)
        for number, instruction in enumerate(_OPERANDS)
        for unwritten in ("", "a", "b", "c")
    ]
    found += [_wmma(unwritten) for unwritten in ("", "a", "b", "c")]
    found += [
        _ldmatrix("good", f"{fill} {_BARRIER}", "i", ""),
        _ldmatrix("unwritten", "", "i", "init: read of 4 bytes that nobody wrote, at {read}"),
        _ldmatrix("no_barrier", fill, "i", "race: read of 4 bytes at {read} and a write at {write}, with no barrier"),
        _ldmatrix("past_tile", f"{fill} {_BARRIER}", "i + 32", "memory: read of 4 bytes, out of bounds, at {read}"),
    ]
    return found


def source(of: list[Case]) -> str:
    """Write a program that runs the kernel that its argument names."""
    kernels = "".join(case.source for case in of)
    calls = "".join(
        f'  if (!strcmp(argv[1], "{case.name}")) {case.name}<<<1, {THREADS}>>>(from, out);\n' for case in of
    )
    return f"""#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;
{kernels}
int main(int argc, char** argv) {{
  unsigned char *from, *out;
  cudaMalloc(&from, {2 * 16 * THREADS});
  cudaMemset(from, 1, {2 * 16 * THREADS});
  cudaMalloc(&out, {THREADS});
{calls}  printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
}}
"""
