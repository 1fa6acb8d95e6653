"""Names and flags that public code for MUSA uses beyond CUDA's: they compile, compute what NumPy does, or say no."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from library_programs import Build
from results import results
from sim_programs import Program

from musa_sim import SDK_VERSION

COMPILED = {
    "guards": """#include <musa_runtime_api.h>
#ifndef __HOST_DEFINES_H__
#undef __host__
#endif
#include <musa_runtime_api.h>
__host__ int f() { return 0; }""",
    "occupancy": "#include <musa_occupancy.h>\nmusaOccDeviceState state;",
    "integers of a width": "#include <musa_runtime.h>\n__global__ void k(uint8_t* p, int64_t* q) { *p = 1; *q = 2; }",
    "argument lists": """template <int I> struct T { template <class P> static void D(P) {} };
template <class X> void h(X* p) { T<0>::template D(p); }
void g(int* p) { h(p); }""",
    "matrix products of muDNN": """#include <mudnn_xmma.h>
musa::dnn::MatMul a; musa::dnn::BatchMatMul b; musa::dnn::Convolution c;""",
    "the same, from 5.1 on": """#include <mudnncxx/mudnn_xmma.h>
musa::dnn::MatMul a; musa::dnn::ScaledDotProductAttention b;""",
    "address spaces": """__global__ void k(int* p) {
    __shared__ int s;
    auto global = (__attribute__((address_space(1))) int*)p;
    auto shared = (__attribute__((address_space(3))) int*)&s;
    *shared = 1;
    *global = *shared;
}""",
    "own functions of the SDK's names": """__device__ unsigned volatile_load(unsigned* p) { return *p; }
template <class T> __device__ void volatile_store(T value, T* p) { *p = value; }
__global__ void k(unsigned* p, float* q) {
    volatile_store(volatile_load(p), p + 1);
    volatile_store(*q, q + 1);
}""",
    "vectors of 128 bytes": """typedef float V __attribute__((vector_size(128)));
__global__ void k(V* p) { *p += *p; }""",
    "shared address": "__global__ void k(unsigned* p) { __shared__ int s; *p = __cvta_generic_to_shared(&s); }",
    "muSOLVER": """#include <musolver.h>
int f(mublasHandle_t h, float* a, muComplex* c) {
    int l;
    musolverDnCunmqr(h, MUBLAS_SIDE_LEFT, MUBLAS_OP_N, 4, 4, 4, c, 4, c, c, 4);
    return musolverDnSgetrf_bufferSize(h, 4, 4, a, 4, &l);
}""",
    "statuses": """#include <mublas.h>
int s[] = {MUBLAS_STATUS_CONTINUE, MUBLAS_STATUS_CHECK_NUMERICS_FAIL, MUBLAS_STATUS_NOT_SUPPORTED};""",
    "fp8 of MCCL": "#include <mccl.h>\nint s[] = {mcclFp8E4M3, mcclFp8E5M2};",
    "driver": """#include <musa.h>
void* x[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, 0, MU_LAUNCH_PARAM_END}; MUSA_MEMCPY3D c;""",
    "texture references in templates": """template <class T> struct R { typedef texture<T> Ref; static Ref ref; };
R<float>* r;""",
}


@pytest.fixture(scope="module")
def names(build: Build) -> Program:
    return build("names_of_musa.mu")


def compiled(root: Path, folder: Path, code: str, *flags: str) -> subprocess.CompletedProcess[str]:
    source = folder / "k.mu"
    source.write_text(code + "\n")
    command = [str(root / "bin/mcc"), "-fsyntax-only", *flags, str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_names_compile(sim_sdk_root: Path, tmp_path: Path) -> None:
    for name, code in COMPILED.items():
        done = compiled(sim_sdk_root, tmp_path, code, "-Wall")
        assert (name, done.returncode, done.stderr) == (name, 0, "")


@pytest.mark.parametrize("code", ["texture<float> t;", "texture<int4, 2, musaReadModeElementType> t;"])
def test_texture_references_are_refused(sim_sdk_root: Path, tmp_path: Path, code: str) -> None:
    done = compiled(sim_sdk_root, tmp_path, code)
    assert done.returncode != 0
    assert "the simulator has no texture references: use a texture object (musaCreateTextureObject)" in done.stderr


def test_the_cxx_librarys_folders_can_be_named(sim_sdk_root: Path, tmp_path: Path) -> None:
    said = subprocess.run(["g++", "-xc++", "-E", "-v", "/dev/null"], capture_output=True, text=True, check=True).stderr
    folders = [line.strip() for line in said.splitlines() if line.startswith(" /") and "/c++/" in line]
    flags = [word for folder in folders for word in ("-stdlib++-isystem", folder)]
    done = compiled(sim_sdk_root, tmp_path, "#include <cstddef>\n#include <vector>\nstd::vector<int> v;", *flags)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arch", ["mp_32", "mp_41", "mp_42", "mp_43"])
def test_other_architectures_are_names(sim_sdk_root: Path, tmp_path: Path, arch: str) -> None:
    code = f"#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ != {arch[3:]}0\n#error\n#endif"
    done = compiled(sim_sdk_root, tmp_path, code, f"--offload-arch={arch}")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_compilers_version_is_the_sdks(sim_sdk_root: Path, tmp_path: Path) -> None:
    major, minor, patch = SDK_VERSION.split(".")
    code = f"""#if __MUSACC_VER_MAJOR__ != {major} || __MUSACC_VER_MINOR__ != {minor}
