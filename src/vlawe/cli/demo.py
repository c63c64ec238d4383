"""``vlawe demo``: the main job end to end on the bundled messages, without a download."""

import time
from statistics import mean, median, stdev
from typing import Any

from vlawe.cli import options
from vlawe.cli.codebook import describe_codebook, print_codebook
from vlawe.cli.display import console, make_table, percent, present, seconds_of
from vlawe.cli.inputs import open_input

N_SPLITS = 5
HELD_OUT = 0.3
SEED = 0
_N_EXAMPLES = 3
_WORDS = 8
_CAVEAT = (
    "The sample is small and written by hand for this demo, and nothing is chosen by the held-out "
    "messages: the figures show that it works, not what is best for your documents."
)


def demo(json: options.JsonOption = False) -> None:
    """Sort 600 bundled messages into six topics, with nothing to download.

    The default classifier beside tf-idf and naive Bayes of scikit-learn; and VLAWE, the mean of the
    word vectors and a bag of words, each with a linear SVM: on random splits into training and
    held-out messages.
    """
    from vlawe.cli.baselines import OURS, classifiers, try_classifiers, verdict
    from vlawe.cli.comparison import compare, stratified_splits
    from vlawe.encoders import VLAWE, BagOfWords, MeanVector

    begun = time.perf_counter()
    texts, topics = _read_messages()
    splits = stratified_splits(topics, N_SPLITS, HELD_OUT, SEED)
    results = compare(
        texts,
        topics,
        {
            "VLAWE": VLAWE,
            "mean vector": lambda: MeanVector(normalize=True),
            "bag of words": BagOfWords,
        },
        splits,
    )
    tried = try_classifiers(texts, topics, classifiers(), splits)
    vlawe = results["VLAWE"]
    facts: dict[str, Any] = {
        "sample": {
            "messages": len(texts),
            "topics": sorted(set(topics)),
            "training": len(splits[0][0]),
            "held_out": len(splits[0][1]),
            "splits": N_SPLITS,
        },
        "codebook": describe_codebook(vlawe.encoder, _WORDS),
        "classifiers": [
            {
                "classifier": name,
                "accuracy": round(mean(own.accuracies), 4),
                "deviation": round(stdev(own.accuracies), 4),
                "learn_seconds": round(mean(own.learn_seconds), 4),
            }
            for name, own in tried.items()
        ],
        "verdict": verdict(
            tried, {name: mean(own.chosen_accuracies) for name, own in results.items()}
        ),
        "results": [
            {
                "encoder": name,
                "columns": result.columns,
                "accuracy": round(mean(result.accuracies), 4),
                "deviation": round(stdev(result.accuracies), 4),
                "chosen_c": median(result.chosen_c),
                "chosen_c_accuracy": round(mean(result.chosen_accuracies), 4),
                "chosen_c_deviation": round(stdev(result.chosen_accuracies), 4),
                "fit_seconds": round(mean(result.fit_seconds), 4),
                "encode_seconds": round(mean(result.encode_seconds), 4),
                "documents_per_second": round(len(texts) / mean(result.encode_seconds)),
            }
            for name, result in results.items()
        ],
        "examples": _examples(texts, topics, splits[0][1], tried[OURS].predictions[0]),
        "seconds": round(time.perf_counter() - begun, 3),
        "note": _CAVEAT,
    }
    present(facts, as_json=json, for_people=_print)


def _read_messages() -> tuple[list[str], list[str]]:
    from importlib.resources import as_file, files

    with as_file(files("vlawe") / "data" / "messages.csv") as path, open_input(str(path)) as opened:
        texts: list[str] = []
        topics: list[str] = []
        for batch in opened.batches(all_columns=True):
            texts += batch.column("text").to_pylist()
            topics += batch.column("topic").to_pylist()
    return texts, topics


def _examples(
    texts: list[str], topics: list[str], held_out: Any, predicted: list[str]
) -> list[dict[str, Any]]:
    """Return the first held-out messages that were sorted right, then those sorted wrong."""
    examples = [
        {"text": texts[row], "topic": topics[row], "predicted": guess}
        for row, guess in zip(held_out, predicted, strict=True)
    ]
    right = [example for example in examples if example["topic"] == example["predicted"]]
    wrong = [example for example in examples if example["topic"] != example["predicted"]]
    return right[:_N_EXAMPLES] + wrong[:_N_EXAMPLES]


def _print(facts: dict[str, Any]) -> None:
    from rich.text import Text

    out = console()
    sample = facts["sample"]
    out.print(
        f"{sample['messages']} short messages on {len(sample['topics'])} topics: "
        f"{', '.join(sample['topics'])}.\n"
        f"{sample['splits']} random splits into {sample['training']} training and "
        f"{sample['held_out']} held-out messages.\n"
    )
    table = make_table(
        "classifier",
        "right",
        "learned in",
        right=("right", "learned in"),
        title="Held-out messages sorted into the right topic (mean ± deviation over the splits)",
    )
    for own in facts["classifiers"]:
        share = _with_deviation(own["accuracy"], own["deviation"])
        table.add_row(own["classifier"], share, seconds_of(own["learn_seconds"]))
    out.print(table)
    out.print(f"{facts['verdict']}\n")
    print_codebook(
        facts["codebook"], title="The codebook that VLAWE learned from the training messages"
    )
    numbers = ("C = 1", "C chosen", "C", "fit", "documents/s")
    table = make_table(
        "encoder",
        *numbers,
        right=numbers,
        title="The same, by a linear SVM on each encoder's rows alone",
    )
    for result in facts["results"]:
        table.add_row(
            result["encoder"],
            _with_deviation(result["accuracy"], result["deviation"]),
            _with_deviation(result["chosen_c_accuracy"], result["chosen_c_deviation"]),
            f"{result['chosen_c']:g}",
            seconds_of(result["fit_seconds"]),
            f"{result['documents_per_second']:,}",
        )
    out.print(table)
    out.print(
        "C chosen: by cross-validation of the training messages, for each encoder and split; C is "
        "the median. C = 1 suits some rows better than others, so compare encoders by this one.\n"
    )
    table = make_table(
        "",
        "predicted",
        "topic",
        "message",
        title="Some of the classifier's answers in the first split",
    )
    for example in facts["examples"]:
        right = example["topic"] == example["predicted"]
        table.add_row(
            Text("✓", "green") if right else Text("✗", "red"),
            example["predicted"],
            example["topic"],
            Text(example["text"]),
        )
    out.print(table)
    out.print(f"{facts['note']}\nAll of it took {seconds_of(facts['seconds'])}.")


def _with_deviation(share: float, deviation: float) -> str:
    return f"{percent(share)} ± {100 * deviation:.1f}"
