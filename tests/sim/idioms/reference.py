"""The result of each idiom, with NumPy: the reference that shares no code, no compiler and no thread with the kernels.

A function takes the inputs that a program recorded, by name, and returns what every output must be. Idioms without one
stand in NOT_OF_DATA, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Union

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Close:
    """Rounded on the way: NumPy's result in float64, and how far off the kernel may be."""

    values: Array
    tolerance: float


@dataclass(frozen=True)
class AnyOrder:
    """These elements, in the order in which threads came."""

    values: Array


@dataclass(frozen=True)
class OneOf:
    """One of several outcomes, all of them right."""

    choices: tuple[Array, ...]


Wanted = Union[Array, Close, AnyOrder, OneOf]
Outputs = Mapping[str, Wanted]


def difference(got: Array, wanted: Wanted) -> str:
    """Return how `got` differs from the wanted values; nothing if it does not."""
    if isinstance(wanted, OneOf):
        right = any(np.array_equal(got, choice.ravel()) for choice in wanted.choices)
        return "" if right else f"none of {len(wanted.choices)} right outcomes: {got}"
    try:
        if isinstance(wanted, Close):
            np.testing.assert_allclose(got, wanted.values.ravel(), rtol=0, atol=wanted.tolerance)
        elif isinstance(wanted, AnyOrder):
            np.testing.assert_array_equal(np.sort(got), np.sort(wanted.values.ravel()))
        else:
            np.testing.assert_array_equal(got, wanted.ravel())
    except AssertionError as found:
        return str(found)
    return ""


# --- algorithms.mu


def transpose(image: Array) -> Outputs:
    return {"out": image.reshape(37, 50).T}


def matrix_product(a: Array, b: Array) -> Outputs:
    left, right = (matrix.astype(np.float64).reshape(32, 32) for matrix in (a, b))
    return {"c": Close(left @ right, 1e-5)}


def histogram(values: Array) -> Outputs:
    return {"bins": np.bincount(values, minlength=256)}


def exclusive_scan(values: Array) -> Outputs:
    return {"out": np.cumsum(values) - values}


def sums_of_blocks(values: Array) -> Outputs:
    """Every one of three blocks takes 512 values, then skips those of the others."""
    padded = np.pad(values, (0, 3072 - values.size))
    return {"sums": padded.reshape(2, 3, 512).sum(axis=(0, 2))}


def bilinear(image: Array, where: Array) -> Outputs:
    margin = 8
    padded = np.pad(image.astype(np.float64).reshape(12, 16), margin, mode="edge")
    x, y = where.astype(np.float64).reshape(-1, 2).T + margin
    column, row = x.astype(int), y.astype(int)
    u, v = x - column, y - row
    top = padded[row, column] * (1 - u) + padded[row, column + 1] * u
    bottom = padded[row + 1, column] * (1 - u) + padded[row + 1, column + 1] * u
    return {"out": Close(top * (1 - v) + bottom * v, 1e-5)}


def stencil(values: Array) -> Outputs:
    return {"out": np.convolve(values, np.ones(7, int), "same")}


def hash_table(keys: Array) -> Outputs:
    distinct = np.unique(keys)
    return {"table": AnyOrder(np.pad(distinct, (0, 512 - distinct.size)))}


# --- lanes.mu


def one_ask_per_warp(start: Array) -> Outputs:
    """Each of four warps gets 32 numbers in a row; which warp gets which is open."""
    numbers = int(start[0]) + np.arange(128).reshape(4, 32)
    return {"counter": start + 128, "out": OneOf(tuple(numbers[list(warps)] for warps in permutations(range(4))))}


def five_votes(start: Array) -> Outputs:
    return {"counter": start + 5, "out": np.full(32, 5)}


def branch_on_unset(values: Array) -> Outputs:
    results = np.where(values > 5, 2, 1) + np.where(values == 7, 10, 0)
    return {"out": np.pad(results, (0, 64 - values.size), constant_values=-1)}


