// behaviour CASE: what a program may rely on beside the numbers. Prints facts, name=value.
#include <musa_sim_activity.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

#include "ranks.h"

namespace {

using namespace std::chrono_literals;

constexpr std::size_t count = 1000;

std::vector<float> filled(float value) { return std::vector<float>(count, value); }

bool all_are(const float* memory, float value) { return to_host(memory, count) == filled(value); }

musaStream_t new_stream() {
    musaStream_t stream;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    return stream;
}

mcclComm_t join(int ranks, mcclUniqueId id, int rank) {
    CHECK(musaSetDevice(rank));
    mcclComm_t comm;
    CHECK(mcclCommInitRank(&comm, ranks, id, rank));
    return comm;
}

void fact(const std::string& name, const std::string& value) { std::printf("%s=%s\n", name.c_str(), value.c_str()); }
void fact(const std::string& name, long value) { fact(name, std::to_string(value)); }

// One thread, four devices.
void init_all() {
    std::vector<mcclComm_t> comms(4);
    std::vector<float*> memory;
    CHECK(mcclCommInitAll(comms.data(), 4, nullptr));
    int device = -1;
    CHECK(musaGetDevice(&device));
    fact("device", device);
    for (int i = 0; i < 4; ++i) {
        CHECK(musaSetDevice(i));
        memory.push_back(to_device(filled(static_cast<float>(i + 1))));
    }
    CHECK(mcclGroupStart());
    for (std::size_t i = 0; i < 4; ++i)  // the null stream is that of the communicator's device
        CHECK(mcclAllReduce(memory[i], memory[i], count, mcclFloat, mcclSum, comms[i], nullptr));
    CHECK(mcclGroupEnd());
    int correct = 0;
    std::string ranks;
    for (int i = 0; i < 4; ++i) {
        CHECK(musaSetDevice(i));
        CHECK(musaDeviceSynchronize());
        correct += all_are(memory[static_cast<std::size_t>(i)], 10);
        int size = 0, rank = 0;
        CHECK(mcclCommCount(comms[static_cast<std::size_t>(i)], &size));
        CHECK(mcclCommUserRank(comms[static_cast<std::size_t>(i)], &rank));
        CHECK(mcclCommMuDevice(comms[static_cast<std::size_t>(i)], &device));
        ranks += std::to_string(size) + std::to_string(rank) + std::to_string(device) + " ";
    }
    fact("correct", correct);
    fact("ranks", ranks);
    for (mcclComm_t comm : comms) CHECK(mcclCommDestroy(comm));
}

// One thread joins with all ranks in a group, and splits all of them in another.
void init_in_group() {
    mcclUniqueId id;
    CHECK(mcclGetUniqueId(&id));
    std::vector<mcclComm_t> comms(4), parts(4);
    CHECK(mcclGroupStart());
    for (int i = 0; i < 4; ++i) {
        CHECK(musaSetDevice(i));
        CHECK(mcclCommInitRank(&comms[static_cast<std::size_t>(i)], 4, id, i));
    }
    CHECK(mcclGroupEnd());
    CHECK(mcclGroupStart());
    const int colors[] = {7, 3, 7, MCCL_SPLIT_NOCOLOR};
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(mcclCommSplit(comms[i], colors[i], -static_cast<int>(i), &parts[i], nullptr));
    CHECK(mcclGroupEnd());
    std::string ranks;
    for (std::size_t i = 0; i < 3; ++i) {
        int size = 0, rank = 0;
        CHECK(mcclCommCount(parts[i], &size));
        CHECK(mcclCommUserRank(parts[i], &rank));
        ranks += std::to_string(rank) + "/" + std::to_string(size) + " ";
    }
    fact("ranks", ranks);
    fact("last", parts[3] == nullptr ? "none" : "one");
    CHECK(musaSetDevice(0));
    float* first = to_device(filled(1));
    CHECK(musaSetDevice(2));
    float* second = to_device(filled(2));
    for (std::size_t i = 0; i < 4; ++i) CHECK(mcclCommDestroy(comms[i]));  // the parts do not need it
    CHECK(mcclGroupStart());
    CHECK(mcclAllReduce(first, first, count, mcclFloat, mcclSum, parts[0], nullptr));
    CHECK(mcclAllReduce(second, second, count, mcclFloat, mcclSum, parts[2], nullptr));
    CHECK(mcclGroupEnd());
    CHECK(musaDeviceSynchronize());
    CHECK(musaSetDevice(0));
    CHECK(musaDeviceSynchronize());
    fact("correct", all_are(first, 3) && all_are(second, 3));
    for (std::size_t i = 0; i < 3; ++i) CHECK(mcclCommDestroy(parts[i]));
}

// Rank 1 comes late. Until then collectives of rank 0 wait in many streams, and everything else continues.
void nothing_else_waits() {
    constexpr std::size_t streams = 40;
    std::atomic<bool> others_done{false};
    std::atomic<int> correct{0};
    run_threads(2, [&](mcclUniqueId id, int rank) {
        mcclComm_t comm = join(2, id, rank);
        std::vector<musaStream_t> waiting;
        std::vector<float*> memory;
        for (std::size_t i = 0; i < streams; ++i) {
            waiting.push_back(new_stream());
            memory.push_back(to_device(filled(static_cast<float>(rank + 1))));
        }
        if (rank == 1) {
            while (!others_done) std::this_thread::sleep_for(1ms);
            CHECK(musaFree(to_device(filled(0))));  // waits for no collective of the other device
        }
        for (std::size_t i = 0; i < streams; ++i)
            CHECK(mcclAllReduce(memory[i], memory[i], count, mcclFloat, mcclSum, comm, waiting[i]));
        if (rank == 0) {
            std::this_thread::sleep_for(50ms);
            fact("waiting", musaStreamQuery(waiting[0]) == musaErrorNotReady);
            musaStream_t other = new_stream();
            float* own = to_device(filled(5));
            for (int i = 0; i < 100; ++i) {
                CHECK(musaMemcpyAsync(own, own + count / 2, count * 2, musaMemcpyDeviceToDevice, other));
                CHECK(musaStreamSynchronize(other));
            }
            fact("still_waiting", musaStreamQuery(waiting[0]) == musaErrorNotReady);
            others_done = true;
        }
        for (std::size_t i = 0; i < streams; ++i) {
            CHECK(musaStreamSynchronize(waiting[i]));
            correct += all_are(memory[i], 3);
        }
        CHECK(mcclCommDestroy(comm));
        return 0;
    });
    fact("correct", correct);
}

// A collective comes after the earlier work of its stream and before the later, also through events.
void order() {
    std::atomic<int> correct{0};
    run_threads(2, [&](mcclUniqueId id, int rank) {
        mcclComm_t comm = join(2, id, rank);
        musaStream_t stream = new_stream(), after = new_stream();
        const std::vector<float> mine = filled(static_cast<float>(rank + 1));
        float* memory = to_device(filled(100));
        float* copied = to_device(filled(200));
        float* late = to_device(filled(300));
        musaEvent_t event;
        CHECK(musaEventCreate(&event));
        CHECK(musaLaunchHostFunc(stream, [](void*) { std::this_thread::sleep_for(30ms); }, nullptr));
        CHECK(musaMemcpyAsync(memory, mine.data(), count * sizeof(float), musaMemcpyHostToDevice, stream));
        CHECK(mcclAllReduce(memory, memory, count, mcclFloat, mcclSum, comm, stream));
        CHECK(musaMemcpyAsync(copied, memory, count * sizeof(float), musaMemcpyDeviceToDevice, stream));
        CHECK(musaEventRecord(event, stream));
        CHECK(musaStreamWaitEvent(after, event, 0));
        CHECK(mcclAllReduce(copied, late, count, mcclFloat, mcclSum, comm, after));  // the next one, in another stream
        CHECK(musaStreamSynchronize(after));
        correct += all_are(memory, 3) + all_are(copied, 3) + all_are(late, 6);
        CHECK(mcclCommDestroy(comm));
        return 0;
    });
    fact("correct", correct);
}

// Two communicators, which the ranks use in different orders; and a group that has one stream twice.
void several() {
    mcclUniqueId other;
    CHECK(mcclGetUniqueId(&other));
    std::atomic<int> correct{0};
    run_threads(2, [&](mcclUniqueId id, int rank) {
        mcclComm_t comms[] = {join(2, id, rank), join(2, other, rank)};
        musaStream_t streams[] = {new_stream(), new_stream()};
        float* memory[] = {to_device(filled(1)), to_device(filled(2))};
        for (int i = 0; i < 200; ++i) {
            const int which = rank == 0 ? i % 2 : 1 - i % 2;
            CHECK(mcclAllReduce(memory[which], memory[which], count, mcclFloat, mcclMax, comms[which],
                                streams[which]));
        }
        CHECK(mcclGroupStart());
        CHECK(mcclAllReduce(memory[0], memory[0], count, mcclFloat, mcclSum, comms[0], streams[0]));
        CHECK(mcclAllReduce(memory[0], memory[0], count, mcclFloat, mcclSum, comms[0], streams[0]));
        CHECK(mcclAllReduce(memory[1], memory[1], count, mcclFloat, mcclSum, comms[0], streams[1]));
        CHECK(mcclGroupEnd());
        for (musaStream_t stream : streams) CHECK(musaStreamSynchronize(stream));
        correct += all_are(memory[0], 4) + all_are(memory[1], 4);
        for (mcclComm_t comm : comms) CHECK(mcclCommDestroy(comm));
        return 0;
    });
    fact("correct", correct);
}

// Everybody sends to everybody, itself included: large messages, several in a row, and an empty one.
int exchange_messages(mcclUniqueId id, int ranks, int rank) {
    constexpr std::size_t large = 100'000;  // integers: more than is on its way at a time
    mcclComm_t comm = join(ranks, id, rank);
    std::vector<int*> sent, received;
    CHECK(mcclGroupStart());
    for (int other = 0; other < ranks; ++other) {
        std::vector<int> values(large);
        std::iota(values.begin(), values.end(), 1000 * rank + other);
        sent.push_back(to_device(values));
        received.push_back(to_device(std::vector<int>(large, -1)));
        CHECK(mcclSend(sent.back(), large - 10, mcclInt, other, comm, nullptr));
        CHECK(mcclSend(nullptr, 0, mcclInt, other, comm, nullptr));
        CHECK(mcclSend(sent.back() + large - 10, 10, mcclInt, other, comm, nullptr));
    }
    for (int other = 0; other < ranks; ++other) {
        int* target = received[static_cast<std::size_t>(other)];
        CHECK(mcclRecv(target, large - 10, mcclInt, other, comm, nullptr));
        CHECK(mcclRecv(nullptr, 0, mcclInt, other, comm, nullptr));
        CHECK(mcclRecv(target + large - 10, 10, mcclInt, other, comm, nullptr));
    }
    CHECK(mcclGroupEnd());
    CHECK(musaDeviceSynchronize());
    int wrong = 0;
    for (int other = 0; other < ranks; ++other) {
        std::vector<int> wanted(large);
        std::iota(wanted.begin(), wanted.end(), 1000 * other + rank);
        wrong += to_host(received[static_cast<std::size_t>(other)], large) != wanted;
    }
    // without a group, along a line
    int* value = to_device(std::vector<int>{rank == 0 ? 42 : 0});
    if (rank > 0) CHECK(mcclRecv(value, 1, mcclInt, rank - 1, comm, nullptr));
    if (rank + 1 < ranks) CHECK(mcclSend(value, 1, mcclInt, rank + 1, comm, nullptr));
    CHECK(musaDeviceSynchronize());
    wrong += to_host(value, 1) != std::vector<int>{42};
    CHECK(mcclCommDestroy(comm));
    return wrong;
}

void messages() {
    const Body body = [](mcclUniqueId id, int rank) { return exchange_messages(id, 3, rank); };
    fact("processes", run_processes(3, body));
    fact("threads", run_threads(3, body));
}

// A message that waits holds up neither collectives nor messages in other streams.
void messages_apart() {
    constexpr std::size_t large = 100'000;  // more than is on its way at a time
    std::atomic<int> correct{0};
    run_threads(2, [&](mcclUniqueId id, int rank) {
        mcclComm_t comm = join(2, id, rank);
        musaStream_t first = new_stream(), second = new_stream(), third = new_stream();
        float* memory = to_device(filled(static_cast<float>(rank + 1)));
        float* received = to_device(filled(0));
        if (rank == 0) CHECK(mcclRecv(received, count, mcclFloat, 1, comm, first));
        CHECK(mcclAllReduce(memory, memory, count, mcclFloat, mcclSum, comm, second));
        CHECK(musaStreamSynchronize(second));
        if (rank == 1) CHECK(mcclSend(memory, count, mcclFloat, 0, comm, first));
        CHECK(musaStreamSynchronize(first));
        correct += all_are(memory, 3) + all_are(received, rank == 0 ? 3 : 0);
        int* mine = to_device(std::vector<int>(large, rank));
        int* others = to_device(std::vector<int>(large, -1));
        CHECK(mcclSend(mine, large, mcclInt, 1 - rank, comm, second));
        CHECK(mcclRecv(others, large, mcclInt, 1 - rank, comm, third));
        CHECK(musaDeviceSynchronize());
        correct += to_host(others, large) == std::vector<int>(large, 1 - rank);
        CHECK(mcclCommDestroy(comm));
        return 0;
    });
    fact("correct", correct);
}

// Each rank has a factor of its own.
void factors() {
    std::atomic<int> correct{0};
    run_threads(3, [&](mcclUniqueId id, int rank) {
        mcclComm_t comm = join(3, id, rank);
        const float own = static_cast<float>(std::pow(10, rank));
        float at_once = own;
        float* in_memory = to_device(std::vector<float>{0});
        mcclRedOp_t immediate, later;
        CHECK(mcclRedOpCreatePreMulSum(&immediate, &at_once, mcclFloat, mcclScalarHostImmediate, comm));
        CHECK(mcclRedOpCreatePreMulSum(&later, in_memory, mcclFloat, mcclScalarDevice, comm));
        at_once = 0;
        CHECK(musaMemcpy(in_memory, &own, sizeof own, musaMemcpyHostToDevice));
        float* memory = to_device(filled(1));
        float* again = to_device(filled(2));
        CHECK(mcclAllReduce(memory, memory, count, mcclFloat, immediate, comm, nullptr));
        CHECK(mcclAllReduce(again, again, count, mcclFloat, later, comm, nullptr));
        CHECK(mcclRedOpDestroy(immediate, comm));
        CHECK(musaDeviceSynchronize());
        correct += all_are(memory, 111) + all_are(again, 222);
        CHECK(mcclCommDestroy(comm));
        return 0;
    });
    fact("correct", correct);
}

// A configuration says that calls do not wait. Then the other rank may come later in the same thread.
void not_blocking() {
    mcclUniqueId id;
    CHECK(mcclGetUniqueId(&id));
    mcclConfig_t config = MCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    mcclComm_t comms[2];
    CHECK(musaSetDevice(0));
    fact("first", mcclCommInitRankConfig(&comms[0], 2, id, 0, &config));
    float* memory = to_device(filled(1));
    fact("too_early", mcclAllReduce(memory, memory, count, mcclFloat, mcclSum, comms[0], nullptr));
    CHECK(musaSetDevice(1));
    const mcclResult_t second = mcclCommInitRankConfig(&comms[1], 2, id, 1, &config);
    fact("second", second == mcclSuccess || second == mcclInProgress);
    for (mcclComm_t comm : comms) {
        mcclResult_t state = mcclInProgress;
        while (state == mcclInProgress) CHECK(mcclCommGetAsyncError(comm, &state));
        CHECK(state);
    }
    float* other = to_device(filled(2));
    CHECK(mcclAllReduce(memory, memory, count, mcclFloat, mcclSum, comms[0], nullptr));
    CHECK(mcclAllReduce(other, other, count, mcclFloat, mcclSum, comms[1], nullptr));
    // waits for both
    for (mcclComm_t comm : comms) CHECK(mcclCommFinalize(comm));
    fact("correct", all_are(memory, 3) && all_are(other, 3));
    fact("finalized", mcclAllReduce(memory, memory, count, mcclFloat, mcclSum, comms[0], nullptr));
    for (mcclComm_t comm : comms) CHECK(mcclCommDestroy(comm));
}

// The records of a profiler for a group and for a call alone.
void profiled() {
    mcclComm_t comms[2];
    CHECK(mcclCommInitAll(comms, 2, nullptr));
    CHECK(musaSetDevice(0));
    float* first = to_device(filled(1));
    CHECK(musaSetDevice(1));
    float* second = to_device(filled(2));
    CHECK(musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION));
    CHECK(mcclGroupStart());
    CHECK(mcclBroadcast(first, first, count, mcclFloat, 0, comms[0], nullptr));
    CHECK(mcclBroadcast(second, second, count, mcclFloat, 0, comms[1], nullptr));
    CHECK(mcclGroupEnd());
    for (mcclComm_t comm : comms) CHECK(mcclCommFinalize(comm));
    std::string seen;
    const auto visit = [](const musa_sim_activity* activity, void* text) {
        if (activity->kind != musa_sim_activity_library || activity->end < activity->begin) return;
        static_cast<std::string*>(text)->append(activity->name + std::string(" "));
    };
    const std::size_t unfinished = musa_sim_activity_stop(visit, &seen);
    fact("seen", seen);
    fact("unfinished", static_cast<long>(unfinished));
    for (mcclComm_t comm : comms) CHECK(mcclCommDestroy(comm));
}

