// Collectives, messages and reductions. Arguments are checked before anything is submitted.
#include <cstring>
#include <limits>
#include <memory>

#include "group.h"

using mccl::Communicator;
using mccl::Failure;
using mccl::Group;
using mccl::OperationKind;
using mccl::Operation;
using mccl::Reduction;

namespace {

[[noreturn]] void refuse(OperationKind kind, const std::string& why) {
    throw Failure{mcclInvalidArgument, std::string(mccl::name_of(kind)) + ": " + why};
}

void check_rank(const Communicator& communicator, OperationKind kind, int rank, const char* what) {
    if (rank >= 0 && rank < communicator.ranks()) return;
    refuse(kind, std::string(what) + " is " + std::to_string(rank) + "; the ranks are 0 to " +
                     std::to_string(communicator.ranks() - 1));
}

// Check that an address is device memory with room for all elements.
void check_memory(Communicator& communicator, const Operation& operation, const void* memory, std::size_t count,
                  const char* what) {
    const std::size_t size = mccl::size_of(operation.type);
    if (count > std::numeric_limits<std::size_t>::max() / size) refuse(operation.kind, "too many elements");
    if (count == 0) return;
    if (!memory) refuse(operation.kind, std::string(what) + " is NULL");
    musaPointerAttributes facts{};
    if (musaPointerGetAttributes(&facts, memory) != musaSuccess ||
        facts.type == musaMemoryTypeUnregistered) {
        refuse(operation.kind, std::string(what) + " is no memory of a device");
    }
    const std::optional<int> device = communicator.device();
    if (!device) communicator.use_device(facts.device);
    if (facts.type == musaMemoryTypeDevice && device && facts.device != *device) {
        refuse(operation.kind, std::string(what) + " is memory of device " + std::to_string(facts.device) +
                                   "; rank " + std::to_string(communicator.rank()) + " is on device " +
                                   std::to_string(*device));
    }
    const std::size_t there = __musa_sim_bytes_behind(memory);
    if (there < count * size) {
        refuse(operation.kind, std::string(what) + " needs " + std::to_string(count * size) +
                                   " bytes; its allocation ends after " + std::to_string(there));
    }
}

struct Counts {
    std::size_t sent;
    std::size_t received;
};

// Count the elements that this rank reads and writes.
Counts counts_of(const Communicator& communicator, const Operation& operation) {
    const auto ranks = static_cast<std::size_t>(communicator.ranks());
    const std::size_t count = operation.count;
    const bool is_root = operation.root == communicator.rank();
    switch (operation.kind) {
        case OperationKind::broadcast: return {is_root ? count : 0, count};
        case OperationKind::reduce: return {count, is_root ? count : 0};
        case OperationKind::all_gather: return {count, count * ranks};
        case OperationKind::reduce_scatter: return {count * ranks, count};
        case OperationKind::send: return {count, 0};
        case OperationKind::receive: return {0, count};
        default: return {count, count};
    }
}

mcclResult_t submit(mcclComm_t comm, Operation operation) {
    return Group::call([&](Group& group) {
        const std::shared_ptr<Communicator> communicator = Communicator::usable(comm);
        if (!mccl::is_type(operation.type))
            refuse(operation.kind, "there is no data type " + std::to_string(operation.type));
        check_rank(*communicator, operation.kind, operation.root, mccl::is_message(operation) ? "the other rank" : "the root");
        if (operation.count > std::numeric_limits<std::size_t>::max() / static_cast<std::size_t>(communicator->ranks()))
            refuse(operation.kind, "too many elements");
        operation.reduction = communicator->reduction(static_cast<mcclRedOp_t>(operation.op), operation.type);
        if (operation.op > mcclNumOps) operation.op = mcclNumOps;  // ranks number their own operations differently
        const Counts counts = counts_of(*communicator, operation);
        check_memory(*communicator, operation, operation.send, counts.sent, "the buffer to send");
        check_memory(*communicator, operation, operation.receive, counts.received, "the buffer to receive");
        group.add(communicator, operation);
    });
}

Operation operation_of(OperationKind kind, const void* send, void* receive, std::size_t count, mcclDataType_t type,
                       musaStream_t stream) {
    Operation operation;
    operation.kind = kind;
    operation.send = send;
    operation.receive = receive;
    operation.count = count;
    operation.type = type;
    operation.stream = stream;
    return operation;
}

}  // namespace

