"""Inline PTX becomes C++. Nothing here is imported before a text holds an asm statement (decision 13)."""
