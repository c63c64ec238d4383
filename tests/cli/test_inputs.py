import bz2
import csv
import gzip
import io
import json
import lzma
import os
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlawe.cli.inputs import InputError, InputFormat, delimited, open_input
from vlawe.cli.inputs.formats import format_of
from vlawe.cli.inputs.source import Source

COMPRESS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


@pytest.fixture
def write(tmp_path):
    def write(name: str, data: bytes):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def texts_of(path, **options) -> list[str]:
    with open_input(str(path), **options) as opened:
        return list(opened.texts())


def table_of(path, **options) -> pa.Table:
    with open_input(str(path), **options) as opened:
        return pa.Table.from_batches(opened.batches(all_columns=True))


def refusal(path, *, all_columns=False, **options) -> str:
    with pytest.raises(InputError) as refused, open_input(str(path), **options) as opened:
        for _ in opened.batches(all_columns=all_columns):
            pass
    return str(refused.value).replace(str(path), "FILE")


# ------------------------------------------------------------------------------ which format


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", "lines"),
        ("a", "lines"),
        ("a.log.gz", "lines"),
        ("a.gz", "lines"),
        ("a.csv", "csv"),
        ("A.CSV.GZ", "csv"),
        ("a.b.tsv.zst", "tsv"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson.xz", "jsonl"),
        ("a.parquet", "parquet"),
    ],
)
def test_the_format_goes_by_the_extension(name, expected, tmp_path):
    assert format_of(tmp_path / name) == expected


def test_a_stated_format_goes_before_the_extension(write):
    path = write("a.txt", b'{"text": "tea"}\n')
    assert texts_of(path, input_format=InputFormat.jsonl) == ["tea"]


def test_standard_input_is_lines_unless_stated(type_in):
    type_in(b"tea\nmilk\n")
    assert texts_of("-") == ["tea", "milk"]
    type_in(b"text\ntea\n")
    assert texts_of("-", input_format=InputFormat.csv) == ["tea"]


def test_lines_have_no_column_to_name(write):
    assert "text lines have no column 'body'" in refusal(write("a.txt", b"x"), text_column="body")


def test_a_missing_file_is_noticed_before_reading(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_input(str(tmp_path / "none.txt"))


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        open_input(str(tmp_path))


@pytest.mark.parametrize("encoding", ["martian", "hex"])
def test_an_encoding_must_be_one_of_text(encoding, write):
    with pytest.raises(ValueError, match="unknown text encoding"):
        open_input(str(write("a.txt", b"x")), encoding=encoding)


# ---------------------------------------------------------------------------- bytes and text


@pytest.mark.parametrize("extension", COMPRESS)
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", "tea\nthé\n"),
        ("a.csv", "text\ntea\nthé\n"),
        ("a.tsv", "n\ttext\n1\ttea\n2\tthé\n"),
        ("a.jsonl", '{"text": "tea"}\n{"text": "thé"}\n'),
    ],
)
def test_text_files_may_be_compressed(extension, name, data, write):
    path = write(name + extension, COMPRESS[extension](data.encode()))
    assert texts_of(path) == ["tea", "thé"]


@pytest.mark.parametrize("extension", COMPRESS)
def test_a_damaged_archive_is_an_error_that_names_the_file(extension, write):
    whole = COMPRESS[extension](os.urandom(5000).hex().encode())
    assert "FILE: damaged or cut short" in refusal(write("a.txt" + extension, whole[:-9]))
    assert "FILE: damaged or cut short" in refusal(write("a.txt" + extension, b"not compressed"))


def test_an_error_of_the_disk_is_not_taken_for_damage(write, monkeypatch):
    path = write("a.txt", b"tea\n")
    monkeypatch.setattr(
        "vlawe.cli.inputs.source.CountedReader.readinto", lambda *_: os.read(10**6, 1)
    )
    with pytest.raises(OSError, match="Bad file descriptor"):
        texts_of(path)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "gbk"])
def test_other_encodings_are_recoded(encoding, write):
    data = "text\ncafe noir\n咖啡\n" if encoding == "gbk" else "text\ncafé noir\nthé\n"
    path = write("a.csv", data.encode(encoding))
    assert texts_of(path, encoding=encoding) == data.split("\n")[1:-1]


