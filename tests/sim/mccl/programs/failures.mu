// failures CASE: a failure between ranks, and the error that each rank gets. Prints facts, name=value.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>

#include "ranks.h"

__global__ void trap() { __trap(); }

namespace {

using namespace std::chrono_literals;

constexpr std::size_t count = 1000;

float* some_memory() { return to_device(std::vector<float>(count, 1)); }

void fact(const std::string& name, const std::string& value) {
    std::printf("%s=%s\n", name.c_str(), value.c_str());
    std::fflush(stdout);
}
void fact(const std::string& name, int rank, mcclResult_t result) {
    fact(name + std::to_string(rank), std::to_string(result));
}

mcclComm_t join(int ranks, mcclUniqueId id, int rank) {
    CHECK(musaSetDevice(rank));
    mcclComm_t comm;
    CHECK(mcclCommInitRank(&comm, ranks, id, rank));
    return comm;
}

mcclResult_t state_of(mcclComm_t comm) {
    mcclResult_t state = mcclSuccess;
    CHECK(mcclCommGetAsyncError(comm, &state));
    return state;
}

// Waits until the stream's work is over, and prints its outcome; then every call says so, and abort ends it.
void tell(mcclComm_t comm, int rank, float* memory) {
    fact("sync", rank, static_cast<mcclResult_t>(musaStreamSynchronize(nullptr) == musaSuccess ? 0 : 1));
    fact("state", rank, state_of(comm));
    fact("again", rank, mcclAllReduce(memory, memory, 1, mcclFloat, mcclSum, comm, nullptr));
    CHECK(mcclCommAbort(comm));
}

// Rank 1 is killed when it has done so many collectives, while a child of it lives on; -1: before it joins.
int killed(mcclUniqueId id, int rank, int after) {
    if (rank == 1 && after < 0) raise(SIGKILL);
    CHECK(musaSetDevice(rank));
    mcclComm_t comm;
    const mcclResult_t joined = mcclCommInitRank(&comm, 3, id, rank);
    if (joined != mcclSuccess) {
        fact("state", rank, joined);
        return 0;
    }
    float* memory = some_memory();
    for (int i = 0; i < 10; ++i) {
        if (rank == 1 && i == after) {
            if (fork() == 0) {  // as workers of a data loader: what they have of the rank does not count
                std::this_thread::sleep_for(1s);
                std::_Exit(0);
            }
            raise(SIGKILL);
        }
        if (mcclAllReduce(memory, memory, count, mcclFloat, mcclMax, comm, nullptr) != mcclSuccess) break;
        CHECK(musaStreamSynchronize(nullptr));
    }
    tell(comm, rank, memory);
    return 0;
}

// Rank 1 is killed at some time in a long exchange.
int killed_somewhere(mcclUniqueId id, int rank) {
    mcclComm_t comm = join(3, id, rank);
    float* memory = some_memory();
    if (rank == 1) {
        std::thread([] {
            std::this_thread::sleep_for(20ms);
            raise(SIGKILL);
        }).detach();
    }
    for (int i = 0; i < 100'000; ++i) {
        if (mcclAllReduce(memory, memory, count, mcclFloat, mcclMax, comm, nullptr) != mcclSuccess) break;
        if (i % 100 == 0) CHECK(musaStreamSynchronize(nullptr));
    }
    tell(comm, rank, memory);
    return 0;
}

template <class Call>
Body both(Call call, int ranks = 2) {
    return [=](mcclUniqueId id, int rank) {
        mcclComm_t comm = join(ranks, id, rank);
        float* memory = some_memory();
        CHECK(mcclAllReduce(memory, memory, count, mcclFloat, mcclMax, comm, nullptr));
        call(comm, rank, memory);
        tell(comm, rank, memory);
        return 0;
    };
}

void sizes(mcclComm_t comm, int rank, float* memory) {
    CHECK(mcclAllReduce(memory, memory, static_cast<std::size_t>(10 + rank), mcclFloat, mcclSum, comm, nullptr));
}

void kinds(mcclComm_t comm, int rank, float* memory) {
    if (rank == 0) CHECK(mcclBroadcast(memory, memory, 10, mcclFloat, 1, comm, nullptr));
    if (rank == 1) CHECK(mcclAllReduce(memory, memory, 10, mcclFloat, mcclProd, comm, nullptr));
}

void message_sizes(mcclComm_t comm, int rank, float* memory) {
    if (rank == 0) CHECK(mcclSend(memory, 10, mcclFloat, 1, comm, nullptr));
    if (rank == 1) CHECK(mcclRecv(memory, 11, mcclFloat, 0, comm, nullptr));
    // the sender has sent, and hears of it at its next collective
    CHECK(musaStreamSynchronize(nullptr));
    (void)mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, nullptr);
}

