"""muFFT's data on several devices, against NumPy. Arguments: libmufft, libmusart."""

from __future__ import annotations

import ctypes
import itertools

import device_arrays
import numpy as np
from device_arrays import call, musart, rng


class Parts(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int),
        ("count", ctypes.c_int),
        ("devices", ctypes.c_int * 64),
        ("data", ctypes.c_void_p * 64),
        ("size", ctypes.c_size_t * 64),
        ("state", ctypes.c_void_p),
    ]


class Distributed(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int),
        ("parts", ctypes.POINTER(Parts)),
        ("library", ctypes.c_int),
        ("format", ctypes.c_int),
        ("state", ctypes.c_void_p),
    ]


TYPES = {0x29: ("C2C", np.complex64, 1e-5), 0x69: ("Z2Z", np.complex128, 1e-13)}
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 0, 1, 2
FORWARD, INVERSE = -1, 1
INPLACE = 2


def planned(kind: int, shape: tuple[int, ...], batch: int, devices: tuple[int, ...]) -> ctypes.c_int:
    plan, sizes = ctypes.c_int(), np.full(len(devices), 99, np.uint64)
    call("mufftCreate", ctypes.byref(plan))
    call("mufftXtSetGPUs", plan, len(devices), (ctypes.c_int * len(devices))(*devices))
    lengths = (ctypes.c_int * len(shape))(*shape)
    call("mufftMakePlanMany", plan, len(shape), lengths, None, 1, 0, None, 1, 0, kind, batch, sizes)
    assert (sizes == 0).all()
    return plan


def allocated(plan: ctypes.c_int) -> ctypes.POINTER:
    made = ctypes.POINTER(Distributed)()
    call("mufftXtMalloc", plan, ctypes.byref(made), INPLACE)
    return made


def check(kind: int, shape: tuple[int, ...], batch: int, devices: tuple[int, ...]) -> None:
    name, dtype, tolerance = TYPES[kind]
    plan = planned(kind, shape, batch, devices)
    whole = (batch, *shape)
    x = (rng.standard_normal(whole) + 1j * rng.standard_normal(whole)).astype(dtype)
    data, other = allocated(plan), allocated(plan)
    parts = data.contents.parts.contents
    assert tuple(parts.devices[: parts.count]) == devices
    assert sum(parts.size[: parts.count]) == x.nbytes
    call("mufftXtMemcpy", plan, data, x, HOST_TO_DEVICE)
    at = 0
    for part in range(parts.count):  # each device has its part, one after the other
        there = np.zeros(parts.size[part] // x.itemsize, dtype)
        copy = (ctypes.c_void_p(there.ctypes.data), ctypes.c_void_p(parts.data[part]))
        assert musart.musaMemcpy(*copy, ctypes.c_size_t(there.nbytes), 2) == 0
        assert np.array_equal(there, x.reshape(-1)[at : at + there.size])
        at += there.size
    axes, found = tuple(range(1, len(whole))), np.zeros_like(x)
    call(f"mufftXtExecDescriptor{name}", plan, data, data, FORWARD)
    call("mufftXtMemcpy", plan, other, data, DEVICE_TO_DEVICE)
    call("mufftXtMemcpy", plan, found, other, DEVICE_TO_HOST)
    wanted = np.fft.fftn(x, axes=axes)
    assert np.abs(found - wanted).max() < tolerance * np.abs(wanted).max()
    call("mufftXtExecDescriptor", plan, data, other, INVERSE)
    call("mufftXtMemcpy", plan, found, other, DEVICE_TO_HOST)
    assert np.abs(found / np.prod(shape) - x).max() < tolerance * 10
    wrong = "Z2Z" if name == "C2C" else "C2C"
    call(f"mufftXtExecDescriptor{wrong}", plan, data, data, FORWARD, wanted=3)
    smaller = planned(kind, (8,), 1, devices)
    call(f"mufftXtExecDescriptor{name}", smaller, data, data, FORWARD, wanted=4)
    for made in (data, other):
        call("mufftXtFree", made)
    call("mufftDestroy", plan)


for kind, devices in itertools.product(TYPES, ((0, 1), (2, 0, 1), (1,))):
    for shape, batch in (((64,), 1), ((30,), 5), ((12, 10), 1), ((6, 5, 4), 1), ((6, 5), 3)):
        check(kind, shape, batch, devices)
plan = ctypes.c_int()
call("mufftCreate", ctypes.byref(plan))
call("mufftXtSetGPUs", plan, 2, (ctypes.c_int * 2)(0, 3), wanted=11)
call("mufftXtSetGPUs", plan, 2, (ctypes.c_int * 2)(1, 1), wanted=11)
call("mufftXtSetGPUs", plan, 1, (ctypes.c_int * 1)(0))
call("mufftMakePlan1d", plan, 16, 0x2A, 1, np.zeros(1, np.uint64))  # real numbers
call("mufftXtMalloc", plan, ctypes.byref(ctypes.POINTER(Distributed)()), INPLACE, wanted=16)
call("mufftXtMemcpy", ctypes.c_int(99), None, None, HOST_TO_DEVICE, wanted=1)
assert device_arrays.musart.musaDeviceSynchronize() == 0
