"""Runs with `folders`, those of the tensors by device, in its name space."""

from ptdbg_ascend import *  # noqa: F403

dump_result_param = {
    "npu_pkl_path": "./musa_dump.pkl",
    "bench_pkl_path": "./cpu_dump.pkl",
    "npu_dump_data_dir": folders["musa"],  # noqa: F405
    "bench_dump_data_dir": folders["cpu"],  # noqa: F405
}
compare(dump_result_param, "./output", True)  # noqa: F405
parse("./musa_dump.pkl", "0_Functional_linear")  # noqa: F405
