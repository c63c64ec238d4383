"""The command ``vlawe``."""

from vlawe.cli.app import main

__all__ = ["main"]
