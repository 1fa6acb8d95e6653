// refuted by compile-error
// expect copied=1
// expect last_failed=1
// expect refused=musaErrorInvalidValue
// expect first_failed=1
// expect found=1
// Row batch-copies: calls of CUDA 12.8 under MUSA's names, with CUDA's forms.
#include "probe.h"
__global__ void nothing() {}
int main() {
    int *a = nullptr, *b = nullptr, numbers[2] = {4, 9}, read[2] = {};
    CHECK(musaMalloc(&a, sizeof numbers));
    CHECK(musaMalloc(&b, sizeof numbers));
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreate(&stream));
    musaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = musaMemcpySrcAccessOrderStream;
    void* to[] = {a, b, read};
    void* from[] = {numbers, a, b};
    size_t sizes[] = {sizeof numbers, sizeof numbers, sizeof numbers}, index = 0, failed = 0;
    CHECK(musaMemcpyBatchAsync(to, from, sizes, 3, &attributes, &index, 1, &failed, stream));
    CHECK(musaStreamSynchronize(stream));
    fact("copied", read[0] == 4 && read[1] == 9);
    fact("last_failed", failed == ~size_t(0));
    to[1] = nullptr;
    fact("refused", musaMemcpyBatchAsync(to, from, sizes, 3, &attributes, &index, 1, &failed, stream));
    fact("first_failed", static_cast<long long>(failed));
    musaKernel_t kernel = nullptr;
    CHECK(musaGetKernel(&kernel, reinterpret_cast<const void*>(nothing)));
    fact("found", kernel != nullptr);
}