MUSA_EXPORT mcclResult_t mcclAllReduce(const void* sendbuff, void* recvbuff, size_t count, mcclDataType_t datatype,
                                       mcclRedOp_t op, mcclComm_t comm, musaStream_t stream) {
    Operation operation = operation_of(OperationKind::all_reduce, sendbuff, recvbuff, count, datatype, stream);
    operation.op = op;
    return submit(comm, operation);
}

MUSA_EXPORT mcclResult_t mcclReduce(const void* sendbuff, void* recvbuff, size_t count, mcclDataType_t datatype,
                                    mcclRedOp_t op, int root, mcclComm_t comm, musaStream_t stream) {
    Operation operation = operation_of(OperationKind::reduce, sendbuff, recvbuff, count, datatype, stream);
    operation.op = op;
    operation.root = root;
    return submit(comm, operation);
}

MUSA_EXPORT mcclResult_t mcclReduceScatter(const void* sendbuff, void* recvbuff, size_t recvcount,
                                           mcclDataType_t datatype, mcclRedOp_t op, mcclComm_t comm,
                                           musaStream_t stream) {
    Operation operation = operation_of(OperationKind::reduce_scatter, sendbuff, recvbuff, recvcount, datatype, stream);
    operation.op = op;
    return submit(comm, operation);
}

MUSA_EXPORT mcclResult_t mcclBroadcast(const void* sendbuff, void* recvbuff, size_t count, mcclDataType_t datatype,
                                       int root, mcclComm_t comm, musaStream_t stream) {
    Operation operation = operation_of(OperationKind::broadcast, sendbuff, recvbuff, count, datatype, stream);
    operation.root = root;
    return submit(comm, operation);
}

MUSA_EXPORT mcclResult_t mcclBcast(void* buff, size_t count, mcclDataType_t datatype, int root, mcclComm_t comm,
                                   musaStream_t stream) {
    return mcclBroadcast(buff, buff, count, datatype, root, comm, stream);
}

MUSA_EXPORT mcclResult_t mcclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount,
                                       mcclDataType_t datatype, mcclComm_t comm, musaStream_t stream) {
    return submit(comm, operation_of(OperationKind::all_gather, sendbuff, recvbuff, sendcount, datatype, stream));
}

MUSA_EXPORT mcclResult_t mcclSend(const void* sendbuff, size_t count, mcclDataType_t datatype, int peer,
                                  mcclComm_t comm, musaStream_t stream) {
    Operation operation = operation_of(OperationKind::send, sendbuff, nullptr, count, datatype, stream);
    operation.root = peer;
    return submit(comm, operation);
}

MUSA_EXPORT mcclResult_t mcclRecv(void* recvbuff, size_t count, mcclDataType_t datatype, int peer, mcclComm_t comm,
                                  musaStream_t stream) {
    Operation operation = operation_of(OperationKind::receive, nullptr, recvbuff, count, datatype, stream);
    operation.root = peer;
    return submit(comm, operation);
}

MUSA_EXPORT mcclResult_t mcclRedOpCreatePreMulSum(mcclRedOp_t* op, void* scalar, mcclDataType_t datatype,
                                                  mcclScalarResidence_t residence, mcclComm_t comm) {
    return mccl::api_call([&] {
        const std::shared_ptr<Communicator> communicator = Communicator::usable(comm);
        if (!op || !scalar) throw Failure{mcclInvalidArgument, "RedOpCreatePreMulSum: a pointer is NULL"};
        if (!mccl::is_type(datatype)) {
            throw Failure{mcclInvalidArgument,
                          "RedOpCreatePreMulSum: there is no data type " + std::to_string(datatype)};
        }
        Reduction reduction;
        reduction.scaled = true;
        if (residence == mcclScalarHostImmediate) {
            std::memcpy(reduction.factor.bytes, scalar, mccl::size_of(datatype));
        } else if (residence == mcclScalarDevice) {
            if (__musa_sim_bytes_behind(scalar) < mccl::size_of(datatype))
                throw Failure{mcclInvalidArgument, "RedOpCreatePreMulSum: the factor is in no memory of a device"};
            reduction.factor_at = scalar;
        } else {
            throw Failure{mcclInvalidArgument,
                          "RedOpCreatePreMulSum: there is no residence " + std::to_string(residence)};
        }
        *op = communicator->add_factor(reduction, datatype);
        return mcclSuccess;
    });
}

MUSA_EXPORT mcclResult_t mcclRedOpDestroy(mcclRedOp_t op, mcclComm_t comm) {
    return mccl::api_call([&] {
        Communicator::of(comm)->remove_factor(op);
        return mcclSuccess;
    });
}
