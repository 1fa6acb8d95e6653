// cudaMalloc, at::cuda, #include <cuda.h>, __CUDA_ARCH__ >= 530 \
   a continued comment: cudaFree(p);
/* #if CUDA_VERSION >= 11000
   cudaMemcpy */
const char* a = "cudaMalloc \" cudaFree"; const char* b = "x\
cudaFree";
const char* raw = R"x(cudaFree )" cudaFree )x"; auto u = u8R"(kCUDA)"; auto l = LR"(kCUDA)";
char c = '\''; char d = '"'; int n = 0x1'000; char8_t e = u8'a';
const char* after = "cudaFree";
#define TEXT(x) #x " cudaMalloc"
