"""Fit and encode on a Dask cluster, with the bits of one machine.

Workers count the words of their partitions, the counts are added up by tree reduction, and the
client learns once from the sum. Encoding maps partitions lazily to rows. Word vectors never
travel: a table goes as the path and checksum of its file, and each worker opens that by memory
map, once. Which worker does what, and what a lost one costs, is Dask's own business: here are only
collections and tasks, for the current ``dask.distributed.Client`` (or, without one, for threads of
this process).
"""

from vlawe.dask.classifying import fit_classifier
from vlawe.dask.encoding import Encoded, transform, transform_to_parquet
from vlawe.dask.fitting import fit

__all__ = ["Encoded", "fit", "fit_classifier", "transform", "transform_to_parquet"]