#error the compiler
#endif
#if __MUSACC_VER_PATCHLEVEL__ != {patch}
#error the compiler
#endif
#if MUSART_VERSION != __MUSACC_VER_MAJOR__ * 10000 + __MUSACC_VER_MINOR__ * 100 + __MUSACC_VER_PATCHLEVEL__
#error the runtime
#endif"""
    done = compiled(sim_sdk_root, tmp_path, code)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("n", [1, 1000])
def test_conversions(names: Program, rng: np.random.Generator, n: int) -> None:
    special = [0.0, -0.0, 0.5, 1.5, -0.5, 127.5, 127.49, -128.5, 254.5, 255.5, np.inf, -np.inf, np.nan, 3e38, 1e-40]
    x = np.concatenate([rng.uniform(-300, 300, n), rng.standard_normal(n), special]).astype(np.float32)
    read = results(names, "conversions", x.size, x)
    with np.errstate(invalid="ignore", over="ignore"):
        for dtype, least, most in ((np.int8, -128, 127), (np.uint8, 0, 255)):
            got = read.take(2 * x.size, dtype).reshape(-1, 2)
            for column, rounded in enumerate((np.rint(x), np.trunc(x))):
                np.testing.assert_array_equal(
                    got[:, column], np.nan_to_num(np.clip(rounded, least, most)).astype(dtype)
                )
        numbers = read.take(2 * x.size, np.float32).reshape(-1, 2)
        # rounded as an integer of 11 bits, in double precision
        fraction, exponent = np.frexp(np.where(np.isfinite(x), x, 1).astype(np.float64))
        least_exponent = np.maximum(exponent, -125)
        tf32 = np.ldexp(np.rint(np.ldexp(fraction, 11 + exponent - least_exponent)), least_exponent - 11)
        np.testing.assert_array_equal(numbers[:, 0], np.where(np.isfinite(x), tf32, x).astype(np.float32))
        np.testing.assert_allclose(
            numbers[:, 1], np.exp2(x.astype(np.float64)).astype(np.float32), rtol=3e-7, atol=1e-44
        )
    read.end()


def bfloat16(x: np.ndarray) -> np.ndarray:
    """The bits, rounded to nearest even; no NaN is among them."""
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


@pytest.mark.parametrize("n", [1, 333])
def test_four_at_a_time(names: Program, rng: np.random.Generator, n: int) -> None:
    x = (rng.standard_normal((n, 4)) * 10.0 ** rng.integers(-6, 5, (n, 4))).astype(np.float32)
    read = results(names, "fours", n, x)
    with np.errstate(over="ignore"):
        half, bfloat = x.astype(np.float16), bfloat16(x)
    np.testing.assert_array_equal(read.take(4 * n, np.float16).reshape(n, 4), half)
    np.testing.assert_array_equal(read.take(4 * n, np.uint16).reshape(n, 4), bfloat)
    back = read.take(8 * n, np.float32).reshape(n, 2, 4)
    np.testing.assert_array_equal(back[:, 0], half.astype(np.float32))
    np.testing.assert_array_equal(back[:, 1], (bfloat.astype(np.uint32) << 16).view(np.float32))
    raw = read.take(2 * n, np.uint16).reshape(n, 2)
    np.testing.assert_array_equal(raw, np.stack([half[:, 0].view(np.uint16), bfloat[:, 3]], axis=1))
    read.end()


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_FIBERS": "1"}], ids=["cut", "fibers"])
@pytest.mark.parametrize("width", [8, 32])
def test_shuffles_without_a_mask(names: Program, rng: np.random.Generator, width: int, env: dict[str, str]) -> None:
    lane = np.arange(96)
    first = lane // width * width
    rank = lane - first
    sources = [
        first + 5 % width,
        np.where(rank >= 3, lane - 3, lane),
        np.where(rank + 2 < width, lane + 2, lane),
        lane ^ 1,
        first + 7 % width,
    ]
    for kind in ("i4", "u4", "i8", "u8", "f4", "f8"):
        x = np.frombuffer(rng.bytes(96 * int(kind[1])), kind)
        x = np.where(np.isnan(x), 0, x).astype(kind)
        got = names.array(kind, kind, width, inputs=[x], env=env).reshape(5, 96)
        for row, source in zip(got[:4], sources):
            np.testing.assert_array_equal(row, x[source])
        np.testing.assert_array_equal(got[4], np.where(lane & 1, x[sources[4]], 0))


def test_shared_addresses_of_32_bits(names: Program, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**31), 2**31, 128).astype(np.int32)
    got = names.array(np.int32, "addresses", 0, inputs=[x])
    np.testing.assert_array_equal(got, np.concatenate([x[:64][::-1], x[64:][::-1]]))


def test_launches_from_kernels_are_refused(names: Program) -> None:
    assert names.array(np.int32, "device_launch", 0).tolist() == [1, 801]


@pytest.mark.parametrize("arch", ["mp_22", "mp_31"])
def test_the_occupancy_calculator_agrees_with_the_runtime(build: Build, arch: str) -> None:
    program = build("names_of_musa.mu", flags=[f"--offload-arch={arch}"])
    pairs = program.array(np.int32, "occupancy", 0, env={"MUSA_SIM_ARCH": arch}).reshape(-1, 2)
    differ = pairs[pairs[:, 0] != pairs[:, 1]]
    assert len(differ) == 0, differ
    assert len(np.unique(pairs)) > 5
