#include <cstdio>

extern "C" int is_default(struct CUstream_st *stream);
int six_times(float *host, int n);
int answer();
int resolved();
int shared();

int main() {
    float values[100];
    for (int i = 0; i < 100; ++i) values[i] = i;
    if (six_times(values, 100)) return 1;
    for (int i = 0; i < 100; ++i)
        if (values[i] != 6 * i) return 2;
    std::printf("%d %d %d %d\n", answer(), resolved(), shared(), is_default(nullptr));
}
