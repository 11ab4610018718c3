"""Counts of buckets of terms merge to the counts of all terms and give the best terms."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts

WORDS = [*(f"w{i}" for i in range(60)), "a_word_of_more_than_16_bytes", "naïve", "的话", "x\0y"]
RULES: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "stop_words": ["w0", "w1", "naïve"]},
    {"ngram_range": (1, 3), "min_df": 2},
    {"analyzer": "char", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (3, 3), "strip_accents": "unicode"},
    {"binary": True, "lowercase": False},
]

pytestmark = pytest.mark.filterwarnings(
    "ignore:(.* texts are empty|the label of the first document)"
)


def collection(seed: int, n_docs: int = 120) -> tuple[list[str], list[str]]:
    random = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(WORDS) + 1)
    lengths = random.integers(0, 25, n_docs)
    texts = [" ".join(random.choice(WORDS, n, p=share / share.sum())) for n in lengths]
    return texts, random.choice(["ham", "news", "spam"], n_docs).tolist()


def parts_of(texts: Any, y: Any, n: int, **rules: Any) -> list[ts.ClassCounts]:
    return [ts.count_texts(texts, y, buckets=(n, [i]), **rules) for i in range(n)]


def variants() -> list[tuple[str, dict[str, Any]]]:
    """Return every method with each of its models and options."""
    found: list[tuple[str, dict[str, Any]]] = []
    for method in ts.methods():
        found += [(method.name, {"model": model}) for model in method.models if model != "binary"]
        for name, values in method.options.items():
            found += [(method.name, {name: value}) for value in values]
        found.append((method.name, {}))
        if method.default_aggregate is not None:
            found += [(method.name, {"aggregate": how}) for how in ("sum", "mean", "max")]
    return found


@pytest.mark.parametrize("n", [1, 3, 7])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_parts_merge_to_the_whole(rules: dict[str, Any], n: int, tmp_path: Path) -> None:
    texts, y = collection(0)
    whole = ts.count_texts(texts, y, **rules)
    parts = parts_of(texts, y, n, **rules)
    assert sum(part.n_terms for part in parts) == whole.n_terms
    assert ts.merge(parts) == whole
    completed = [part.within(parts) for part in parts]
    total = completed[-1]
    for number, part in enumerate(completed[:-1]):
        assert part.class_tokens.tolist() == whole.class_tokens.tolist()
        part.save(tmp_path / f"{number}.termsift")
        loaded = ts.load(tmp_path / f"{number}.termsift")
        assert loaded == part == pickle.loads(pickle.dumps(part))
        total += loaded
    assert total == whole
    assert total.buckets is None
    assert total._state.rules == whole._state.rules


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_scores_and_significance_of_parts_are_those_of_the_whole(rules: dict[str, Any]) -> None:
    texts, y = collection(1)
    whole = ts.count_texts(texts, y, **rules)
    for n in (1, 3, 7):
        parts = parts_of(texts, y, n, **rules)
        for part in parts:
            names = whole.term_names.tolist()
            columns = [names.index(term) for term in part.term_names]
            within = part.within(iter(parts))
            for method, options in variants():
                scores = within.score(method, **options)
                expected = whole.score(method, **options)[columns]
                assert scores.tobytes() == expected.tobytes(), (method, options)
                options.pop("aggregate", None)
                of_classes = within.class_scores(method, **options)
                assert (of_classes == whole.class_scores(method, **options)[:, columns]).all()
            for method in (method.name for method in ts.methods() if method.is_test):
                for per_class in (False, True):
                    found = within.significance(method, per_class=per_class)
                    expected = whole.significance(method, per_class=per_class)
                    assert (found.statistics == expected.statistics[..., columns]).all()
                    assert (found.log_pvalues == expected.log_pvalues[..., columns]).all()
                    assert (found.signs == expected.signs[..., columns]).all()


@pytest.mark.parametrize("method", ["g2", "md", "log_odds", "key"])
def test_rankings_of_parts_merge_to_that_of_the_whole(method: Any) -> None:
    texts, y = collection(2)
    parts = parts_of(texts, y, 3, ngram_range=(1, 2))
    within = [part.within(parts) for part in parts]
    whole = ts.count_texts(texts, y, ngram_range=(1, 2))

    def best(rankings: list[Any], k: int) -> list[tuple[str, float]]:
        pairs = itertools.chain.from_iterable(rankings)
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:k]

    if method != "key":
        assert best([part.rank(method, 40) for part in within], 40) == list(whole.rank(method, 40))
    of_parts = [ts.distinctive_terms(part, method, 40) for part in within]
    for label, ranking in ts.distinctive_terms(whole, method, 40).items():
        assert best([found[label] for found in of_parts], 40) == list(ranking)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=30), st.data())
def test_shards_of_a_part_add_up(documents: list[list[str]], data: Any) -> None:
    texts = [" ".join(words) for words in documents]
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(texts), max_size=len(texts)))
    cut = data.draw(st.integers(0, len(texts)))
    rules = {"ngram_range": (1, 2), "buckets": (3, data.draw(st.sampled_from([[0], [1, 2]])))}
    shards = [
        ts.count_texts(texts[s], y[s], n_threads=2, **rules)
        for s in (slice(0, cut), slice(cut, None))
    ]
    whole = ts.count_texts(texts, y, **rules)
    assert ts.merge(shards) == ts.merge(shards[::-1]) == whole


@pytest.mark.parametrize("pieces", [1, 3])
def test_ngrams_cross_the_pieces_of_a_long_document(pieces: int) -> None:
    # The core splits a document of more than 64 KiB into pieces. N-grams across two pieces count.
    text = " ".join(f"{word} t{i}" for i in range(3000) for word in WORDS[:20])
    texts, y = [text, "short text"] * pieces, ["ham", "spam"] * pieces
    whole = ts.count_texts(texts, y, ngram_range=(2, 3))
    assert ts.merge(parts_of(texts, y, 2, ngram_range=(2, 3))) == whole


@pytest.mark.parametrize("by", ["indicator", "table", "files", "binary"])
def test_other_ways_of_counting(by: str, tmp_path: Path) -> None:
    texts, y = collection(3)
    options: dict[str, Any] = {}
    if by == "indicator":
        y = np.random.default_rng(0).integers(0, 2, (len(texts), 3))
    if by == "binary":
        options["tf"] = "binary"
    if by == "files":
        path = tmp_path / "texts.csv"
        texts = [text.replace("\0", "") for text in texts]
        path.write_text("\n".join(["label,text", *map(",".join, zip(y, texts, strict=True))]))
        parts = [ts.count(ts.scan(path, buckets=(3, [i]))) for i in range(3)]
        assert ts.merge(parts) == ts.count(ts.scan(path))
        return
    parts = parts_of(texts, y, 3, **options)
    whole = ts.count_texts(texts, y, **options)
    assert ts.merge(parts) == whole
    within = parts[1].within(parts)
    columns = np.isin(whole.term_names, within.term_names)
    assert (within.score("md") == whole.score("md")[columns]).all()


def test_rare_terms_of_parts_may_be_dropped_but_their_tokens_stay() -> None:
    texts, y = collection(7)
    parts = parts_of(texts, y, 3)
    whole = ts.count_texts(texts, y)
    frequent = ts.merge(ts.load(part.within(parts).with_min_df(20).to_bytes()) for part in parts)
    assert list(frequent.term_names) == list(whole.with_min_df(20).term_names)
    assert frequent.class_tokens.tolist() == whole.class_tokens.tolist()
    assert frequent.buckets == (3, (0, 1, 2))
    assert ts.load(frequent.to_bytes()) == frequent
    kept = whole.collection_document_frequency >= 20
    assert 0 < kept.sum() < len(kept)
    for method in ("md", "log_odds", "g2_counts"):
        assert (frequent.score(method) == whole.score(method)[kept]).all()
    dropped = [part.with_min_df(20) for part in parts]
    different = [parts[0].within(parts), dropped[1].within(dropped)]
    with pytest.raises(ValueError, match="the totals of all terms differ"):
        ts.merge(different)
    with pytest.raises(ValueError, match="total of all terms is smaller than the total of these"):
        parts[0].within(part.with_min_df(10**6) for part in parts)


def test_buckets_are_the_columns_of_hashed_counts() -> None:
    texts, y = collection(4)
    rules = {"ngram_range": (1, 2)}
    hashed = ts.count_texts(texts, y, hashing=8, **rules)
    for bucket in range(8):
        counts = ts.count_texts(texts, y, buckets=(8, [bucket]), **rules)
        column = hashed.term_frequency[:, [bucket]].toarray().ravel()
        assert counts.class_tokens.tolist() == column.tolist()


def test_best_buckets_find_the_best_terms_with_exact_scores() -> None:
    texts, y = collection(5)
    rules = {"ngram_range": (1, 2)}
    whole = ts.count_texts(texts, y, **rules)
    hashed = ts.count_texts(texts, y, hashing=2**16, **rules)
    best = hashed.rank("g2", 60).indices
    counts = ts.count_texts(texts, y, buckets=(2**16, best), **rules)
    expected = list(whole.rank("g2", 20))
    assert list(counts.rank("g2", 20)) == expected
    assert counts.n_terms < 100 < whole.n_terms
    within = counts.within([hashed])
    of_whole = dict(whole.rank("g2_counts"))
    assert all(score == of_whole[term] for term, score in within.rank("g2_counts"))
    alpha = 1.0, float(whole.n_terms)
    of_whole = dict(whole.rank("md"))
    assert all(score == of_whole[term] for term, score in within.rank("md", alpha=alpha))
    shown = "exact, the terms of 60 of 65,536 buckets, with totals of all terms, "
    shown += "ngram_range=(1, 2)>"
    assert repr(within).endswith(shown)
    rare = within.with_min_df(5)
    assert rare.class_tokens.tolist() == whole.class_tokens.tolist()
    assert rare.subset(["ham", "spam"]).class_tokens.tolist() == whole.class_tokens[[0, 2]].tolist()
    with pytest.raises(ValueError, match="md needs the number of all terms, which hashed counts"):
        within.rank("md")


def test_table_of_buckets_leaves_out_adjusted_p_values() -> None:
    pytest.importorskip("pandas")
    parts = parts_of(*collection(6), 3)
    assert parts[0].within(parts).to_frame("g2")["pvalue_adj"].isna().all()


def test_what_needs_all_terms_is_refused() -> None:
    texts, y = collection(6)
    first, second, third = parts = parts_of(texts, y, 3)
    within = first.within(parts)
    for call in (
        lambda: within.greedy(3),
        lambda: within.naive_bayes(),
        lambda: within.keyness("ham"),
        lambda: within.rank("md", policy="round_robin"),
        lambda: within.score("md", model="binary"),
        lambda: first.update(np.ones((1, first.n_terms)), ["ham"]),
    ):
        with pytest.raises(ValueError, match="needs all terms, but these counts hold the"):
            call()
    for method in ts.methods():
        if method.needs == "document frequency":
            first.score(method.name)
        else:
            with pytest.raises(ValueError, match="needs the tokens of all terms"):
                first.score(method.name)
    with pytest.raises(ValueError, match="the adjustment ranks the p-values of all terms"):
        within.significance("chi2").adjusted()
    with pytest.raises(ValueError, match="both counts have bucket 0"):
        first + (first + second)
    with pytest.raises(ValueError, match="terms of 1 of 3 buckets with the terms of 1 of 4"):
        first + ts.count_texts(texts, y, buckets=(4, [1]))
    for a, b in [(first, ts.merge(parts)), (ts.merge(parts), first)]:
        with pytest.raises(ValueError, match=r"cannot merge .*all terms"):
            ts.merge([a, b])
    with pytest.raises(ValueError, match="same documents, but differ in n_docs"):
        first + ts.count_texts(texts[1:], y[1:], buckets=(3, [1]))
    with pytest.raises(ValueError, match="same documents, but differ in rules"):
        first + ts.count_texts(texts, y, buckets=(3, [1]), lowercase=False)
    with pytest.raises(TypeError, match="parts must hold ClassCounts, got None"):
        parts[0].within(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="part 0: counts must be a ClassCounts, got str"):
        parts[0].within(["egg"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="same documents, but differ in tf"):
        first + ts.count_texts(texts, y, buckets=(3, [1]), tf="binary")
    with pytest.raises(ValueError, match="expected counts of all buckets, got the terms of 2 of 3"):
        first.within([first, second])
    with pytest.raises(TypeError, match="parts must hold ClassCounts"):
        first.within(second)
    with pytest.raises(ValueError, match="add and subtract documents before"):
        within + within
    assert ts.merge(parts).within(parts) == ts.merge(parts)
    binary, hashed = (
        ts.count_texts(texts, y, tf="binary", **rules)
        for rules in ({"buckets": (3, [0])}, {"hashing": 3})
    )
    with pytest.raises(ValueError, match="hashed totals need tf='raw'"):
        binary.within([hashed])
    logs = parts_of(texts, y, 3, tf="log")
    with pytest.raises(ValueError, match="leave out tf='log'"):
        ts.merge(logs)
    with pytest.raises(ValueError, match="cannot subtract counts that hold other buckets"):
        first - third


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({"buckets": 3}, TypeError, "buckets must be"),
        ({"buckets": (3, [3])}, ValueError, "expected a bucket in"),
        ({"buckets": (3, [1, 1])}, ValueError, "has 1 twice"),
        ({"buckets": (0, [])}, ValueError, "the first of buckets must be in"),
        ({"buckets": (3, [1]), "max_features": 3}, ValueError, "buckets needs rules"),
        ({"buckets": (3, [1]), "tokenizer": str.split}, ValueError, "buckets needs rules"),
        ({"buckets": (3, [1]), "min_df": 2, "max_memory": 2**22}, ValueError, "leave out max_mem"),
    ],
)
def test_bad_buckets_are_refused(rules: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ts.count_texts(["a text"], ["ham"], **rules)
