// Arguments of a launch that lie in one buffer, as a C++ structure of the parameters would (`extra` of muLaunchKernel).
#pragma once

#include <cstddef>
#include <memory>

#include "base/api.h"
#include "programs/registry.h"
#include "streams/launch_arguments.h"

namespace musa_sim {

// The buffer that the words of `extra` name (MU_LAUNCH_PARAM_...).
struct ArgumentBuffer {
    char* memory = nullptr;
    std::size_t bytes = 0;
};
// musaErrorInvalidValue for words that name no buffer.
musaError_t read_extra(void* const* extra, ArgumentBuffer* buffer);

// Where a parameter of the kernel lies in such a buffer, and its size. musaErrorInvalidValue beyond the last;
// musaErrorNotSupported, after a line on stderr, if mcc does not know.
musaError_t locate_parameter(const Kernel& kernel, const KernelCode& code, std::size_t index, std::size_t* offset,
                               std::size_t* bytes);

// The arguments of the kernel in the buffer, copied. With an error, a line on stderr says why.
musaError_t unpack_arguments(const Kernel& kernel, const KernelCode& code, const ArgumentBuffer& buffer,
                             std::unique_ptr<LaunchArguments>* arguments);
// The same for the words of `extra`.
musaError_t unpack_extra(const Kernel& kernel, const KernelCode& code, void* const* extra,
                         std::unique_ptr<LaunchArguments>* arguments);

}  // namespace musa_sim
