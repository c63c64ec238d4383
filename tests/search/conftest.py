import random

import pytest

WORDS = [
    "soup", "bread", "butter", "train", "coast", "noon", "river", "laptop", "cable", "doctor",
    "knee", "phone", "camera", "kitchen", "chair", "password", "router", "cheese", "olive",
    "ticket", "bank", "picnic", "milk", "potato", "salt", "stairs", "battery",
]  # fmt: skip


def random_texts(n: int, seed: int = 0) -> list[str]:
    """Short texts of a few words; some are the same, some have no known word."""
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 6))) for _ in range(n)]
    for position in range(0, n, 17):
        texts[position] = "xqzzy" if position % 2 else ""
    return texts


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return random_texts(300)
