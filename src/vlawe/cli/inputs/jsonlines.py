"""Documents in JSON Lines: one object a line."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from vlawe.cli.inputs.base import Input, Layout
from vlawe.cli.inputs.source import InputError, Source, listing
from vlawe.cli.inputs.text import open_text

Numbered = list[tuple[int, dict[str, Any]]]
"""Objects with the numbers of their lines."""

_BYTES = 1 << 20
_DEEPEST = 100
"""Levels of lists and objects in one another: the time that Arrow takes rises with their square."""
_MOST_MEMBERS = 1_000
"""Members of different names, those of inner objects counted: each is a column that has a place for
every line, so that many lines of few members each would make immense columns of nothing."""

_Path = tuple[str, ...]
"""The names that lead to a member."""


class JsonLines(Input):
    """One JSON object a line, whose member ``text_column`` is the text; blank lines are skipped.

    The other members may differ from line to line. If they are wanted, the file is read once more
    beforehand, to find the columns and a type for each that fits all lines.
    """

    row_name: ClassVar[str] = "line"

    def __init__(self, source: Source, layout: Layout) -> None:
        super().__init__(source, layout)
        self._schema: pa.Schema | None = None

    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        if not all_columns:
            schema = pa.schema({self.text_column: pa.string()})
        else:
            if self._schema is None:
                self._schema = self._find_schema()
            schema = self._schema
        for numbered in self._objects():
            holders = _holders(numbered, None if all_columns else self.text_column)
            columns = [
                _at_their_lines(self._column(field.name, own, field.type), own, numbered)
                for field in schema
                for own in [holders.get(field.name, [])]
            ]
            yield pa.record_batch(columns, schema=schema)

    def _find_schema(self) -> pa.Schema:
        self.source.keep()
        known: set[_Path] = set()
        columns: dict[str, pa.Schema] = {}
        for numbered in self._objects():
            for number, members in numbered:
                _note_members(members, (), known)
                if len(known) > _MOST_MEMBERS:
                    raise self._too_many(number)
            for name, own in _holders(numbered).items():
                found = pa.schema({name: self._column(name, own, None).type})
                both = [columns.get(name, found), found]
                try:
                    columns[name] = pa.unify_schemas(both, promote_options="permissive")
                except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
                    raise self._no_common_type(name, numbered) from error
        return pa.schema([schema.field(0) for schema in columns.values()])

    def _column(self, name: str, numbered: Numbered, kind: pa.DataType | None) -> pa.Array:
        try:
            return pa.array([members.get(name) for _, members in numbered], kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise self._no_common_type(name, numbered) from error
        except UnicodeEncodeError as error:
            # JSON can write half of a surrogate pair, which is no text.
            line = next(line for line, members in numbered if _has_surrogate(members.get(name)))
            raise self.error(line, f"{name!r} holds half of a surrogate pair") from error

    def _too_many(self, number: int) -> InputError:
        return self.error(
            number,
            f"so far there are more than {_MOST_MEMBERS:,} members of different names, which would "
            "be as many columns; leave them out, or write those that vary into one string",
        )

    def _too_deep(self, number: int) -> InputError:
        return self.error(number, f"lists and objects are nested more than {_DEEPEST} deep")

    def _no_common_type(self, name: str, numbered: Numbered) -> InputError:
        return InputError(
            f"{self.name}: lines {numbered[0][0]} to {numbered[-1][0]}: values of {name!r} are of "
            "kinds that cannot be one column (such as numbers and strings, or beyond 64 bits); "
            "write them all as strings, or leave them out"
        )

    def _objects(self) -> Iterator[Numbered]:
        n_lines = 0
        with open_text(self.source, self.layout.encoding) as stream:
            while lines := stream.readlines(_BYTES):
                numbered = [
                    (number, self._parsed(line, number))
                    for number, line in enumerate(lines, n_lines + 1)
                    if not line.isspace()
                ]
                n_lines += len(lines)
                if numbered:
                    yield numbered

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            members = json.loads(line)
        except RecursionError:
            raise self._too_deep(number) from None
        except ValueError as error:
            raise self.error(number, f"not JSON: {error}") from error
        if line.count(b"[") + line.count(b"{") > _DEEPEST and _is_deep(members):
            raise self._too_deep(number)
        if not isinstance(members, dict):
            raise self.error(number, f"expected an object {{…}}, got {_shown(members)}")
        text = members.get(self.text_column)
        if text is None and self.layout.skip_missing:
            return {**members, self.text_column: None}
        if self.text_column not in members:
            raise self.error(
                number,
                f"there is no {self.text_column!r}; the members are {listing(members)} "
                "(choose one with --text-column; --skip-missing leaves such lines out)",
            )
        if text is None:
            raise self.missing(number, "text", self.text_column)
        if not isinstance(text, str):
            raise self.error(number, f"{self.text_column!r} must be a string, got {_shown(text)}")
        return members


def _holders(numbered: Numbered, only: str | None = None) -> dict[str, Numbered]:
    """Return which objects have a member, for the names of all members or for one."""
    if only is not None:
        return {only: [one for one in numbered if only in one[1]]}
    holders: dict[str, Numbered] = {}
    for one in numbered:
        for name in one[1]:
            holders.setdefault(name, []).append(one)
    return holders


def _at_their_lines(values: pa.Array, holders: Numbered, numbered: Numbered) -> pa.Array:
    """Put the values of a member, which some objects have, to these among all; null elsewhere."""
    if len(holders) == len(numbered):
        return values
    places = np.searchsorted([number for number, _ in numbered], [number for number, _ in holders])
    sources = np.full(len(numbered), -1)
    sources[places] = np.arange(len(holders))
    return values.take(pa.array(sources, mask=sources < 0))


def _is_deep(value: Any) -> bool:
    """Tell whether a JSON value has more than `_DEEPEST` levels; looks at each part of it once."""
    level = [value]
    for _ in range(_DEEPEST + 1):
        level = [one for one in level if isinstance(one, dict | list)]
        if not level:
            return False
        level = [part for one in level for part in (one.values() if isinstance(one, dict) else one)]
    return True


def _note_members(value: Any, path: _Path, known: set[_Path]) -> None:
    """Add the paths of all members in a JSON value to those that are known."""
    if isinstance(value, dict):
        for name, own in value.items():
            known.add((*path, name))
            if isinstance(own, dict | list):
                _note_members(own, (*path, name), known)
    elif isinstance(value, list):
        for own in value:
            if isinstance(own, dict | list):
                _note_members(own, path, known)


def _has_surrogate(value: Any) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in _strings(value))


def _strings(value: Any) -> str:
    """Return all strings within a JSON value, joined."""
    if isinstance(value, dict):
        return "".join(map(_strings, [*value, *value.values()]))
    if isinstance(value, list):
        return "".join(map(_strings, value))
    return value if isinstance(value, str) else ""


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
