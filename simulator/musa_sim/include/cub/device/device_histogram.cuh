/* DeviceHistogram: how many samples lie in each bin, of equal width (Even) or between given levels (Range). See
 * musa_sim/one_thread.h.
 *
 * `levels` is one more than the number of bins. Samples outside of all bins are not counted. Multi: of several channels
 * that are interleaved, the first ActiveChannels. Samples may lie in rows, row_stride_bytes apart.
 */
#ifndef MUSA_CUB_DEVICE_HISTOGRAM_CUH
#define MUSA_CUB_DEVICE_HISTOGRAM_CUH

#include <cub/util_device.cuh>
#include <musa_sim/type_traits.h>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

namespace detail {

template <class Level>
struct EvenBins {
    int bins;
    Level lower;
    Level upper;

    template <class Sample>
    __device__ int operator()(Sample given) const {
        using Common = musa_sim_detail::common_type_t<Sample, Level>;
        const Common sample = static_cast<Common>(given), low = static_cast<Common>(lower);
        const Common high = static_cast<Common>(upper);
        if (!(sample >= low && sample < high)) return -1;
        if constexpr (std::is_integral<Common>::value) {
            /* the greatest bin with bin * width <= above, where width and above are multiplied by the number of bins */
            const auto width = static_cast<unsigned long long>(high) - static_cast<unsigned long long>(low);
            const auto distance = static_cast<unsigned long long>(sample) - static_cast<unsigned long long>(low);
            const auto above = static_cast<unsigned __int128>(distance) * static_cast<unsigned>(bins);
            if (above >> 64 == 0) return static_cast<int>(static_cast<unsigned long long>(above) / width);
            int bin = 0;
            for (int step = 1 << 30; step > 0; step /= 2) {
                if (step <= bins - 1 - bin && static_cast<unsigned __int128>(bin + step) * width <= above) bin += step;
            }
            return bin;
        } else {
            return CUB_MIN(static_cast<int>((sample - low) * (static_cast<Common>(bins) / (high - low))), bins - 1);
        }
    }
};

template <class Level>
struct BinsBetweenLevels {
    int bins;
    const Level *levels;

    template <class Sample>
    __device__ int operator()(Sample sample) const {
        int first = 0, count = bins + 1;  // the first level above the sample
        while (count > 0) {
            const int half = count / 2;
            const auto value = static_cast<musa_sim_detail::common_type_t<Sample, Level>>(sample);
            const bool is_above = value < levels[first + half];
            first += is_above ? 0 : half + 1;
            count = is_above ? half : count - half - 1;
        }
        return first <= bins ? first - 1 : -1;
    }
};

template <int Channels, int ActiveChannels, class Samples, class Counter, class Bins>
musaError_t histogram(void *temp, size_t &temp_bytes, Samples samples, Counter *const *counters, const Bins *bins,
                      long long columns, long long rows, size_t row_stride_bytes, musaStream_t stream) {
    Storage storage(temp, temp_bytes);
    if (storage.only_asked()) return storage.error;
    struct {
        Counter *counters;
        Bins bins;
    } channels[ActiveChannels];
    for (int c = 0; c < ActiveChannels; ++c) channels[c] = {counters[c], bins[c]};
    const auto row_stride = static_cast<long long>(row_stride_bytes / sizeof(value_t<Samples>));
    return detail::enqueue(stream, [=] __device__() mutable {
        for (int c = 0; c < ActiveChannels; ++c) {
            Counter *const counts = channels[c].counters;
            for (int bin = 0; bin < channels[c].bins.bins; ++bin) counts[bin] = 0;
            for (long long row = 0; row < rows; ++row) {
                for (long long column = 0; column < columns; ++column) {
                    const value_t<Samples> sample = samples[row * row_stride + column * Channels + c];
                    const int bin = channels[c].bins(sample);
                    if (bin >= 0) ++counts[bin];
                }
            }
        }
    });
}

}  // namespace detail

