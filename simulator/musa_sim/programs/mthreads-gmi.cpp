// mthreads-gmi: what libmtml says of each device, in the forms that public programs read. What it does not know is N/A.
//
//   mthreads-gmi              a table of the devices, and of the processes on them
//   mthreads-gmi -q [--json]  all that is known, as text or as JSON (musatop)
//   mthreads-gmi --query-gpu=index,uuid,name,... --format=csv[,noheader]
//   mthreads-gmi -L | -v
#include <mtml.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Device {
    std::string index, name, uuid, bus, used, total, free;  // memory in MiB
};

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "mthreads-gmi: error: %s\n", why.c_str());
    std::exit(1);
}

void check(MtmlReturn result) {
    if (result != MTML_SUCCESS) fail(mtmlErrorString(result));
}

std::string mib(unsigned long long bytes) { return std::to_string(bytes >> 20); }

Device device(const MtmlLibrary* library, unsigned int index) {
    MtmlDevice* handle;
    MtmlMemory* memory;
    MtmlPciInfo pci;
    char name[MTML_DEVICE_NAME_BUFFER_SIZE], uuid[MTML_DEVICE_UUID_BUFFER_SIZE];
    unsigned long long total, used;
    check(mtmlLibraryInitDeviceByIndex(library, index, &handle));
    check(mtmlDeviceGetName(handle, name, sizeof name));
    check(mtmlDeviceGetUUID(handle, uuid, sizeof uuid));
    check(mtmlDeviceGetPciInfo(handle, &pci));
    check(mtmlDeviceInitMemory(handle, &memory));
    check(mtmlMemoryGetTotal(memory, &total));
    check(mtmlMemoryGetUsed(memory, &used));
    return {std::to_string(index), name, uuid, pci.sbdf, mib(used), mib(total), mib(total - used)};
}

void show_text(const std::vector<Device>& devices, const std::string& driver) {
    std::printf("%-42s: %s\n%-42s: %zu\n", "Driver Version", driver.c_str(), "Attached GPUs", devices.size());
    for (const Device& d : devices) {
        std::printf("GPU%s %s\n", d.index.c_str(), d.bus.c_str());
        const auto row = [](const char* name, const std::string& value) {
            std::printf("    %-38s: %s\n", name, value.c_str());
        };
        const auto nested = [](const char* name, const std::string& value) {
            std::printf("        %-34s: %s\n", name, value.c_str());
        };
        row("Product Name", d.name);
        row("GPU UUID", d.uuid);
        std::printf("    PCI\n");
        nested("Bus ID", d.bus);
        std::printf("    FB Memory Usage\n");
        nested("Total", d.total + "MiB");
        nested("Used", d.used + "MiB");
        nested("Free", d.free + "MiB");
        std::printf("    Utilization\n");
        nested("Gpu", "N/A");
        nested("Memory", "N/A");
        std::printf("    Temperature\n");
        nested("GPU Current Temp", "N/A");
        std::printf("    Power Readings\n");
        nested("Power Draw", "N/A");
    }
}

// Names, identifiers and addresses need no escapes.
void show_json(const std::vector<Device>& devices, const std::string& driver) {
    std::printf("{\n\"Driver Version\": \"%s\",\n\"Attached GPUs\": \"%zu\",\n\"GPU\": [", driver.c_str(), devices.size());
    for (const Device& d : devices) {
        std::printf("%s\n{\"Index\": \"%s\", \"Product Name\": \"%s\", \"GPU UUID\": \"%s\", \"PCI\": {\"Bus ID\": \"%s\"},\n",
                    d.index == "0" ? "" : ",", d.index.c_str(), d.name.c_str(), d.uuid.c_str(), d.bus.c_str());
        std::printf(" \"FB Memory Usage\": {\"Total\": \"%sMiB\", \"Used\": \"%sMiB\", \"Free\": \"%sMiB\"},\n", d.total.c_str(),
                    d.used.c_str(), d.free.c_str());
        std::printf(" \"Utilization\": {\"Gpu\": \"N/A\", \"Memory\": \"N/A\"}, \"Temperature\": {\"GPU Current Temp\": \"N/A\"},\n"
                    " \"Power Readings\": {\"Power Draw\": \"N/A\", \"Current Power Limit\": \"N/A\"},\n"
                    " \"Clocks\": {\"Graphics\": \"N/A\", \"Memory\": \"N/A\"}}");
    }
    std::printf("\n]\n}\n");
}

