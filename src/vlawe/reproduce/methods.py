"""The rows of the tables: what documents are compared by."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from vlawe.reproduce.protocol import Protocol

VLAWE_CODEWORDS = 10
BOSWE_CODEWORDS = 500
PCA_COMPONENTS = 300
MOST_CLASSES = 6
"""Classes that may have a codebook each. Reuters has 90: of the 45,000 bins a story fills
thousands, and comparing them for every pair of stories takes hours."""
LEARN_NOTHING = ("mean", "swem", "power_means", "covariance")
"""Encoders that only pool the vectors of a document's words."""

Encoder = Literal[
    "mean",
    "bow",
    "vlawe",
    "boswe",
    "swem",
    "power_means",
    "covariance",
    "fisher",
    "bomv",
    "soft_vlawe",
    "multi_vlawe",
    "doc2vec",
]


@dataclass(frozen=True)
class Part:
    """A representation of documents; the PQ kernel compares those of BOSWE, the linear one others.

    Kernels are normalised.
    """

    encoder: Encoder
    n_codewords: int = 0
    """The size of the codebook; 0 where there is none."""
    n_components: int = 0
    """Columns after PCA; 0 for no PCA."""
    per_class: bool = False
    """One codebook per class."""
    alpha: float = 1.0
    """Power normalisation; 1 is none."""
    variant: str = ""
    """Which of an encoder's kinds: the pooling of SWEM, the sizes of several codebooks, DM or DBOW
    of paragraph vectors."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of its codebooks, of those encoders whose rows have a block a codeword."""
        if self.encoder == "multi_vlawe":
            return tuple(map(int, self.variant.split()))
        blocks = self.encoder in ("vlawe", "soft_vlawe") and not self.n_components
        return (self.n_codewords,) if blocks else ()

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that decides the part.

        What came later and is not used is left out, so that cells that were measured before keep
        their identity.
        """
        facts = asdict(self)
        if not self.variant:
            del facts["variant"]
        return facts

    def under(self, protocol: Protocol) -> "Part":
        """Return the part as a protocol has it."""
        if self.encoder == "boswe" and protocol.class_codebooks_from_all:
            return replace(self, per_class=True)
        if self.encoder == "vlawe" and protocol.no_power and not self.n_components:
            return replace(self, alpha=1.0)
        return self

    def learns_from_all(self, protocol: Protocol) -> bool:
        """Tell whether it is learned from all documents, not only from those for training."""
        if self.encoder in LEARN_NOTHING:
            return True  # there is nothing to learn
        if self.per_class:
            return protocol.class_codebooks_from_all
        return protocol.codebook_from_all


@dataclass(frozen=True)
class Method:
    """A row of a table: parts whose kernels are averaged.

    ``key`` is its name on the command line and in records, ``title`` in tables; ``published`` is
    the system in the paper that it stands beside.
    """

    key: str
    title: str
    parts: tuple[Part, ...]
    published: str | None = None

    @property
    def needs_gensim(self) -> bool:
        """Whether it is a peer that gensim makes."""
        return any(part.encoder == "doc2vec" for part in self.parts)

    def effective(self, protocol: Protocol) -> Protocol:
        """Return the protocol without the switches that change nothing for this row.

        Examples
        --------
        >>> METHODS["vlawe"].effective(Protocol(class_codebooks_from_all=True)).name
        'strict'
        """
        parts = [part.under(protocol) for part in self.parts]
        return replace(
            protocol,
            codebook_from_all=protocol.codebook_from_all
            and any(part.encoder not in LEARN_NOTHING and not part.per_class for part in parts),
            class_codebooks_from_all=protocol.class_codebooks_from_all
            and any(part.encoder == "boswe" for part in parts),
            no_power=protocol.no_power
            and any(part.encoder == "vlawe" and not part.n_components for part in parts),
        )


def vlawe_part(n_codewords: int = VLAWE_CODEWORDS, n_components: int = 0) -> Part:
    """Return VLAWE with the power normalisation of the paper's text."""
    return Part("vlawe", n_codewords, n_components, alpha=0.5)


def vlawe_method(n_codewords: int) -> Method:
    """Return the row of VLAWE with so many codewords."""
    for method in METHODS.values():
        if method.parts == (vlawe_part(n_codewords),):
            return method
    return Method(f"vlawe-k{n_codewords}", f"VLAWE k = {n_codewords}", (vlawe_part(n_codewords),))


_PARAGRAPH = "Paragraph vectors"
_BOSWE = Part("boswe", BOSWE_CODEWORDS)
_MEAN, _BOW, _COVARIANCE = Part("mean"), Part("bow"), Part("covariance")
_SOFT = Part("soft_vlawe", VLAWE_CODEWORDS, alpha=0.5)
_MULTI = Part("multi_vlawe", variant="1 2 5 10", alpha=0.5)
_FISHER = Part("fisher", VLAWE_CODEWORDS, alpha=0.5)

METHODS = {
    method.key: method
    for method in (
        Method("mean", "mean of word vectors", (_MEAN,), "Mean of word vectors"),
        Method("bow", "bag of words", (_BOW,), "Bag of words"),
        Method("doc2vec-dm", "paragraph vectors DM", (Part("doc2vec", variant="dm"),), _PARAGRAPH),
        Method(
            "doc2vec-dbow", "paragraph vectors DBOW", (Part("doc2vec", variant="dbow"),), _PARAGRAPH
        ),
        Method("swem-max", "SWEM-max", (Part("swem", variant="max"),)),
        Method("swem-concat", "SWEM-concat", (Part("swem", variant="concatenate"),), "SWEM-concat"),
        Method("swem-hier", "SWEM-hierarchical", (Part("swem", variant="hierarchical"),)),
        Method("power-means", "power means", (Part("power_means"),)),
        Method("cov+mean", "COV + mean", (_COVARIANCE, _MEAN), "COV + Mean"),
        Method("cov+bow", "COV + BOW", (_COVARIANCE, _BOW), "COV + BOW"),
        Method("cov+mean+bow", "COV + mean + BOW", (_COVARIANCE, _MEAN, _BOW), "COV + Mean + BOW"),
        Method("fisher", "Fisher vectors", (_FISHER,)),
        Method("bomv", "BOMV", (Part("bomv", BOSWE_CODEWORDS),), "BOMV"),
        Method("boswe", "BOSWE", (_BOSWE,), "BOSWE"),
        Method("boswe-per-class", "BOSWE per class", (replace(_BOSWE, per_class=True),), "BOSWE"),
        Method("vlawe-k2", "VLAWE k = 2", (vlawe_part(2),), "VLAWE (k = 2)"),
        Method("vlawe-pca", "VLAWE PCA", (vlawe_part(n_components=PCA_COMPONENTS),), "VLAWE (PCA)"),
        Method("vlawe", "VLAWE", (vlawe_part(),), "VLAWE"),
        Method("vlawe-soft", "VLAWE soft", (_SOFT,)),
        Method("vlawe-multi", "VLAWE k = 1, 2, 5, 10", (_MULTI,)),
        Method("vlawe+boswe", "VLAWE + BOSWE", (vlawe_part(), _BOSWE)),
    )
}
"""The rows by key, in the order of the tables."""


def is_feasible(method: Method, protocol: Protocol, n_classes: int) -> bool:
    """Tell whether a row can be measured on so many classes."""
    per_class = any(part.under(protocol).per_class for part in method.parts)
    return n_classes <= MOST_CLASSES or not per_class
