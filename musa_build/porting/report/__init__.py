"""The result of a run, in the formats that people and tools read."""
