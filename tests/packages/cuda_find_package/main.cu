#include <cstdio>

void fill_on_device(int *out, int n, int value);

int main() {
    int *out, host[8];
    cudaMalloc(&out, sizeof host);
    fill_on_device(out, 8, 5);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int value : host) sum += value;
    std::printf("%d\n", sum);
}
