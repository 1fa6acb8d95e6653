import array

import my_ops._C


def test_add():
    values = array.array("f", range(1000))
    assert my_ops._C.add(values, 0.5)
    assert list(values) == [i + 0.5 for i in range(1000)]
