// generate MODEL.gguf LAYERS: twenty tokens in, twenty-four out, always the likeliest; LAYERS of them are on the device.
#include <llama.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int, char** argv) {
    llama_backend_init();
    llama_log_set([](ggml_log_level level, const char* text, void*) {
        if (level >= GGML_LOG_LEVEL_WARN) std::fputs(text, stderr);
    }, nullptr);
    llama_model_params of_model = llama_model_default_params();
    of_model.n_gpu_layers = std::atoi(argv[2]);
    llama_model* model = llama_model_load_from_file(argv[1], of_model);
    if (!model) return 2;
    llama_context_params of_context = llama_context_default_params();
    of_context.n_ctx = 64;
    llama_context* context = llama_init_from_model(model, of_context);
    if (!context) return 3;
    const int words = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::vector<llama_token> tokens;
    for (int at = 0; at < 20; ++at) tokens.push_back((at * 37 + 11) % words);
    for (int made = 0; made < 24; ++made) {
        if (llama_decode(context, llama_batch_get_one(tokens.data(), static_cast<int>(tokens.size())))) return 4;
        const float* logits = llama_get_logits_ith(context, -1);
        tokens = {static_cast<llama_token>(std::max_element(logits, logits + words) - logits)};
        std::printf("%d ", tokens[0]);
    }
    std::printf("\n");
    llama_free(context);
    llama_model_free(model);
}
