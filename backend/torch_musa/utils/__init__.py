"""The build tools under the names that Moore Threads' torch_musa gives them; they live in musa_build."""
