"""From the options of a command to an encoder."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vlawe.cli.errors import UsageError
from vlawe.cli.options import Method, RowType, given_options, vectors_path

if TYPE_CHECKING:
    from vlawe.encoders import DocumentEncoder

_OF_VLAWE = ("codewords", "alpha", "components", "seed")
_OF_FITTING = ("method", *_OF_VLAWE)


@dataclass(frozen=True)
class EncoderOptions:
    """What the options say of the encoder; see `vlawe.cli.options`."""

    method: Method
    codewords: int
    alpha: float
    components: int | None
    seed: int
    vectors: str | None
    dtype: RowType
    jobs: int | None
    batch_size: int | None

    def check(self, context: typer.Context, model: Path | None = None) -> None:
        """Raise UsageError if options were typed that have no effect or cannot work."""
        if self.jobs == 0:
            raise UsageError("--jobs must not be 0")
        if not 0 < self.alpha <= 1:
            raise UsageError(f"--alpha must be above 0 and at most 1, not {self.alpha}")
        if model is not None and (typed := given_options(context, _OF_FITTING)):
            raise UsageError(f"{', '.join(typed)}: not with --model, which is fitted already")
        if self.method is not Method.vlawe and (typed := given_options(context, _OF_VLAWE)):
            raise UsageError(f"{', '.join(typed)}: only with --method vlawe")

    def make(self) -> "DocumentEncoder":
        """Return an encoder that is not fitted."""
        from vlawe.encoders import VLAWE, BagOfWords, MeanVector

        common: dict[str, Any] = {
            "vectors": vectors_path(self.vectors),
            "dtype": str(self.dtype),
            "n_jobs": self.jobs,
            "batch_size": self.batch_size,
        }
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

    def load(self, model: Path, context: typer.Context) -> "DocumentEncoder":
        """Return the encoder of a model, to work as the options say."""
        from vlawe.encoders.saving import load_encoder

        encoder = load_encoder(model, vectors=vectors_path(self.vectors))
        encoder.set_params(n_jobs=self.jobs)
        if given_options(context, ("dtype",)):
            encoder.set_params(dtype=str(self.dtype))
            encoder.check_params()
        if self.batch_size is not None:
            encoder.set_params(batch_size=self.batch_size)
        return encoder
