#pragma once
#include <string>
#include <vector>

struct Outcome {
    std::string error;
    std::vector<float> values;
};
Outcome all_devices(int count, bool half_of_it);