def test_a_byte_order_mark_is_no_part_of_the_text(write):
    assert texts_of(write("a.txt", "tea\n".encode("utf-8-sig"))) == ["tea"]
    assert texts_of(write("a.csv", "text\ntea\n".encode("utf-8-sig"))) == ["tea"]
    mark = "\ufefftea\n".encode("utf-16-le")
    assert texts_of(write("b.txt", mark), encoding="utf-16-le") == ["tea"]


def test_wrong_bytes_are_an_error_that_names_line_and_byte(write):
    path = write("a.txt", b"tea\ncaf\xe9 noir\n")
    for encoding in ("utf-8", "utf-8-sig"):
        message = refusal(path, encoding=encoding)
        assert message.startswith(f"FILE: line 2, byte 7: 0xe9 is not {encoding}")
        assert "--encoding, such as latin-1" in message
    assert "line 2, byte 8" in refusal(write("a.csv", b"text\ncaf\xc3"))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("n_bytes", [1, 1 << 18])
def test_unicode_encodings_are_found_by_looking(encoding, n_bytes, write, monkeypatch):
    monkeypatch.setattr("vlawe.cli.inputs.text._CHUNK", n_bytes)
    path = write("a.csv", "text,n\ncafé noir 🫖,1\nthé,2\n".encode(encoding))
    assert texts_of(path) == ["café noir 🫖", "thé"]


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252"])
@pytest.mark.parametrize("n_bytes", [1, 1 << 18])
def test_letters_that_are_not_utf_8_are_read_as_western_ones_with_a_warning(
    encoding, n_bytes, write, monkeypatch
):
    monkeypatch.setattr("vlawe.cli.inputs.text._CHUNK", n_bytes)
    texts = ["tea" * 1000, "café à Köln", "thé"]
    path = write("a.txt", "\n".join(texts).encode(encoding))
    with pytest.warns(UserWarning, match=r"a\.txt.*read as windows-1252.*--encoding"):
        assert texts_of(path) == texts


@pytest.mark.parametrize(
    "data", ["thé ".encode() + b"caf\xe9 noir", b"caf\xe9 th\x81", b"\xff\n", b"\0\xe9"]
)
def test_what_is_neither_utf_8_nor_western_letters_is_an_error(data, write):
    assert "is not utf-8" in refusal(write("a.txt", b"tea\n" + data))


def test_wrong_bytes_are_found_far_into_a_file(write):
    line = "thé\n".encode()
    data = line * 700_000 + b"\xff\n"
    assert f"line 700001, byte {5 * 700_000}: 0xff" in refusal(write("a.txt", data))


def test_a_character_cut_by_a_chunk_is_whole_again(write, monkeypatch):
    monkeypatch.setattr("vlawe.cli.inputs.text._CHUNK", 1)
    assert texts_of(write("a.txt", "\ufeff咖啡 thé 🫖\n".encode())) == ["咖啡 thé 🫖"]


def test_the_position_ends_at_the_size(write):
    for name, data in (("a.txt", b"tea\n" * 9), ("a.csv.gz", gzip.compress(b"text\ntea\n"))):
        path = write(name, data)
        with open_input(str(path)) as opened:
            assert opened.position == 0
            list(opened.texts())
            assert opened.position == opened.size == len(data)


# ------------------------------------------------------------------------- reading again


def test_a_file_can_be_read_again(lines, texts):
    with open_input(str(lines)) as opened:
        assert list(opened.texts()) == list(opened.texts()) == texts


def test_standard_input_can_be_read_again_if_it_was_asked_for(type_in):
    type_in(b"tea\nmilk\n")
    with open_input("-") as opened:
        opened.source.keep()
        assert opened.size is None
        assert list(opened.texts()) == list(opened.texts()) == ["tea", "milk"]
        assert opened.size == opened.position == 9


def test_finding_out_the_columns_of_standard_input_does_not_use_it_up(type_in):
    type_in(b'{"text": "tea", "n": 1}\n')
    table = table_of("-", input_format=InputFormat.jsonl)
    assert table.to_pylist() == [{"text": "tea", "n": 1}]
    type_in(b"tea\n")
    with open_input("-") as opened:
        assert opened.schema().names == ["text"]
        assert list(opened.texts()) == ["tea"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_can_be_read_again_if_it_was_asked_for(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"text\ntea\n",))
    writer.start()
    with open_input(str(pipe)) as opened:
        opened.source.keep()
        assert list(opened.texts()) == list(opened.texts()) == ["tea"]
    writer.join()


