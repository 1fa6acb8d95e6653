#include <ATen/ops/ones.h>
#include <iostream>
int main() {
  c10::register_privateuse1_backend("musa");
  std::cout << at::ones({2}, at::Device("musa")).add(1).sum().item<float>() << std::endl;
}
