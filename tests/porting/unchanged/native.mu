// cudaMalloc: native MUSA sources are right already, even where they speak of CUDA
void f() { cudaMalloc(0, 0); }
