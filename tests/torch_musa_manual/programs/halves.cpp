// An extension without PyTorch that has kernels and half types in a .cpp.
#include <Python.h>
#include <musa_fp16.h>
#include <musa_runtime.h>

__global__ void scale(__half* values, int count, half factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = __hmul(values[i], factor);
}

// scale_(values: writable buffer of float16, factor): values *= factor, computed on the device; returns the MUSA error
static PyObject* py_scale(PyObject*, PyObject* args) {
    Py_buffer buffer;
    float factor;
    if (!PyArg_ParseTuple(args, "w*f", &buffer, &factor)) return nullptr;
    int count = int(buffer.len / sizeof(__half));
    __half* device = nullptr;
    musaMalloc((void**)&device, buffer.len);
    musaMemcpy(device, buffer.buf, buffer.len, musaMemcpyHostToDevice);
    scale<<<(count + 127) / 128, 128>>>(device, count, __float2half(factor * CXX_SCALE));
    int status = musaMemcpy(buffer.buf, device, buffer.len, musaMemcpyDeviceToHost);
    musaFree(device);
    PyBuffer_Release(&buffer);
    return PyLong_FromLong(status);
}

static PyMethodDef methods[] = {{"scale_", py_scale, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "halves", "", -1, methods};
PyMODINIT_FUNC PyInit_halves() { return PyModule_Create(&definition); }