def filtered(values: Array) -> Outputs:
    kept = values[values > 40]
    everything = np.pad(kept, (0, values.size - kept.size))
    return {"count": np.array([kept.size]), "kept": AnyOrder(kept), "all": AnyOrder(everything)}


def total(values: Array) -> Outputs:
    return {"sum": np.array([values.sum(dtype=np.float64)])}


def warp_scan(values: Array) -> Outputs:
    return {"out": np.cumsum(values.reshape(3, 32), axis=1)}


def first_maximum(values: Array) -> Outputs:
    return {"where": np.array([np.argmax(values)])}


def tiles_and_partitions(values: Array) -> Outputs:
    sums = np.repeat(values.reshape(8, 8).sum(axis=1), 8)
    odd = (values % 2).reshape(2, 32)
    odd_ones = odd.sum(axis=1, keepdims=True)
    like = np.where(odd, odd_ones, 32 - odd_ones)
    return {"out": sums * 1000 + (like * 10 + odd).ravel()}


def two_masks(every: Array) -> Outputs:
    """A compiler may join the branches, which makes all lanes one group; nothing in between is right."""
    first = np.arange(32) % every[0] == 0
    mask = np.sum(1 << np.flatnonzero(first))
    return {"masks": OneOf((np.where(first, mask, 0xFFFFFFFF - mask), np.full(32, 0xFFFFFFFF)))}


# --- language.mu


