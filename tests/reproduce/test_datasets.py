import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from dataclasses import replace

import pytest

from small_archives import SENTENCES, small_mr, small_reuters, story, tarred, zipped
from vlawe.reproduce.datasets import (
    DATASETS,
    PAIRS,
    DataError,
    Dataset,
    data_folder,
    load,
    load_pairs,
)
from vlawe.reproduce.datasets.archives import read_tar, read_zip
from vlawe.reproduce.datasets.catalog import find_dataset
from vlawe.reproduce.datasets.loading import load_entry
from vlawe.reproduce.datasets.reuters import modapte, read_stories
from vlawe.reproduce.datasets.verification import verify

# ------------------------------------------------------------------------- the real data sets


@pytest.mark.parametrize("name", DATASETS)
def test_the_documents_are_those_of_the_catalog(name, dataset):
    read = dataset(name)
    assert read.sha256 == DATASETS[name].documents_sha256
    assert len(read) == len(read.texts) == len(read.labels)
    assert all(text.strip() for text in read.texts)
    assert read.metric == ("micro-F1" if name == "Reuters" else "accuracy")
    assert read.multilabel == (name == "Reuters")


def test_mr_has_as_many_of_each_polarity(dataset):
    mr = dataset("MR")
    assert Counter(mr.labels) == {"neg": 5331, "pos": 5331}
    assert mr.texts[0].startswith("simplistic , silly and tedious")
    assert mr.n_train is None


def test_subj_is_read_as_utf8(dataset):
    subj = dataset("Subj")
    assert Counter(subj.labels) == {"plot": 5000, "quote": 5000}
    words = {word for text in subj.texts for word in text.split()}
    assert {"cliché", "pokémon", "molière"} <= words
    assert not any("Ã" in word for word in words)


def test_rt2k_has_a_review_a_file(dataset):
    rt2k = dataset("RT-2k")
    assert Counter(rt2k.labels) == {"neg": 1000, "pos": 1000}
    assert rt2k.texts[0].startswith("plot : two teen couples go to a church party")


def test_trec_has_its_own_split_and_coarse_labels(dataset):
    trec = dataset("TREC")
    assert (trec.n_train, len(trec) - trec.n_train) == (5452, 500)
    assert trec.classes == ["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"]
    assert trec.texts[0] == "How did serfdom develop in and then leave Russia ?"
    assert trec.texts[5452] == "How far is it from Denver to Aspen ?"
    assert trec.labels[5452] == "NUM"


def test_reuters_is_modapte_with_ninety_topics(dataset):
    reuters = dataset("Reuters")
    assert (reuters.n_train, len(reuters) - reuters.n_train) == (7770, 3019)
    train, test = reuters.labels[: reuters.n_train], reuters.labels[reuters.n_train :]
    topics = [{topic for own in half for topic in own} for half in (train, test)]
    assert topics[0] == topics[1] == set(reuters.classes)
    assert len(topics[0]) == 90
    assert all(len(set(own)) == len(own) > 0 for own in reuters.labels)
    # The numbers of documents of the most frequent topics, as the literature has them.
    counts = [Counter(topic for own in half for topic in own) for half in (train, test)]
    assert [count["earn"] for count in counts] == [2877, 1087]
    assert [count["acq"] for count in counts] == [1650, 719]
    assert reuters.texts[0].startswith("BAHIA COCOA REVIEW\nShowers continued")


@pytest.mark.parametrize("name", DATASETS)
def test_the_copies_at_hand_verify(name, archive):
    found = verify(DATASETS[name], archive(name).parent)
    assert found.good, found.problem


# ----------------------------------------------------------------------------------- the catalog


def test_the_catalog_is_in_the_order_of_the_paper_and_complete():
    assert list(DATASETS) == ["Reuters", "RT-2k", "MR", "TREC", "Subj"]
    for name, info in DATASETS.items():
        assert info.name == name
        assert len(info.sha256) == len(info.documents_sha256) == 64
        assert all(address.startswith(("https://", "http://")) for address in info.addresses)
        assert all(address.endswith("/" + info.archive) for address in info.addresses)
        assert info.licence
        assert info.citation
        assert info.has_split == (name in ("Reuters", "TREC"))
    assert "7,768" in DATASETS["Reuters"].note


