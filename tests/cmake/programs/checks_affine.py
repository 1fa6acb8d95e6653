import affine
import numpy as np

generator = np.random.default_rng(5)
for size in (1, 127, 1000):
    values = generator.standard_normal(size, dtype=np.float32)
    expected = np.float32(1.5) * values + np.float32(1)
    assert affine.affine_(values, 1.5) == 0
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)  # the device may fuse
print(*affine.greeting(), sep="|")
