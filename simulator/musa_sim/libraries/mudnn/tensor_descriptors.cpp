// The version, handles and descriptions of tensors.
#include "elements.h"

namespace musa::dnn {

size_t GetVersion() { return MUDNN_VERSION; }

Status Handle::SetStream(musaStream_t stream) {
    stream_ = stream;
    return Status::SUCCESS;
}

Status Handle::SetAllowTF32(bool allowed) {
    allows_tf32_ = allowed;
    return Status::SUCCESS;
}

Status Tensor::SetType(Type type) {
    type_ = type;
    return Status::SUCCESS;
}

Status Tensor::SetFormat(Format format) {
    format_ = format;
    return Status::SUCCESS;
}

Status Tensor::SetAddr(const void* address) {
    address_ = const_cast<void*>(address);
    return Status::SUCCESS;
}

Status Tensor::SetQuantizationInfo(float scale) {
    if (!(scale > 0)) return Status::INVALID_PARAMETER;
    scale_ = scale;
    return Status::SUCCESS;
}

Status Tensor::SetNdInfo(std::initializer_list<int64_t> sizes) {
    return SetNdInfo(static_cast<int64_t>(sizes.size()), sizes.begin());
}

Status Tensor::SetNdInfo(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides) {
    if (sizes.size() != strides.size()) return Status::INVALID_PARAMETER;
    return SetNdInfo(static_cast<int64_t>(sizes.size()), sizes.begin(), strides.begin());
}

Status Tensor::SetNdInfo(int64_t dimensions, const int64_t* sizes) {
    if (dimensions < 0) return Status::INVALID_PARAMETER;
    return SetNdInfo(dimensions, sizes, mudnn::dense_strides({sizes, sizes + dimensions}).data());
}

Status Tensor::SetNdInfo(int64_t dimensions, const int64_t* sizes, const int64_t* strides) {
    if (dimensions < 0) return Status::INVALID_PARAMETER;
    sizes_.assign(sizes, sizes + dimensions);
    strides_.assign(strides, strides + dimensions);
    return Status::SUCCESS;
}

Status Tensor::GetNdInfo(std::vector<int64_t>& sizes) const {
    sizes = sizes_;
    return Status::SUCCESS;
}

Status Tensor::GetNdInfo(std::vector<int64_t>& sizes, std::vector<int64_t>& strides) const {
    strides = strides_;
    return GetNdInfo(sizes);
}

}  // namespace musa::dnn
