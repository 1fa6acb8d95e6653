#include <Python.h>
#include <musa_runtime.h>
#include <cmath>

// classify(a, b, results): of each pair, what a compiler that assumes finite values gets wrong
template <typename T> __host__ __device__ void classify_one(T a, T b, T* result) {
    result[0] = isnan(a);
    result[1] = isinf(a);
    result[2] = a != a;
    result[3] = a == a;
    result[4] = fmax(a, b);
    result[5] = fmin(a, b);
    result[6] = a + b;
    result[7] = a - b;
    result[8] = !(a < b);
    result[9] = T(1) / (b + T(0));
}

template <typename T> __global__ void classify_all(const T* a, const T* b, T* results, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) classify_one(a[i], b[i], results + 10 * i);
}

template <typename T> __host__ __device__ T compensated_sum(const T* values, int count) {
    T sum = 0, lost = 0;
    for (int i = 0; i < count; i++) {
        T value = values[i] - lost;
        T next = sum + value;
        lost = (next - sum) - value;
        sum = next;
    }
    return sum;
}

template <typename T> __global__ void sum_all(const T* values, T* result, int count) {
    *result = compensated_sum(values, count);
}

template <typename T> void run(const T* a, const T* b, T* results, T* sums, int count) {
    T* memory;
    musaMallocManaged((void**)&memory, sizeof(T) * (12 * count + 1));
    for (int i = 0; i < count; i++) memory[i] = a[i], memory[count + i] = b[i];
    classify_all<<<(count + 31) / 32, 32>>>(memory, memory + count, memory + 2 * count, count);
    sum_all<<<1, 1>>>(memory + count, memory + 12 * count, count);
    musaDeviceSynchronize();
    for (int i = 0; i < 10 * count; i++) results[i] = memory[2 * count + i];
    for (int i = 0; i < count; i++) classify_one(a[i], b[i], results + 10 * (count + i));
    sums[0] = memory[12 * count];
    sums[1] = compensated_sum(b, count);
    musaFree(memory);
}

static PyObject* py_run(PyObject*, PyObject* args) {
    Py_buffer a, b, results, sums;
    if (!PyArg_ParseTuple(args, "y*y*w*w*", &a, &b, &results, &sums)) return nullptr;
    if (a.itemsize == 4) run((float*)a.buf, (float*)b.buf, (float*)results.buf, (float*)sums.buf, a.len / 4);
    else run((double*)a.buf, (double*)b.buf, (double*)results.buf, (double*)sums.buf, a.len / 8);
    PyBuffer_Release(&a), PyBuffer_Release(&b), PyBuffer_Release(&results), PyBuffer_Release(&sums);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"run", py_run, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "special", "", -1, methods};
PyMODINIT_FUNC MODULE() { return PyModule_Create(&definition); }