void show_table(const std::vector<Device>& devices, const std::string& driver) {
    std::printf("mthreads-gmi:%s    Driver Version:%s\n", driver.c_str(), driver.c_str());
    std::printf("%-4s %-28s %-20s %-20s %s\n", "ID", "Name", "PCIe", "Memory", "GPU Util");
    for (const Device& d : devices) {
        std::printf("%-4s %-28s %-20s %-20s %s\n", d.index.c_str(), d.name.c_str(), d.bus.c_str(),
                    (d.used + "MiB(" + d.total + "MiB)").c_str(), "N/A");
    }
    // A simulated device belongs to the process that uses it: it has no others.
    std::printf("\nProcesses:\n%-4s %-8s %-40s %s\n  No running processes found\n", "ID", "PID", "Process name", "GPU Memory Usage");
}

std::string field(const Device& d, const std::string& name) {
    if (name == "index") return d.index;
    if (name == "name" || name == "gpu_name") return d.name;
    if (name == "uuid" || name == "gpu_uuid") return d.uuid;
    if (name == "pci.bus_id") return d.bus;
    if (name == "memory.total") return d.total + " MiB";
    if (name == "memory.used") return d.used + " MiB";
    if (name == "memory.free") return d.free + " MiB";
    return "N/A";
}

void show_csv(const std::vector<Device>& devices, const std::string& query, bool header) {
    std::vector<std::string> names;
    std::istringstream words(query);
    for (std::string name; std::getline(words, name, ',');) names.push_back(name);
    if (header) std::printf("%s\n", query.c_str());
    for (const Device& d : devices) {
        for (std::size_t i = 0; i < names.size(); ++i) std::printf("%s%s", i ? ", " : "", field(d, names[i]).c_str());
        std::printf("\n");
    }
}

}  // namespace

int main(int count, char** words) {
    std::string query, format;
    bool all = false, json = false, list = false, version = false;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "-q" || word == "--query") all = true;
        else if (word == "--json") json = true;
        else if (word == "-L") list = true;
        else if (word == "-v" || word == "--version") version = true;
        else if (word.rfind("--query-gpu=", 0) == 0) query = word.substr(12);
        else if (word.rfind("--format=", 0) == 0) format = word.substr(9);
        else fail("the simulator's has no option '" + word + "'; it has -q, --json, -L, -v, --query-gpu=, --format=csv[,noheader]");
    }
    if (json && !all) fail("--json needs -q");
    if (!query.empty() && format.rfind("csv", 0) != 0) fail("--query-gpu needs --format=csv[,noheader]");
    MtmlLibrary* library;
    MtmlSystem* system;
    char driver[MTML_DRIVER_VERSION_BUFFER_SIZE];
    unsigned int devices = 0;
    check(mtmlLibraryInit(&library));
    check(mtmlLibraryInitSystem(library, &system));
    check(mtmlSystemGetDriverVersion(system, driver, sizeof driver));
    check(mtmlLibraryCountDevice(library, &devices));
    std::vector<Device> known;
    for (unsigned int i = 0; i < devices; ++i) known.push_back(device(library, i));
    if (version) {
        std::printf("mthreads-gmi version: %s\n", driver);
    } else if (list) {
        for (const Device& d : known) std::printf("GPU %s: %s (UUID: %s)\n", d.index.c_str(), d.name.c_str(), d.uuid.c_str());
    } else if (!query.empty()) {
        show_csv(known, query, format.find("noheader") == std::string::npos);
    } else if (all) {
        (json ? show_json : show_text)(known, driver);
    } else {
        show_table(known, driver);
    }
}
