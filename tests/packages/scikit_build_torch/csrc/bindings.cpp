#include <Python.h>
#include <torch/library.h>

#include "double.h"

// The functions are operators of PyTorch: the module itself has none.
PyMODINIT_FUNC PyInit__C() {
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
    return PyModule_Create(&definition);
}

static int64_t version() {
    return cuda_version();
}

TORCH_LIBRARY(doubling, library) {
    library.def("double(Tensor x) -> Tensor");
    library.def("version() -> int", version);
}

TORCH_LIBRARY_IMPL(doubling, CUDA, library) {
    library.impl("double", double_on_device);
}
