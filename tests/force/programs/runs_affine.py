import affine
import numpy

values = numpy.arange(1000, dtype=numpy.float32)
expected = 2.5 * values + 1
assert affine.affine_(values, 2.5) == 0
numpy.testing.assert_allclose(values, expected)
print(affine.greeting())
