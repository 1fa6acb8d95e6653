#define PY_SSIZE_T_CLEAN
#include <Python.h>

int squares_on_device(int n, int* values);

static PyObject* squares(PyObject* self, PyObject* argument) {
    int n = (int)PyLong_AsLong(argument);
    int values[1024];
    (void)self;
    if (n < 0 || n > 1024) {
        PyErr_SetString(PyExc_ValueError, "from 0 to 1024");
        return NULL;
    }
    if (squares_on_device(n, values)) {
        PyErr_SetString(PyExc_RuntimeError, "CUDA failed");
        return NULL;
    }
    PyObject* list = PyList_New(n);
    for (int i = 0; i < n; i++) PyList_SetItem(list, i, PyLong_FromLong(values[i]));
    return list;
}

static PyMethodDef functions[] = {{"squares", squares, METH_O, "the squares below n"}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "squares", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_squares(void) {
    return PyModule_Create(&definition);
}