def recursion(values: Array) -> Outputs:
    fibonacci = np.array([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    return {"out": values**3 + (3 * values + 1) + fibonacci[values % 10]}


def function_pointers(values: Array) -> Outputs:
    from_table = np.choose(values % 3, [values + 7, values - 7, values * 7])
    from_local = np.where(values % 2, values + values, values * values)
    return {"out": from_table + from_local + np.repeat(values[::32], 32)}


def areas_and_memory(values: Array) -> Outputs:
    return {"out": np.where(values % 2, values * 2, values * 3) + 2 * values + values + values % 8}


def reflections(vectors: Array, normals: Array) -> Outputs:
    v, n = (array.astype(np.float64).reshape(-1, 3) for array in (vectors, normals))
    return {"out": Close(v - 2 * np.einsum("ij,ij->i", v, n)[:, None] * n + n, 1e-5)}


def lambdas(values: Array, factor: Array) -> Outputs:
    return {"out": values * factor + np.arange(values.size)}


def fall_through(values: Array) -> Outputs:
    mirrored = 63 - np.arange(64)
    by_block = np.stack([1 + mirrored + 100, mirrored + 100, np.full(64, 100), np.full(64, -1)])
    return {"out": by_block + (values + 1) // 2 * 1000}


def early_return(values: Array) -> Outputs:
    return {"out": np.pad(values[:70][::-1], (0, values.size - 70))}


def most_frequent(values: Array) -> Outputs:
    windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([values, values[:31]]), 32)
    counts = (windows[:, :, None] == np.arange(10)).sum(axis=1)
    return {"out": counts.argmax(axis=1) * 100 + counts.max(axis=1)}


def all_memory(values: Array, weights: Array, shown: Array) -> Outputs:
    floats, shorts = values * np.tile(weights, 8), np.arange(64) << 2
    table = np.tile(np.array([1, 10, 100, 1000]), 16)
    return {"out": (floats + shorts)[::-1] + table + shown, "shown": np.array([6]), "launches": np.array([1])}


def concurrent_writes(values: Array) -> Outputs:
    """All threads see the number of the same thread."""
    found = 1000 if (values == 17).any() else 0
    return {"out": OneOf(tuple(np.full(64, found + thread) for thread in range(64)))}


def last_fill(base: Array) -> Outputs:
    return {"out": np.repeat(base + 9, 256)}


# --- numbers.mu


def saturated(values: Array, kind: str) -> Array:
    """Cast to the integer type `kind` as hardware documents it, as int64 with the same bits.

    A NaN becomes 0 where float is cast to 32 bits; anywhere else it becomes the number with only the top bit set.
    """
    limits = np.iinfo(kind)
    bits = limits.bits
    not_a_number = 0 if values.dtype == np.float32 and bits == 32 else 1 << (bits - 1)
    wide = values.astype(np.float64)
    above, below = wide >= float(limits.max) + (bits < 64), wide <= float(limits.min)
    result = np.where(np.isfinite(wide) & ~above & ~below, wide, 0).astype(kind)
    result[above], result[below] = limits.max, limits.min
    result[np.isnan(wide)] = np.array([not_a_number], f"u{bits // 8}").view(kind)
    return result.astype(np.int64)


def casts(values: Array) -> Outputs:
    signed, unsigned, wide, unsigned_wide = (saturated(values, kind) for kind in ("i4", "u4", "i8", "u8"))
    narrow = [(unsigned, "u1"), (signed, "i1"), (signed, "i2"), (unsigned, "u2"), (signed, "u1")]
    last_bits = [column.astype(kind).astype(np.int64) for column, kind in narrow]
    return {"out": np.stack([signed, unsigned, wide, unsigned_wide, *last_bits, signed, unsigned, wide], axis=1)}


def casts_of_constants(values: Array) -> Outputs:
    single = values.astype(np.float32)
    kinds = ["i4", "u4", "i4", "i8", "i4", "i4", "i4", "i4", "i4"]
    out = np.concatenate([saturated(single[i : i + 1], kind) for i, kind in enumerate(kinds)])
    out[4] &= 255
    return {"out": out}


def quantised(values: Array) -> Outputs:
    cells = saturated(values * np.float32(1e8), "i4")
    return {"bytes": saturated(values, "u4") & 255, "cells": cells}


def masked(mask: Array, values: Array) -> Outputs:
    return {"out": np.where(mask != 0, values, np.float32(-1))}


def punned(values: Array) -> Outputs:
    words = values.view(np.uint32)
    return {"words": words ^ (words >> 24)}


def bit_tricks(values: Array) -> Outputs:
    """Newton's step from the magic number is 0.18 % off; the keys order numbers as the numbers themselves are."""
    bits = values.view(np.uint32).astype(np.int64)
    keys = np.where(np.signbit(values), (1 << 32) - 1 - bits, bits + (1 << 31))
    return {"roots": Close(1 / np.sqrt(np.abs(values.astype(np.float64)) + 1), 2e-3), "keys": keys}


def morton(points: Array) -> Outputs:
    cells = np.clip(points * 1024, 0, 1023).astype(int).reshape(-1, 3)
    bit, axis = np.arange(10)[:, None], np.arange(3)
    return {"codes": ((cells[:, None, :] >> bit & 1) << (3 * bit + 2 - axis)).sum(axis=(1, 2))}


def hash_grid(points: Array) -> Outputs:
    products = points.reshape(-1, 3).astype(np.uint64) * np.array([1, 2654435761, 805459861], np.uint64)
    return {"out": np.bitwise_xor.reduce(products, axis=1) % (1 << 19)}


def vector_sum(a: Array, b: Array) -> Outputs:
    return {"out": a + b}


def halves(halves: Array) -> Outputs:
    """The product and the sum are rounded once: float64 holds both exactly."""
    numbers = halves.view(np.float16)
    twice = (numbers + numbers).astype(np.float64)
    return {"out": (twice * numbers + 1).astype(np.float16)}


# --- waiting.mu


def handed_over(message: Array) -> Outputs:
    return {"received": message}


def chain(steps: Array) -> Outputs:
    return {"flags": np.cumsum(steps[::-1])[::-1]}


def counted(start: Array) -> Outputs:
    return {"count": start + 3 * 64}


def last_block(values: Array) -> Outputs:
    partial = np.pad(values, (0, 1024 - values.size)).reshape(16, 64).sum(axis=1)
    return {"partial": partial, **total(values)}


REFERENCES: Mapping[str, Callable[..., Outputs]] = {
    "transpose_with_padded_tiles": transpose,
    "matrix_product_with_two_buffers": matrix_product,
    "histogram_per_block": histogram,
    "bitonic_sort": lambda keys: {"keys": np.sort(keys)},
    "block_scan": exclusive_scan,
    "reduction_with_an_unrolled_last_warp": sums_of_blocks,
    "bilinear_interpolation": bilinear,
    "stencil_with_a_halo": stencil,
    "hash_table_with_linear_probing": hash_table,
    "unset_unsigned_before_shuffle": one_ask_per_warp,
    "unset_64_bits_before_shuffle": one_ask_per_warp,
    "unset_double_before_shuffle": one_ask_per_warp,
    "unset_float_before_shuffle": one_ask_per_warp,
    "unset_half2_before_shuffle": one_ask_per_warp,
    "unset_before_tile_shuffle": one_ask_per_warp,
    "unset_struct_before_tile_shuffle": one_ask_per_warp,
    "unset_through_functions": one_ask_per_warp,
    "unset_before_votes": five_votes,
    "branch_on_unset": branch_on_unset,
    "aggregated_atomics_with_groups": filtered,
    "aggregated_atomics_by_hand": filtered,
    "compaction_by_ballot_and_popc": filtered,
    "block_reduction_by_shuffles": total,
    "warp_scan": warp_scan,
    "warp_argmax_by_butterfly": first_maximum,
    "volatile_warp_reduction": total,
    "group_tiles_and_partitions": tiles_and_partitions,
    "active_masks_of_two_branches": two_masks,
    "recursive_templates_and_functions": recursion,
    "tables_of_function_pointers": function_pointers,
    "virtual_functions_new_and_malloc": areas_and_memory,
    "vector_operators": reflections,
    "device_lambdas_in_a_grid_stride_loop": lambdas,
    "switch_that_falls_through_a_barrier": fall_through,
    "return_before_a_barrier": early_return,
    "local_arrays_with_computed_indices": most_frequent,
    "constant_dynamic_and_managed_memory": all_memory,
    "concurrent_writes_to_shared_scalars": concurrent_writes,
    "launches_from_several_host_threads": last_fill,
    "casts_of_float_saturate": casts,
    "casts_of_double_saturate": casts,
    "casts_of_constants_saturate": casts_of_constants,
    "casts_in_vectorised_loops": quantised,
    "mask_bytes_other_than_one": masked,
    "type_punning": punned,
    "float_bit_tricks": bit_tricks,
    "morton_codes": morton,
    "hash_grid_index": hash_grid,
    "float4_loads_with_a_tail": vector_sum,
    "half2_loads": halves,
    "wait_on_volatile_parameter": handed_over,
    "wait_on_volatile_cast": handed_over,
    "wait_by_atomic_add_of_zero": handed_over,
    "wait_by_compare_and_swap": handed_over,
    "wait_by_threadfence": handed_over,
    "wait_on_shared_flag": handed_over,
    "wait_in_a_function": handed_over,
    "chain_of_waiting_threads": chain,
    "spin_lock_between_lanes": counted,
    "exchange_lock_between_lanes": counted,
    "lock_with_a_flag": counted,
    "lock_by_tickets": counted,
    "last_block_reduction": last_block,
    "decoupled_look_back_scan": lambda values: {"out": np.cumsum(values)},
    "work_from_a_counter": lambda items: {"sum": np.array([items.sum()])},
    "float_maximum_by_compare_and_swap": lambda values: {"maximum": np.array([values.max(initial=0)])},
}

# Idioms whose outcome no function of data gives: the program itself says whether they went well.
NOT_OF_DATA: Mapping[str, str] = {
    "printf_assert_and_clock_loops": "a clock that goes on, an assert that holds, a line that is printed",
}
