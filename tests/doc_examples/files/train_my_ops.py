import array

import my_ops._C

assert my_ops._C.add(array.array("f", range(1000)), 0.5)