def test_a_process_without_standard_input_is_told(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(OSError, match="standard input"), Source(None).open():
        pass


# ---------------------------------------------------------------------------------- lines


def test_lines_end_with_either_newline_and_the_last_one_may_lack_it(write):
    assert texts_of(write("a.txt", b"tea\r\nmilk\n\nbread")) == ["tea", "milk", "", "bread"]


def test_empty_lines_are_empty_documents(write):
    assert texts_of(write("a.txt", b"\n\r\n\n")) == ["", "", ""]


@pytest.mark.parametrize("n_bytes", [1, 2, 3, 7, 100])
def test_lines_are_the_same_however_much_is_read_at_a_time(write, monkeypatch, n_bytes):
    monkeypatch.setattr("vlawe.cli.inputs.lines._BYTES", n_bytes)
    path = write("a.txt", "tea\r\n\na long line of tëa\nmilk\r\n\nbread\r".encode())
    assert texts_of(path) == ["tea", "", "a long line of tëa", "milk", "", "bread\r"]


@pytest.mark.parametrize("extension", COMPRESS)
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv"])
def test_a_line_that_would_fill_the_memory_is_refused_before_it_is_read(name, extension, write):
    """4 MB of gzip made a line of a gigabyte, which took four of memory before it failed."""
    compress = COMPRESS[extension]
    begin = {"a.txt": b"", "a.jsonl": b'{"text": "', "a.csv": b"text\n"}[name]
    line = compress(begin) + compress(b"x" * (1 << 20)) * 40
    # Who read on would find the damage.
    assert "has more than 32 MB; cut" in refusal(write(name + extension, line + b"damage"))


def test_lines_up_to_the_largest_are_read_also_in_several_chunks(write, monkeypatch):
    monkeypatch.setattr("vlawe.cli.inputs.text.LARGEST_ROW", 10)
    assert texts_of(write("a.txt", b"0123456789\n" * 3)) == ["0123456789"] * 3
    monkeypatch.setattr("vlawe.cli.inputs.text._CHUNK", 4)
    assert texts_of(write("a.txt", b"0123456789\n" * 3)) == ["0123456789"] * 3
    path = write("a.txt", b"a\nb\n0123456789" + b"x" * 9)
    assert refusal(path).startswith("FILE: line 3 has more than")


def test_members_that_few_lines_have_stand_in_their_lines(write, monkeypatch):
    rows = [{"text": f"t{n}"} | ({f"m{n % 7}": n} if n % 3 else {}) for n in range(50)]
    path = write("a.jsonl", "\n\n".join(map(json.dumps, rows)).encode())
    for n_bytes in (1, 100, 10_000):
        monkeypatch.setattr("vlawe.cli.inputs.jsonlines._BYTES", n_bytes)
        found = table_of(path).to_pylist()
        assert [{k: v for k, v in row.items() if v is not None} for row in found] == rows


def test_only_newlines_end_a_line(write):
    text = "a\rb\x0bc\x0cd\u2028e\x85f\0g"
    assert texts_of(write("a.txt", f"{text}\n".encode())) == [text]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_lines_come_back_as_they_were_written(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes("".join(f"{text}\n" for text in ["first", *texts]).encode())
    assert texts_of(path) == ["first", *texts]


def test_many_batches_make_one_input(write):
    texts = [f"{i} " + "x" * 1000 for i in range(3000)]
    path = write("a.txt", "\n".join(texts).encode())
    with open_input(str(path)) as opened:
        assert len(list(opened.batches())) > 1
    assert texts_of(path) == texts


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv", "a.jsonl", "a.txt.gz"])
def test_an_empty_file_is_an_error(name, write):
    data = gzip.compress(b"") if name.endswith("gz") else b""
    assert refusal(write(name, data)) == "FILE: there are no documents in it"


# ---------------------------------------------------------------------------- CSV and TSV


def test_csv_fields_stay_as_they_are_written(write):
    path = write("a.csv", b'id,text,n\n007,"a ""b"",\nc",1.50\n,,NA\nnull,x,\n')
    assert table_of(path).to_pydict() == {
        "id": ["007", "", "null"],
        "text": ['a "b",\nc', "", "x"],
        "n": ["1.50", "NA", ""],
    }


def test_only_the_text_is_read_unless_all_columns_are_wanted(write):
    with open_input(str(write("a.csv", b"id,text\n1,tea\n"))) as opened:
        assert next(opened.batches()).schema.names == ["text"]
        assert opened.schema().names == ["id", "text"]


def test_tsv_fields_are_separated_by_tabs(write):
    path = write("a.tsv", b'text\tn\ntea, milk\t1\n"a\tb"\t2\n')
    assert texts_of(path) == ["tea, milk", "a\tb"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_the_delimiter_is_found_in_the_header(name, delimiter, write):
    rows = [["id", "text", "a label"], ["1", "tea, milk; bread | butter", "x"], ["2", "a\tb", "y"]]
    data = "\n".join(delimiter.join(f'"{field}"' for field in row) for row in rows)
    expected = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    assert table_of(write(name, data.encode())).to_pydict() == expected
    plain = data.splitlines()[0].replace('"', "") + data[data.index("\n") :]
    assert table_of(write(name, b"\xef\xbb\xbf" + plain.encode())).to_pydict() == expected


def test_the_delimiter_that_makes_the_text_a_column_is_taken(write):
    assert texts_of(write("a.csv", b"a,b,c;text\n1;tea\n")) == ["tea"]
    assert texts_of(write("a.csv", b"body;a,b,c\ntea;1\n"), text_column="body") == ["tea"]
    message = refusal(write("a.csv", b"id;body\n1;tea\n"))
    assert "there is no column 'text'; the columns are 'id', 'body'" in message


@pytest.mark.parametrize(
    ("stated", "meant"), [(";", ";"), ("tab", "\t"), ("\\t", "\t"), ("^", "^")]
)
def test_the_delimiter_can_be_stated(stated, meant, write):
    path = write("a.csv", f"text{meant}a,b\ntea{meant}1\n".encode())
    assert table_of(path, delimiter=stated).to_pydict() == {"text": ["tea"], "a,b": ["1"]}


@pytest.mark.parametrize("stated", ["", ";;", "\n", '"', "é"])
def test_a_delimiter_must_be_one_character(stated, write):
    with pytest.raises(ValueError, match="the delimiter must be one character"):
        open_input(str(write("a.csv", b"text\ntea\n")), delimiter=stated)


def test_only_tables_of_fields_have_a_delimiter(write):
    message = refusal(write("a.txt", b"tea\n"), delimiter=";")
    assert "lines has no delimiter" in message
    assert "--input-format csv" in message


def test_the_line_by_which_spreadsheets_find_a_delimiter_is_no_header(write):
    assert texts_of(write("a.csv", b"sep=^\r\nn^text\r\n1^tea, milk\r\n")) == ["tea, milk"]


def test_a_quote_inside_a_header_does_not_swallow_rows(write):
    assert "header: there is a quote" in refusal(write("a.csv", b'5" wide,text\n1,tea\n2,"milk\n'))


def test_the_text_column_can_be_named(write):
    assert texts_of(write("a.csv", b"text,body\nx,tea\n"), text_column="body") == ["tea"]


def test_a_header_may_hold_anything(write):
    path = write("a.csv", b'\n"te\nxt","a,b",text,\n1,2,tea,4\n')
    assert table_of(path).column_names == ["te\nxt", "a,b", "text", ""]


def test_blank_lines_of_a_csv_file_are_no_rows(write):
    assert texts_of(write("a.csv", b"text,n\n\ntea,1\r\n\r\nmilk,2\n\n")) == ["tea", "milk"]


def test_a_missing_column_is_an_error_that_lists_those_there_are(write):
    message = refusal(write("a.csv", b"id,body\n1,tea\n"))
    assert "FILE: there is no column 'text'; the columns are 'id', 'body'" in message


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_an_error_lists_some_of_the_columns_only(name, write):
    columns = [f"column{number}" for number in range(900)]
    row = ",".join(columns) if name == "a.csv" else json.dumps(dict.fromkeys(columns, 1))
    message = refusal(write(name, f"{row}\n{row}\n".encode()))
    assert "'column0', 'column1'" in message
    assert "'column29', …" in message
    assert len(message) < 700


def test_a_column_twice_is_an_error(write):
    message = refusal(write("a.csv", b"text,n,n\na,1,2\n"))
    assert "the column 'n' stands there twice" in message


@pytest.mark.parametrize(("row", "found"), [(b"milk\n", 1), (b"milk,2,3\n", 3)])
def test_a_row_with_a_wrong_number_of_fields_is_named(row, found, write):
    message = refusal(write("a.csv", b"text,n\ntea,1\n" + row))
    assert message.startswith(f"FILE: row 2: Expected 2 columns, got {found}")


def test_a_row_with_a_wrong_number_of_fields_says_what_may_be_done(write):
    message = refusal(write("a.csv", b"text;n\ntea; milk;1\n"))
    assert "separated by semicolons: state another with --delimiter" in message


def test_rows_are_numbered_beyond_the_first_block(write, monkeypatch):
    monkeypatch.setattr(delimited, "LARGEST_ROW", 1 << 10)
    message = refusal(write("a.csv", b"text,n\n" + b'"tea\n",1\n' * 1000 + b"milk\n"))
    assert "row 1001:" in message


def test_a_quote_that_is_never_closed_is_an_error(write, monkeypatch):
    data = b'text,n\ntea,1\n"milk,2\n' + b"bread,3\n" * 1000
    assert "row 2" in refusal(write("a.csv", data))
    monkeypatch.setattr(delimited, "LARGEST_ROW", 1 << 10)
    assert "is there a quote that is never closed?" in refusal(write("b.csv", data))


def test_a_broken_header_is_an_error(write):
    assert refusal(write("a.csv", b'"text"x,n\ntea,1\n')).startswith("FILE: header: ")


def test_a_header_alone_has_no_documents(write):
    assert refusal(write("a.csv", b"text,n\n")) == "FILE: there are no documents in it"
    assert refusal(write("a.csv", b"text,n")) == "FILE: there are no documents in it"
    assert refusal(write("a.csv", b"text,n\n\n\n")) == "FILE: there are no documents in it"


def test_an_error_while_reading_csv_is_what_it_was(write, monkeypatch):
    path = write("a.csv", b"text\n" + b"tea\n" * 1_000_000)
    message = refusal(write("b.csv", path.read_bytes() + b"\xff"))
    assert "line 1000002" in message
    calls = []

    def interrupted(self, buffer):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return self._file.readinto(buffer)

    monkeypatch.setattr("vlawe.cli.inputs.source.CountedReader.readinto", interrupted)
    with pytest.raises(KeyboardInterrupt):
        texts_of(path)


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]))] * 2),
        min_size=1,
    ),
    st.sampled_from([("a.csv", ","), ("a.tsv", "\t")]),
)
def test_csv_and_tsv_come_back_as_they_were_written(tmp_path_factory, rows, kind):
    name, delimiter = kind
    path = tmp_path_factory.mktemp("csv") / name
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "other"), *rows])
    path.write_bytes(written.getvalue().encode())
    table = table_of(path)
    assert list(zip(table["text"].to_pylist(), table["other"].to_pylist(), strict=True)) == rows


