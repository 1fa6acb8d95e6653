"""Everything declarative stands in pyproject.toml; this file exists so that `python setup.py ...` works too."""

from setuptools import setup

setup()
