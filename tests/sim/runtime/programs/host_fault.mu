// host_fault CASE: a fault of host code after a kernel has run.
#include <csignal>
#include <unistd.h>

#include "program.h"

__global__ void fine(int* out) { out[threadIdx.x] = 1; }

void own_handler(int) {
    const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) > 0) _exit(0);
}

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "handled") std::signal(SIGSEGV, own_handler);
    DeviceArray<int> out(8);
    fine<<<1, 8>>>(out);
    check_kernel();
    if (name == "raised") std::raise(SIGSEGV);
    int* volatile nowhere = nullptr;
    *nowhere = 1;
}
