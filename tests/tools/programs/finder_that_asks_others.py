import sys


class Other:
    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        specs = (f.find_spec(name, path, target) for f in sys.meta_path if f is not self and hasattr(f, "find_spec"))
        spec = next(spec for spec in specs if spec)
        loader = spec.loader

        def exec_module(module):
            del loader.exec_module
            loader.exec_module(module)
            print("other")

        loader.exec_module = exec_module
        return spec
