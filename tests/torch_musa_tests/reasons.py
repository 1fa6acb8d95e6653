"""Why a test of torch_musa does not pass here: by its error, or by a pattern of its file and name."""

from __future__ import annotations

from fnmatch import fnmatchcase

NO_CACHE = "wants a cache of memory; here memory is the driver's own, and what is reserved is what tensors use"
OLDER_TORCH = "expects the operators and calls that PyTorch 2.7 records; 2.13 records others, on the CPU as well"
REPLACED = "tests torch_musa's replacement of a private class of torch.profiler, on made-up events"
TWICE = "counts `aten::mm` once; PyTorch makes it of `aten::mm.out` on devices of other packages, and records both"
CONVERTER = "wants torch_musa's edits to the letter, names of a patched torch.distributed among them"
NO_COLUMNS = "gives indices of columns and says that there are 0 columns, which PyTorch refuses on the CPU"

# of operators
MEMORY = "takes more memory than the machine had"
BLANK_IN_TARGETS = "has the blank among its targets, which PyTorch forbids; the CPU's gradient is wrong then"
APPROX = "compares tensors by pytest.approx, which takes no tensor without dimensions"
CONTIGUOUS = "gives native_group_norm tensors with gaps, which PyTorch refuses on the CPU"
LAST_DIGITS = "wants the CPU's last digits: in float32, an absolute error of 1e-7 where terms of about 10 cancel"
SUM_OF_MANY = "wants the CPU's last digits of sums of many numbers in float32"
NO_TORCHVISION = "needs torchvision's compiled operators, which do not load beside this PyTorch"
LAST_DIGITS_OF_A_SERIES = "wants the CPU's last digits of a series in float32, for random numbers; one time in eight"
NO_NESTED_SIZES = "asks a nested tensor for its strides, which PyTorch 2.13 refuses"
TYPE_NAMES = "names types torch_musa.*; PyTorch 2.13 knows them as torch.musa.*"

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
    ("operator/test_ctc.py::test_ctc_loss[[]*", BLANK_IN_TARGETS),
    ("operator/test_loss.py::*", APPROX),
    ("operator/test_native_group_norm.py::test_native_group_norm[[]*", SUM_OF_MANY),
    ("operator/test_stft.py::*", LAST_DIGITS),
    ("operator/test_dist.py::test_pdist[[]1.0-*", SUM_OF_MANY),
    ("operator/test_torchvision_op.py::*", NO_TORCHVISION),
    ("operator/test_distribution.py::test__dirichlet_grad", LAST_DIGITS_OF_A_SERIES),
    ("operator/test_tensor_factory.py::test_nested_tensor_from_mask*", NO_NESTED_SIZES),
    ("operator/test_type.py::*", TYPE_NAMES),
)


#: how an error begins, whatever the test
ERRORS = (
    ("torch.OutOfMemoryError: ", MEMORY),
    ("the process ended with SIGKILL", MEMORY),
    ("RuntimeError: Expected X.is_contiguous(memory_format) to be true", CONTIGUOUS),
)


def reason_for(file: str, test: str, said: str) -> str:
    """Return the reason of the first that fits, or an empty string. `said` is the test's error."""
    name = f"{file}::{test}"
    by_error = (reason for beginning, reason in ERRORS if said.startswith(beginning))
    by_name = (reason for pattern, reason in REASONS if fnmatchcase(name, pattern))
    return next(by_error, "") or next(by_name, "")
