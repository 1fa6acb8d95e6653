"""Compare the dumps of two runs: read three forms, align the calls, judge every value, name the first divergence.

From the bottom: ``records`` (what a dump holds), ``read`` (detects the form), ``align`` (which call of one run is which
of the other), ``measure`` (how far two values are apart), ``table`` (rows and marks), ``blame`` (who made the first
difference), ``report`` (csv, JSON, a page), ``faces`` (under the names of other tools).
"""
