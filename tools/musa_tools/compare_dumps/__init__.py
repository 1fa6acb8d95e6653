"""Compare the dumps of two runs: read three formats, align the calls, judge every value, name the first divergence.

From the bottom: ``records`` (the content of a dump), ``read`` (detects the format), ``align`` (pairs the calls of two
runs), ``measure`` (the distance of two values), ``unread_values`` (values that say nothing), ``table`` (pairs and
marks), ``first_divergence``, ``report`` (csv, JSON, a page), ``other_tools`` (under the names of other tools).
"""
