"""From the options of a command to an encoder."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.errors import UsageError

if TYPE_CHECKING:
    from vlawe.encoders import Coverage, Encoder

_OF_VLAWE = ("codewords", "alpha", "components", "seed")
_OF_FITTING = ("method", *_OF_VLAWE)


class Method(StrEnum):
    """How the vectors of a document's words become one row."""

    vlawe = "vlawe"
    mean = "mean"
    bow = "bow"
    ngrams = "ngrams"
    characters = "characters"


_NGRAMS: dict[Method, dict[str, Any]] = {
    Method.ngrams: {"analyzer": "word", "ngram_range": (1, 2)},
    Method.characters: {"analyzer": "char", "ngram_range": (2, 5)},
}


class RowType(StrEnum):
    """The type of the numbers in a row."""

    int8 = "int8"
    float16 = "float16"
    float32 = "float32"
    float64 = "float64"


@dataclass(frozen=True)
class EncoderOptions:
    """What the options say of the encoder."""

    method: Annotated[
        Method,
        options.option(
            "vlawe: residuals to codewords; mean: mean of word vectors; bow: counts of words; "
            "ngrams: words and pairs of them, characters: 2 to 5 of them, both as tf-idf and "
            "without word vectors.",
            panel=options.FITTING,
        ),
    ] = Method.vlawe
    codewords: options.CodewordsOption = 10
    alpha: Annotated[
        float, options.option("Power normalisation of vlawe; 1 is none.", panel=options.FITTING)
    ] = 0.5
    components: Annotated[
        int | None,
        options.optional("Reduce vlawe by PCA to so many columns.", min=1, panel=options.FITTING),
    ] = None
    seed: options.SeedOption = 0
    vectors: options.VectorsOption = None
    dtype: Annotated[
        RowType,
        options.option(
            "Type of the numbers; int8 keeps the direction of a row, not its length.",
            panel=options.WORKING,
        ),
    ] = RowType.float32
    jobs: options.JobsOption = None
    batch_size: Annotated[
        int | None,
        options.optional(
            "Documents encoded at a time; else 256. Results do not depend on it.",
            min=1,
            metavar="N",
            panel=options.WORKING,
        ),
    ] = None

    def check(self, context: typer.Context, model: Path | None = None) -> None:
        """Raise UsageError if options were typed that have no effect or cannot work."""
        if not 0 < self.alpha <= 1:
            raise UsageError(f"--alpha must be above 0 and at most 1, not {self.alpha}")
        if model is not None and (typed := options.given_options(context, _OF_FITTING)):
            raise UsageError(f"{', '.join(typed)}: not with --model, which is fitted already")
        if self.method is not Method.vlawe and (typed := options.given_options(context, _OF_VLAWE)):
            raise UsageError(f"{', '.join(typed)}: only with --method vlawe")
        if self.method in _NGRAMS and (typed := options.given_options(context, ("vectors",))):
            raise UsageError(f"{', '.join(typed)}: not with --method {self.method.value}")

    def make(self) -> "Encoder":
        """Return an encoder that is not fitted."""
        from vlawe.encoders import VLAWE, BagOfWords, MeanVector, NGrams

        common: dict[str, Any] = {
            "dtype": str(self.dtype),
            "n_jobs": self.jobs,
            "batch_size": self.batch_size,
        }
        if self.method in _NGRAMS:
            return NGrams(**_NGRAMS[self.method], **common)
        common["vectors"] = options.vectors_path(self.vectors)
        if self.method is Method.mean:
            return MeanVector(**common)
        if self.method is Method.bow:
            return BagOfWords(**common)
        return VLAWE(
            n_codewords=self.codewords,
            alpha=self.alpha,
            n_components=self.components,
            random_state=self.seed,
            **common,
        )

    def load(self, model: Path, context: typer.Context) -> "Encoder":
        """Return the encoder of a model, to work as the options say."""
        from vlawe.encoders.saving import load_encoder

        encoder = load_encoder(
            options.encoder_folder(model), vectors=options.vectors_path(self.vectors)
        )
        encoder.set_params(n_jobs=self.jobs)
        if options.given_options(context, ("dtype",)):
            encoder.set_params(dtype=str(self.dtype))
            encoder.check_params()
        if self.batch_size is not None:
            encoder.set_params(batch_size=self.batch_size)
        return encoder


def known_facts(
    encoder: "Encoder", coverage: "Coverage", *, encoded: bool = False
) -> dict[str, Any]:
    """Return what an encoder knows of documents, by the names that it has in JSON output.

    Without a table there are no known words; which documents have no n-gram is known of those that
    were ``encoded``.
    """
    if encoder.has_table:
        return coverage.facts()
    facts = {"documents": coverage.documents}
    return facts | ({"documents_without_known_ngram": coverage.empty} if encoded else {})