# ------------------------------------------------------------------------------ JSON Lines


def test_json_members_become_columns_of_a_fitting_type(write):
    data = (
        b'{"text": "tea", "n": 1, "tags": ["a"], "at": {"x": 1}}\n'
        b"\n"
        b'{"text": "milk", "n": 2.5, "new": null, "at": {"y": "z"}}\r\n'
        b'{"text": "bread", "new": true, "tags": []}'
    )
    assert table_of(write("a.jsonl", data)).to_pylist() == [
        {"text": "tea", "n": 1.0, "tags": ["a"], "at": {"x": 1, "y": None}, "new": None},
        {"text": "milk", "n": 2.5, "tags": None, "at": {"x": None, "y": "z"}, "new": None},
        {"text": "bread", "n": None, "tags": [], "at": None, "new": True},
    ]


def test_json_columns_are_found_over_the_whole_file(write, monkeypatch):
    monkeypatch.setattr("vlawe.cli.inputs.jsonlines._BYTES", 10)
    rows = [{"text": "a"}, {"text": "b", "n": 1}, {"text": "c", "n": 0.5, "m": "x"}]
    path = write("a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    with open_input(str(path)) as opened:
        batches = list(opened.batches(all_columns=True))
        assert len(batches) == 3
        assert len({batch.schema for batch in batches}) == 1
        assert opened.schema().types == [pa.string(), pa.float64(), pa.string()]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b"tea", "not JSON"),
        (b'{"text": "a"} x', "not JSON"),
        (b"[" * 100_000, "nested more than 100 deep"),
        (b"[" * 101 + b"]" * 101, "nested more than 100 deep"),
        (b"[" * 100 + b"]" * 100, "expected an object {…}, got [[["),
        (b'{"text": "a", "n": ' + b'{"a": [' * 50 + b"]}" * 50 + b"}", "nested more than 100 deep"),
        (b'{"n": ' + b"[" * 99 + b"], [" * 99 + b"]" * 99 + b"}", "there is no 'text'"),
        (b'{"text": "a", "n": ' + b"1" * 5000 + b"}", "not JSON"),
        (b'["tea"]', 'expected an object {…}, got ["tea"]'),
        (b"null", "expected an object"),
        (b'{"body": "a", "n": 1}', "there is no 'text'; the members are 'body', 'n'"),
        (b"{}", "the members are none"),
        (b'{"text": null}', "the text (column 'text') is missing; --skip-missing leaves"),
        (b'{"text": 3}', "'text' must be a string, got 3"),
        (b'{"text": ["' + b"x" * 99 + b'"]}', 'got ["xxx'),
        (b'{"text": "\\ud800"}', "'text' holds half of a surrogate pair"),
    ],
)
def test_a_wrong_json_line_is_named(line, message, write):
    found = refusal(write("a.jsonl", b'{"text": "tea"}\n\n' + line + b"\n"))
    assert found.startswith("FILE: line 3: ")
    assert message in found
    assert len(found) < 250


