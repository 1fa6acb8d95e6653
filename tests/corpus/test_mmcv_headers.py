"""mmcv's headers of device code, ported, through mcc's device pass: each alone, as the whole of a source."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import musa_build
from musa_build.toolchain.compile_flags import TORCH_NVCC_FLAGS

from .conftest import BuildPackage
from .packages import MMCV

LIGHT = Path(__file__).parent / "light"
HEADERS = [
    "active_rotated_filter_cuda_kernel",
    "assign_score_withk_cuda_kernel",
    "ball_query_cuda_kernel",
    "bbox_overlaps_cuda_kernel",
    "bezier_align_cuda_kernel",
    "border_align_cuda_kernel",
    "box_iou_quadri_cuda",
    "box_iou_rotated_cuda",
    "carafe_cuda_kernel",
    "carafe_naive_cuda_kernel",
    "chamfer_distance_cuda_kernel",
    "convex_iou_cuda_kernel",
    "correlation_cuda",
    "deform_conv_cuda_kernel",
    "deform_roi_pool_cuda_kernel",
    "diff_iou_rotated_cuda_kernel",
    "furthest_point_sample_cuda_kernel",
    "gather_points_cuda_kernel",
    "group_points_cuda_kernel",
    "iou3d_cuda_kernel",
    "knn_cuda_kernel",
    "masked_conv2d_cuda_kernel",
    "min_area_polygons_cuda",
    "modulated_deform_conv_cuda_kernel",
    "ms_deform_attn_cuda_kernel",
    "nms_cuda_kernel",
    "nms_quadri_cuda",
    "nms_rotated_cuda",
    "points_in_boxes_cuda_kernel",
    "points_in_polygons_cuda_kernel",
    "prroi_pool_cuda_kernel",
    "psamask_cuda_kernel",
    "riroi_align_rotated_cuda_kernel",
    "roi_align_cuda_kernel",
    "roi_align_rotated_cuda_kernel",
    "roi_pool_cuda_kernel",
    "roiaware_pool3d_cuda_kernel",
    "roipoint_pool3d_cuda_kernel",
    "rotated_feature_align_cuda_kernel",
    "scatter_points_cuda_kernel",
    "sigmoid_focal_loss_cuda_kernel",
    "softmax_focal_loss_cuda_kernel",
    "spconv/indice",
    "spconv/reordering",
    "stack_ball_query_cuda_kernel",
    "stack_group_points_cuda_kernel",
    "sync_bn_cuda_kernel",
    "three_interpolate_cuda_kernel",
    "three_nn_cuda_kernel",
    "tin_shift_cuda_kernel",
    "voxelization_cuda_kernel",
]
# Needs the headers of Parrots, a framework that is not public; mmcv includes it with MMCV_USE_PARROTS only.
LEFT_OUT = ["parrots_cudawarpfunction"]
# Half arithmetic; warp shuffles and atomics; a macro that names the loop over threads.
SLICE = ("bbox_overlaps_cuda_kernel", "carafe_cuda_kernel", "nms_rotated_cuda")


@pytest.mark.parametrize(
    "header", [pytest.param(name, marks=[] if name in SLICE else pytest.mark.whole_corpus) for name in HEADERS]
)
def test_header_passes_the_device_pass(
    header: str, fetched: BuildPackage, sim_sdk_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common = fetched(MMCV) / "mmcv" / "ops" / "csrc_musa" / "common"
    monkeypatch.setenv("MUSA_HOME", str(sim_sdk_root))
    source = tmp_path / "one.mu"
    source.write_text(f'#include "{header}.muh"\n')
    folders = [LIGHT, common, common / "cuda", common / "utils", *map(Path, musa_build.include_paths())]
    command = [str(sim_sdk_root / "bin" / "mcc"), "--cuda-device-only", "-fsyntax-only", "-w", "-std=c++20"]
    command += ["-U__CUDA__", "--offload-arch=mp_22", *TORCH_NVCC_FLAGS, *(f"-I{folder}" for folder in folders)]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_every_header_is_listed(fetched: BuildPackage) -> None:
    folder = fetched(MMCV) / "mmcv" / "ops" / "csrc_musa" / "common" / "cuda"
    present = sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.muh"))
    assert present == sorted([*HEADERS, *LEFT_OUT])
