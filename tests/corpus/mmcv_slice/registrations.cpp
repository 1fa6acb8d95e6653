// The part of mmcv's cudabind.cpp about these operators: their functions on the device. It is written out because that
// file takes the addresses of all operators' functions, and these tests build seven. Also here: nothing is edited in mmcv.
#include "pytorch_cpp_helper.hpp"
#include "pytorch_device_registry.hpp"

#define FUNCTION_ON_DEVICE(implementation, result, on_device, ...) \
    result on_device(__VA_ARGS__);                                 \
    result implementation(__VA_ARGS__);                            \
    REGISTER_DEVICE_IMPL(implementation, PrivateUse1, on_device);

FUNCTION_ON_DEVICE(active_rotated_filter_forward_impl, void, ActiveRotatedFilterForwardCUDAKernelLauncher,
                   const Tensor, const Tensor, Tensor)
FUNCTION_ON_DEVICE(active_rotated_filter_backward_impl, void, ActiveRotatedFilterBackwardCUDAKernelLauncher,
                   const Tensor, const Tensor, Tensor)
FUNCTION_ON_DEVICE(box_iou_rotated_impl, void, box_iou_rotated_cuda, const Tensor, const Tensor, Tensor, const int,
                   const bool)
FUNCTION_ON_DEVICE(modulated_deformable_im2col_impl, void, modulated_deformable_im2col_cuda, const Tensor,
                   const Tensor, const Tensor, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                   int, Tensor)
FUNCTION_ON_DEVICE(modulated_deformable_col2im_impl, void, modulated_deformable_col2im_cuda, const Tensor,
                   const Tensor, const Tensor, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                   int, Tensor)
FUNCTION_ON_DEVICE(modulated_deformable_col2im_coord_impl, void, modulated_deformable_col2im_coord_cuda, const Tensor,
                   const Tensor, const Tensor, const Tensor, int, int, int, int, int, int, int, int, int, int, int,
                   int, int, int, int, Tensor, Tensor)
FUNCTION_ON_DEVICE(nms_impl, Tensor, NMSCUDAKernelLauncher, Tensor, Tensor, float, int)
FUNCTION_ON_DEVICE(psamask_forward_impl, void, PSAMaskForwardCUDAKernelLauncher, int, const Tensor, Tensor, int, int,
                   int, int, int, int, int)
FUNCTION_ON_DEVICE(psamask_backward_impl, void, PSAMaskBackwardCUDAKernelLauncher, int, const Tensor, Tensor, int,
                   int, int, int, int, int, int)
FUNCTION_ON_DEVICE(roi_align_forward_impl, void, ROIAlignForwardCUDAKernelLauncher, Tensor, Tensor, Tensor, Tensor,
                   Tensor, int, int, float, int, int, bool)
FUNCTION_ON_DEVICE(roi_align_backward_impl, void, ROIAlignBackwardCUDAKernelLauncher, Tensor, Tensor, Tensor, Tensor,
                   Tensor, int, int, float, int, int, bool)
FUNCTION_ON_DEVICE(sigmoid_focal_loss_forward_impl, void, SigmoidFocalLossForwardCUDAKernelLauncher, Tensor, Tensor,
                   Tensor, Tensor, float, float)
FUNCTION_ON_DEVICE(sigmoid_focal_loss_backward_impl, void, SigmoidFocalLossBackwardCUDAKernelLauncher, Tensor, Tensor,
                   Tensor, Tensor, float, float)
