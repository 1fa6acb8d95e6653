// mmcv's kernels of a few operators in one source, so that PyTorch's headers are parsed once. All that is included is
// mmcv's own ported text.
#include "pytorch/cuda/active_rotated_filter_cuda.mu"
#include "pytorch/cuda/box_iou_rotated_cuda.mu"
#include "pytorch/cuda/focal_loss_cuda.mu"
#include "pytorch/cuda/modulated_deform_conv_cuda.mu"
#include "pytorch/cuda/nms_cuda.mu"
#include "pytorch/cuda/psamask_cuda.mu"
#include "pytorch/cuda/roi_align_cuda.mu"
