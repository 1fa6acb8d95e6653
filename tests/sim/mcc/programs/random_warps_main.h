int main(int argc, char** argv) {
    const int sizes[][3] = {{32, 1, 1}, {7, 1, 1}, {100, 1, 1}, {16, 9, 1}, {5, 3, 4}, {1, 130, 1}, {256, 1, 1}};
    unsigned* out;
    if (musaMallocManaged((void**)&out, 4096 * sizeof(unsigned)) != musaSuccess) return 1;
    for (int kernel = 0; kernel < KERNELS; ++kernel) {
        for (auto& size : sizes) {
            const dim3 block(size[0], size[1], size[2]);
            const int threads = block.x * block.y * block.z;
            for (int i = 0; i < 4096; ++i) out[i] = 12345;
            kernels[kernel]<<<3, block>>>(out);
            const musaError_t error = musaDeviceSynchronize();
            unsigned long long hash = 1469598103934665603ull;
            for (int i = 0; i < 3 * threads; ++i) hash = (hash ^ out[i]) * 1099511628211ull;
            printf("kernel %d, %d threads: %llx %s\n", kernel, threads, hash, musaGetErrorString(error));
            if (error != musaSuccess) return 0;
        }
    }
}
