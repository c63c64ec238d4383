"""The version of the package, which depends on nothing else."""

__version__ = "0.1.0"
