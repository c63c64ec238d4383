"""Small tables of words and documents of them, for properties that hold of any."""

from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy import float32

from vlawe import WordVectors


@st.composite
def tables_and_documents(draw, least_words=1, most_words=6):
    """A table of a few words, and documents of them, some without a word."""
    shape = st.tuples(st.integers(least_words, most_words), st.integers(1, 5))
    numbers = st.integers(-64, 64).map(lambda i: i / 8)
    matrix = draw(hnp.arrays(float32, shape, elements=numbers))
    table = WordVectors([f"w{i}" for i in range(len(matrix))], matrix)
    words = st.lists(st.sampled_from(list(table.words)), max_size=12)
    return table, draw(st.lists(words, min_size=1, max_size=5))
