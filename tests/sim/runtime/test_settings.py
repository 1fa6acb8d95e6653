"""The attributes of devices and streams, and kernels by their names."""

from __future__ import annotations

from sim_programs import Build

INVALID = "musaErrorInvalidValue"


def test_devices_streams_and_kernels(build: Build) -> None:
    result = build("settings.mu")(env={"MUSA_SIM_DEVICES": "mp_22,mp_31"})
    assert result.status == 0, result.stderr
    ones = ("by id", "access", "width", "older form", "newer form", "ids differ", "policy", "shared memory", "none")
    bad = ("two schedules", "no limit", "no window", "no attribute", "attach nothing", "too many blocks")
    assert result.facts == {
        **dict.fromkeys(ones, "1"),
        **dict.fromkeys(bad, INVALID),
        "flags": str(2 | 8),
        "of the other": str(1 | 8),
        "limit": str(1 << 20),
        "of launches in kernels": "musaErrorUnsupportedLimit",
        "cache": "1",
        "chosen": "1",
        "first valid": "1",
        "not valid": "musaErrorInvalidDevice",
        "by id": "0",
        "to itself": "musaErrorInvalidDevice",
        "device": "1",
        "copied policy": "3",
        "destroyed": "musaErrorInvalidResourceHandle",
        "attach": "musaSuccess",
        "name": "_Z5scalePff",
        "launched": "21",
        "no kernel": "musaErrorInvalidDeviceFunction",
    }