void too_late(mcclComm_t comm, int rank, float* memory) {
    if (rank == 0) CHECK(mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, nullptr));
    if (rank == 1) CHECK(mcclRecv(memory, 10, mcclFloat, 0, comm, nullptr));
}

void aborted(mcclComm_t comm, int rank, float* memory) {
    CHECK(musaStreamSynchronize(nullptr));
    if (rank == 0) CHECK(mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, nullptr));
    if (rank == 1) {
        CHECK(mcclCommAbort(comm));
        std::_Exit(0);
    }
}

void left(mcclComm_t comm, int rank, float* memory) {
    if (rank == 0) CHECK(mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, nullptr));
    if (rank == 1) {
        CHECK(mcclCommDestroy(comm));
        std::this_thread::sleep_for(300ms);
        std::_Exit(0);
    }
}

// The kernel's error comes out of the stream's synchronisation too.
void failed_kernel(mcclComm_t comm, int rank, float* memory) {
    CHECK(musaStreamSynchronize(nullptr));
    if (rank == 1) {
        musaStream_t stream;
        CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
        std::atomic<bool> submitted{false};
        const auto wait = [](void* flag) {
            while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::sleep_for(1ms);
        };
        CHECK(musaLaunchHostFunc(stream, wait, &submitted));
        trap<<<1, 1, 0, stream>>>();
        CHECK(mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, stream));
        submitted = true;
        (void)musaStreamSynchronize(stream);
    } else {
        (void)mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, nullptr);  // may have heard of it already
    }
}

// Abort returns at once although the other rank never comes.
void abort_waiting() {
    run_threads(2, [](mcclUniqueId id, int rank) {
        mcclComm_t comm = join(2, id, rank);
        if (rank == 1) return 0;
        float* memory = some_memory();
        CHECK(mcclAllReduce(memory, memory, 10, mcclFloat, mcclSum, comm, nullptr));
        std::this_thread::sleep_for(50ms);
        CHECK(mcclCommAbort(comm));
        fact("synchronised", std::to_string(musaStreamSynchronize(nullptr)));
        return 0;
    });
}

template <class Call>
void refused(const char* name, Call call) {
    const mcclResult_t result = call();
    fact(name, std::to_string(result) + " " + mcclGetLastError(nullptr));
}

void arguments() {
    mcclComm_t comms[2];
    CHECK(mcclCommInitAll(comms, 2, nullptr));
    mcclComm_t comm = comms[1];
    CHECK(musaSetDevice(0));
    float* elsewhere = some_memory();
    CHECK(musaSetDevice(1));
    float* memory = some_memory();
    float host[10] = {};
    musaStream_t stream;
    CHECK(musaStreamCreate(&stream));
    const auto all_reduce = [&](const float* send, std::size_t n, int type, int op, mcclComm_t with) {
        return mcclAllReduce(send, memory, n, static_cast<mcclDataType_t>(type), static_cast<mcclRedOp_t>(op), with,
                             stream);
    };
    refused("no_communicator", [&] { return all_reduce(memory, 10, mcclFloat, mcclSum, nullptr); });
    refused("null", [&] { return all_reduce(nullptr, 10, mcclFloat, mcclSum, comm); });
    refused("host", [&] { return all_reduce(host, 10, mcclFloat, mcclSum, comm); });
    refused("elsewhere", [&] { return all_reduce(elsewhere, 10, mcclFloat, mcclSum, comm); });
    refused("too_small", [&] { return all_reduce(memory, count + 1, mcclFloat, mcclSum, comm); });
    refused("too_many", [&] {
        return all_reduce(memory, std::numeric_limits<std::size_t>::max() / 2, mcclFloat, mcclSum, comm);
    });
    refused("type", [&] { return all_reduce(memory, 10, mcclNumTypes, mcclSum, comm); });
    refused("op", [&] { return all_reduce(memory, 10, mcclFloat, mcclNumOps, comm); });
    refused("root", [&] { return mcclBroadcast(memory, memory, 10, mcclFloat, 2, comm, stream); });
    refused("peer", [&] { return mcclSend(memory, 10, mcclFloat, -1, comm, stream); });
    mcclRedOp_t op;
    float factor = 2;
    CHECK(mcclRedOpCreatePreMulSum(&op, &factor, mcclFloat, mcclScalarHostImmediate, comm));
    refused("op_of_type", [&] { return all_reduce(memory, 10, mcclInt, op, comm); });
    refused("op_of_other", [&] { return all_reduce(memory, 10, mcclFloat, op, comms[0]); });
    refused("gather", [&] { return mcclAllGather(memory, memory, count, mcclFloat, comm, stream); });
    refused("group_end", [&] { return mcclGroupEnd(); });
    CHECK(mcclGroupStart());
    CHECK(all_reduce(memory, 10, mcclFloat, mcclSum, comm));
    const mcclResult_t in_group = all_reduce(nullptr, 10, mcclFloat, mcclSum, comm);
    refused("group", [&] { return mcclGroupEnd(); });
    fact("in_group", std::to_string(in_group));
    CHECK(musaSetDevice(0));
    refused("stream", [&] { return mcclAllReduce(elsewhere, elsewhere, 1, mcclFloat, mcclSum, comms[0], stream); });
    CHECK(musaSetDevice(1));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeRelaxed));
    refused("captured", [&] { return all_reduce(memory, 10, mcclFloat, mcclSum, comm); });
    musaGraph_t graph;
    (void)musaStreamEndCapture(stream, &graph);
    // nothing of all that harmed it
    CHECK(mcclGroupStart());
    CHECK(all_reduce(memory, 10, mcclFloat, mcclSum, comm));
    CHECK(mcclAllReduce(elsewhere, elsewhere, 10, mcclFloat, mcclSum, comms[0], nullptr));
    CHECK(mcclGroupEnd());
    CHECK(musaStreamSynchronize(stream));
    fact("sum", std::to_string(static_cast<int>(to_host(memory, 1)[0])));
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        refused("forked", [&] { return all_reduce(memory, 10, mcclFloat, mcclSum, comm); });
        std::_Exit(0);
    }
    waitpid(child, nullptr, 0);
}

