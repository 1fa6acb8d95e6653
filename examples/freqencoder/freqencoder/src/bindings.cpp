#include <Python.h>

#include <torch/library.h>

#include "freqencoder.h"

// The operators are torch.ops.freqencoder.encode and .encode_backward.
TORCH_LIBRARY(freqencoder, m) {
    m.def("encode(Tensor inputs, int degree) -> Tensor");
    m.def("encode_backward(Tensor grad_outputs, Tensor inputs, int degree) -> Tensor");
}

TORCH_LIBRARY_IMPL(freqencoder, CUDA, m) {
    m.impl("encode", &encode);
    m.impl("encode_backward", &encode_backward);
}

// Importing this module from Python loads the library, which registers the operators; the module itself is empty.
#define JOIN(a, b) a##b
#define MODULE_INIT(name) JOIN(PyInit_, name)
#define TEXT(name) #name
#define MODULE_NAME(name) TEXT(name)

PyMODINIT_FUNC MODULE_INIT(TORCH_EXTENSION_NAME)() {
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT, MODULE_NAME(TORCH_EXTENSION_NAME), nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
    return PyModule_Create(&definition);
}
