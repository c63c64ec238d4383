import bz2
import gzip
import io
import lzma
import os
import pickle
import random
import threading
import tracemalloc
import zipfile

import pytest

from vlawe import WordVectors
from vlawe.vectors.compression import ByteStream
from vlawe.vectors.errors import VectorFormatError

TEXT = random.Random(0).randbytes(30_000) + b"the 0.1 0.2\n" * 10_000


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "gzip of two parts": gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:]),
    "bzip2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zip": zipped({"vectors.txt": TEXT}),
    "zip, stored": zipped({"vectors.txt": TEXT}, zipfile.ZIP_STORED),
}
ARCHIVES = {name: packed for name, packed in PACKED.items() if name != "plain"}


@pytest.fixture
def store(tmp_path):
    def store(content: bytes, name: str = "vectors.dat"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return store


def read_all(path, member=None, size=1000) -> bytes:
    with ByteStream(path, member) as stream:
        return b"".join(iter(lambda: stream.read(size), b""))


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("suffix", [".txt", ".gz", ".zip"])
def test_the_compression_is_found_in_the_bytes_whatever_the_name(store, name, suffix):
    assert read_all(store(PACKED[name], "vectors" + suffix), size=7777) == TEXT


@pytest.mark.parametrize("name", PACKED)
def test_the_progress_runs_from_nothing_to_the_stored_size(store, name):
    with ByteStream(str(store(PACKED[name]))) as stream:
        assert stream.raw_size == len(PACKED[name])
        positions = []
        while stream.read(10_000):
            positions.append(stream.raw_position)
    assert positions == sorted(positions)
    assert 0 < positions[0] <= positions[-1] <= stream.raw_size
    assert positions[-1] > 0.9 * stream.raw_size
    if name != "bzip2":  # whose blocks are too large for this test
        assert positions[0] < 0.9 * stream.raw_size


@pytest.mark.parametrize("name", PACKED)
def test_peeking_does_not_move_on(store, name):
    with ByteStream(store(PACKED[name])) as stream:
        assert stream.peek(10) == TEXT[:10]
        assert stream.peek(5000) == TEXT[:5000]
        assert stream.peek(10) == TEXT[:10]
        assert stream.read(3) == TEXT[:3]
        assert stream.peek(4) == TEXT[3:7]
        assert stream.read(10**7) == TEXT[3:]
        assert stream.peek(4) == stream.read(4) == b""


@pytest.mark.parametrize("word", [b"BZh", b"BZh9", b"PK", b"7z", b"\x1f"])
def test_a_word_that_resembles_a_magic_number_is_no_archive(store, word):
    assert read_all(store(word + b" 0.1\n")) == word + b" 0.1\n"


def test_a_file_shorter_than_any_magic_number_is_plain(store):
    assert read_all(store(b"B")) == b"B"
    assert read_all(store(b"")) == b""


def test_an_empty_bzip2_file_is_empty(store):
    assert read_all(store(bz2.compress(b""))) == b""


def test_folders_and_the_litter_of_macos_are_not_counted_as_members(store):
    path = store(zipped({"a/": b"", "a/vectors.txt": TEXT, "__MACOSX/a/._vectors.txt": b"x"}))
    assert read_all(path) == TEXT


def test_a_zip_with_several_members_needs_a_name_and_lists_them(store):
    path = store(zipped({"glove.50d.txt": b"fifty", "glove.100d.txt": b"hundred"}))
    assert read_all(path, member="glove.100d.txt") == b"hundred"
    with pytest.raises(VectorFormatError, match=r"'glove.50d.txt', 'glove.100d.txt'; member= must"):
        ByteStream(path)
    with pytest.raises(VectorFormatError, match=r"'glove.50d.txt', .* no single 'glove.200d.txt'"):
        ByteStream(path, member="glove.200d.txt")


def test_a_long_list_of_members_is_cut(store):
    path = store(zipped({f"{i}.txt": b"" for i in range(25)}))
    with pytest.raises(VectorFormatError, match=r"'19\.txt' and 5 more; member="):
        ByteStream(path)


def test_a_zip_without_files_says_so(store):
    with pytest.raises(VectorFormatError, match="holds no files"):
        ByteStream(store(zipped({})))


def test_a_member_of_what_is_no_zip_is_an_error(store):
    with pytest.raises(VectorFormatError, match="member='a' was given, but this is not a zip"):
        ByteStream(store(PACKED["gzip"]), member="a")


def test_an_encrypted_zip_says_so(store):
    packed = bytearray(zipped({"vectors.txt": TEXT}))
    packed[packed.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    with pytest.raises(VectorFormatError, match=r"'vectors.txt' of the zip archive is encrypted"):
        ByteStream(store(bytes(packed)))


def test_an_unknown_method_of_compression_is_an_error(store):
    packed = bytearray(zipped({"vectors.txt": TEXT}))
    packed[packed.index(b"PK\x01\x02") + 10] = 99
    with pytest.raises(VectorFormatError, match="damaged or cut short"):
        read_all(store(bytes(packed)))


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("fraction", [0.3, 0.9, 0.999])
def test_an_archive_cut_short_is_an_error_that_names_the_file(store, name, fraction):
    packed = ARCHIVES[name]
    path = store(packed[: int(len(packed) * fraction)])
    with pytest.raises(VectorFormatError, match=r"byte [0-9]+ of the compressed file") as caught:
        read_all(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("name", ARCHIVES)
def test_damaged_bytes_in_an_archive_raise_nothing_but_our_error(store, name):
    chance = random.Random(1)
    small = {"gzip of two parts": gzip.compress(b"the 0.1\n") * 2, "gzip": gzip.compress(b"a 1\n"),
             "bzip2": bz2.compress(b"a 1\n"), "xz": lzma.compress(b"a 1\n"),
             "zip": zipped({"a": b"a 1\n" * 9}),
             "zip, stored": zipped({"é": b"a 1\n"}, zipfile.ZIP_STORED)}[name]  # fmt: skip
    n_errors = 0
    for _ in range(400):
        packed = bytearray(small)
        for _ in range(chance.randint(1, 3)):
            packed[chance.randrange(len(packed))] = chance.randrange(256)
        try:
            read_all(store(bytes(packed)))
        except VectorFormatError:
            n_errors += 1
    assert n_errors > 50


def test_errors_of_the_disk_are_passed_on(store, monkeypatch):
    with ByteStream(store(PACKED["gzip"])) as stream:

        def fail(_):
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(stream._source, "read", fail)
        with pytest.raises(OSError, match="Input/output error") as caught:
            stream.read(10)
    assert not isinstance(caught.value, VectorFormatError)


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        ByteStream(tmp_path / "absent.txt")


def test_a_folder_is_an_error_that_says_so(tmp_path):
    with pytest.raises(IsADirectoryError, match="a folder, not a file of word vectors"):
        ByteStream(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_can_be_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(PACKED["gzip"]))
    writer.start()
    with ByteStream(path) as stream:
        assert stream.raw_size is None
        assert stream.read(10**7) == TEXT
        assert stream.raw_position == 0
    writer.join()


def test_the_error_survives_pickling():
    error = pickle.loads(pickle.dumps(VectorFormatError("a.txt", "line 3", "no word")))
    assert str(error) == "a.txt: line 3: no word"
    assert (error.path, error.where, error.message) == ("a.txt", "line 3", "no word")


def test_a_member_without_a_name_is_read_like_any_other(store):
    packed = zipped({"X": TEXT}, zipfile.ZIP_DEFLATED)
    assert packed.count(b"X", 0, 40) == 1
    nameless = packed.replace(b"X", b"\0", 1)
    directory = nameless.index(b"PK\x01\x02")
    nameless = nameless[:directory] + nameless[directory:].replace(b"X", b"\0", 1)
    assert read_all(store(nameless)) == TEXT


# ------------------------------------------------------------------- files made to fill the memory

_ZEROS = b"w" + b" 0" * 4 + b"\n"


def _bomb(path, pack, size=24 << 20):
    path.write_bytes(pack(_ZEROS * (size // len(_ZEROS))))
    return path


def _zipped(content: bytes) -> bytes:
    return zipped({"vectors.txt": content})


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, _zipped])
def test_an_archive_that_grows_as_no_table_does_is_refused_before_it_is_in_memory(tmp_path, pack):
    path = _bomb(tmp_path / "bomb", pack)
    message = r"grows to more than 100 times its size.*unpack it yourself"
    read = 0
    with ByteStream(path) as stream, pytest.raises(VectorFormatError, match=message):
        while part := stream.read(1 << 20):
            read += len(part)
    assert read <= 1 << 24


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, _zipped])
def test_a_line_of_millions_of_fields_is_refused_before_it_is_split(tmp_path, pack):
    path = tmp_path / "bomb"
    path.write_bytes(pack(b"w" + b" 0" * (8 << 20)))
    tracemalloc.start()
    with pytest.raises(VectorFormatError):
        WordVectors.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20  # the fields alone would have 300 MB


def test_a_real_table_that_shrinks_well_is_read(tmp_path):
    lines = "".join(f"word{i} {i % 7}.25 0 0 -1\n" for i in range(50_000))
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    assert len(WordVectors.load(path)) == 50_000
