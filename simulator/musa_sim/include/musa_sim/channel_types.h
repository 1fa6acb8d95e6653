/* C++ types as elements of an array or a texture. C++, any compiler. */
#ifndef MUSA_SIM_CHANNEL_TYPES_H
#define MUSA_SIM_CHANNEL_TYPES_H

#include <channel_descriptor.h>
#include <vector_types.h>

namespace musa_sim {

/* Number of components, and one of them; no others are elements. */
template <class T>
struct Channels;

#define MUSA_SIM_CHANNELS(type, number, component)          \
    template <>                                             \
    struct Channels<type> {                                 \
        static constexpr int count = number;                \
        typedef component Component;                        \
    };
#define MUSA_SIM_CHANNELS_OF(name, component)     \
    MUSA_SIM_CHANNELS(name##1, 1, component)      \
    MUSA_SIM_CHANNELS(name##2, 2, component)      \
    MUSA_SIM_CHANNELS(name##4, 4, component)
MUSA_SIM_CHANNELS(char, 1, char)
MUSA_SIM_CHANNELS(signed char, 1, signed char)
MUSA_SIM_CHANNELS(unsigned char, 1, unsigned char)
MUSA_SIM_CHANNELS(short, 1, short)
MUSA_SIM_CHANNELS(unsigned short, 1, unsigned short)
MUSA_SIM_CHANNELS(int, 1, int)
MUSA_SIM_CHANNELS(unsigned, 1, unsigned)
MUSA_SIM_CHANNELS(float, 1, float)
MUSA_SIM_CHANNELS_OF(char, signed char)
MUSA_SIM_CHANNELS_OF(uchar, unsigned char)
MUSA_SIM_CHANNELS_OF(short, short)
MUSA_SIM_CHANNELS_OF(ushort, unsigned short)
MUSA_SIM_CHANNELS_OF(int, int)
MUSA_SIM_CHANNELS_OF(uint, unsigned)
MUSA_SIM_CHANNELS_OF(float, float)
#undef MUSA_SIM_CHANNELS_OF
#undef MUSA_SIM_CHANNELS

template <class T>
constexpr musaChannelFormatKind channel_kind() {
    if (static_cast<T>(0.5f) != static_cast<T>(0)) return musaChannelFormatKindFloat;
    return static_cast<T>(-1) < static_cast<T>(0) ? musaChannelFormatKindSigned
                                                  : musaChannelFormatKindUnsigned;
}

}  // namespace musa_sim

template <class T>
inline musaChannelFormatDesc musaCreateChannelDesc() {
    typedef musa_sim::Channels<T> Channels;
    constexpr int bits = 8 * static_cast<int>(sizeof(typename Channels::Component));
    constexpr int n = Channels::count;
    return musaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
                                 musa_sim::channel_kind<typename Channels::Component>());
}

inline musaChannelFormatDesc musaCreateChannelDescHalf() {
    return musaCreateChannelDesc(16, 0, 0, 0, musaChannelFormatKindFloat);
}
inline musaChannelFormatDesc musaCreateChannelDescHalf1() {
    return musaCreateChannelDescHalf();
}
inline musaChannelFormatDesc musaCreateChannelDescHalf2() {
    return musaCreateChannelDesc(16, 16, 0, 0, musaChannelFormatKindFloat);
}
inline musaChannelFormatDesc musaCreateChannelDescHalf4() {
    return musaCreateChannelDesc(16, 16, 16, 16, musaChannelFormatKindFloat);
}
inline musaChannelFormatDesc musaCreateChannelDescNV12() {
    return musaCreateChannelDesc(8, 8, 8, 0, musaChannelFormatKindNV12);
}

#endif
