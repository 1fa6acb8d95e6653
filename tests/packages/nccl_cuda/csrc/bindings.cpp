// The module `all_devices`: run(count, half) -> a list of numbers, or the error; version() -> NCCL's.
#include <Python.h>
#include <nccl.h>

#include "all_devices.h"

static PyObject* py_run(PyObject*, PyObject* args) {
    int count = 0, half = 0;
    if (!PyArg_ParseTuple(args, "ip", &count, &half)) return nullptr;
    Outcome outcome = all_devices(count, half != 0);
    if (!outcome.error.empty()) return PyErr_Format(PyExc_RuntimeError, "%s", outcome.error.c_str());
    PyObject* list = PyList_New(0);
    for (float value : outcome.values) {
        PyObject* number = PyFloat_FromDouble(value);
        PyList_Append(list, number);
        Py_DECREF(number);
    }
    return list;
}

static PyObject* py_version(PyObject*, PyObject*) {
    int version = 0;
    if (ncclGetVersion(&version) != ncclSuccess) return PyErr_Format(PyExc_RuntimeError, "no version");
    return Py_BuildValue("(ii)", version, NCCL_VERSION_CODE);
}

static PyMethodDef methods[] = {{"run", py_run, METH_VARARGS, ""},
                                {"version", py_version, METH_NOARGS, ""},
                                {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "all_devices", "", -1, methods};
PyMODINIT_FUNC PyInit_all_devices() { return PyModule_Create(&definition); }
