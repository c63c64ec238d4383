"""``vlawe fit``: an encoder fitted to documents, kept as a model."""

import time
from typing import TYPE_CHECKING, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import folder_size, percent, print_facts, seconds_of, size_of
from vlawe.cli.encoder_options import EncoderOptions, known_facts
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.encoders import Coverage, Encoder


@options.takes_groups
def fit(
    context: typer.Context,
    documents: options.InputArgument,
    model: options.NewModelOption,
    *,
    include_vectors: options.IncludeVectorsOption = None,
    reading: options.Reading,
    chosen: EncoderOptions,
    resume: options.ResumeOption = True,
    printing: options.Printing,
) -> None:
    """Fit an encoder to documents and keep it as a model.

    A model is a folder; [bold]vlawe encode --model[/bold] and Python's VLAWE.load read it. If the
    run is interrupted, its work is in MODEL.part and the same command goes on from there.
    """
    chosen.check(context)
    from vlawe.cli.familiarity import warn_of_unknown_words
    from vlawe.cli.labelled import tell_skipped
    from vlawe.cli.pipeline import learn
    from vlawe.cli.runs import identity_of, open_run
    from vlawe.cli.runs.bags import InputBags, KeptBags
    from vlawe.system.model_folder import check_target

    check_target(model)
    with reading.open(documents) as opened:
        encoder = chosen.make()
        begun = time.perf_counter()
        table = encoder.checked_table()
        if encoder.has_table:
            encoder.set_params(vectors=table)
        identity = identity_of("fit", encoder, table, opened)
        with (
            open_run(model, identity, opened.source, resume=resume, quiet=printing.quiet) as run,
            progress_bar("Fitting", opened.size, unit="bytes", show=printing.bar) as bar,
        ):
            bags = InputBags(opened, encoder, table, all_columns=False)
            coverage = learn(encoder, KeptBags(bags, run, bar), run)
            seconds = time.perf_counter() - begun
            encoder.save(model, include_vectors=include_vectors)
        warn_of_unknown_words(encoder, opened.sample, coverage.share)
        if not printing.quiet:
            tell_skipped(opened)
        facts = _facts(encoder, coverage, opened.name, seconds)
    facts["model"] = str(model)
    facts["model_bytes"] = folder_size(model)
    printing.print(facts, _print)


def _facts(encoder: "Encoder", coverage: "Coverage", name: str, seconds: float) -> dict[str, Any]:
    facts = {
        "input": name,
        "encoder": type(encoder).__name__,
        "columns": encoder.n_features,
        **known_facts(encoder, coverage),
        "seconds": round(seconds, 3),
    }
    if encoder.table is not None:
        facts |= {"words": len(encoder.table), "dimensions": encoder.table.dim}
    if hasattr(encoder, "codebook_"):
        codebook = encoder.codebook_
        facts["codewords"] = len(codebook)
        facts["inertia"] = codebook.inertia
        facts["inertia_per_token"] = codebook.inertia / max(1, int(codebook.counts.sum()))
    if hasattr(encoder, "explained_ratio_"):
        facts["explained_ratio"] = float(encoder.explained_ratio_.sum())
    return facts


def _print(facts: dict[str, Any]) -> None:
    shown = [("encoder", f"{facts['encoder']}, {facts['columns']:,} columns")]
    if "words" in facts:
        empty = facts["documents_without_known_word"]
        shown += [
            ("documents", f"{facts['documents']:,}, {empty:,} without a known word"),
            ("tokens", f"{facts['tokens']:,}, {percent(facts['coverage'])} known"),
            ("word vectors", f"{facts['words']:,} words, {facts['dimensions']} dimensions"),
        ]
    else:
        shown.append(("documents", f"{facts['documents']:,}"))
    if "codewords" in facts:
        inertia = f"{facts['inertia']:,.1f} ({facts['inertia_per_token']:.3f} a token)"
        shown.append(("codebook", f"{facts['codewords']:,} codewords, inertia {inertia}"))
    if "explained_ratio" in facts:
        shown.append(("components", f"hold {percent(facts['explained_ratio'])} of the rows"))
    shown.append(("time", seconds_of(facts["seconds"])))
    shown.append(("model", f"{facts['model']}, {size_of(facts['model_bytes'])}"))
    print_facts(shown)
