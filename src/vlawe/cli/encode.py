"""``vlawe encode``: documents to a file of vectors."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import counted, percent, print_note, seconds_of
from vlawe.cli.encoder_options import EncoderOptions, known_facts
from vlawe.cli.errors import UsageError
from vlawe.cli.outputs.target import EXTENSIONS, check_target
from vlawe.system.progress import progress_bar


@options.takes_groups
def encode(
    context: typer.Context,
    documents: options.InputArgument,
    output: Annotated[
        Path,
        options.option(
            "Where to write: .npy, .npz (key X; sparse for bow and n-grams) or .parquet (all "
            "columns of the input, and vector). A file that is there already is replaced.",
            "-o",
            "--output",
            metavar="OUT",
        ),
    ],
    *,
    model: Annotated[
        Path | None,
        options.optional(
            "A folder written by [bold]vlawe fit[/bold]; nothing is fitted then.", metavar="MODEL"
        ),
    ] = None,
    reading: options.Reading,
    chosen: EncoderOptions,
    resume: options.ResumeOption = True,
    printing: options.Printing,
) -> None:
    """Turn each document into a vector.

    Without --model an encoder is fitted to these documents first. The output appears when all is
    done, or not at all; until then the work is in OUT.part, and if the run is interrupted the same
    command goes on from there.
    """
    chosen.check(context, model)
    if output.suffix.lower() not in EXTENSIONS:
        raise UsageError(f"{output}: unknown output format; name it *{', *'.join(EXTENSIONS)}")
    check_target(output, Path(documents))
    from vlawe.cli.familiarity import warn_of_unknown_words
    from vlawe.cli.labelled import tell_skipped
    from vlawe.cli.outputs.formats import choose_writer
    from vlawe.cli.pipeline import learn_once, write_rows
    from vlawe.cli.runs import identity_of, open_run
    from vlawe.cli.runs.bags import InputBags, KeptBags
    from vlawe.system.model_folder import read_config

    with reading.open(documents) as opened:
        encoder = chosen.make() if model is None else chosen.load(model, context)
        writer = choose_writer(output, sparse=encoder.is_sparse)
        schema = None
        if writer.takes_columns:
            schema = opened.schema()
            writer.check_schema(schema)
        begun = time.perf_counter()
        table = encoder.table if model is not None else encoder.checked_table()
        identity = {
            **identity_of("encode", encoder, table, opened),
            "output": writer.extension,
            "columns": None if schema is None else str(schema),
            "model": None if model is None else read_config(model)["sha256"],
        }
        with open_run(output, identity, opened.source, resume=resume, quiet=printing.quiet) as run:
            bags: InputBags | KeptBags
            bags = InputBags(opened, encoder, table, all_columns=writer.takes_columns)
            if model is None:
                if encoder.has_table:
                    encoder.set_params(vectors=table)
                with progress_bar("Fitting", bags.total, unit="bytes", show=printing.bar) as bar:
                    bags = KeptBags(bags, run, bar)
                    encoder = learn_once(encoder, bags, run)
            fitted = time.perf_counter()
            coverage, n_earlier = write_rows(
                encoder, bags, writer, output, schema, run, printing.bar
            )
        warn_of_unknown_words(encoder, opened.sample, coverage.share)
    ended = time.perf_counter()
    if not printing.quiet:
        tell_skipped(opened)
    facts = {
        "input": opened.name,
        "output": str(output),
        "encoder": type(encoder).__name__,
        "columns": encoder.n_features,
        "dtype": encoder.dtype,
        **known_facts(encoder, coverage, encoded=True),
        "fit_seconds": round(fitted - begun, 3) if model is None else None,
        "encode_seconds": round(ended - fitted, 3),
        "seconds": round(ended - begun, 3),
        "documents_of_interrupted_run": n_earlier,
        "documents_per_second": round((coverage.documents - n_earlier) / (ended - fitted), 1),
    }
    printing.print(facts, _print)


def _print(facts: dict[str, Any]) -> None:
    fit_seconds = facts["fit_seconds"]
    fitted = "" if fit_seconds is None else f"fitted in {seconds_of(fit_seconds)}, "
    if "tokens" in facts:
        known = (
            f"{counted(facts['tokens'], 'token')}, {percent(facts['coverage'])} known; "
            f"{counted(facts['documents_without_known_word'], 'document')} without a known word"
        )
    else:
        empty = counted(facts["documents_without_known_ngram"], "document")
        known = f"{empty} without a known n-gram"
    print_note(
        f"{counted(facts['documents'], 'document')}, {counted(facts['columns'], 'column')} "
        f"→ {facts['output']}; {known}; "
        f"{fitted}encoded in {seconds_of(facts['encode_seconds'])}, "
        f"{facts['documents_per_second']:,.0f} documents/s"
    )
