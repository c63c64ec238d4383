import json

from vlawe import VLAWE


def test_codewords_are_shown_by_their_words_the_largest_first(model, run):
    ended = run("codebook", model, "-n", "4")
    assert ended.code == 0
    codebook = VLAWE.load(model).codebook_
    names = codebook.nearest_words(VLAWE.load(model).vectors_, 4)
    largest = int(codebook.counts.argmax())
    first = ended.out.splitlines()[3].split()
    assert first[0] == str(largest)
    assert first[3:] == names[largest]
    assert ended.out.count("%") == 3


def test_json_has_counts_shares_and_words(model, run):
    ended = run("codebook", model, "-n", "2", "--json")
    codewords = json.loads(ended.out)
    assert [len(codeword["words"]) for codeword in codewords] == [2, 2, 2]
    counts = VLAWE.load(model).codebook_.counts
    assert {codeword["codeword"]: codeword["count"] for codeword in codewords} == dict(
        enumerate(counts.tolist())
    )
    assert abs(sum(codeword["share"] for codeword in codewords) - 1) < 1e-4
    shares = [codeword["share"] for codeword in codewords]
    assert shares == sorted(shares, reverse=True)


def test_a_model_without_a_codebook_is_told(lines, tmp_path, run):
    folder = tmp_path / "mean"
    assert run("fit", lines, "-o", folder, "--method", "mean").code == 0
    ended = run("codebook", folder)
    assert ended.code == 1
    assert "a MeanVector has no codebook" in ended.err


def test_what_is_no_model_is_told(tmp_path, run):
    for folder in (tmp_path, tmp_path / "none"):
        ended = run("codebook", folder)
        assert ended.code == 1
        assert "model folder" in ended.err
