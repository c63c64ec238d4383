"""Pictures of models, documents and answers, on matplotlib axes.

Each function draws on the axes that it is given, or makes new ones, and returns them. Colours can
be told apart by colour-blind people, and never alone carry what a picture says. Needs
``pip install 'vlawe[plot]'``; matplotlib is imported when something is drawn.
"""

from vlawe.plot.codewords import codebook
from vlawe.plot.confusion_matrix import confusion
from vlawe.plot.document_map import document_map as map  # noqa: A004
from vlawe.plot.word_effects import explanation

__all__ = ["codebook", "confusion", "explanation", "map"]