@pytest.mark.parametrize(
    ("typed", "name"),
    [("mr", "MR"), ("rt2k", "RT-2k"), ("RT_2K", "RT-2k"), ("Reuters-21578", "Reuters"),
     ("subjectivity", "Subj"), ("trec", "TREC")],
)  # fmt: skip
def test_names_are_forgiving(typed, name):
    assert find_dataset(typed) is DATASETS[name]


@pytest.mark.parametrize("typed", ["", "IMDB", "M", "-"])
def test_other_names_are_errors_that_list_the_known_ones(typed):
    with pytest.raises(DataError, match="there are Reuters, RT-2k, MR, TREC, Subj"):
        load(typed)


def test_a_near_miss_is_suggested():
    with pytest.raises(DataError, match="did you mean Reuters"):
        load("Reuter")


# ------------------------------------------------------------------------------------ the folder


def test_the_folder_is_the_argument_then_the_variable_then_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("VLAWE_DATA", str(tmp_path / "named"))
    assert data_folder(tmp_path) == tmp_path
    assert data_folder() == tmp_path / "named"
    monkeypatch.setenv("VLAWE_DATA", "")
    for system, variable in (("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")):
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setenv(variable, str(tmp_path / "cache"))
        assert data_folder() == tmp_path / "cache" / "vlawe" / "datasets"
        monkeypatch.setenv(variable, "relative")
        assert data_folder().is_absolute()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_folder().parts[-4:] == ("Library", "Caches", "vlawe", "datasets")


def test_a_missing_archive_says_where_it_should_be_and_how_to_get_it(tmp_path):
    with pytest.raises(DataError) as caught:
        load("MR", tmp_path)
    for part in ("sentence_polarity.zip", str(tmp_path), "`vlawe datasets download MR`"):
        assert part in str(caught.value)


def test_a_folder_with_the_name_of_the_archive_is_a_missing_archive(tmp_path):
    (tmp_path / "qc.zip").mkdir()
    with pytest.raises(DataError, match=r"no file qc\.zip"):
        load("TREC", tmp_path)


# -------------------------------------------------------------------------- what archives may be


def test_lines_are_documents_and_control_characters_do_not_split_them(tmp_path):
    dataset = load_entry(small_mr(tmp_path), tmp_path)
    assert dataset.texts[1] == "not a cliché\x96 two . "
    assert dataset.labels == ["neg", "neg", "pos", "pos"]
    assert dataset.classes == ["neg", "pos"]


def test_other_counts_are_errors_with_both_numbers(tmp_path):
    small_mr(tmp_path)
    with pytest.raises(DataError, match=r"sentence_polarity.zip: 4 documents of MR, .* 10,662"):
        load("MR", tmp_path)
    zipped({"qc/train.txt": "HUM:ind Who ?\n" * 5451, "qc/test.txt": "NUM:a How ?\n" * 501},
           tmp_path / "qc.zip")  # fmt: skip
    with pytest.raises(DataError, match="5,451 training documents of TREC, expected 5,452"):
        load("TREC", tmp_path)
    zipped({"qc/train.txt": "HUM:ind Who ?\n" * 5452, "qc/test.txt": "NUM:a How ?\n" * 500},
           tmp_path / "qc.zip")  # fmt: skip
    with pytest.raises(DataError, match="2 labels of TREC, expected 6"):
        load("TREC", tmp_path)


def test_a_missing_member_is_named(tmp_path):
    zipped({"sentence_polarity/rt-polarity.neg": "x\n"}, tmp_path / "sentence_polarity.zip")
    with pytest.raises(DataError, match=r"has no file sentence_polarity/rt-polarity\.pos"):
        load("MR", tmp_path)
    tarred({"reut2-000.sgm": b"x"}, tmp_path / "reuters21578.tar.gz")
    with pytest.raises(DataError, match=r"1 files reut2-\*\.sgm, expected 22"):
        load("Reuters", tmp_path)


