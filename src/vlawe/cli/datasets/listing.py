"""``vlawe datasets list``: what the data sets are, and which are there."""

from dataclasses import asdict

from vlawe.cli import options
from vlawe.cli.display import console, make_table, print_json, print_note, size_of


def list_datasets(data: options.DataOption = None, json: options.JsonOption = False) -> None:
    """Show the data sets, and which of them are there."""
    from vlawe.reproduce.datasets import DATASETS, data_folder

    folder = data_folder(data)
    present = {name: (folder / info.archive).is_file() for name, info in DATASETS.items()}
    if json:
        print_json(
            {
                "folder": str(folder),
                "datasets": [
                    asdict(info) | {"present": present[name]} for name, info in DATASETS.items()
                ],
            }
        )
        return
    numbers = ("documents", "labels", "size")
    table = make_table("name", "documents", "labels", "archive", "size", "there", right=numbers)
    for name, info in DATASETS.items():
        split = f"{info.n_documents:,}"
        if info.n_train is not None:
            split = f"{info.n_train:,} + {info.n_documents - info.n_train:,}"
        table.add_row(
            name,
            split,
            str(info.n_classes),
            info.archive,
            size_of(info.size),
            "yes" if present[name] else "no",
        )
    console().print(table)
    print_note(f"The folder is {folder}; `vlawe datasets download` gets what is missing.")
