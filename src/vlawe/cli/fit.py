"""``vlawe fit``: an encoder fitted to documents, kept as a model."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import percent, print_facts, print_json, seconds_of, size_of
from vlawe.cli.encoder_options import EncoderOptions
from vlawe.cli.inputs import open_input
from vlawe.system.progress import progress_bar

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
    resume: options.ResumeOption = True,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Fit an encoder to documents and keep it as a model.

    A model is a folder; [bold]vlawe encode --model[/bold] and Python's VLAWE.load read it. If the
    run is interrupted, its work is in MODEL.part and the same command goes on from there.
    """
    chosen = EncoderOptions(
        method, codewords, alpha, components, seed, vectors, dtype, jobs, batch_size
    )
    chosen.check(context)
    from vlawe.system.model_folder import check_target

    check_target(model)
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        encoder = chosen.make()
        facts = _fit(
            encoder, opened, model, include_vectors=include_vectors, resume=resume, quiet=quiet
        )
    facts["model"] = str(model)
    facts["model_bytes"] = sum(file.stat().st_size for file in model.iterdir())
    if json:
        print_json(facts)
    elif not quiet:
        print_facts(_for_people(facts))


def _fit(
    encoder: "DocumentEncoder",
    documents: "Input",
    model: Path,
    *,
    include_vectors: bool | None,
    resume: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Fit and save; return the facts."""
    from vlawe.cli import fitting
    from vlawe.cli.runs import identity_of, open_run

    begun = time.perf_counter()
    table = fitting.open_table(encoder)
    identity = identity_of("fit", encoder, table, documents)
    show = False if quiet else None
    with (
        open_run(model, identity, source=documents.source, resume=resume, quiet=quiet) as run,
        progress_bar("Fitting", documents.size, unit="bytes", show=show) as bar,
    ):
        counted = fitting.count(encoder, table, documents, run, bar, keep=encoder.looks_twice)
        fitting.learn(encoder, table, counted, run)
        seconds = time.perf_counter() - begun
        encoder.save(model, include_vectors=include_vectors)
    facts = {
        "input": documents.name,
        "encoder": type(encoder).__name__,
        "columns": encoder.n_features,
        **counted.done.coverage.facts(),
        "words": len(encoder.vectors_),
        "dimensions": encoder.vectors_.dim,
        "seconds": round(seconds, 3),
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