void rest() {
    int version = 0;
    CHECK(mcclGetVersion(&version));
    fact("version", version == MCCL_VERSION_CODE);
    fact("no_error", mcclGetErrorString(mcclSuccess));
    fact("last", mcclGetLastError(nullptr));
    mcclComm_t comm;
    CHECK(mcclCommInitAll(&comm, 1, nullptr));
    void* memory = nullptr;
    void* handle = nullptr;
    CHECK(mcclMemAlloc(&memory, 64));
    CHECK(mcclCommRegister(comm, memory, 64, &handle));
    CHECK(mcclCommDeregister(comm, handle));
    CHECK(mcclMemFree(memory));
    CHECK(mcclCommDestroy(comm));
    CHECK(mcclCommDestroy(nullptr));
    fact("gone", mcclCommDestroy(comm));
}

}  // namespace

int main(int, char** arguments) {
    const std::string which = arguments[1];
    if (which == "init_all") init_all();
    if (which == "init_in_group") init_in_group();
    if (which == "nothing_else_waits") nothing_else_waits();
    if (which == "order") order();
    if (which == "several") several();
    if (which == "messages") messages();
    if (which == "messages_apart") messages_apart();
    if (which == "factors") factors();
    if (which == "not_blocking") not_blocking();
    if (which == "profiled") profiled();
    if (which == "rest") rest();
    return 0;
}