struct DeviceHistogram {
    template <class Samples, class Counter, class Level, class Offset>
    static musaError_t HistogramEven(void *temp, size_t &temp_bytes, Samples samples, Counter *histogram, int levels,
                                     Level lower, Level upper, Offset count, musaStream_t stream = 0, bool = false) {
        return MultiHistogramEven<1, 1>(temp, temp_bytes, samples, &histogram, &levels, &lower, &upper, count, stream);
    }
    template <class Samples, class Counter, class Level, class Offset>
    static musaError_t HistogramEven(void *temp, size_t &temp_bytes, Samples samples, Counter *histogram, int levels,
                                     Level lower, Level upper, Offset columns, Offset rows, size_t row_stride_bytes,
                                     musaStream_t stream = 0, bool = false) {
        return MultiHistogramEven<1, 1>(temp, temp_bytes, samples, &histogram, &levels, &lower, &upper, columns, rows,
                                        row_stride_bytes, stream);
    }
    template <class Samples, class Counter, class Level, class Offset>
    static musaError_t HistogramRange(void *temp, size_t &temp_bytes, Samples samples, Counter *histogram, int levels,
                                      Level *bounds, Offset count, musaStream_t stream = 0, bool = false) {
        return MultiHistogramRange<1, 1>(temp, temp_bytes, samples, &histogram, &levels, &bounds, count, stream);
    }
    template <class Samples, class Counter, class Level, class Offset>
    static musaError_t HistogramRange(void *temp, size_t &temp_bytes, Samples samples, Counter *histogram, int levels,
                                      Level *bounds, Offset columns, Offset rows, size_t row_stride_bytes,
                                      musaStream_t stream = 0, bool = false) {
        return MultiHistogramRange<1, 1>(temp, temp_bytes, samples, &histogram, &levels, &bounds, columns, rows,
                                         row_stride_bytes, stream);
    }

    template <int Channels, int ActiveChannels, class Samples, class Counter, class Level, class Offset>
    static musaError_t MultiHistogramEven(void *temp, size_t &temp_bytes, Samples samples, Counter *const *histograms,
                                          const int *levels, const Level *lower, const Level *upper, Offset pixels,
                                          musaStream_t stream = 0, bool = false) {
        return MultiHistogramEven<Channels, ActiveChannels>(temp, temp_bytes, samples, histograms, levels, lower, upper,
                                                            pixels, Offset(1), size_t(0), stream);
    }
    template <int Channels, int ActiveChannels, class Samples, class Counter, class Level, class Offset>
    static musaError_t MultiHistogramEven(void *temp, size_t &temp_bytes, Samples samples, Counter *const *histograms,
                                          const int *levels, const Level *lower, const Level *upper, Offset columns,
                                          Offset rows, size_t row_stride_bytes, musaStream_t stream = 0, bool = false) {
        detail::EvenBins<Level> bins[ActiveChannels];
        for (int c = 0; c < ActiveChannels; ++c) bins[c] = {levels[c] - 1, lower[c], upper[c]};
        return detail::histogram<Channels, ActiveChannels>(temp, temp_bytes, samples, histograms, bins, columns, rows,
                                                           row_stride_bytes, stream);
    }
    template <int Channels, int ActiveChannels, class Samples, class Counter, class Level, class Offset>
    static musaError_t MultiHistogramRange(void *temp, size_t &temp_bytes, Samples samples, Counter *const *histograms,
                                           const int *levels, Level *const *bounds, Offset pixels,
                                           musaStream_t stream = 0, bool = false) {
        return MultiHistogramRange<Channels, ActiveChannels>(temp, temp_bytes, samples, histograms, levels, bounds,
                                                             pixels, Offset(1), size_t(0), stream);
    }
    template <int Channels, int ActiveChannels, class Samples, class Counter, class Level, class Offset>
    static musaError_t MultiHistogramRange(void *temp, size_t &temp_bytes, Samples samples, Counter *const *histograms,
                                           const int *levels, Level *const *bounds, Offset columns, Offset rows,
                                           size_t row_stride_bytes, musaStream_t stream = 0, bool = false) {
        detail::BinsBetweenLevels<musa_sim_detail::remove_const_t<Level>> bins[ActiveChannels];
        for (int c = 0; c < ActiveChannels; ++c) bins[c] = {levels[c] - 1, bounds[c]};
        return detail::histogram<Channels, ActiveChannels>(temp, temp_bytes, samples, histograms, bins, columns, rows,
                                                           row_stride_bytes, stream);
    }
};

CUB_NAMESPACE_END

#endif

#endif
