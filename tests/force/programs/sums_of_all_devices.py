import all_devices
import numpy

devices = 4
one = numpy.arange(1000, dtype=numpy.float32)
total = sum(one + 100 * device for device in range(devices))
for half in (False, True):
    wanted = numpy.tile(total / 2 if half else total, devices)
    numpy.testing.assert_array_equal(all_devices.run(1000, half), wanted)
found, compiled = all_devices.version()
assert found == compiled
