#include "streams/packed_arguments.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "streams/launch_limits.h"

namespace musa_sim {
namespace {

// The words, which musa.h defines (MU_LAUNCH_PARAM_END, ...).
constexpr std::uintptr_t end_word = 0, pointer_word = 1, size_word = 2;
// Of a parameter of which mcc knows the least alignment only.
constexpr std::size_t most_unknown_alignment = 8;

// Where a parameter begins, after `next` bytes; -1 if more than one offset is possible. A class's size is a multiple of
// its alignment.
std::ptrdiff_t offset_of(std::size_t next, std::size_t bytes, long long alignment) {
    if (alignment > 0) return static_cast<std::ptrdiff_t>(round_up(next, static_cast<std::size_t>(alignment)));
    std::size_t most = most_unknown_alignment;
    while (most > 1 && bytes % most != 0) most /= 2;
    const std::size_t first = round_up(next, static_cast<std::size_t>(-alignment));
    return round_up(next, most) == first ? static_cast<std::ptrdiff_t>(first) : -1;
}

}  // namespace

musaError_t read_extra(void* const* extra, ArgumentBuffer* buffer) {
    bool sized = false;
    for (; reinterpret_cast<std::uintptr_t>(extra[0]) != end_word; extra += 2) {
        const auto word = reinterpret_cast<std::uintptr_t>(extra[0]);
        if (word == pointer_word) {
            buffer->memory = static_cast<char*>(extra[1]);
        } else if (word == size_word && extra[1]) {
            buffer->bytes = *static_cast<const std::size_t*>(extra[1]);
            sized = true;
        } else {
            return musaErrorInvalidValue;
        }
    }
    return sized && (buffer->memory || buffer->bytes == 0) ? musaSuccess : musaErrorInvalidValue;
}

musaError_t locate_parameter(const Kernel& kernel, const KernelCode& code, std::size_t index, std::size_t* offset,
                               std::size_t* bytes) {
    if (!code.can_copy_arguments)
        return refuse_launch(kernel, {musaErrorNotSupported, "where its parameters lie is not known: mcc does not know the size of "
                                                             "each of them"});
    const auto count = static_cast<std::size_t>(code.argument_sizes[0]);
    if (index >= count) return musaErrorInvalidValue;
    const long long* const sizes = code.argument_sizes + 1;
    const long long* const alignments = sizes + count;
    std::size_t next = 0;
    for (std::size_t i = 0; i <= index; ++i) {
        *bytes = static_cast<std::size_t>(sizes[i]);
        const std::ptrdiff_t begin = offset_of(next, *bytes, alignments[i]);
        if (begin < 0)
            return refuse_launch(kernel, {musaErrorNotSupported, "parameter " + std::to_string(i + 1) + ", a class of " +
                                                                     std::to_string(*bytes) + " bytes, may begin at byte " +
                                                                     std::to_string(next) + " or later: mcc does not know how it "
                                                                     "is aligned"});
        *offset = static_cast<std::size_t>(begin);
        next = *offset + *bytes;
    }
    return musaSuccess;
}

musaError_t unpack_arguments(const Kernel& kernel, const KernelCode& code, const ArgumentBuffer& buffer,
                             std::unique_ptr<LaunchArguments>* arguments) {
    if (!code.can_copy_arguments)
        return refuse_launch(kernel, {musaErrorNotSupported, "a buffer with its arguments cannot be read: mcc does not know the size "
                                                             "of each of them"});
    const auto count = static_cast<std::size_t>(code.argument_sizes[0]);
    const long long* const sizes = code.argument_sizes + 1;
    const long long* const alignments = sizes + count;
    std::vector<void*> pointers(count);
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto bytes = static_cast<std::size_t>(sizes[i]);
        const std::ptrdiff_t offset = offset_of(next, bytes, alignments[i]);
        if (offset < 0)
            return refuse_launch(kernel, {musaErrorNotSupported, "parameter " + std::to_string(i + 1) + ", a class of " +
                                                                     std::to_string(bytes) + " bytes, may begin at byte " +
                                                                     std::to_string(next) + " of the buffer or later: mcc does "
                                                                     "not know how it is aligned; pass an array of pointers"});
        next = static_cast<std::size_t>(offset) + bytes;
        if (next > buffer.bytes)
            return refuse_launch(kernel, {musaErrorInvalidValue, "the buffer with its arguments has " +
                                                                     std::to_string(buffer.bytes) + " bytes; parameter " +
                                                                     std::to_string(i + 1) + " ends at byte " +
                                                                     std::to_string(next)});
        pointers[i] = buffer.memory + offset;
    }
    *arguments = std::make_unique<LaunchArguments>(code.argument_sizes, pointers.data());
    return musaSuccess;
}

musaError_t unpack_extra(const Kernel& kernel, const KernelCode& code, void* const* extra,
                         std::unique_ptr<LaunchArguments>* arguments) {
    ArgumentBuffer buffer;
    const musaError_t error = read_extra(extra, &buffer);
    return error == musaSuccess ? unpack_arguments(kernel, code, buffer, arguments) : error;
}

}  // namespace musa_sim
