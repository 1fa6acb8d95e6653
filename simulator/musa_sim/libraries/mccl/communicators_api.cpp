// Communicators, and memory for them.
#include <musa_sim_mccl.h>

#include <cstring>
#include <memory>

#include "group.h"
#include "settings.h"

using mccl::Communicator;
using mccl::Failure;
using mccl::Group;
using mccl::Options;
using mccl::UniqueId;

namespace {

static_assert(sizeof(UniqueId) <= MCCL_UNIQUE_ID_BYTES, "the id fits");

void check_pointer(const void* pointer, const char* what) {
    if (!pointer) throw Failure{mcclInvalidArgument, std::string(what) + " is NULL"};
}

UniqueId internal(const mcclUniqueId& id) {
    UniqueId result{};
    std::memcpy(&result, id.internal, sizeof result);
    return result;
}

// `options` may throw.
template <class MakeOptions>
mcclResult_t init_rank(mcclComm_t* comm, int ranks, const mcclUniqueId& id, int rank, const MakeOptions& options) {
    return Group::call([&](Group& group) {
        check_pointer(comm, "comm");
        *comm = nullptr;
        std::shared_ptr<Communicator> made = Communicator::join(internal(id), ranks, rank, options());
        *comm = made.get();
        group.add_joining(std::move(made), comm);
    });
}

// Restore the current device at the end of the scope.
class KeepsDevice {
public:
    KeepsDevice() { musaGetDevice(&device_); }
    ~KeepsDevice() { musaSetDevice(device_); }
    KeepsDevice(const KeepsDevice&) = delete;
    KeepsDevice& operator=(const KeepsDevice&) = delete;

private:
    int device_ = 0;
};

template <class Value>
mcclResult_t ask(mcclComm_t comm, int* answer, Value value) {
    return mccl::api_call([&] {
        check_pointer(answer, "the place for the answer");
        *answer = value(*Communicator::of(comm));
        return mcclSuccess;
    });
}

// Registered memory needs nothing here.
struct Registration {
    mcclComm_t communicator;
};

}  // namespace

MUSA_EXPORT mcclResult_t mcclGetUniqueId(mcclUniqueId* uniqueId) {
    return mccl::api_call([&] {
        check_pointer(uniqueId, "uniqueId");
        const UniqueId id = mccl::make_unique_id();
        std::memset(uniqueId, 0, sizeof *uniqueId);
        std::memcpy(uniqueId->internal, &id, sizeof id);
        return mcclSuccess;
    });
}

MUSA_EXPORT mcclResult_t mcclCommInitRank(mcclComm_t* comm, int nranks, mcclUniqueId commId, int rank) {
    return init_rank(comm, nranks, commId, rank, [] { return Options(); });
}

MUSA_EXPORT mcclResult_t mcclCommInitRankConfig(mcclComm_t* comm, int nranks, mcclUniqueId commId, int rank,
                                                mcclConfig_t* config) {
    return init_rank(comm, nranks, commId, rank, [=] { return mccl::options_of(config); });
}

MUSA_EXPORT mcclResult_t musa_sim_mccl_join(mcclComm_t* comm, int ranks, const mcclUniqueId* id, int rank,
                                            long long milliseconds) {
    Options options;
    options.for_process_group = true;
    options.joining = mccl::timeout_of_caller(milliseconds);
    return init_rank(comm, ranks, *id, rank, [&] { return options; });
}

MUSA_EXPORT mcclResult_t mcclCommInitAll(mcclComm_t* comm, int ndev, const int* devlist) {
    return Group::call([&](Group& group) {
        check_pointer(comm, "comm");
        if (ndev < 1) throw Failure{mcclInvalidArgument, std::to_string(ndev) + " devices: must be at least 1"};
        const KeepsDevice keeps;
        const UniqueId id = mccl::make_unique_id();
        for (int rank = 0; rank < ndev; ++rank) {
            const int device = devlist ? devlist[rank] : rank;
            if (musaSetDevice(device) != musaSuccess)
                throw Failure{mcclInvalidArgument, "there is no device " + std::to_string(device)};
            std::shared_ptr<Communicator> made = Communicator::join(id, ndev, rank, Options());
            comm[rank] = made.get();
            group.add_joining(std::move(made), &comm[rank]);
        }
    });
}

