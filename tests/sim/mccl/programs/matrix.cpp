// matrix threads|processes RANKS INPUT OUTPUT: runs the cases that INPUT describes, all in one stream and without waiting
// between them; rank r writes what it received into OUTPUT.r.
//
// INPUT: the number of cases, the cases, then for each case and rank the bytes that it sends.
#include <cstdint>
#include <fstream>

#include "ranks.h"

namespace {

enum Kind { all_reduce, reduce, reduce_scatter, broadcast, bcast, all_gather };

struct Case {
    std::int32_t kind, type, op, root, in_place, factor_on_device;
    std::int64_t count, element_bytes;
    double factor;  // of op 5, premulsum; its bytes are of the case's type
};

std::size_t sent(const Case& c, int ranks) {
    return static_cast<std::size_t>(c.count * c.element_bytes * (c.kind == reduce_scatter ? ranks : 1));
}
std::size_t received(const Case& c, int ranks) {
    return static_cast<std::size_t>(c.count * c.element_bytes * (c.kind == all_gather ? ranks : 1));
}

// Offsets of the operands in one buffer for both, and its size.
struct Offsets {
    std::size_t send, receive, bytes;
};
Offsets offsets(const Case& c, int ranks, int rank) {
    const std::size_t s = sent(c, ranks), r = received(c, ranks), part = static_cast<std::size_t>(rank);
    if (!c.in_place) return {0, s, s + r};
    if (c.kind == all_gather) return {part * s, 0, r};
    if (c.kind == reduce_scatter) return {0, part * r, s};
    return {0, 0, s};
}

void call(const Case& c, char* send, char* receive, mcclComm_t comm, musaStream_t stream, void* factor) {
    const auto count = static_cast<std::size_t>(c.count);
    const auto type = static_cast<mcclDataType_t>(c.type);
    auto op = static_cast<mcclRedOp_t>(c.op);
    if (c.op == mcclNumOps && c.kind <= reduce_scatter) {
        const auto residence = c.factor_on_device ? mcclScalarDevice : mcclScalarHostImmediate;
        CHECK(mcclRedOpCreatePreMulSum(&op, factor, type, residence, comm));
    }
    switch (c.kind) {
        case all_reduce: CHECK(mcclAllReduce(send, receive, count, type, op, comm, stream)); break;
        case reduce: CHECK(mcclReduce(send, receive, count, type, op, c.root, comm, stream)); break;
        case reduce_scatter: CHECK(mcclReduceScatter(send, receive, count, type, op, comm, stream)); break;
        case broadcast: CHECK(mcclBroadcast(send, receive, count, type, c.root, comm, stream)); break;
        case bcast: CHECK(mcclBcast(send, count, type, c.root, comm, stream)); break;
        case all_gather: CHECK(mcclAllGather(send, receive, count, type, comm, stream)); break;
    }
    if (op >= mcclNumOps) CHECK(mcclRedOpDestroy(op, comm));
}

int run(const std::string& input, const std::string& output, int ranks, mcclUniqueId id, int rank) {
    CHECK(musaSetDevice(rank));
    mcclComm_t comm;
    CHECK(mcclCommInitRank(&comm, ranks, id, rank));
    std::ifstream in(input, std::ios::binary);
    std::int64_t number = 0;
    in.read(reinterpret_cast<char*>(&number), sizeof number);
    std::vector<Case> cases(static_cast<std::size_t>(number));
    in.read(reinterpret_cast<char*>(cases.data()), static_cast<std::streamsize>(cases.size() * sizeof(Case)));
    musaStream_t stream;
    CHECK(musaStreamCreate(&stream));
    std::vector<std::string> results(cases.size());
    std::vector<char*> buffers;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& c = cases[i];
        const std::size_t bytes = sent(c, ranks);
        std::string mine(bytes, 0);
        in.seekg(static_cast<std::streamoff>(bytes) * rank, std::ios::cur);
        in.read(mine.data(), static_cast<std::streamsize>(bytes));
        in.seekg(static_cast<std::streamoff>(bytes) * (ranks - 1 - rank), std::ios::cur);
        const Offsets at = offsets(c, ranks, rank);
        char* buffer = nullptr;
        CHECK(musaMalloc(reinterpret_cast<void**>(&buffer), at.bytes + sizeof c.factor));
        CHECK(musaMemset(buffer, 0, at.bytes));
        CHECK(musaMemcpy(buffer + at.send, mine.data(), bytes, musaMemcpyHostToDevice));
        void* factor = const_cast<double*>(&c.factor);
        if (c.factor_on_device) {
            CHECK(musaMemcpy(buffer + at.bytes, &c.factor, sizeof c.factor, musaMemcpyHostToDevice));
            factor = buffer + at.bytes;
        }
        call(c, buffer + at.send, buffer + at.receive, comm, stream, factor);
        results[i].resize(received(c, ranks));
        CHECK(musaMemcpyAsync(results[i].data(), buffer + at.receive, results[i].size(), musaMemcpyDeviceToHost,
                              stream));
        buffers.push_back(buffer);
    }
    CHECK(musaStreamSynchronize(stream));
    for (char* buffer : buffers) CHECK(musaFree(buffer));
    std::ofstream out(output + "." + std::to_string(rank), std::ios::binary);
    for (const std::string& result : results) out.write(result.data(), static_cast<std::streamsize>(result.size()));
    mcclResult_t state = mcclSuccess;
    CHECK(mcclCommGetAsyncError(comm, &state));
    CHECK(state);
    CHECK(mcclCommDestroy(comm));
    return 0;
}

}  // namespace

int main(int, char** arguments) {
    const int ranks = std::atoi(arguments[2]);
    const Body body = [&](mcclUniqueId id, int rank) { return run(arguments[3], arguments[4], ranks, id, rank); };
    const bool threads = std::string(arguments[1]) == "threads";
    return threads ? run_threads(ranks, body) : run_processes(ranks, body);
}
