"""A model is a folder: ``config.json``, ``model.safetensors``, ``README.md``; nothing is unpickled.

``config.json`` says what the model is (format version, class, parameters), which word vectors it
needs (inside the folder, or by name and checksum) and the checksum of ``model.safetensors``,
which holds what was learned, and in turn the checksum of everything else in ``config.json``.
``README.md`` is the model card for people. A classifier's folder has its encoders' folders in it,
an index's that of its encoder and the documents' rows.
"""

from vlawe.classifier.saving import load_classifier, save_classifier
from vlawe.encoders.saving import load_encoder, save_encoder
from vlawe.search.saving import load_index, save_index
from vlawe.system.model_folder import ModelError, read_config

__all__ = [
    "ModelError",
    "load_classifier",
    "load_encoder",
    "load_index",
    "read_config",
    "save_classifier",
    "save_encoder",
    "save_index",
]