MEMBERS = {
    "beside the text": '{"text": "a", "k%d": 1}',
    "in an object": '{"text": "a", "k": {"k%d": 1}}',
    "in a list": '{"text": "a", "k": [{"k%d": 1}]}',
}


@pytest.mark.parametrize("line", MEMBERS.values(), ids=MEMBERS.keys())
def test_more_members_than_a_table_can_have_are_refused(line, write):
    """A megabyte of lines with a member of another name each took hours, or all memory."""
    data = "\n".join(line % number for number in range(990)).encode()
    path = write("a.jsonl", data)
    with open_input(str(path)) as opened:
        assert sum(map(len, opened.batches(all_columns=True))) == 990
    path = write("b.jsonl", b"\n".join([data, data.replace(b"k", b"m")]))
    assert texts_of(path) == ["a"] * 1980
    message = refusal(path, all_columns=True)
    assert "more than 1,000 members of different names" in message


@pytest.mark.parametrize("value", [b'"x"', b"[1]", b'{"a": 1}', b"99999999999999999999999"])
def test_json_values_without_a_common_type_are_an_error(value, write, monkeypatch):
    data = b'{"text": "a", "n": 1}\n{"text": "b", "n": ' + value + b"}\n"
    path = write("a.jsonl", data)
    message = refusal(path, all_columns=True)
    assert message.startswith("FILE: lines 1 to 2: values of 'n'")
    assert texts_of(path) == ["a", "b"]
    monkeypatch.setattr("vlawe.cli.inputs.jsonlines._BYTES", 1)
    assert "lines 2 to 2: values of 'n'" in refusal(path, all_columns=True)


