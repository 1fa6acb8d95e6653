// The module `affine`: affine_(writable buffer of float32, factor) -> status, greeting() -> macros as text.
#include <Python.h>

#ifndef GREETING
#define GREETING "none"
#endif

int affine(float* values, int count, float factor);
int mcc_flag();

static PyObject* py_affine(PyObject*, PyObject* args) {
    Py_buffer buffer;
    float factor;
    if (!PyArg_ParseTuple(args, "w*f", &buffer, &factor)) return nullptr;
    int status = affine(static_cast<float*>(buffer.buf), int(buffer.len / sizeof(float)), factor);
    PyBuffer_Release(&buffer);
    return PyLong_FromLong(status);
}

static PyObject* py_greeting(PyObject*, PyObject*) { return Py_BuildValue("(si)", GREETING, mcc_flag()); }

static PyMethodDef methods[] = {{"affine_", py_affine, METH_VARARGS, ""},
                                {"greeting", py_greeting, METH_NOARGS, ""},
                                {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "affine", "", -1, methods};
PyMODINIT_FUNC PyInit_affine() { return PyModule_Create(&definition); }
