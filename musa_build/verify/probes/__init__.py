"""Probes that are more than one program. Each module has a table {row: function of a ProbeContext}."""
