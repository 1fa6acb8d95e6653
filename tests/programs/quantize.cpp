// quantize FROM.gguf TO.gguf: every matrix in q4_K, as llama-quantize --pure does, which is the last that the build makes.
#include <llama.h>

int main(int, char** argv) {
    llama_backend_init();
    llama_model_quantize_params wanted = llama_model_quantize_default_params();
    wanted.ftype = LLAMA_FTYPE_MOSTLY_Q4_K_S;
    wanted.pure = true;
    return static_cast<int>(llama_model_quantize(argv[1], argv[2], &wanted));
}
