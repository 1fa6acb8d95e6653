// mudnn_gradients MODE TYPE BYTES ALPHA ROWS COLUMNS: a gradient by Binary; the argument has one row, the other operand all.
#include <mudnn.h>
#include <program.h>

using namespace musa::dnn;

namespace {

Tensor tensor(int type, const void* memory, std::initializer_list<int64_t> sizes) {
    Tensor made;
    made.SetType(static_cast<Tensor::Type>(type));
    made.SetAddr(memory);
    made.SetNdInfo(sizes);
    return made;
}

void done(Status status, const char* what) {
    if (status == Status::SUCCESS) return;
    std::fprintf(stderr, "%s: %d\n", what, static_cast<int>(status));
    std::exit(4);
}

Binary::Mode mode_of(const std::string& name) {
    if (name == "silu") return Binary::Mode::SILU_BW;
    if (name == "sigmoid") return Binary::Mode::SIGMOID_BW;
    if (name == "tanh") return Binary::Mode::TANH_BW;
    if (name == "gelu") return Binary::Mode::GELU_NONE_BW;
    if (name == "gelu by tanh") return Binary::Mode::GELU_TANH_BW;
    return Binary::Mode::THRESHOLD_BW;
}

}  // namespace

int main(int, char** argv) {
    const int bytes = std::atoi(argv[3]), rows = std::atoi(argv[5]), columns = std::atoi(argv[6]);
    const std::string name = argv[2];
    const auto type = static_cast<int>(name == "half"     ? Tensor::Type::HALF
                                       : name == "bfloat16" ? Tensor::Type::BFLOAT16
                                       : name == "double"   ? Tensor::Type::DOUBLE
                                                            : Tensor::Type::FLOAT);
    char* const gradient = input<char>(std::size_t(rows) * columns * bytes);
    char* const argument = input<char>(std::size_t(columns) * bytes);
    DeviceArray<char> result(std::size_t(rows) * columns * bytes);
    Handle handle(0);
    Tensor out = tensor(type, static_cast<char*>(result), {rows, columns});
    const Tensor first = tensor(type, gradient, {rows, columns}), second = tensor(type, argument, {columns});
    Binary operation;
    done(operation.SetMode(mode_of(argv[1])), "mode");
    done(operation.SetAlpha(std::atof(argv[4])), "alpha");
    done(operation.Run(handle, out, first, second), "run");
    CHECK(musaDeviceSynchronize());
    result.write();
}