@pytest.mark.parametrize("value", [b'"\\udfff"', b'["\\ud800"]', b'{"a": "\\ud800"}'])
def test_half_a_surrogate_pair_in_another_member_is_named(value, write):
    data = b'{"text": "a", "n": null}\n{"text": "b", "n": ' + value + b"}\n"
    message = refusal(write("a.jsonl", data), all_columns=True)
    assert message == "FILE: line 2: 'n' holds half of a surrogate pair"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_json_lines_come_back_as_they_were_written(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    assert texts_of(path) == texts


# --------------------------------------------------------------------------------- Parquet


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_parquet_columns_of_strings_are_read(kind, tmp_path):
    path = tmp_path / "a.parquet"
    texts = pa.array(["tea", "milk", "tea", ""]).cast(kind)
    pq.write_table(pa.table({"n": [1, 2, 3, 4], "text": texts}), path, row_group_size=2)
    assert texts_of(path) == ["tea", "milk", "tea", ""]
    with open_input(str(path)) as opened:
        assert opened.position == 0
        assert sum(len(batch) for batch in opened.batches()) == 4
        assert opened.position == opened.size


def test_parquet_from_standard_input_is_read(type_in, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["tea", "milk"]}), path)
    type_in(path.read_bytes())
    assert texts_of("-", input_format=InputFormat.parquet) == ["tea", "milk"]


