#include <ATen/native/DispatchStub.h>
#include <cstdio>
namespace at::native {
using function = int (*)(int);
DECLARE_DISPATCH(function, by_compiler_stub)
DECLARE_DISPATCH(function, by_name_stub)
DEFINE_DISPATCH(by_compiler_stub);
DEFINE_DISPATCH(by_name_stub);
REGISTER_NO_CPU_DISPATCH(by_compiler_stub)
REGISTER_NO_CPU_DISPATCH(by_name_stub)
int twice(int x) { return 2 * x; }
REGISTER_DISPATCH(by_compiler_stub, &twice)
REGISTER_MUSA_DISPATCH(by_name_stub, &twice)
}
int main() {
    const auto device = c10::DeviceType::PrivateUse1;
    std::printf("%d %d\n", at::native::by_compiler_stub(device, 21), at::native::by_name_stub(device, 4));
}
