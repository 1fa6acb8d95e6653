// cub_block CASE: one block of 96 threads, 3 items each, on ints from stdin.
#include <cub/cub.cuh>

#include "program.h"

constexpr int threads = 96, items = 3, count = threads * items;

struct Concatenate {  // associative, not commutative: a base and its digits
    __device__ ulonglong2 operator()(ulonglong2 a, ulonglong2 b) const {
        return {a.x * b.x % 1000003, (a.y * b.x + b.y) % 1000003};
    }
};

// Adds up what the blocks' rounds sum to.
struct RunningPrefix {
    int total;
    __device__ int operator()(int aggregate) {
        const int before = total;
        total += aggregate;
        return before;
    }
};

// Kernels that put 16-byte vectors behind a TempStorage in dynamic shared memory rely on this. CUDA 13's have other sizes.
#ifndef __NVCC__
static_assert(sizeof(cub::BlockLoad<char, 32, 1>::TempStorage) % 16 == 0, "a TempStorage keeps 16-byte alignment");
static_assert(sizeof(cub::BlockReduce<char, 33>::TempStorage) % 16 == 0, "a TempStorage keeps 16-byte alignment");
#endif

template <cub::BlockLoadAlgorithm LoadAlgorithm, cub::BlockStoreAlgorithm StoreAlgorithm>
__global__ void load_store(const int* x, int* out, int valid) {
    using Load = cub::BlockLoad<int, threads / 2, items, LoadAlgorithm, 2>;
    using Store = cub::BlockStore<int, threads / 2, items, StoreAlgorithm, 2>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } storage;
    int mine[items];
    Load(storage.load).Load(x, mine, valid, -1);
    __syncthreads();
    Store(storage.store).Store(out, mine);
    __syncthreads();
    Load(storage.load).Load(x, mine);
    for (int& item : mine) item += 1;
    Store(storage.store).Store(out + count, mine, valid);
}

template <cub::BlockReduceAlgorithm Algorithm>
__global__ void reduce(const int* x, int* out) {
    using Reduce = cub::BlockReduce<int, threads / 2, Algorithm, 2>;
    __shared__ typename Reduce::TempStorage storage;
    const int t = threadIdx.x + threadIdx.y * blockDim.x;
    int mine[items];
    cub::LoadDirectBlocked(t, x, mine);
    const int sum = Reduce(storage).Sum(mine);
    __syncthreads();
    const int most = Reduce(storage).Reduce(mine[0], cub::Max());
    __syncthreads();
    const int some = Reduce(storage).Sum(mine[0], 40);
    using Wide = cub::BlockReduce<ulonglong2, threads / 2, Algorithm, 2>;
    const ulonglong2 text = Wide().Reduce(ulonglong2{10, static_cast<unsigned long long>(x[t] % 10)}, Concatenate());
    if (t == 0) {
        out[0] = sum;
        out[1] = most;
        out[2] = some;
        out[3] = static_cast<int>(text.y);
    }
}

__global__ void scan(const int* x, int* out) {
    using Scan = cub::BlockScan<int, threads / 2, cub::BLOCK_SCAN_WARP_SCANS, 2>;
    __shared__ Scan::TempStorage storage;
    const int t = threadIdx.x + threadIdx.y * blockDim.x;
    int mine[items], result[items], aggregate = 0;
    cub::LoadDirectBlocked(t, x, mine);
    auto store = [&] {
        __syncthreads();
        cub::StoreDirectBlocked(t, out, result);
        out += count;
    };
    Scan(storage).InclusiveSum(mine, result);
    store();
    Scan(storage).ExclusiveSum(mine, result, aggregate);
    result[0] += aggregate;
    store();
    Scan(storage).InclusiveScan(mine, result, cub::Max());
    store();
    Scan(storage).ExclusiveScan(mine, result, 500, cub::Max());
    store();
    RunningPrefix prefix{1000};
    Scan(storage).InclusiveSum(mine, result, prefix);
    store();
    for (int i = 0; i < items; ++i) {  // one item a thread, a round for each, the prefix carried on
        __syncthreads();
        Scan(storage).ExclusiveSum(mine[i], result[i], prefix);
    }
    store();
    Scan(storage).ExclusiveSum(mine[0], result[0]);
    __syncthreads();
    Scan(storage).InclusiveScan(mine[0], result[1], cub::Min());
    __syncthreads();
    Scan(storage).ExclusiveScan(mine[0], result[2], 900, cub::Min(), aggregate);
    result[2] += aggregate;
    store();
}