@pytest.mark.parametrize("keep", [0, 1, 10, 100, -1, -30])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_truncated_archives_are_errors(tmp_path, kind, keep):
    if kind == "zip":
        small_mr(tmp_path)
        name, path = "MR", tmp_path / "sentence_polarity.zip"
    else:
        stories = [story("TRAIN", "earn", body=os.urandom(500).hex()) for _ in range(20)]
        name, path = "Reuters", small_reuters(tmp_path, stories)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match="damaged, or is none"):
        load(name, tmp_path)


@pytest.mark.parametrize("name", ["MR", "Reuters"])
def test_no_flipped_bit_changes_a_document(tmp_path, name):
    if name == "MR":
        info = small_mr(tmp_path)
    else:
        stories = [story("TRAIN", "earn"), story("TEST", "earn")]
        info = replace(DATASETS[name], n_documents=2, n_train=1, n_classes=1)
        small_reuters(tmp_path, stories)
    path = tmp_path / info.archive
    data, documents = path.read_bytes(), load_entry(info, tmp_path).sha256
    n_errors = 0
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        try:
            assert load_entry(info, tmp_path).sha256 == documents  # a date, say
        except DataError:
            n_errors += 1
    assert n_errors > len(data) / 6


def test_text_in_another_encoding_is_an_error(tmp_path):
    members = {name: text.encode("latin-1") for name, text in SENTENCES.items()}
    zipped(members, tmp_path / "sentence_polarity.zip")
    with pytest.raises(DataError, match=r"rt-polarity\.neg: byte \d+ is not utf-8"):
        load("MR", tmp_path)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("vlawe.reproduce.datasets.archives.MAX_BYTES", 1000)
    members = {"x/1.txt": b"0" * 600, "x/2.txt": b"0" * 600}
    path = tmp_path / "bomb"
    with pytest.raises(DataError, match="unpacks to more than 1,000 bytes"):
        if kind == "zip":
            read_zip(zipped(members, path), "x/*.txt")
        else:
            read_tar(tarred(members, path), "x/*.txt")


