#include <torch/script.h>
#include <torch_musa/csrc/core/Device.h>
#include <iostream>
#include <memory>
int main(int argc, const char* argv[]) {
  c10::register_privateuse1_backend("musa");
  torch::jit::script::Module module;
  module = torch::jit::load(argv[1]);
  std::vector<torch::jit::IValue> inputs;
  torch::Tensor input = torch::rand({1, 3, 224, 224}).to("musa");
  inputs.push_back(input);
  at::Tensor output = module.forward(inputs).toTensor();

  torch::jit::script::Module on_cpu = torch::jit::load(argv[1], at::kCPU);
  at::Tensor wanted = on_cpu.forward({input.cpu()}).toTensor();
  bool same = at::allclose(output.cpu(), wanted, 1e-4, 1e-5);
  std::cout << output.device() << " " << output.sizes() << " " << same << std::endl;
  return 0;
}