__global__ void exchange(const int* x, int* out) {
    using Exchange = cub::BlockExchange<int, threads, items>;
    using Shuffle = cub::BlockShuffle<int, threads>;
    __shared__ union {
        Exchange::TempStorage exchange;
        Shuffle::TempStorage shuffle;
    } storage;
    const int t = threadIdx.x;
    int mine[items], other[items];
    auto store = [&] {
        __syncthreads();
        for (int i = 0; i < items; ++i) out[t * items + i] = mine[i];
        out += count;
    };
    auto load = [&] { cub::LoadDirectBlocked(t, x, mine); };
    load();
    Exchange(storage.exchange).StripedToBlocked(mine);
    store();
    load();
    Exchange(storage.exchange).BlockedToStriped(mine, mine);
    store();
    load();
    Exchange(storage.exchange).BlockedToWarpStriped(mine);
    store();
    Exchange(storage.exchange).WarpStripedToBlocked(mine);  // and back
    store();
    load();
    int ranks[items];
    for (int i = 0; i < items; ++i) ranks[i] = count - 1 - (t * items + i);
    Exchange(storage.exchange).ScatterToBlocked(mine, ranks);
    store();
    load();
    Exchange(storage.exchange).ScatterToStriped(mine, ranks);
    store();
    load();
    Shuffle(storage.shuffle).Up(mine, other);
    for (int i = 0; i < items; ++i) mine[i] = t == 0 && i == 0 ? -1 : other[i];
    store();
    load();
    Shuffle(storage.shuffle).Down(mine, other);
    for (int i = 0; i < items; ++i) mine[i] = t == threads - 1 && i == items - 1 ? -1 : other[i];
    store();
    load();
    Shuffle(storage.shuffle).Offset(mine[0], mine[1], -2);
    __syncthreads();
    Shuffle(storage.shuffle).Rotate(mine[0], mine[2], 5);
    store();
}

template <class Key>
__global__ void sort(const Key* x, Key* out, int* positions) {
    using Sort = cub::BlockRadixSort<Key, threads, items, int>;
    using SortKeys = cub::BlockRadixSort<Key, threads, items>;
    __shared__ union {
        typename Sort::TempStorage pairs;
        typename SortKeys::TempStorage keys;
    } storage;
    const int t = threadIdx.x;
    Key keys[items];
    int values[items];
    cub::LoadDirectBlocked(t, x, keys);
    SortKeys(storage.keys).Sort(keys);
    __syncthreads();
    cub::StoreDirectBlocked(t, out, keys);
    cub::LoadDirectBlocked(t, x, keys);
    SortKeys(storage.keys).SortDescendingBlockedToStriped(keys);
    __syncthreads();
    cub::StoreDirectStriped<threads>(t, out + count, keys);
    cub::LoadDirectBlocked(t, x, keys);
    for (int i = 0; i < items; ++i) values[i] = t * items + i;
    Sort(storage.pairs).SortDescending(keys, values);
    __syncthreads();
    cub::StoreDirectBlocked(t, positions, values);
    cub::LoadDirectBlocked(t, x, keys);
    for (int i = 0; i < items; ++i) values[i] = t * items + i;
    Sort(storage.pairs).Sort(keys, values, 3, 7);
    cub::StoreDirectBlocked(t, positions + count, values);
}

template <int Width>
__global__ void warps(const int* x, int* out) {
    using Reduce = cub::WarpReduce<int, Width>;
    using Scan = cub::WarpScan<int, Width>;
    __shared__ typename Reduce::TempStorage reduce[threads / Width];
    __shared__ typename Scan::TempStorage scan[threads / Width];
    const int t = threadIdx.x, w = t / Width, v = x[t];
    int* row = out + t * 10;
    int aggregate = 0;
    row[0] = Reduce(reduce[w]).Sum(v);
    row[1] = Reduce(reduce[w]).Reduce(v, cub::Max(), 3);
    row[2] = Reduce(reduce[w]).HeadSegmentedSum(v, v % 3 == 0);
    row[3] = Reduce(reduce[w]).TailSegmentedSum(v, v % 3 == 0);
    Scan(scan[w]).InclusiveSum(v, row[4], aggregate);
    Scan(scan[w]).ExclusiveSum(v, row[5]);
    Scan(scan[w]).ExclusiveScan(v, row[6], -5, cub::Max());
    Scan(scan[w]).InclusiveScan(v, row[7], cub::Min());
    row[8] = Scan(scan[w]).Broadcast(v, 2);
    row[9] = aggregate;
}

template <class Key>
void run_sort() {
    auto& keys = input<Key>(count);
    DeviceArray<Key> out(2 * count);
    DeviceArray<int> positions(2 * count);
    sort<Key><<<1, threads>>>(keys, out, positions);
    check_kernel();
    out.write();
    positions.write();
}

int main(int, char** argv) {
    const std::string which = argv[1];
    const dim3 flat(threads), folded(threads / 2, 2);
    if (which == "sort_float32") return run_sort<float>(), 0;
    if (which == "sort_int32") return run_sort<int>(), 0;
    auto& x = input<int>(count);
    DeviceArray<int> out(10 * count);
    const int valid = 201;
    using namespace cub;
    if (which == "direct") load_store<BLOCK_LOAD_DIRECT, BLOCK_STORE_DIRECT><<<1, folded>>>(x, out, valid);
    if (which == "transpose")
        load_store<BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_STORE_TRANSPOSE><<<1, folded>>>(x, out, valid);
    if (which == "striped") load_store<BLOCK_LOAD_STRIPED, BLOCK_STORE_STRIPED><<<1, folded>>>(x, out, valid);
    if (which == "reduce_raking") reduce<BLOCK_REDUCE_RAKING><<<1, folded>>>(x, out);
    if (which == "reduce_warps") reduce<BLOCK_REDUCE_WARP_REDUCTIONS><<<1, folded>>>(x, out);
    if (which == "scan") scan<<<1, folded>>>(x, out);
    if (which == "exchange") exchange<<<1, flat>>>(x, out);
    if (which == "warps32") warps<32><<<1, flat>>>(x, out);
    if (which == "warps8") warps<8><<<1, flat>>>(x, out);
    check_kernel();
    out.write();
}
