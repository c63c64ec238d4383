"""Rows to files, streamed and atomic; nothing here knows typer."""
