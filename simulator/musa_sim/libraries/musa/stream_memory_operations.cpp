// Stream memory operations: streams wait for words of memory and write them.
#include <cstdint>
#include <memory>
#include <type_traits>

#include <musa_sim_work.h>

#include "driver.h"
#include "../enqueue.h"

namespace {

// Return whether the word ends the wait.
template <class Word>
bool lets_pass(Word word, Word value, unsigned how) {
    using Signed = std::make_signed_t<Word>;
    switch (how) {
        case MU_STREAM_WAIT_VALUE_GEQ: return static_cast<Signed>(word - value) >= 0;
        case MU_STREAM_WAIT_VALUE_EQ: return word == value;
        case MU_STREAM_WAIT_VALUE_AND: return (word & value) != 0;
        default: return static_cast<Word>(~(word | value)) != 0;
    }
}

template <class Word>
musaError_t check_word(MUdeviceptr at) {
    const bool there = __musa_sim_bytes_behind(driver::pointer(at)) >= sizeof(Word);
    return there && at % sizeof(Word) == 0 ? musaSuccess : musaErrorInvalidValue;
}

template <class Word>
musaError_t wait_for(MUstream stream, MUdeviceptr at, Word value, unsigned flags) {
    const unsigned how = flags & ~static_cast<unsigned>(MU_STREAM_WAIT_VALUE_FLUSH);
    if (how > MU_STREAM_WAIT_VALUE_NOR) return musaErrorInvalidValue;
    const musaError_t error = check_word<Word>(at);
    if (error != musaSuccess) return error;
    struct Wait {
        const Word* word;
        Word value;
        unsigned how;
    };
    auto wait = std::make_unique<Wait>(Wait{static_cast<const Word*>(driver::pointer(at)), value, how});
    const auto holds = [](void* data) -> int {
        const auto* const mine = static_cast<const Wait*>(data);
        // Freed memory ends the wait.
        return __musa_sim_bytes_behind(mine->word) < sizeof(Word) ||
               lets_pass(__atomic_load_n(mine->word, __ATOMIC_ACQUIRE), mine->value, mine->how);
    };
    const int status =
        __musa_sim_wait_until(stream, holds, [](void* data) { delete static_cast<Wait*>(data); }, wait.get());
    if (status == musaSuccess) wait.release();
    return static_cast<musaError_t>(status);
}

template <class Word>
musaError_t write(MUstream stream, MUdeviceptr at, Word value, unsigned flags) {
    if (flags > MU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) return musaErrorInvalidValue;
    const musaError_t error = check_word<Word>(at);
    if (error != musaSuccess) return error;
    return musa_sim::enqueue_work(stream, [word = static_cast<Word*>(driver::pointer(at)), value] {
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
    });
}

musaError_t operate(MUstream stream, const MUstreamBatchMemOpParams& given) {
    switch (given.operation) {
        case MU_STREAM_MEM_OP_WAIT_VALUE_32:
            return wait_for<std::uint32_t>(stream, given.waitValue.address, given.waitValue.value, given.waitValue.flags);
        case MU_STREAM_MEM_OP_WAIT_VALUE_64:
            return wait_for<std::uint64_t>(stream, given.waitValue.address, given.waitValue.value64, given.waitValue.flags);
        case MU_STREAM_MEM_OP_WRITE_VALUE_32:
            return write<std::uint32_t>(stream, given.writeValue.address, given.writeValue.value, given.writeValue.flags);
        case MU_STREAM_MEM_OP_WRITE_VALUE_64:
            return write<std::uint64_t>(stream, given.writeValue.address, given.writeValue.value64, given.writeValue.flags);
        // Nothing to do: writes of others are visible at once, and a stream's operations run in order.
        case MU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        case MU_STREAM_MEM_OP_BARRIER: return musaSuccess;
    }
    return musaErrorInvalidValue;
}

}  // namespace

MUSA_EXPORT MUresult muStreamWaitValue32(MUstream stream, MUdeviceptr word, muuint32_t value, unsigned int flags) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return wait_for<std::uint32_t>(stream, word, value, flags); });
}

MUSA_EXPORT MUresult muStreamWaitValue64(MUstream stream, MUdeviceptr word, muuint64_t value, unsigned int flags) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return wait_for<std::uint64_t>(stream, word, value, flags); });
}

MUSA_EXPORT MUresult muStreamWriteValue32(MUstream stream, MUdeviceptr word, muuint32_t value, unsigned int flags) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return write<std::uint32_t>(stream, word, value, flags); });
}

MUSA_EXPORT MUresult muStreamWriteValue64(MUstream stream, MUdeviceptr word, muuint64_t value, unsigned int flags) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return write<std::uint64_t>(stream, word, value, flags); });
}

// As in CUDA, at most 256 operations at once.
MUSA_EXPORT MUresult muStreamBatchMemOp(MUstream stream, unsigned int count, MUstreamBatchMemOpParams* operations,
                                        unsigned int flags) {
    const driver::RecordedCall recorded(__func__);
    constexpr unsigned most = 256;
    if (count > most || (count > 0 && !operations) || flags != 0) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] {
        musaError_t error = musaSuccess;
        for (unsigned i = 0; i < count && error == musaSuccess; ++i) error = operate(stream, operations[i]);
        return error;
    });
}

#define SECOND_NAME(name) MUSA_EXPORT __attribute__((alias(#name))) decltype(name) name##_v2;
SECOND_NAME(muStreamWaitValue32)
SECOND_NAME(muStreamWaitValue64)
SECOND_NAME(muStreamWriteValue32)
SECOND_NAME(muStreamWriteValue64)
SECOND_NAME(muStreamBatchMemOp)
