#include <Python.h>

bool add(float* values, int count, float addend);

// add(values: writable buffer of float32, addend)
static PyObject* py_add(PyObject*, PyObject* arguments) {
  Py_buffer values;
  float addend;
  if (!PyArg_ParseTuple(arguments, "w*f", &values, &addend)) return nullptr;
  const bool good = add(static_cast<float*>(values.buf), int(values.len / sizeof(float)), addend);
  PyBuffer_Release(&values);
  return PyBool_FromLong(good);
}

static PyMethodDef methods[] = {{"add", py_add, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "add", "", -1, methods};
#define INIT_(name) PyInit_##name
#define INIT(name) INIT_(name)
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&definition); }
