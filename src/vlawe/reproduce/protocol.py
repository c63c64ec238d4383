"""Protocols: what may be learned from which documents, and what is done to kernels.

*strict* learns everything from training documents and chooses nothing by test documents.
*original* does what the authors' released code does, as far as it can be known. They differ by
switches, and any set of switches is a protocol, so that each can be measured alone.
"""

from dataclasses import asdict, dataclass, fields, replace

EXPONENT = 1.5
PENALTIES = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Protocol:
    """A set of switches; none is *strict*, all are *original*.

    Parameters
    ----------
    codebook_from_all : bool
        Codebooks (and PCA, and the words of the bag of words) are learned from training and test
        documents.
    class_codebooks_from_all : bool
        BOSWE has one codebook per class, learned from training and test documents and the labels
        of both.
    no_power : bool
        VLAWE without PCA has no power normalisation (``alpha = 1``).
    exponential_kernel : bool
        The kernel ``K`` becomes ``exp(−1.5 (1 − K))``.
    kernel_product : bool
        The kernel matrix of training and test documents together is multiplied by its own
        transpose.
    best_c_on_test : bool
        The penalty C is the one of six that does best on the test documents; else it is 1.

    Examples
    --------
    >>> STRICT.name, ORIGINAL.name, Protocol(no_power=True).name
    ('strict', 'original', 'strict + no_power')
    """

    codebook_from_all: bool = False
    class_codebooks_from_all: bool = False
    no_power: bool = False
    exponential_kernel: bool = False
    kernel_product: bool = False
    best_c_on_test: bool = False

    @property
    def switched_on(self) -> tuple[str, ...]:
        """The names of the switches that are on."""
        return tuple(name for name, on in asdict(self).items() if on)

    @property
    def name(self) -> str:
        """``strict``, ``original``, or what is switched on from strict."""
        if len(self.switched_on) == len(SWITCHES):
            return "original"
        return " + ".join(("strict", *self.switched_on))

    @property
    def penalties(self) -> tuple[float, ...]:
        """The values of C that are tried."""
        return PENALTIES if self.best_c_on_test else (1.0,)


SWITCHES = tuple(field.name for field in fields(Protocol))
STRICT = Protocol()
ORIGINAL = Protocol(**dict.fromkeys(SWITCHES, True))
PROTOCOLS = {protocol.name: protocol for protocol in (STRICT, ORIGINAL)}


def each_alone() -> list[Protocol]:
    """Return *strict* with each switch alone."""
    return [replace(STRICT, **{name: True}) for name in SWITCHES]


def one_after_the_other() -> list[Protocol]:
    """Return the protocols on the way from *strict* to *original*, both included."""
    steps = [STRICT]
    for name in SWITCHES:
        steps.append(replace(steps[-1], **{name: True}))
    return steps
