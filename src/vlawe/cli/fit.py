"""``vlawe fit``: an encoder fitted to documents, kept as a model."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import percent, print_facts, print_json, seconds_of, size_of
from vlawe.cli.encoder_options import EncoderOptions
from vlawe.cli.inputs import open_input
from vlawe.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import DocumentEncoder


def fit(
    context: typer.Context,
    documents: options.InputArgument,
    model: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="MODEL",
            help="The model's folder. A model that is there already is replaced.",
        ),
    ],
    include_vectors: Annotated[
        bool | None,
        typer.Option(
            "--include-vectors/--no-include-vectors",
            help="Put the word vectors into the model; else unless they are the bundled ones.",
            show_default=False,
        ),
    ] = None,
    text_column: options.TextColumnOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    method: options.MethodOption = options.Method.vlawe,
    codewords: options.CodewordsOption = 10,
    alpha: options.AlphaOption = 0.5,
    components: options.ComponentsOption = None,
    seed: options.SeedOption = 0,
    vectors: options.VectorsOption = None,
    dtype: options.DtypeOption = options.RowType.float32,
    jobs: options.JobsOption = None,
    batch_size: options.BatchSizeOption = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Fit an encoder to documents and keep it as a model.

    A model is a folder; [bold]vlawe encode --model[/bold] and Python's VLAWE.load read it.
    """
    chosen = EncoderOptions(
        method, codewords, alpha, components, seed, vectors, dtype, jobs, batch_size
    )
    chosen.check(context)
    from vlawe.persistence.folder import check_target

    check_target(model)
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        encoder = chosen.make()
        facts = _fit(encoder, opened, quiet=quiet)
    encoder.save(model, include_vectors=include_vectors)
    facts["model"] = str(model)
    facts["model_bytes"] = sum(file.stat().st_size for file in model.iterdir())
    if json:
        print_json(facts)
    elif not quiet:
        print_facts(_for_people(facts))


def _fit(encoder: "DocumentEncoder", documents: "Input", *, quiet: bool) -> dict[str, Any]:
    """Fit; return the facts."""
    from vlawe.cli import pipeline

    begun = time.perf_counter()
    coverage = pipeline.Coverage()
    show = False if quiet else None
    with (
        pipeline.CountingSpool(coverage, keep=encoder._looks_twice) as spool,
        progress_bar("Fitting", documents.size, unit="bytes", show=show) as bar,
    ):
        pipeline.fit(encoder, documents, spool, bar)
    facts = {
        "input": documents.name,
        "encoder": type(encoder).__name__,
        "columns": encoder._n_features,
        **coverage.facts(),
        "words": len(encoder.vectors_),
        "dimensions": encoder.vectors_.dim,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    if hasattr(encoder, "codebook_"):
        codebook = encoder.codebook_
        facts["codewords"] = len(codebook)
        facts["inertia"] = codebook.inertia
        facts["inertia_per_token"] = codebook.inertia / max(1, int(codebook.counts.sum()))
    if hasattr(encoder, "explained_ratio_"):
        facts["explained_ratio"] = float(encoder.explained_ratio_.sum())
    return facts


def _for_people(facts: dict[str, Any]) -> list[tuple[str, str]]:
    empty = facts["documents_without_known_word"]
    shown = [
        ("encoder", f"{facts['encoder']}, {facts['columns']:,} columns"),
        ("documents", f"{facts['documents']:,}, {empty:,} without a known word"),
        ("tokens", f"{facts['tokens']:,}, {percent(facts['coverage'])} known"),
        ("word vectors", f"{facts['words']:,} words, {facts['dimensions']} dimensions"),
    ]
    if "codewords" in facts:
        inertia = f"{facts['inertia']:,.1f} ({facts['inertia_per_token']:.3f} a token)"
        shown.append(("codebook", f"{facts['codewords']:,} codewords, inertia {inertia}"))
    if "explained_ratio" in facts:
        shown.append(("components", f"hold {percent(facts['explained_ratio'])} of the rows"))
    shown.append(("time", seconds_of(facts["seconds"])))
    shown.append(("model", f"{facts['model']}, {size_of(facts['model_bytes'])}"))
    return shown
