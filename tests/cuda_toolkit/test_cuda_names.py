"""CUDA's names in terms of an SDK's: which become aliases, and which do not."""

from __future__ import annotations

from importlib.resources import files

import pytest

from musa_build.cuda_toolkit.names import _NOT_ALIASES, CudaNames, cuda_names, identifiers
from musa_build.porting.engine.rules import rule_set

RULES = rule_set()


def names(*known: str, tags: tuple[str, ...] = ()) -> CudaNames:
    return cuda_names(known, RULES, tags)


@pytest.mark.parametrize(
    ("musa", "cuda"),
    [
        ("musaMalloc", "cudaMalloc"),
        ("muMemAlloc", "cuMemAlloc"),
        ("MUdeviceptr", "CUdeviceptr"),
        ("MU_DEVICE_ATTRIBUTE_WARP_SIZE", "CU_DEVICE_ATTRIBUTE_WARP_SIZE"),
        ("MUSA_SUCCESS", "CUDA_SUCCESS"),
        ("mublasSgemm", "cublasSgemm"),
        ("MUBLAS_STATUS_SUCCESS", "CUBLAS_STATUS_SUCCESS"),
        ("mufftExecC2C", "cufftExecC2C"),
        ("murand_uniform", "curand_uniform"),
        ("murand_state_philox4x32_10", "curandStatePhilox4_32_10_t"),
        ("__mt_bfloat16", "__nv_bfloat16"),
        ("mcclAllReduce", "ncclAllReduce"),
        ("mtrtcCompileProgram", "nvrtcCompileProgram"),
        ("make_muComplex", "make_cuComplex"),
        ("MU_JIT_INPUT_MUBIN", "CU_JIT_INPUT_CUBIN"),
    ],
)
def test_a_name_of_the_sdk_has_cudas(musa: str, cuda: str) -> None:
    assert names(musa).aliases[cuda] == musa
    # and it is the name that porting writes, so ported and unported code agree
    assert RULES.new_name(cuda) == musa


def test_each_name_of_cudas_headers_is_an_alias_where_an_sdk_has_its_counterpart() -> None:
    lines = (files("musa_build.porting.engine") / "tables" / "cuda-names.txt").read_text(encoding="utf-8").splitlines()
    counterparts = {name: RULES.new_name(name) for name in lines if name.isidentifier()}
    expected = {name for name, new in counterparts.items() if new and new != name}
    assert len(expected) > 4000
    left = expected - set(names(*(new for new in counterparts.values() if new)).aliases)
    # the toolkit defines some by itself
    assert {name for name in left if not _NOT_ALIASES.fullmatch(name)} == set()


def test_a_name_that_the_sdk_lacks_stays_undeclared() -> None:
    assert "cudaMallocAsync" not in names("musaMalloc").aliases


@pytest.mark.parametrize(
    "musa", ["musa", "__MUSA_ARCH__", "MUSA_VERSION", "__MUSACC__", "__MUSA_RUNTIME_H__", "mtmusa"]
)
def test_words_that_mean_something_else_are_no_aliases(musa: str) -> None:
    assert names(musa).aliases == {}


def test_versioned_names_are_aliases_too() -> None:
    found = names("mublasCreate", "muMemAlloc").aliases
    assert (found["cublasCreate_v2"], found["cuMemAlloc_v2"]) == ("mublasCreate", "muMemAlloc")


def test_tags_are_apart() -> None:
    found = names("MUstream_st", "musaStream_t", tags=("CUstream_st",))
    assert found.tags == {"CUstream_st": "MUstream_st"}
    assert found.aliases == {"cudaStream_t": "musaStream_t"}


def test_identifiers_are_those_of_code() -> None:
    text = '/* musaOld */ musaError_t musaMalloc(void **p); // musaNever\nconst char *s = "musaText"; int x$musaNot;'
    assert {name for name in identifiers(text) if name.startswith("musa")} == {"musaError_t", "musaMalloc"}
