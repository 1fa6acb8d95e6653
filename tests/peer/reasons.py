"""Why a test of torch_musa does not pass here: by its file and name, or a pattern of them."""

from __future__ import annotations

from fnmatch import fnmatchcase

NO_CACHE = "wants a cache of memory; here memory is the driver's own, and what is reserved is what tensors use"
OLDER_TORCH = "expects the operators and calls that PyTorch 2.7 records; 2.13 records others, on the CPU as well"
REPLACED = "tests torch_musa's replacement of a private class of torch.profiler, on made-up events"
TWICE = "counts `aten::mm` once; PyTorch makes it of `aten::mm.out` on devices of other packages, and records both"
CONVERTER = "wants torch_musa's edits to the letter, names of a patched torch.distributed among them"
NO_COLUMNS = "gives indices of columns and says that there are 0 columns, which PyTorch refuses on the CPU"

REASONS = (
    ("core/test_memory.py::test_single_op", NO_CACHE),
    ("core/test_memory.py::test_multiple_ops", NO_CACHE),
    ("core/test_memory.py::test_single_device_ops", NO_CACHE),
    ("core/test_memory.py::test_caching_pinned_memory", NO_CACHE),
    ("miscs/test_musa_converter.py::*", CONVERTER),
    ("profiler/test_memory_profiler.py::TestMemoryProfilerE2E::test_categories_e2e_*", OLDER_TORCH),
    ("profiler/test_profiler.py::TestExperimentalUtils::test_utils_compute_idle_time", REPLACED),
    ("profiler/test_profiler.py::TestExperimentalUtils::test_utils_compute_queue_depth", REPLACED),
    ("profiler/test_profiler.py::TestExperimentalUtils::test_utils_get_optimizable_events", REPLACED),
    ("profiler/test_profiler.py::TestExperimentalUtils::test_profiler_matmul_dim_fp16_pattern", TWICE),
    ("profiler/test_profiler_tree.py::*::test_profiler_experimental_tree_with_stack_and_torch_dispatch", OLDER_TORCH),
    ("sparse/test_validate.py::*", NO_COLUMNS),
)


def reason_for(file: str, test: str) -> str:
    """Return the reason of the first pattern that fits, or an empty string."""
    name = f"{file}::{test}"
    return next((reason for pattern, reason in REASONS if fnmatchcase(name, pattern)), "")
