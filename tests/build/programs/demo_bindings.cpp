#include <Python.h>
#include "common.h"
#ifndef CXX_FLAG
#define CXX_FLAG 0
#endif
#ifndef MODULE
#define MODULE PyInit_demo
#endif

int affine(float* values, int count, float factor);
int mcc_flag();
int compiled_by_mcc();

// affine_(values: writable buffer of float32, factor): values = factor * values + OFFSET, computed on the device
static PyObject* py_affine(PyObject*, PyObject* args) {
    Py_buffer buffer;
    float factor;
    if (!PyArg_ParseTuple(args, "w*f", &buffer, &factor)) return nullptr;
    int status = affine(static_cast<float*>(buffer.buf), int(buffer.len / sizeof(float)), factor);
    PyBuffer_Release(&buffer);
    return PyLong_FromLong(status);
}

// flags() -> (OFFSET as this file saw it, CXX_FLAG of this file, MCC_FLAG of the kernel's file, mcc compiled this file)
static PyObject* py_flags(PyObject*, PyObject*) {
#ifdef __MUSACC__
    int here = 1;
#else
    int here = 0;
#endif
    return Py_BuildValue("(iiii)", OFFSET, CXX_FLAG, mcc_flag(), here);
}

static PyMethodDef methods[] = {
    {"affine_", py_affine, METH_VARARGS, ""}, {"flags", py_flags, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "demo", "", -1, methods};
PyMODINIT_FUNC MODULE() { return PyModule_Create(&definition); }
