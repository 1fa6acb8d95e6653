// Blocks of one warp work one after the other, each on the row that the one before left. A lane sets the flag for the
// next block after the other lanes have stored their part, with no __syncwarp between, as on cards of NVIDIA.
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>

enum class Release { add, exchange, store };

template <Release release>
__global__ void chain(unsigned* turn, int* rows, int lanes) {
    const unsigned lane = threadIdx.x, block = blockIdx.x;
    if (block > 0) {
        while (atomicAdd(turn, 0) < block) {
        }
    }
    const unsigned others = __ballot_sync(0xffffffff, lane < lanes);
    if (lane >= lanes) return;  // the others go on without these
    int sum = block > 0 ? rows[(block - 1) * 32 + lane] : 0;
    for (int distance = 1; distance < lanes; distance *= 2) {
        const int other = __shfl_up_sync(others, sum, distance);
        if (lane >= distance) sum += other;
    }
    sum %= 1000003;
    for (unsigned i = 0; i < lane * 100; ++i) sum = (sum * 31 + 7) % 1000003;  // lane 0 is long ready
    rows[block * 32 + lane] = sum;
    if (lane == 0) {
        __threadfence();
        if (release == Release::add) atomicAdd(turn, 1);
        if (release == Release::exchange) atomicExch(turn, block + 1);
        if (release == Release::store) *static_cast<volatile unsigned*>(turn) = block + 1;
    }
}

template <Release release>
void run(const char* name, int blocks, int lanes) {
    unsigned* turn;
    int* rows;
    musaMalloc(reinterpret_cast<void**>(&turn), sizeof *turn);
    musaMalloc(reinterpret_cast<void**>(&rows), blocks * 32 * sizeof *rows);
    musaMemset(turn, 0, sizeof *turn);
    chain<release><<<blocks, 32>>>(turn, rows, lanes);
    int last[32];
    musaMemcpy(last, rows + (blocks - 1) * 32, sizeof last, musaMemcpyDeviceToHost);
    std::printf("%s", name);
    for (int lane = 0; lane < lanes; ++lane) std::printf(" %d", last[lane]);
    std::printf("\n%s\n", musaGetErrorString(musaGetLastError()));
    musaFree(turn);
    musaFree(rows);
}

int main(int, char** arguments) {
    const int blocks = std::atoi(arguments[1]), lanes = std::atoi(arguments[2]);
    run<Release::add>("add", blocks, lanes);
    run<Release::exchange>("exchange", blocks, lanes);
    run<Release::store>("store", blocks, lanes);
}
