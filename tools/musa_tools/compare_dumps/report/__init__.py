"""A comparison on paper: csv, JSON, an HTML page, and a summary on the terminal."""
