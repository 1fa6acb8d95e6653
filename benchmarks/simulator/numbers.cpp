// The floor of numbers.mu: the same work as plain loops. __bf16 has no arithmetic in g++ 12: its loops round by hand, as
// they would be written without it.
#include <cmath>
#include <cstring>

namespace {

unsigned short rounded(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, 4);
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float widened(unsigned short x) {
    const unsigned bits = static_cast<unsigned>(x) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

}  // namespace

extern "C" void loop_numbers(const char* name, const void* in_a, const void* in_b, void* out, int n) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const auto a = static_cast<const float*>(in_a), b = static_cast<const float*>(in_b);
    const auto c = static_cast<float*>(out);
    const auto ah = static_cast<const _Float16*>(in_a), bh = static_cast<const _Float16*>(in_b);
    const auto ch = static_cast<_Float16*>(out);
    const auto ab = static_cast<const unsigned short*>(in_a), bb = static_cast<const unsigned short*>(in_b);
    const auto cb = static_cast<unsigned short*>(out);
    if (is("half_multiply")) {
        for (int i = 0; i < n; ++i) ch[i] = ah[i] * bh[i];
    } else if (is("half_fma")) {
        for (int i = 0; i < n; ++i) ch[i] = static_cast<float>(ah[i]) * static_cast<float>(bh[i]) + ah[i];
    } else if (is("half_exp")) {
        for (int i = 0; i < n; ++i) ch[i] = expf(ah[i]);
    } else if (is("bfloat16_multiply")) {
        for (int i = 0; i < n; ++i) cb[i] = rounded(widened(ab[i]) * widened(bb[i]));
    } else if (is("bfloat16_fma")) {
        for (int i = 0; i < n; ++i) cb[i] = rounded(widened(ab[i]) * widened(bb[i]) + widened(ab[i]));
    } else if (is("bfloat16_exp")) {
        for (int i = 0; i < n; ++i) cb[i] = rounded(expf(widened(ab[i])));
    } else if (is("in_place")) {
        for (int i = 0; i < n; ++i) c[i] = c[i] * a[i];
    } else if (is("strided")) {
        int side = 1;
        while ((side + 1) * (side + 1) <= n) ++side;
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) c[y * side + x] = a[x * side + y] * b[y * side + x];
    } else if (is("gemm")) {
        constexpr int size = 512;
        std::memset(c, 0, size * size * sizeof(float));
        for (int i = 0; i < size; ++i)
            for (int k = 0; k < size; ++k)
                for (int j = 0; j < size; ++j) c[i * size + j] += a[i * size + k] * b[k * size + j];
    } else if (is("histogram")) {
        unsigned counts[256] = {};
        const auto bits = static_cast<const unsigned*>(in_a);
        for (int i = 0; i < n; ++i) ++counts[bits[i] & 255];
        std::memcpy(out, counts, sizeof counts);
    }
}
