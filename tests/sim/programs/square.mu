__global__ void square(int* x) { *x *= *x; }
extern "C" int squared(int x) {
    int* memory = nullptr;
    if (musaMalloc(&memory, sizeof x) != musaSuccess) return -1;
    musaMemcpy(memory, &x, sizeof x, musaMemcpyHostToDevice);
    square<<<1, 1>>>(memory);
    if (musaMemcpy(&x, memory, sizeof x, musaMemcpyDeviceToHost) != musaSuccess) return -2;
    return x;
}
