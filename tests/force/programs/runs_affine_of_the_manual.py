import numpy
from demo import affine

values = numpy.arange(5, dtype=numpy.float32)
assert affine.affine_(values, 2.0) == 0
print(values.tolist(), affine.greeting())