void joining() {
    mcclUniqueId id;
    mcclComm_t comms[2];
    CHECK(mcclGetUniqueId(&id));
    refused("rank", [&] { return mcclCommInitRank(comms, 2, id, 2); });
    refused("ranks", [&] { return mcclCommInitRank(comms, 0, id, 0); });
    refused("late", [&] { return mcclCommInitRank(comms, 2, id, 0); });
    fact("handle", comms[0] == nullptr ? "NULL" : "set");
    CHECK(mcclGetUniqueId(&id));
    mcclConfig_t does_not_wait = MCCL_CONFIG_INITIALIZER;
    does_not_wait.blocking = 0;
    if (mcclCommInitRankConfig(comms, 2, id, 0, &does_not_wait) != mcclInProgress) std::_Exit(1);
    refused("twice", [&] { return mcclCommInitRank(comms + 1, 2, id, 0); });
    refused("other_number", [&] { return mcclCommInitRank(comms + 1, 3, id, 1); });
    CHECK(mcclCommAbort(comms[0]));
    mcclUniqueId garbage{};
    refused("garbage", [&] { return mcclCommInitRank(comms, 2, garbage, 0); });
    mcclConfig_t config{};
    refused("config", [&] { return mcclCommInitRankConfig(comms, 2, id, 0, &config); });
    const int devices[] = {1, 1};
    refused("same_device", [&] { return mcclCommInitAll(comms, 2, devices); });
    const int too_many[] = {0, 99};
    refused("no_device", [&] { return mcclCommInitAll(comms, 2, too_many); });
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::_Exit(1);
    const pid_t child = fork();
    if (child == 0) {
        CHECK(mcclGetUniqueId(&id));
        std::_Exit(write(ends[1], &id, sizeof id) == sizeof id ? 0 : 1);
    }
    waitpid(child, nullptr, 0);
    if (read(ends[0], &id, sizeof id) != sizeof id) std::_Exit(1);
    refused("ended", [&] { return mcclCommInitRank(comms, 2, id, 1); });
    constexpr std::size_t machine = 32;  // where an id says on which one it was made
    id.internal[machine] = static_cast<char>(~id.internal[machine]);
    refused("elsewhere", [&] { return mcclCommInitRank(comms, 2, id, 1); });
}

}  // namespace

int main(int count_of_arguments, char** words) {
    const std::string which = words[1];
    const int number = count_of_arguments > 2 ? std::atoi(words[2]) : 0;
    if (which == "killed") run_processes(3, [=](mcclUniqueId id, int rank) { return killed(id, rank, number); });
    if (which == "killed_somewhere") run_processes(3, killed_somewhere);
    if (which == "sizes") run_processes(3, both(sizes, 3));
    if (which == "kinds") run_threads(2, both(kinds));
    if (which == "message_sizes") run_processes(2, both(message_sizes));
    if (which == "too_late") run_processes(2, both(too_late));
    if (which == "aborted") run_processes(2, both(aborted));
    if (which == "left") run_processes(2, both(left));
    if (which == "failed_kernel") run_processes(2, both(failed_kernel));
    if (which == "abort_waiting") abort_waiting();
    if (which == "arguments") arguments();
    if (which == "joining") joining();
    return 0;
}
