// Host code with the processor's intrinsics, for mcc and, as plain C++, for another compiler. Prints its results.
#include <immintrin.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#ifdef __MUSA__
#define EITHER __host__ __device__
__global__ void kernel(int* result) { *result += 1; }
#else
#define EITHER
#endif

namespace {

uint32_t state = 12345;

template <typename Vector>
Vector random_vector() {
    Vector vector;
    unsigned char bytes[sizeof vector];
    for (unsigned char& byte : bytes) byte = (state = state * 1664525u + 1013904223u) >> 24;
    std::memcpy(&vector, bytes, sizeof vector);
    return vector;
}

template <typename Vector>
Vector random_floats() {
    Vector vector;
    float values[sizeof vector / sizeof(float)];
    for (float& value : values) value = 1 + ((state = state * 1664525u + 1013904223u) >> 16) / 4096.0f;
    std::memcpy(&vector, values, sizeof vector);
    return vector;
}

template <typename Vector>
void print(const char* name, Vector vector) {
    unsigned char bytes[sizeof vector];
    std::memcpy(bytes, &vector, sizeof vector);
    std::printf("%s ", name);
    for (unsigned char byte : bytes) std::printf("%02x", byte);
    std::printf("\n");
}

// constexpr functions are for host and device, so are the intrinsics of newer compilers
EITHER constexpr int constant(int value) { return value + 1; }

EITHER int bits(int value) {
#ifdef __MUSA_ARCH__
    return __popc(value);
#else
    return _mm_popcnt_u32(value);
#endif
}

template <typename T>
struct Doubled {
    __m128i value;
    Doubled operator+(const Doubled& other) const { return {_mm_add_epi32(_mm_slli_epi32(value, 1), other.value)}; }
};

}  // namespace

int main() {
    for (int round = 0; round < 20; ++round) {
        const __m128i a = random_vector<__m128i>(), b = random_vector<__m128i>();
        const __m256i c = random_vector<__m256i>(), d = random_vector<__m256i>();
        const __m128 x = random_floats<__m128>(), y = random_floats<__m128>();
        const __m256 v = random_floats<__m256>(), w = random_floats<__m256>();
        const __m128d p = _mm_cvtps_pd(x), q = _mm_cvtps_pd(y);
        print("sse shuffle", _mm_shuffle_ps(x, y, 0x1b));
        print("sse square root", _mm_sqrt_ps(x));
        print("sse compare", _mm_cmp_ps(x, y, _CMP_LT_OQ));
        print("sse2 shuffle", _mm_shuffle_epi32(a, 0x4e));
        print("sse2 shuffle low", _mm_shufflelo_epi16(a, 0xd2));
        print("sse2 multiply and add", _mm_madd_epi16(a, b));
        print("sse2 pack", _mm_packs_epi32(a, b));
        print("sse2 saturating", _mm_subs_epu8(_mm_adds_epi16(a, b), b));
        print("sse2 shift", _mm_srai_epi32(_mm_slli_si128(a, 3), 5));
        print("sse2 distances", _mm_sad_epu8(a, b));
        print("sse2 mask", _mm_movemask_epi8(a));
        print("sse2 convert", _mm_cvtps_epi32(x));
        print("sse2 double", _mm_div_pd(_mm_unpackhi_pd(p, q), _mm_sqrt_pd(q)));
        print("sse3 horizontal", _mm_hadd_ps(x, y));
        print("ssse3 align", _mm_alignr_epi8(a, b, 5));
        print("ssse3 shuffle", _mm_shuffle_epi8(a, b));
        print("sse4.1 blend", _mm_blend_epi16(a, b, 0x35));
        print("sse4.1 product", _mm_dp_ps(x, y, 0xf1));
        print("sse4.1 round", _mm_round_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
        print("sse4.1 extract", _mm_extract_epi32(a, 2));
        print("sse4.2 checksum", _mm_crc32_u32(_mm_cvtsi128_si32(a), _mm_cvtsi128_si32(b)));
        print("avx permute", _mm256_permute2f128_ps(v, w, 0x21));
        print("avx compare", _mm256_movemask_ps(_mm256_cmp_ps(v, w, _CMP_GE_OQ)));
        print("avx2 permute", _mm256_permute4x64_epi64(c, 0x93));
        print("avx2 multiply", _mm256_mulhrs_epi16(c, d));
        print("avx2 shift", _mm256_srlv_epi32(c, _mm256_and_si256(d, _mm256_set1_epi32(31))));
        print("fma", _mm256_fmadd_ps(v, w, v));
        print("f16c", _mm_cvtph_ps(_mm_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)));
        print("bmi2", _pext_u64(_mm_cvtsi128_si64(a), _mm_cvtsi128_si64(b)));
        print("class", (Doubled<int>{a} + Doubled<int>{b}).value);
        const auto mask = [&](__m128i value) { return _mm_movemask_epi8(_mm_cmpgt_epi8(value, b)); };
        print("lambda", mask(a) + bits(_mm_cvtsi128_si32(b)) + constant(round));
        _mm_pause();
        _mm_prefetch(reinterpret_cast<const char*>(&a), _MM_HINT_T0);
    }
    return __rdtsc() == 0;
}
