// A factor of an operation, such as alpha or beta, in the memory of the host or of the device.
#pragma once

namespace musa_sim {

// Read a factor of the host when the operation is enqueued, and one of the device when the operation runs.
template <class T>
class Scalar {
public:
    Scalar(const T* address, bool is_on_device)
        : on_device_(is_on_device ? address : nullptr), from_host_(is_on_device ? T() : *address) {}
    T get() const { return on_device_ ? *on_device_ : from_host_; }

private:
    const T* on_device_;
    T from_host_;
};

}  // namespace musa_sim
