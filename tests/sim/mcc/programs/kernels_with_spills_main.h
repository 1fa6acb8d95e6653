PLAIN int main() {
    const int sizes[] = {32, 1, 70, 256};
    unsigned long long* out;
    int *table, wrong = 0;
    musaMallocManaged((void**)&out, 2 * 256 * sizeof *out);
    musaMallocManaged((void**)&table, 64 * sizeof *table);
    for (int i = 0; i < 64; ++i) table[i] = i * 37 % 64 - 20;
    for (int kernel = 0; kernel < KERNELS; ++kernel) {
        for (int size : sizes) {
            for (int n = 0; n < 4; ++n) {
                unsigned long long wanted[2 * 256] = {};
                for (int i = 0; i < 2 * 256; ++i) out[i] = 0;
                launches[kernel](size, out, table, n);
                const musaError_t error = musaDeviceSynchronize();
                for (unsigned i = 0; i < 2u * size; ++i) plain[kernel](i / size, i % size, size, ARGUMENTS);
                int here = 0, first = -1;
                for (int i = 0; i < 2 * size; ++i) {
                    if (out[i] != wanted[i] && here++ == 0) first = i;
                }
                if (here || error != musaSuccess) {
                    printf("kernel %d, %d threads, n = %d: %d wrong, first %d; %s\n", kernel, size, n, here, first,
                           musaGetErrorString(error));
                    ++wrong;
                }
            }
        }
    }
    return wrong != 0;
}
