#include <Python.h>
#include <musa_runtime.h>

__global__ void twice_kernel(const float* from, float* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = 2 * from[i];
}

// twice(from, to: addresses of float32, count, stream)
static PyObject* twice(PyObject*, PyObject* arguments) {
  unsigned long long from, to, stream;
  int count;
  if (!PyArg_ParseTuple(arguments, "KKiK", &from, &to, &count, &stream)) return nullptr;
  twice_kernel<<<(count + 127) / 128, 128, 0, (musaStream_t)stream>>>((const float*)from, (float*)to, count);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"twice", twice, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "twice", "", -1, methods};
PyMODINIT_FUNC PyInit_twice() { return PyModule_Create(&definition); }
