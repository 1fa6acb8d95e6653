// Functions that the simulator lacks link, fail with their library's own status, and say so once.
#include <musparse.h>

#include <cstdio>

int main() {
    musparseHandle_t sparse;
    if (musparseCreate(&sparse)) return 1;
    bsric02Info_t matrix;
    for (int i = 0; i < 2; ++i) {
        const musparseStatus_t status = musparseCreateBsric02Info(&matrix);
        std::printf("sparse=%s, %s\n", musparseGetErrorName(status), musparseGetErrorString(status));
    }
    return musparseDestroy(sparse);
}
