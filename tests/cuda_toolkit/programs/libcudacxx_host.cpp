// libcu++'s atomics, barriers, latches and semaphores in a file of the host's compiler, with time limits.
#include <cstdio>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/latch>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/chrono>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <cuda/stream_ref>
#include <nv/target>
#include <thread>
#include <utility>
#include <vector>

using namespace cuda::std::chrono;  // its time limits are of its own types
constexpr int threads = 3, rounds = 50;

void show(const char *name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

int main() {
    cuda::atomic<long, cuda::thread_scope_system> sum(0);
    long plain = 0, parts[threads] = {};
    bool right = true;
    cuda::std::barrier<> round(threads);
    cuda::std::latch all(threads);
    cuda::std::binary_semaphore mutex(1);
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&, i] {
            for (int r = 0; r < rounds; ++r) {
                parts[i] = r * threads + i;
                round.arrive_and_wait();
                sum.fetch_add(parts[(i + 1) % threads], cuda::memory_order_relaxed);
                round.arrive_and_wait();
                mutex.acquire();
                ++plain;
                mutex.release();
            }
            all.count_down();
        });
    }
    all.wait();
    for (std::thread &worker : workers) worker.join();
    constexpr long n = rounds * threads;
    show("threads", sum.load() == n * (n - 1) / 2 && plain == n);

    cuda::atomic_ref<long, cuda::thread_scope_device> reference(plain);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    show("reference", reference.exchange(5) == n && plain == 5 && cuda::std::atomic<int>(3).load() == 3);

    cuda::counting_semaphore<cuda::thread_scope_system, 8> empty(0);
    const auto begin = high_resolution_clock::now();
    right = !empty.try_acquire_for(milliseconds(20)) && high_resolution_clock::now() - begin >= milliseconds(20);
    right = right && !empty.try_acquire_until(high_resolution_clock::now() + milliseconds(5));
    empty.release(2);
    show("semaphore", right && empty.try_acquire_for(seconds(9)) && empty.try_acquire_until(high_resolution_clock::now()));

    cuda::barrier<cuda::thread_scope_block> two(2);
    auto token = two.arrive();
    const auto start = high_resolution_clock::now();
    right = !two.try_wait_for(std::move(token), milliseconds(20)) && high_resolution_clock::now() - start >= milliseconds(20);
    right = right && !two.try_wait_parity_for(false, milliseconds(1));
    right = right && !two.try_wait_parity_until(false, high_resolution_clock::now() + milliseconds(1));
    std::thread other([&] { static_cast<void>(two.arrive()); });
    right = right && two.try_wait_parity_for(false, seconds(9));
    other.join();
    auto next = two.arrive(2);
    show("barrier", right && two.try_wait_until(std::move(next), high_resolution_clock::now() + seconds(9)));

    int target = 0;
    NV_IF_ELSE_TARGET(NV_IS_HOST, (target = 1;), (target = 2;))
    cuda::annotated_ptr<long, cuda::access_property::global> pointer(&plain);
    show("values", target == 1 && *pointer == 5 && cuda::ceil_div(9, 4) == 3 &&
                       cuda::stream_ref().get() == nullptr);
}
