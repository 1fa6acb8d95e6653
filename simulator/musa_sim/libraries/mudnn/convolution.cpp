// Convolutions and their gradients: each element of the result is a sum in double.
#include "../enqueue.h"
#include "elements.h"
#include "functions.h"

namespace musa::dnn {
namespace {

using namespace mudnn;
using Numbers = std::vector<int64_t>;

struct Windows {
    int64_t groups;
    std::vector<int> padding, stride, dilation;
};

// The three tensors of a convolution, of which one is the result.
struct Operands {
    Tensor image, filter, output;
};

Status check(const Operands& of, const Windows& w) {
    const auto &image = of.image.sizes(), &filter = of.filter.sizes(), &output = of.output.sizes();
    const std::size_t pixels = w.padding.size();
    if (image.size() != pixels + 2 || filter.size() != image.size() || output.size() != image.size() || w.groups < 1) {
        return Status::INVALID_PARAMETER;
    }
    bool fits = image[0] == output[0] && image[1] == filter[1] * w.groups && output[1] == filter[0] &&
                output[1] % w.groups == 0;
    for (std::size_t d = 0; d < pixels; ++d) {
        const int64_t reach = w.dilation[d] * (filter[d + 2] - 1) + 1;
        fits = fits && w.stride[d] > 0 && output[d + 2] == (image[d + 2] + 2 * w.padding[d] - reach) / w.stride[d] + 1;
    }
    return fits ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

// Call `use` for each product of a convolution, with the indices of its elements in the image, the filter and the
// output.
template <class Use>
void each_product(const Operands& of, const Windows& w, Use use) {
    const auto &image = of.image.sizes(), &filter = of.filter.sizes(), &output = of.output.sizes();
    const std::size_t pixels = w.padding.size();
    const int64_t outputs = output[1] / w.groups, inputs = filter[1];
    // images, groups, channels of the output and of the image in their group, pixels of the output and of the filter
    Numbers sizes{image[0], w.groups, outputs, inputs};
    sizes.insert(sizes.end(), output.begin() + 2, output.end());
    sizes.insert(sizes.end(), filter.begin() + 2, filter.end());
    const Numbers strides[1] = {dense_strides(sizes)};
    each(sizes, strides, [&](const int64_t(&number)[1]) {
        Numbers at(sizes.size());
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = number[0] / strides[0][i] % sizes[i];
        Numbers in{at[0], at[1] * inputs + at[3]}, of_filter{at[1] * outputs + at[2], at[3]};
        Numbers out{at[0], at[1] * outputs + at[2]};
        for (std::size_t d = 0; d < pixels; ++d) {
            const int64_t pixel = at[4 + d], weight = at[4 + pixels + d];
            in.push_back(pixel * w.stride[d] + weight * w.dilation[d] - w.padding[d]);
            if (in.back() < 0 || in.back() >= image[d + 2]) return;
            of_filter.push_back(weight);
            out.push_back(pixel);
        }
        use(in, of_filter, out);
    });
}

int64_t offset(const Numbers& at, const Numbers& strides) {
    int64_t sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) sum += at[i] * strides[i];
    return sum;
}

double element(const Tensor& tensor, const Numbers& at) {
    return meant(tensor, read(tensor.GetType(), tensor.GetAddr(), offset(at, tensor.strides())));
}

// Return the sums of products that make each element of `result`, one of the operands, in the order of its dimensions.
std::vector<double> sums_of(const Operands& of, const Tensor Operands::*result, const Windows& w) {
    const Tensor& target = of.*result;
    std::vector<double> sums(static_cast<std::size_t>(count(target.sizes())));
    const Numbers strides = dense_strides(target.sizes());
    each_product(of, w, [&](const Numbers& in, const Numbers& filter, const Numbers& out) {
        const Numbers& to = result == &Operands::image ? in : result == &Operands::filter ? filter : out;
        double product = 1;
        if (result != &Operands::image) product *= element(of.image, in);
        if (result != &Operands::filter) product *= element(of.filter, filter);
        if (result != &Operands::output) product *= element(of.output, out);
        sums[static_cast<std::size_t>(offset(to, strides))] += product;
    });
    return sums;
}

Status convolve(Handle& handle, const Operands& given, const Tensor Operands::*result, const Windows& w) {
    if (!are_floating({&given.image, &given.filter, &given.output})) return Status::NOT_SUPPORTED;
    const Operands of{channels_first(given.image), channels_first(given.filter), channels_first(given.output)};
    const Status checked = check(of, w);
    if (checked != Status::SUCCESS) return checked;
    return status_of(musa_sim::enqueue_work(handle.GetStream(),
                                            [of, result, w] { store_numbers(of.*result, sums_of(of, result, w)); }));
}

using Activation = Convolution::FusedActivationDesc::Mode;

double activated(Activation mode, double x) {
    return mode == Activation::RELU ? relu(x) : mode == Activation::SILU ? silu(x) : x;
}

// Further operands and the activation; a tensor without an address is omitted.
struct Fusion {
    Tensor bias, add;
    Activation activation;
};

void store_fused(const Tensor& out, const std::vector<double>& sums, const Fusion& fusion) {
    const Numbers dense = dense_strides(out.sizes());
    const Numbers all[3] = {out.strides(), dense, is_given(fusion.add) ? fusion.add.strides() : dense};
    const int64_t pixels = dense[1], channels = out.sizes()[1];
    each(out.sizes(), all, [&](const int64_t(&at)[3]) {
        double x = sums[static_cast<std::size_t>(at[1])];
        if (is_given(fusion.bias)) {
            const int64_t channel = at[1] / pixels % channels;
            x += read(fusion.bias.GetType(), fusion.bias.GetAddr(), channel * fusion.bias.strides()[0]);
        }
        if (is_given(fusion.add)) x += meant(fusion.add, read(fusion.add.GetType(), fusion.add.GetAddr(), at[2]));
        write(out.GetType(), out.GetAddr(), at[0], to_store(out, activated(fusion.activation, x)));
    });
}

bool is_floating_or_quantised(const Tensor& tensor) { return is_floating(tensor.GetType()) || tensor.GetType() == Type::QINT8; }

}  // namespace

Status Convolution::SetComputeMode(ComputeMode) {
    return Status::SUCCESS;
}

Status Convolution::SetGroups(int groups) {
    groups_ = groups;
    return groups > 0 ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Status Convolution::SetNdInfo(std::initializer_list<int> padding, std::initializer_list<int> stride,
                              std::initializer_list<int> dilation) {
    if (padding.size() != stride.size() || padding.size() != dilation.size()) return Status::INVALID_PARAMETER;
    return SetNdInfo(static_cast<int>(padding.size()), padding.begin(), stride.begin(), dilation.begin());
}

Status Convolution::SetNdInfo(int dimensions, const int* padding, const int* stride, const int* dilation) {
    if (dimensions < 1) return Status::INVALID_PARAMETER;
    padding_.assign(padding, padding + dimensions);
    stride_.assign(stride, stride + dimensions);
    dilation_.assign(dilation, dilation + dimensions);
    return Status::SUCCESS;
}

Status Convolution::GetRecommendForwardAlgorithm(Handle&, Algorithm& algorithm, const Tensor&, const Tensor&,
                                                 const Tensor&) const {
    algorithm = Algorithm::IMPLICIT_GEMM;
    return Status::SUCCESS;
}

Status Convolution::GetRecommendBackwardDataAlgorithm(Handle&, AlgorithmBwdData& algorithm, const Tensor&,
                                                      const Tensor&, const Tensor&) const {
    algorithm = AlgorithmBwdData::IMPLICIT_GEMM;
    return Status::SUCCESS;
}

Status Convolution::GetRecommendBackwardFilterAlgorithm(Handle&, AlgorithmBwdFilter& algorithm, const Tensor&,
                                                        const Tensor&, const Tensor&) const {
    algorithm = AlgorithmBwdFilter::IMPLICIT_GEMM;
    return Status::SUCCESS;
}

Status Convolution::Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, Algorithm,
                        const MemoryMaintainer&) const {
    return convolve(handle, {in, filter, out}, &Operands::output, {groups_, padding_, stride_, dilation_});
}

Status Convolution::RunFusion(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, const Tensor& bias,
                              const Tensor& add, const FusedActivationDesc& activation, Algorithm,
                              const MemoryMaintainer&) const {
    for (const Tensor* tensor : {static_cast<const Tensor*>(&out), &in, &filter, is_given(add) ? &add : &in}) {
        if (!is_floating_or_quantised(*tensor)) return Status::NOT_SUPPORTED;
    }
    const Operands of{channels_first(in), channels_first(filter), channels_first(out)};
    const Windows windows{groups_, padding_, stride_, dilation_};
    const Status checked = check(of, windows);
    if (checked != Status::SUCCESS) return checked;
    if (is_given(bias) && !is_floating(bias.GetType())) return Status::NOT_SUPPORTED;
    const Fusion fusion{bias, is_given(add) ? channels_first(add) : add, activation.mode()};
    if ((is_given(bias) && bias.sizes() != Numbers{of.output.sizes()[1]}) ||
        (is_given(add) && fusion.add.sizes() != of.output.sizes()))
        return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [of, windows, fusion] {
        store_fused(of.output, sums_of(of, &Operands::output, windows), fusion);
    }));
}