def test_reading_writes_nothing_whatever_members_are_called(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    stories = [story("TRAIN", "earn"), story("TEST", "earn")]
    path = small_reuters(inside, stories)
    outside = tmp_path / "outside"
    outside.write_text("secret")
    with tarfile.open(path) as good, tarfile.open(inside / "hostile", "w:gz") as hostile:
        for info in good:
            hostile.addfile(info, good.extractfile(info))
        hostile.addfile(tarfile.TarInfo("../escaped.sgm"))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            link = tarfile.TarInfo(f"x{kind.decode()}/reut2-000.sgm")
            link.type, link.linkname = kind, str(outside)
            hostile.addfile(link)
    (inside / "hostile").replace(path)
    bad_zip = zipped({**SENTENCES, "../escaped": "x", "/escaped": "x"}, inside / "z.zip")

    before = sorted(tmp_path.rglob("*"))
    read = read_stories(path)  # links, and files of other names, are passed over
    assert [one.topics for one in read] == [("earn",), ("earn",)]
    assert list(read_zip(bad_zip, "sentence_polarity/rt-polarity.*")) == list(SENTENCES)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_encrypted_zip_is_an_error(tmp_path):
    path = zipped(SENTENCES, tmp_path / "sentence_polarity.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        offset = archive.start_dir
    data[6] |= 1
    data[offset + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="encrypted"):
        load("MR", tmp_path)


# --------------------------------------------------------------------------------------- Reuters


def test_modapte_keeps_marked_stories_and_shared_topics(tmp_path):
    path = small_reuters(
        tmp_path,
        [
            story("TRAIN", "earn", "gold", title="A &lt;X>", body="one &amp; two"),
            story("TRAIN", "gold"),  # no test document has its topic
            story("TRAIN", "earn", marked="NO"),
            story("TRAIN"),
            story("TEST", "earn", "earn", "tin"),
            story("NOT-USED", "earn"),
        ],
    )
    stories = read_stories(path)
    assert [one.split for one in stories] == ["train", "train", "", "train", "test", ""]
    train, test = modapte(stories)
    assert [(one.text, one.topics) for one in train] == [("A <X>\none & two", ("earn",))]
    assert [one.topics for one in test] == [("earn",)]


def test_a_story_without_structure_is_its_whole_text(tmp_path):
    unstructured = (
        '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN">\n<TOPICS><D>earn</D></TOPICS>\n'
        '<TEXT TYPE="UNPROC">all of &lt;it></TEXT>\n</REUTERS>\n'
        '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN">\nno text\n</REUTERS>\n'
    )
    first, second = read_stories(small_reuters(tmp_path, [unstructured]))
    assert first.text.strip() == "all of <it>"
    assert (second.text, second.topics) == ("", ())


# ---------------------------------------------------------------------------------- verification


def test_the_checksum_of_documents_sees_texts_labels_and_order():
    def checksum(texts, labels):
        return Dataset("MR", texts, labels, None, "accuracy").sha256

    seen = {
        checksum(["a", "b"], ["x", "y"]),
        checksum(["b", "a"], ["x", "y"]),
        checksum(["a", "b"], ["y", "x"]),
        checksum(["a", "b"], [("x", "y"), ("y",)]),
        checksum(["a", "b "], ["x", "y"]),
    }
    assert len(seen) == 5
    assert checksum(["a"], ["x"]) == checksum(["a"], [("x",)])


def test_an_archive_packed_anew_verifies_by_its_documents(tmp_path):
    info = small_mr(tmp_path)
    assert verify(info, tmp_path).as_distributed
    zipped({**SENTENCES, "README": "new"}, tmp_path / info.archive)
    found = verify(info, tmp_path)
    assert found.good
    assert not found.as_distributed


def test_other_documents_do_not_verify(tmp_path):
    info = small_mr(tmp_path)
    changed = {name: text.replace("film", "book") for name, text in SENTENCES.items()}
    zipped(changed, tmp_path / info.archive)
    found = verify(info, tmp_path)
    assert "not those expected" in found.problem
    assert "4 documents of MR, expected 5" in verify(replace(info, n_documents=5), tmp_path).problem
    (tmp_path / info.archive).unlink()
    found = verify(info, tmp_path)
    assert (found.sha256, found.good) == (None, False)


# ---------------------------------------------------------------------------------------- import


def test_importing_the_data_sets_is_cheap():
    code = "import vlawe.reproduce.datasets, sys, json; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "rich", "typer", "urllib.request"} & set(json.loads(done.stdout))


# --------------------------------------------------------------------------- pairs of sentences


def test_pairs_are_read_as_they_were_when_the_catalog_was_written(sts_dev):
    info = PAIRS["STS-dev"]
    assert (sts_dev.sha256, len(sts_dev)) == (info.documents_sha256, info.n_documents)
    first = (sts_dev.judgements[0], sts_dev.first[0], sts_dev.second[0])
    assert first == (
        5.0,
        "A man with a hard hat is dancing.",
        "A man wearing a hard hat is dancing.",
    )
    assert info.licence
    assert info.citation
    assert all(address.startswith("https://") for address in info.addresses)


@pytest.mark.parametrize(
    "line", ["a\tb\tc\td\t6\tx\ty", "a\tb\tc\td\tnan\tx\ty", "a\tb\tc\td\t2\tx"]
)
def test_a_line_that_is_no_judged_pair_is_told_of(line, tmp_path):
    good = 'a\tb\tc\td\t2.5\t"x\ty"\tmore\n'
    (tmp_path / "sts-dev.tsv").write_text(good + line + "\n")
    with pytest.raises(DataError, match="line 2 has no judgement from 0 to 5 and two"):
        load_pairs(folder=tmp_path)
    (tmp_path / "sts-dev.tsv").write_text(good)
    with pytest.raises(DataError, match="1 pairs of STS-dev, expected 1,500"):
        load_pairs(folder=tmp_path)


def test_pairs_that_are_missing_or_no_utf8_are_told_of(tmp_path):
    with pytest.raises(DataError, match="`vlawe datasets download STS-dev` gets it"):
        load_pairs("sts dev", tmp_path)
    (tmp_path / "sts-dev.tsv").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="byte 3 is not UTF-8"):
        load_pairs(folder=tmp_path)


def test_pairs_are_no_documents_with_labels():
    with pytest.raises(DataError, match="no data set is called 'STS-dev'"):
        load("STS-dev")