def test_a_parquet_text_that_is_null_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["tea", None]}), path)
    assert refusal(path) == (
        "FILE: row 2: the text (column 'text') is missing; --skip-missing leaves such rows out"
    )


def test_a_parquet_column_must_hold_strings(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [1, 2], "words": [["a"], ["b"]]}), path)
    assert "must be of strings, not of int64" in refusal(path)
    assert "must be of strings, not of list" in refusal(path, text_column="words")
    assert "the columns are 'text', 'words'" in refusal(path, text_column="body")


def test_a_parquet_file_without_rows_has_no_documents(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), path)
    assert refusal(path) == "FILE: there are no documents in it"


def test_a_damaged_parquet_file_is_an_error(tmp_path, write):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [os.urandom(99).hex() for _ in range(999)]}), path)
    whole = path.read_bytes()
    for data in (b"", b"tea\n", whole[:-9], whole[:50] + b"\xff" * 9000 + whole[9050:]):
        assert "FILE: not a Parquet file that can be read" in refusal(write("b.parquet", data))


@pytest.mark.parametrize("number", [0, 2000], ids=["near", "far"])
def test_a_parquet_text_that_is_not_utf_8_is_an_error(number, tmp_path):
    """Arrow takes any bytes for strings, and Python finds out when it reads one."""
    texts = [b"tea"] * 2001
    texts[number] = b"t\xff"
    table = pa.table({"text": pa.array(texts, pa.binary()).view(pa.string())})
    pq.write_table(table, tmp_path / "a.parquet")
    assert "not a Parquet file that can be read" in refusal(tmp_path / "a.parquet")


def test_an_error_of_the_disk_is_not_taken_for_a_damaged_parquet_file(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["tea"]}), path)

    def fail(*_, **__):
        os.read(10**6, 1)

    monkeypatch.setattr("pyarrow.parquet.ParquetFile", fail)
    with pytest.raises(OSError, match="Bad file descriptor"):
        texts_of(path)


def test_compressed_parquet_is_refused(write):
    path = write("a.parquet.gz", gzip.compress(b"PAR1"))
    assert "unpack it first" in refusal(path)


# ---------------------------------------------------------------------------- what is missing


@pytest.mark.parametrize(
    ("name", "data", "n_skipped"),
    [
        ("a.txt", b"tea\n\n \nmilk\n", 2),
        ("a.csv", b"n,text\n1,tea\n2,\n3,milk\n", 1),
        (
            "a.jsonl",
            b'{"text": "tea"}\n{"text": null}\n{"n": 1}\n{"text": ""}\n{"text": "milk"}',
            3,
        ),
    ],
)
def test_rows_without_a_text_can_be_left_out_and_are_counted(name, data, n_skipped, write):
    with open_input(str(write(name, data)), skip_missing=True) as opened:
        assert list(opened.texts()) == ["tea", "milk"]
        assert opened.n_skipped == n_skipped
        assert opened.n_rows == n_skipped + 2
        assert opened.sample == ["tea", "milk"]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
)
def test_parquet_rows_without_a_text_can_be_left_out(kind, tmp_path):
    path = tmp_path / "a.parquet"
    texts = pa.array(["tea", None, "", "milk"]).cast(kind)
    pq.write_table(pa.table({"text": texts, "n": [1, 2, 3, 4]}), path)
    assert table_of(path, skip_missing=True).column("n").to_pylist() == [1, 4]


def test_a_file_in_which_every_text_is_missing_is_an_error(write):
    path = write("a.jsonl", b'{"body": "tea"}\n{"body": "milk"}\n')
    message = refusal(path, skip_missing=True)
    assert (
        message == "FILE: none of its 2 rows has a text ('text'); name its column (--text-column)"
    )