MUSA_EXPORT mcclResult_t mcclCommSplit(mcclComm_t comm, int color, int key, mcclComm_t* newcomm,
                                       mcclConfig_t* config) {
    return Group::call([&](Group& group) {
        check_pointer(newcomm, "newcomm");
        *newcomm = nullptr;
        if (color < 0 && color != MCCL_SPLIT_NOCOLOR) {
            throw Failure{mcclInvalidArgument, "color " + std::to_string(color) +
                                                   ": must be 0 or more, or MCCL_SPLIT_NOCOLOR"};
        }
        const std::shared_ptr<Communicator> parent = Communicator::usable(comm);
        const Options options = config ? mccl::options_of(config) : parent->options();
        group.add_split(parent, parent->split(color, key, options), newcomm);
    });
}

MUSA_EXPORT mcclResult_t mcclCommFinalize(mcclComm_t comm) {
    return mccl::api_call([&] {
        Communicator::usable(comm)->finalize();
        return mcclSuccess;
    });
}

MUSA_EXPORT mcclResult_t mcclCommDestroy(mcclComm_t comm) {
    if (!comm) return mcclSuccess;
    return mccl::api_call([&] {
        const std::shared_ptr<Communicator> own = Communicator::of(comm);
        own->wait();
        own->close();
        return mcclSuccess;
    });
}

MUSA_EXPORT mcclResult_t mcclCommAbort(mcclComm_t comm) {
    if (!comm) return mcclSuccess;
    return mccl::api_call([&] {
        Communicator::of(comm)->abort();
        return mcclSuccess;
    });
}

MUSA_EXPORT mcclResult_t mcclCommGetAsyncError(mcclComm_t comm, mcclResult_t* asyncError) {
    return mccl::api_call([&] {
        check_pointer(asyncError, "asyncError");
        *asyncError = Communicator::of(comm)->state();
        return mcclSuccess;
    });
}

MUSA_EXPORT const char* mcclGetLastError(mcclComm_t comm) {
    const std::shared_ptr<Communicator> communicator = Communicator::find(comm);
    const std::string own = communicator ? communicator->failure_text() : "";
    return mccl::kept(own.empty() ? mccl::last_text() : own);
}

MUSA_EXPORT mcclResult_t mcclCommCount(const mcclComm_t comm, int* count) {
    return ask(comm, count, [](const Communicator& own) { return own.ranks(); });
}

MUSA_EXPORT mcclResult_t mcclCommMuDevice(const mcclComm_t comm, int* device) {
    return ask(comm, device, [](const Communicator& own) { return own.device().value_or(-1); });
}

MUSA_EXPORT mcclResult_t mcclCommCuDevice(const mcclComm_t comm, int* device) {
    return mcclCommMuDevice(comm, device);
}

MUSA_EXPORT mcclResult_t mcclCommUserRank(const mcclComm_t comm, int* rank) {
    return ask(comm, rank, [](const Communicator& own) { return own.rank(); });
}

MUSA_EXPORT mcclResult_t mcclMemAlloc(void** ptr, size_t size) {
    return musaMalloc(ptr, size) == musaSuccess ? mcclSuccess : mcclUnhandledMusaError;
}

MUSA_EXPORT mcclResult_t mcclMemFree(void* ptr) {
    return musaFree(ptr) == musaSuccess ? mcclSuccess : mcclUnhandledMusaError;
}

MUSA_EXPORT mcclResult_t mcclCommRegister(const mcclComm_t comm, void* buff, size_t size, void** handle) {
    return mccl::api_call([&] {
        check_pointer(buff, "buff");
        check_pointer(handle, "handle");
        if (size == 0) throw Failure{mcclInvalidArgument, "no bytes to register"};
        Communicator::of(comm);
        *handle = new Registration{comm};
        return mcclSuccess;
    });
}

MUSA_EXPORT mcclResult_t mcclCommDeregister(const mcclComm_t comm, void* handle) {
    return mccl::api_call([&] {
        check_pointer(handle, "handle");
        Communicator::of(comm);
        auto* registration = static_cast<Registration*>(handle);
        if (registration->communicator != comm)
            throw Failure{mcclInvalidArgument, "the memory was registered with another communicator"};
        delete registration;
        return mcclSuccess;
    });
}
