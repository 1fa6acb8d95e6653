"""Each check finds the defect that was planted for it, says where and who, and is silent on the repaired twin."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from checked_programs import SOURCES
from sim_programs import Program

SOURCE = SOURCES / "planted.mu"
LINES = {
    found.group(1): number
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
    if (found := re.search(r"// BUG:(\w+)$", line))
}
FOUND = 86  # the exit status that says that there were findings


@dataclass(frozen=True)
class Report:
    kind: str
    headline: str  # a pattern; {line} is the line that the source marks
    who: str  # of the line that names kernel, block and thread
    details: tuple[str, ...]
    error: str = "musaSuccess"


def memory(headline: str, who: str, *details: str, error: str = "musaErrorIllegalAddress") -> Report:
    return Report("memory", headline, who, details, error)


SIXTY = r"allocated by (.* <- )?allocate_sixty\(\) \(planted\+0x[0-9a-f]+\) <- main \(planted\+0x[0-9a-f]+\)"

REPORTS = {
    "past_end": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:\d+",
        r"kernel past_end\(int\*, int\), block \(0,0,0\), thread \(60,0,0\)",
        "the address is just after the end of 240 bytes of device memory",
        SIXTY,
    ),
    "before_start": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(5,0,0\)",
        "the address is 4 bytes before the start of 240 bytes of device memory",
        SIXTY,
    ),
    "after_free": memory(
        r"read of 4 bytes, freed memory, at .*planted\.mu:{line}:",
        r"thread \(0,0,0\)",
        "the address is at byte 0 of 240 bytes of freed device memory",
        SIXTY,
        r"freed by release\(int\*\) \(planted\+0x[0-9a-f]+\) <- main ",
    ),
    "host_pointer": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:", "", "which no memory of the device has"
    ),
    "past_shared": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(63,0,0\)",
        r"just after the end of the shared variable past_shared\(int\*\)::tile \(256 bytes\)",
    ),
    "past_dynamic": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(63,0,0\)",
        r"just after the end of the launch's dynamic shared memory \(252 bytes\)",
    ),
    "past_variable": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:",
        "",
        r"just after the end of the device variable table \(32 bytes\)",
    ),
    "misaligned": memory(
        r"write of 8 bytes, misaligned, at .*planted\.mu:{line}:",
        r"thread \(0,0,0\)",
        "ends in 0x4; such an access needs a multiple of 8",
        error="musaErrorMisalignedAddress",
    ),
    "past_heap": memory(
        r"write of 4 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(4,0,0\)",
        "just after the end of 16 bytes of memory of the kernels' heap",
        "allocated by a kernel",
    ),
    "past_local": memory(
        r"(read|write) of 4 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(7,0,0\)",
        r"just after the end of the local variable kept \(32 bytes\)",
    ),
    "before_local_row": memory(
        r"write of 2 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(0,0,0\)",
        r"12 bytes before the local variable state \(48 bytes\)",
    ),
    "long_local_copy": memory(
        r"write of 17 bytes, out of bounds, at .*planted\.mu:{line}:",
        r"thread \(0,0,0\)",
        r"just after the end of the local variable text \(16 bytes\)",
    ),
    "past_copy": memory(
        r"write of 241 bytes, out of bounds, at .*planted\.mu:{line}:", "", "just after the end of 240 bytes", SIXTY
    ),
    "race": Report(
        "race",
        r"write of 4 bytes at .*planted\.mu:{line}:\d+ and a read at .*, with no barrier between them",
        r"thread \(32,0,0\); before it thread \(31,0,0\)",
        (r"at byte 128 of the shared variable race\(int\*\)::tile \(256 bytes\)",),
    ),
    "lost_update": Report(
        "race",
        r"read of 4 bytes at .*planted\.mu:{line}:\d+ and a write at .*planted\.mu:{line}:\d+,",
        r"thread \(1,0,0\); before it thread \(0,0,0\)",
        (r"shared variable lost_update\(int\*\)::sum",),
    ),
    "missing_second": Report(
        "race",
        r"write of 4 bytes at .* and a read at .*planted\.mu:{line}:",
        r"kernel missing_second\(int\*\), block \(0,0,0\), thread \(1,0,0\); before it thread \(0,0,0\)",
        ("dynamic shared memory",),
    ),
    "warp_race": Report("race", r"read of 4 bytes at .*planted\.mu:{line}:\d+ and a write", "", ("tile",)),
    "across_warps": Report("race", r"read of 4 bytes at .*planted\.mu:{line}:\d+ and a write", "", ("tile",)),
    "zeroed_late": Report(
        "race",
        r"atomic operation on 4 bytes at .*planted\.mu:{line}:\d+ and a write at",
        r"thread \(1,0,0\); before it thread \(0,0,0\)",
        (r"shared variable zeroed_late\(int\*\)::count",),
    ),
    "counted_by_others": Report(
        "race",
        r"read of 4 bytes at .*planted\.mu:{line}:\d+ and a write",
        r"thread \(2,0,0\); before it thread \(0,0,0\)",
        ("counts",),
    ),
    "unwritten_shared": Report(
        "init",
        r"read of 4 bytes that nobody wrote, at .*planted\.mu:{line}:",
        r"thread \(7,0,0\)",
        (r"at byte 28 of the shared variable unwritten_shared\(int\*\)::tile",),
    ),
    "unwritten_global": Report(
        "init",
        r"read of 4 bytes that nobody wrote, at .*planted\.mu:{line}:",
        r"block \(0,0,0\), thread \(40,0,0\)",
        ("at byte 160 of 256 bytes of device memory",),
    ),
    "two_barriers": Report(
        "sync",
        r"threads of a block wait at different barriers: 32 at .*planted\.mu:{line}:\d+, 32 at .*planted\.mu:\d+",
        r"kernel two_barriers\(int\*\), block \(0,0,0\)",
        (),
    ),
    "exited": Report(
        "sync",
        r"a barrier that not all threads of the block come to, at .*planted\.mu:{line}:",
        "48 threads came, 16 had exited",
        (),
    ),
    "full_mask": Report(
        "sync",
        r"lanes of a warp meet in different calls of one operation: 16 at .*planted\.mu:{line}:\d+, 16 at ",
        "mask 0xffffffff",
        (),
    ),
    "group_exited": Report(
        "sync",
        r"sync\(\) of a group that not all threads of the group come to, at .*planted\.mu:{line}:",
        "12 threads came, 4 had exited",
        (),
    ),
    "foreign_lane": Report(
        "sync",
        r"a shuffle reads from a lane that takes no part, at .*planted\.mu:{line}:",
        "lane 0 reads from lane 16",
        (),
    ),
}


def report_of(stderr: str, kind: str) -> str:
    """The first report of a kind: its headline and the indented lines below it."""
    found = re.search(rf"^\[musa-sim\] {kind}: .*\n(?:    .*\n)*", stderr, re.M)
    assert found, stderr
    return found.group(0)


def test_every_planted_defect_is_tested() -> None:
    assert set(REPORTS) == set(LINES)


def expect_report(program: Program, case: str) -> None:
    expected = REPORTS[case]
    result = program(case)
    assert (result.status, result.text) == (FOUND, f"{expected.error}\n")
    headline, who, *details = report_of(result.stderr, expected.kind).splitlines()
    assert re.search(expected.headline.replace("{line}", str(LINES[case])), headline), headline
    assert "kernel " in who
    assert re.search(expected.who, who), who
    for pattern in expected.details:
        assert re.search(pattern, "\n".join(details)), details


@pytest.mark.parametrize("case", REPORTS)
def test_found(planted: Program, case: str) -> None:
    expect_report(planted, case)


@pytest.mark.slow
@pytest.mark.parametrize("case", REPORTS)
def test_found_without_the_optimiser(planted_without_optimiser: Program, case: str) -> None:
    expect_report(planted_without_optimiser, case)


TWINS = sorted(set(re.findall(r"\bgood_\w+(?=\()", SOURCE.read_text())))


@pytest.mark.slow
@pytest.mark.parametrize("case", TWINS)
def test_silent_without_the_optimiser(planted_without_optimiser: Program, case: str) -> None:
    result = planted_without_optimiser(case)
    assert (result.status, result.text, result.stderr) == (0, "musaSuccess\n", "")


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("case", TWINS)
def test_silent_on_the_twin(planted: Program, case: str, workers: str) -> None:
    result = planted(case, env={"MUSA_SIM_THREADS": workers})
    assert (result.status, result.text, result.stderr) == (0, "musaSuccess\n", "")


def test_a_plain_read_before_an_exchange_of_its_address_is_no_race(planted: Program) -> None:
    result = planted("compared_again")
    assert (result.status, result.text, result.stderr) == (0, "musaSuccess\n", "")


def test_every_defect_is_reported_once_and_counted(planted: Program) -> None:
    stderr = planted("lost_update").stderr
    assert stderr.count("[musa-sim] race: read of 4 bytes") == 1
    assert "found 252 times" in stderr  # two blocks of 64 threads: all but the first, its read and its write
    assert stderr.endswith("[musa-sim] the checks found 1 defect; see: musa-build explain race\n")


def test_a_leak_names_who_allocated(planted: Program) -> None:
    result = planted("leak")
    assert result.status == FOUND
    leak = report_of(result.stderr, "leak")
    assert "240 bytes of device memory in 1 allocation were never freed" in leak
    assert re.search(SIXTY, leak)


def test_after_a_fault_nothing_can_be_freed_and_nothing_leaks(planted: Program) -> None:
    stderr = planted("past_end", env={"MUSA_SIM_CHECK": "all"}).stderr
    assert "[musa-sim] memory: " in stderr and "leak" not in stderr


def test_what_the_host_does_wrong(planted: Program) -> None:
    twice = report_of(planted("freed_twice").stderr, "memory")
    assert "memory is freed a second time" in twice
    assert "freed by release(int*)" in twice
    long_copy = report_of(planted("long_copy").stderr, "memory")
    assert "a copy or fill of 244 bytes, out of bounds" in long_copy
    assert re.search(SIXTY, long_copy)
