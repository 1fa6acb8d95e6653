"""Launches with the arguments in one buffer, words that streams wait for, and events of several processes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from library_programs import Build
from sim_programs import Program, run

INVALID = "MUSA_ERROR_INVALID_VALUE"
ASYNC = pytest.mark.parametrize("env", [{}, {"MUSA_SIM_ASYNC": "0"}], ids=["asynchronous", "synchronous"])

PROGRAMS = Path(__file__).with_name("programs")
CLASSES = (PROGRAMS / "arguments_in_a_buffer.h").read_text(encoding="utf-8")
TYPES = (
    *("char", "bool", "short", "int", "float", "double", "long long", "float2", "float3", "float4", "double2"),
    *("const int*", "Bytes", "Numbers", "Mixed", "Wide", "Nested", "Large"),
)


def signature(rng: random.Random) -> list[str]:
    return [rng.choice(TYPES) for _ in range(rng.randint(1, 9))]


def a_kernel(number: int, types: list[str]) -> tuple[str, str]:
    """The kernel, which writes its arguments one after the other, and the code that launches it and compares."""
    parameters = ", ".join(f"{kind} p{at}" for at, kind in enumerate(types))
    kept = " ".join(f"keep(out, p{at});" for at in range(len(types)))
    kernel = f"__global__ void k{number}(char* out, {parameters}) {{ {kept} }}\n"
    members = " ".join(f"{kind} p{at};" for at, kind in enumerate(types))
    copied = " ".join(
        f"memcpy(next, &given.p{at}, sizeof given.p{at}); next += sizeof given.p{at};" for at in range(len(types))
    )
    bools = " ".join(f"given.p{at} = {at % 2};" for at, kind in enumerate(types) if kind == "bool")
    launch = (
        f"{{ struct {{ char* out; {members} }} given;\n"
        "  auto* const bytes = reinterpret_cast<unsigned char*>(&given);\n"
        "  for (size_t i = 0; i < sizeof given; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);\n"
        f"  {bools} given.out = out; char expected[4096], *next = expected; {copied}\n"
        f"  auto* const kernel = reinterpret_cast<const void*>(k{number});\n"
        f'  launch(kernel, given, expected, next - expected, out, "{parameters}"); }}\n'
    )
    return kernel, launch


@pytest.mark.compiles
def test_arguments_lie_in_a_buffer_as_the_members_of_a_structure(sim_sdk_root: Path, tmp_path: Path) -> None:
    rng = random.Random(34)
    kernels, launches = zip(*(a_kernel(number, signature(rng)) for number in range(60)))
    source = tmp_path / "packed.mu"
    source.write_text(
        f"{CLASSES}{''.join(kernels)}int main() {{ muInit(0); char* out; musaMalloc(&out, 4096);\n{''.join(launches)}"
        'std::printf("failures=%d\\n", failures); }\n'
    )
    libraries = [f"-L{sim_sdk_root}/lib", f"-Wl,-rpath,{sim_sdk_root}/lib", "-lmusa", "-lmusart"]
    built = run([sim_sdk_root / "bin/mcc", "-O1", source, "-o", tmp_path / "packed", *libraries])
    assert built.status == 0, built.stderr
    result = run([tmp_path / "packed"])
    assert result.facts == {"failures": "0"}, result.text + result.stderr


@pytest.fixture(scope="module")
def streams(build: Build) -> Program:
    return build("driver_streams.mu", libraries=["musa"])


@ASYNC
def test_older_launches(streams: Program, env: dict[str, str]) -> None:
    result = streams("older", env=env)
    assert result.status == 0, result.stderr
    assert result.facts == {
        "one": "62",
        "more": "1",
        **dict.fromkeys(("too small", "no shape", "both ways", "no size"), INVALID),
        "two places": "MUSA_ERROR_NOT_SUPPORTED",
        "class": "11",
        "node": "109",
    }
    assert "parameter 2, a class of 24 bytes, may begin at byte 4 of the buffer or later" in result.stderr
    assert "the buffer with its arguments has 20 bytes; parameter 3 ends at byte 24" in result.stderr


def test_streams_wait_for_words_and_write_them(streams: Program) -> None:
    result = streams("words")
    assert result.status == 0, result.stderr
    assert result.facts == {
        **dict.fromkeys(("geq", "geq around", "eq", "and", "nor", "geq 64", "eq 64"), "1"),
        "in turn": "22",
        **dict.fromkeys(("no such memory", "odd address", "no such way"), INVALID),
        "captured": "MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
    }


def test_events_of_two_processes(streams: Program) -> None:
    result = streams("events")
    assert result.status == 0, result.stderr
    assert result.facts == {
        "timed": INVALID,
        "not for others": "MUSA_ERROR_INVALID_HANDLE",
        "own handle": "MUSA_ERROR_INVALID_CONTEXT",
        "still recorded": "MUSA_ERROR_NOT_READY",
        "child": "0",
        "seen": "42",
        "no handle": "MUSA_ERROR_INVALID_HANDLE",
    }
