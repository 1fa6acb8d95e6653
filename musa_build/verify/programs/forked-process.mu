// Uses the device in a process, and then in the child that it forks.
// expect child=0
// expect value=7
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"
__global__ void seven(int* out) { *out = 7; }
int in_the_child() {
    int *out = nullptr, value = 0;
    if (const musaError_t error = musaMalloc(&out, sizeof *out)) return static_cast<int>(error);
    seven<<<1, 1>>>(out);
    if (const musaError_t error = musaMemcpy(&value, out, sizeof value, musaMemcpyDeviceToHost)) return static_cast<int>(error);
    return value == 7 ? 0 : -1;
}
int main() {
    int* out = managed<int>(1);
    seven<<<1, 1>>>(out);
    CHECK(musaDeviceSynchronize());
    int ends[2];
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
        const int error = in_the_child();
        if (write(ends[1], &error, sizeof error) != sizeof error) _exit(1);
        _exit(0);
    }
    int error = -2, status = 0;
    close(ends[1]);
    if (read(ends[0], &error, sizeof error) != sizeof error) error = -2;  // it ended before
    waitpid(child, &status, 0);
    fact("child", static_cast<long long>(error));
    fact("value", static_cast<long long>(*out));
}
