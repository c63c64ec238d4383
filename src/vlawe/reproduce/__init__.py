"""The experiments of the paper: its data sets, its published figures, and what we get."""
