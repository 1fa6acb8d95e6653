#include <cstdio>
int affine(float* values, int count, float factor);
int main() {
    float values[3] = {1, 2, 3};
    int status = affine(values, 3, 10);
    std::printf("%d %g %g %g\n", status, values[0], values[1], values[2]);
    return status;
}
