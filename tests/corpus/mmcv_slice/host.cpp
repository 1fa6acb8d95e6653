// The same operators' interfaces and their code for the CPU, and Python's names for them: mmcv's pybind.cpp binds all
// operators or none.
#include <torch/extension.h>

#include "pytorch/active_rotated_filter.cpp"
#include "pytorch/box_iou_rotated.cpp"
#include "pytorch/focal_loss.cpp"
#include "pytorch/modulated_deform_conv.cpp"
#include "pytorch/nms.cpp"
#include "pytorch/psamask.cpp"
#include "pytorch/roi_align.cpp"

#include "pytorch/cpu/active_rotated_filter.cpp"
#include "pytorch/cpu/box_iou_rotated.cpp"
#include "pytorch/cpu/modulated_deform_conv.cpp"
#include "pytorch/cpu/nms.cpp"
#include "pytorch/cpu/roi_align.cpp"

// Last, because it defines macros min and max.
#include "pytorch/cpu/psamask.cpp"

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.def("active_rotated_filter_forward", &active_rotated_filter_forward);
    module.def("active_rotated_filter_backward", &active_rotated_filter_backward);
    module.def("box_iou_rotated", &box_iou_rotated);
    module.def("modulated_deform_conv_forward", &modulated_deform_conv_forward);
    module.def("modulated_deform_conv_backward", &modulated_deform_conv_backward);
    module.def("nms", &nms);
    module.def("psamask_forward", &psamask_forward);
    module.def("psamask_backward", &psamask_backward);
    module.def("roi_align_forward", &roi_align_forward);
    module.def("roi_align_backward", &roi_align_backward);
    module.def("sigmoid_focal_loss_forward", &sigmoid_focal_loss_forward);
    module.def("sigmoid_focal_loss_backward", &sigmoid_focal_loss_backward);
}