Status Convolution::FusedActivationDesc::SetMode(Mode mode) {
    mode_ = mode;
    return mode == Mode::IDENTITY || mode == Mode::RELU || mode == Mode::SILU ? Status::SUCCESS : Status::NOT_SUPPORTED;
}

Status Convolution::GetForwardWorkspaceSize(Handle&, size_t& size, const Tensor&, const Tensor&, const Tensor&,
                                            Algorithm) const {
    size = 0;
    return Status::SUCCESS;
}

Status Convolution::GetBackwardDataWorkspaceSize(Handle&, size_t& size, const Tensor&, const Tensor&, const Tensor&,
                                                 AlgorithmBwdData) const {
    size = 0;
    return Status::SUCCESS;
}

Status Convolution::GetBackwardFilterWorkspaceSize(Handle&, size_t& size, const Tensor&, const Tensor&, const Tensor&,
                                                   AlgorithmBwdFilter) const {
    size = 0;
    return Status::SUCCESS;
}

Status Convolution::RunBwdData(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& filter,
                               AlgorithmBwdData, const MemoryMaintainer&) const {
    return convolve(handle, {grad_in, filter, grad_out}, &Operands::image, {groups_, padding_, stride_, dilation_});
}

Status Convolution::RunBwdFilter(Handle& handle, Tensor& grad_filter, const Tensor& in, const Tensor& grad_out,
                                 AlgorithmBwdFilter, const MemoryMaintainer&) const {
    return convolve(handle, {in, grad_filter, grad_out}, &Operands::filter, {groups_, padding_, stride_, dilation_});
}

}  // namespace musa::dnn
