#include <mublas.h>
#include <musa_runtime_api.h>
#include <cstdio>
extern "C" int squared(int);
int main() {
    mublasHandle_t handle = nullptr;
    const bool made = mublasCreate(&handle) == MUBLAS_STATUS_SUCCESS;
    int devices = 0;
    musaGetDeviceCount(&devices);
    std::printf("%d %d %d\n", squared(12), made, devices > 0);
}
