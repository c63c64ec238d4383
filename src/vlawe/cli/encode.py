"""``vlawe encode``: documents to a file of vectors."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import counted, percent, print_json, print_note, seconds_of
from vlawe.cli.encoder_options import EncoderOptions
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import open_input
from vlawe.cli.outputs import EXTENSIONS, check_target, choose_writer
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import DocumentEncoder


def encode(
    context: typer.Context,
    documents: options.InputArgument,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Where to write: .npy, .npz (key X; sparse for bow) or .parquet (all columns of "
            "the input, and vector). A file that is there already is replaced.",
        ),
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="A folder written by [bold]vlawe fit[/bold]; nothing is fitted then.",
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
    """Turn each document into a vector.

    Without --model an encoder is fitted to these documents first. The output appears when all is
    done, or not at all; until then the work is in OUT.part, and if the run is interrupted the same
    command goes on from there.
    """
    chosen = EncoderOptions(
        method, codewords, alpha, components, seed, vectors, dtype, jobs, batch_size
    )
    chosen.check(context, model)
    if output.suffix.lower() not in EXTENSIONS:
        raise UsageError(f"{output}: unknown output format; name it *{', *'.join(EXTENSIONS)}")
    check_target(output, Path(documents))
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        encoder = chosen.make() if model is None else chosen.load(model, context)
        facts = _encode(encoder, opened, output, model, resume=resume, quiet=quiet)
    if json:
        print_json(facts)
    elif not quiet:
        print_note(_summary(facts))


def _encode(
    encoder: "DocumentEncoder",
    documents: "Input",
    output: Path,
    model: Path | None,
    *,
    resume: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Fit if there is no model, encode and write; return the facts."""
    from vlawe.cli import fitting, writing
    from vlawe.cli.runs import identity_of, open_run
    from vlawe.system.model_folder import read_config

    writer = choose_writer(output, sparse=encoder.is_sparse)
    schema = None
    if writer.takes_columns:
        schema = documents.schema()
        writer.check_schema(schema)
    begun = time.perf_counter()
    table = encoder.vectors_ if model is not None else fitting.open_table(encoder)
    identity = {
        **identity_of("encode", encoder, table, documents),
        "output": writer.extension,
        "columns": None if schema is None else str(schema),
        "model": None if model is None else read_config(model)["sha256"],
    }
    show = False if quiet else None
    with open_run(output, identity, source=documents.source, resume=resume, quiet=quiet) as run:
        spool = None
        if model is None:
            with progress_bar("Fitting", documents.size, unit="bytes", show=show) as bar:
                counted = fitting.count(
                    encoder, table, documents, run, bar, keep=True, columns=writer.takes_columns
                )
                encoder = fitting.learn_once(encoder, table, counted, run)
            spool = counted.spool
        fitted = time.perf_counter()
        coverage, n_earlier = writing.write_rows(
            encoder, documents if spool is None else spool, writer, output, schema, run, show
        )
    ended = time.perf_counter()
    return {
        "input": documents.name,
        "output": str(output),
        "encoder": type(encoder).__name__,
        "columns": encoder.n_features,
        "dtype": encoder.dtype,
        **coverage.facts(),
        "fit_seconds": round(fitted - begun, 3) if model is None else None,
        "encode_seconds": round(ended - fitted, 3),
        "seconds": round(ended - begun, 3),
        "documents_of_interrupted_run": n_earlier,
        "documents_per_second": round((coverage.documents - n_earlier) / (ended - fitted), 1),
    }


def _summary(facts: dict[str, Any]) -> str:
    fit_seconds = facts["fit_seconds"]
    fitted = "" if fit_seconds is None else f"fitted in {seconds_of(fit_seconds)}, "
    return (
        f"{counted(facts['documents'], 'document')}, {counted(facts['columns'], 'column')} "
        f"→ {facts['output']}; {counted(facts['tokens'], 'token')}, "
        f"{percent(facts['coverage'])} known; "
        f"{counted(facts['documents_without_known_word'], 'document')} without a known word; "
        f"{fitted}encoded in {seconds_of(facts['encode_seconds'])}, "
        f"{facts['documents_per_second']:,.0f} documents/s"
    )
