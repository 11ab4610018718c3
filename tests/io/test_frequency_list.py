"""Frequency lists: columns by name, number or content, separators, encodings, and faults."""

from __future__ import annotations

import codecs
import gzip
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from wording import raises, warns

WANTED = {"term": ["news", "bacon"], "count": [9, 2]}


def read(folder: Path, text: str, name: str = "list.tsv", **columns: Any) -> dict[str, list[Any]]:
    path = folder / name
    path.write_text(text, "utf-8")
    return ts.io.read_frequency_list(path, **columns)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.csv", "count,pos,term\n9,NN,news\n2,NN,bacon\n"),
        ("list.tsv", "word\tn\nnews\t9\nbacon\t2\n"),
        ("list.csv", "news;9\n\nbacon;2\n"),
        ("list.txt", "news|9\nbacon|2\n"),
        ("list.txt", "9 news\r\n2 bacon\r\n"),
        ("list.csv", '"news",9\r"bacon",2\r'),
        ("list.csv", "mot;nombre\nnews;9\nbacon;2\n"),
        ("list.csv", "id,mot,nombre\n7,news,9\n3,bacon,2\n"),
        ("list.tsv", "9.0\tnews\n2.0\tbacon\n"),
        ("list.csv", "sep=;\nnews;9\nbacon;2"),
        ("list.csv", "# by hand\nnews,9\nbacon,2"),
    ],
)
def test_a_list_has_terms_and_counts(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")
    table = ts.io.read_frequency_list(path)
    assert table == WANTED
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert ts.io.read_frequency_list(str(packed)) == table
    counts = ts.counts_from_table({**table, "label": ["papers"] * 2})
    assert counts.class_tokens.tolist() == [11]


NAMES = {
    "term": ("term", "Word", " WORDS ", "type", "Item", "token", "Lemma", "n-gram", "N_Gram"),
    "count": ("count", "Freq.", "FREQUENCY", "n", "f", "Raw count", "match_count", "freqs"),
}


def test_columns_have_usual_names_in_any_case(tmp_path: Path) -> None:
    for term in NAMES["term"]:
        for count in NAMES["count"]:
            text = f"x,{count},y,{term}\n1,9,a,news\n1,2,b,bacon\n"
            assert read(tmp_path, text) == WANTED, (term, count)
    for documents in ("Documents", "range", "docs", "DF", "Texts"):
        table = read(tmp_path, f"Class,{documents},freq,word\nx,3,9,news\ny,1,2,bacon\n")
        assert table == {**WANTED, "documents": [3, 1], "label": ["x", "y"]}


def test_a_stronger_name_goes_first(tmp_path: Path) -> None:
    assert read(tmp_path, "N,type,term,count,freq\n1,a,news,9,5\n2,a,bacon,2,1\n") == WANTED
    with raises(ValueError, "two_columns_of_counts", argument="count", at="line 1"):
        read(tmp_path, "word,freq,frequency\nnews,9,1\n")
    with raises(ValueError, "two_columns_of_terms", argument="term", at="line 1"):
        read(tmp_path, "word,lemma,freq\nnews,new,9\n")
    table = read(tmp_path, "word,lemma,freq\nnews,new,9\n", term="lemma")
    assert table == {"term": ["new"], "count": [9]}


@pytest.mark.parametrize(
    "columns",
    [
        {"term": 2, "count": 3},
        {"term": "2", "count": "3"},
        {"term": "b", "count": " c "},
        {"term": "b", "count": 3},
        {"count": "c", "term": 2},
    ],
)
def test_columns_are_given_by_name_or_number(tmp_path: Path, columns: dict[str, Any]) -> None:
    assert read(tmp_path, "a,b,c,d\n7,news,9,x\n8,bacon,2,y\n", **columns) == WANTED
    if all(str(column).isdecimal() for column in columns.values()):
        assert read(tmp_path, "7,news,9,x\n8,bacon,2,y\n", **columns) == WANTED
        assert read(tmp_path, "7 news 9 x\n8 bacon 2 y\n", **columns) == WANTED


def test_a_number_beyond_the_last_column_is_a_name(tmp_path: Path) -> None:
    text = "word,1990,1991\nnews,9,1\nbacon,2,1\n"
    assert read(tmp_path, text, count="1990") == WANTED
    assert read(tmp_path, text, count="1991") == {"term": ["news", "bacon"], "count": [1, 1]}
    assert read(tmp_path, text, term=1, count=2)["term"] == ["word", "news", "bacon"]
    with raises(ValueError, "has_columns_not_number", argument="count", at="line 1"):
        read(tmp_path, text, count=1992)
    assert read(tmp_path, text, term="word", count="2") == WANTED
    rows = "1990,2\n1991,1\n"
    for columns in ({"term": 1, "count": 2}, {"term": "1", "count": "2"}):
        assert read(tmp_path, rows, **columns) == {"term": ["1990", "1991"], "count": [2, 1]}


def test_documents_and_labels_are_given_too(tmp_path: Path) -> None:
    table = read(tmp_path, "news,9,3,x\nbacon,2,1,y\n", term=1, count=2, documents=3, label=4)
    assert table == {**WANTED, "documents": [3, 1], "label": ["x", "y"]}
    counts = ts.counts_from_table(table, class_docs={"x": 5, "y": 5})
    assert counts.document_frequency.toarray().tolist() == [[0, 3], [1, 0]]


def test_documents_alone_may_be_given(tmp_path: Path) -> None:
    wanted = {**WANTED, "documents": [3, 1]}
    assert read(tmp_path, "news,9,3\nbacon,2,1\n", documents=3) == wanted
    assert read(tmp_path, "news,9,3\nbacon,2,1\n", documents=3, count=2) == wanted
    assert read(tmp_path, "3,9,news\n1,2,bacon\n", documents="1", term="3") == wanted


def test_shares_of_documents_are_not_numbers_of_documents(tmp_path: Path) -> None:
    text = "word,freq,range\nnews,9,0.3\nbacon,2,0.1\n"
    assert read(tmp_path, text) == WANTED
    with raises(ValueError, "no_number_of_documents", argument="documents", at="line 2"):
        read(tmp_path, text, documents="range")


# ---- what is not clear ---------------------------------------------------------------------------

UNCLEAR = {
    "three columns": "news,NN,9\nbacon,NN,2\n",
    "three named columns": "mot,classe,nombre\nnews,NN,9\nbacon,NN,2\n",
    "numbers as terms": "1990,9\n1991,2\n",
    "numbers under the name of a word": ",word\nnews,9\nbacon,2\n",
    "a rank, but no count": "word,rank\nnews,1\nbacon,2\n",
    "two numbers": "1,9,4,news\n2,2,1,bacon\n",
    "one word a line": "news\nbacon\n",
    "two years": "word,1990,1991\nnews,9,1\n",
    "three columns of blanks": "9 news NN\n2 bacon NN\n",
    "four columns, as in Google's n-grams": "news\tNN\t9\t3\nbacon\tNN\t2\t1\n",
    "numbers that are no years": "news\t7\t9\t3\nbacon\t5\t2\t1\n",
    "ranks alone": "1\tnews\n2\tbacon\n3\teggs\n",
    "a rank named N": "N,Word\n1,news\n2,bacon\n",
    "counts per million": "word,freq_per_million\nnews,9\nbacon,2\n",
    "lengths": "word,length\nnews,4\nbacon,5\n",
}
TERMS_ARE_KNOWN = (
    "numbers under the name of a word",
    "a rank, but no count",
    "a rank named N",
    "counts per million",
    "lengths",
)


@pytest.mark.parametrize("name", UNCLEAR)
def test_what_is_not_clear_is_refused(tmp_path: Path, name: str) -> None:
    unclear = [("term", "unclear_term"), ("count", "unclear_count")]
    argument, key = unclear[name in TERMS_ARE_KNOWN]
    with raises(ValueError, key, argument=argument) as caught:
        read(tmp_path, UNCLEAR[name])
    assert str(caught.value).startswith(f"{tmp_path / 'list.tsv'}, line 1: ")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("N\tWord\tTreffer\n1\tnews\t9\n2\tbacon\t2\n", [9, 2]),  # N numbers the rows
        ("news\t1 234\nbacon\t2\n", [1234, 2]),  # a number with a blank is no name of a column
        ("news\t1\u202f234\nbacon\t2\n", [1234, 2]),
        ("news\t1'234\nbacon\t2\n", [1234, 2]),
        ("Word frequency list\n\nword,freq\nnews,9\nbacon,2\n", [9, 2]),  # below a title
    ],
)
def test_counts_are_neither_ranks_nor_left_out(tmp_path: Path, text: str, count: list[int]) -> None:
    assert read(tmp_path, text) == {"term": ["news", "bacon"], "count": count}


def test_words_that_name_columns_are_terms(tmp_path: Path) -> None:
    """Rows above such a term once were taken for lines above a header."""
    expected = {"term": ["of the", "word count", "in a"], "count": [9, 5, 2]}
    for text in ("of the\t9\nword count\t5\nin a\t2\n", " 9 of the\n 5 word count\n 2 in a\n"):
        assert read(tmp_path, text) == expected


def test_a_point_before_three_zeros_may_stand_between_thousands(tmp_path: Path) -> None:
    with raises(ValueError, "a_term_and_a_point", argument="count", at="line 1"):
        read(tmp_path, "news\t61.000\nbacon\t52.000\n")
    assert read(tmp_path, "news\t9.00\nbacon\t2.0000\n") == WANTED


@pytest.mark.parametrize("header", ["word,1990", "Term,7", "7,type"])
def test_a_header_that_may_be_a_row_is_refused(tmp_path: Path, header: str) -> None:
    row = "news,9" if header[-1].isdecimal() else "9,news"
    with raises(ValueError, "header_or_term", argument="term", at="line 1"):
        read(tmp_path, f"{header}\n{row}\n")


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    with raises(ValueError, "expected_one_column_wort", argument="term", at="line 1"):
        read(tmp_path, "word,freq\nnews,9\n", term="wort")
    with raises(ValueError, "has_columns_not_number", argument="count", at="line 1"):
        read(tmp_path, "news,9\n", count=3)
    for column in (0, -1, 1.5, ["word"]):
        with raises(ValueError, "a_column_or_its_number", argument="label"):
            read(tmp_path, "news,9\n", label=column)


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("news\t61,847\nbacon\t29\n", [61847, 29]),
        ("news\t1.061.847\nbacon\t29.000\n", [1061847, 29000]),
        ("news;1,061,847\nbacon;29,000\n", [1061847, 29000]),
        ('news,"61,847"\nbacon,"1,234"\n', [61847, 1234]),
        ('word,freq\nnews,"9,000"\n', [9000]),
        ("news\t0\nbacon\t+7\n", [0, 7]),
        ("news\t007\nbacon\t1.00\n", [7, 1]),
    ],
)
def test_whole_numbers(tmp_path: Path, text: str, counts: list[int]) -> None:
    assert read(tmp_path, text)["count"] == counts


@pytest.mark.parametrize(
    "text",
    [
        "news\t9\nbacon\t0.5\n",
        "news\t9\nbacon\t0,234\n",
        "a\t1\nb\t5e-2\n",
        "a\t9\nb\t12.5%\n",
        "a\t9\nb\t.5\n",
    ],
)
def test_fractions_are_refused(tmp_path: Path, text: str) -> None:
    with raises(ValueError, "a_term_and_a_fraction", argument="count", at="line 2"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("news\t9\nbacon\t61,847\nx\t2,345\n", "line 2"),
        ("news\t9\nbacon\t61,847\nx\t2,345\ny\t1,234\n", "line 2"),
        ("word;freq\nnews;61,847\nbacon;1,234\n", "line 2"),
        ("news\t61.847\nbacon\t1.234\n", "line 1"),
        ('news,"61.847"\nbacon,"1.234"\n', "line 1"),
    ],
)
def test_what_may_be_thousands_or_fractions_is_refused(
    tmp_path: Path, text: str, line: str
) -> None:
    with raises(ValueError, "thousands_or_fractions", argument="count", at=line):
        read(tmp_path, text)


def test_faults_are_named(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    with raises(ValueError, "a_term_and_no_number", argument="count", at="line 2"):
        read(tmp_path, "news\t9\nbacon\tx\n")
    with raises(ValueError, "a_term_and_no_number", argument="count", at="line 5"):
        read(tmp_path, "#Word Types: 2\n\nword\tfreq\nnews\t9\nbacon\tx\n")
    with raises(ValueError, "a_row_of_a_list_is_too_short", at="line 3"):
        read(tmp_path, "news\t9\n\nbacon\n")
    with raises(FileNotFoundError, "other_tsv_no_such_file", argument="path"):
        ts.io.read_frequency_list(tmp_path / "other.tsv")
    path.write_bytes(b"caf\xe9\t1\n")
    with raises(ValueError, "list_tsv_line_1_byte_3"):
        ts.io.read_frequency_list(path)
    for empty in ("", "\n\n", "#Word Types: 0\n", "word,count\n"):
        assert read(tmp_path, empty) == {"term": [], "count": []}


def test_rows_without_a_term_are_left_out_with_a_warning(tmp_path: Path) -> None:
    with warns(UserWarning, "a_row_has_no_term"):
        assert read(tmp_path, "news\t9\nbacon\t2\n\t11\n") == WANTED


@pytest.mark.parametrize("total", ["Total", "sum", " Grand total"])
def test_a_last_row_with_the_total_is_left_out(tmp_path: Path, total: str) -> None:
    with warns(UserWarning, "a_row_holds_the_total", at=repr(total)):
        assert read(tmp_path, f"news\t9\nbacon\t2\n{total}\t11\n") == WANTED
    for rows in (f"news\t9\nbacon\t2\n{total}\t12\n", f"news\t9\n{total}\t9\n", "a\t1\nall\t1\n"):
        assert len(read(tmp_path, rows)["term"]) == rows.count("\n")


def test_the_total_counts_rows_without_a_term_too(tmp_path: Path) -> None:
    with warns(UserWarning, "the_total_of_a_list_with_a_row_without_a_term"):
        assert read(tmp_path, "news\t9\n\t4\nbacon\t2\nTotal\t15\n") == WANTED


def test_a_list_that_is_drawn_is_refused(tmp_path: Path) -> None:
    for text in (
        "| word | count |\n|------|-------|\n| news | 9 |\n",
        " word | count \n------+-------\n news |     9 \n",
    ):
        path = tmp_path / "list.txt"
        path.write_text(text)
        for reader in (ts.io.read_frequency_list, ts.io.read_words):
            with raises(ValueError, "a_table_that_is_drawn", argument="path", at="line 2"):
                reader(path)
    path.write_text("<!DOCTYPE html>\n<html>\n")
    with raises(ValueError, "a_page_of_html", argument="path"):
        ts.io.read_frequency_list(path)


# ---- encodings and quotes ------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_encodings(tmp_path: Path, suffix: str) -> None:
    text, path = "word\tfreq\ncafé\t9\n", tmp_path / f"list.tsv{suffix}"
    wanted = {"term": ["café"], "count": [9]}
    marked = [
        codecs.BOM_UTF8 + text.encode(),
        codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    ]
    for data in [text.encode(), *marked]:
        path.write_bytes(gzip.compress(data) if suffix else data)
        assert ts.io.read_frequency_list(path) == wanted
    for encoding in ("latin-1", "utf-16-le", "cp1252", "utf-16"):
        data = text.encode(encoding)
        path.write_bytes(gzip.compress(data) if suffix else data)
        assert ts.io.read_frequency_list(path, encoding=encoding) == wanted
    with raises(ValueError, "unknown_encoding_utf_9", argument="encoding"):
        ts.io.read_frequency_list(path, encoding="utf-9")


def test_quotes_enclose_fields_or_are_terms(tmp_path: Path) -> None:
    table = read(tmp_path, '"Item","Frequency"\n"a ""b""","9"\n"c, d","2"\n', "list.csv")
    assert table == {"term": ['a "b"', "c, d"], "count": [9, 2]}
    assert read(tmp_path, '"\t9\n"a\t2\nb"\t1\n')["term"] == ['"', '"a', 'b"']
    assert read(tmp_path, '"",9\n\',2\n', "list.csv")["term"] == ["'"]  # a field without content


@pytest.mark.full(cases=5)
@pytest.mark.parametrize("seed", range(40))
def test_any_list_is_read_as_it_was_written(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    n = draw.choice([1, 2, 30, 400])
    letters = "abcß漢é-'#.\u0301" + draw.choice(["", '"', "0", "_"])
    terms = ["x" + "".join(draw.choices(letters, k=draw.randint(1, 6))) for _ in range(n)]
    counts = [draw.choice([0, 1, 17, 2**40]) for _ in range(n)]
    delimiter = draw.choice("\t,;|")
    columns = {"freq": list(map(str, counts)), "Word": terms, "pos": ["NN"] * n}
    order = draw.sample(list(columns), 3)
    names = dict.fromkeys(order, None) | {"freq": "freq", "Word": "Word", "pos": "pos"}
    with_header = draw.random() < 0.5
    lines = [delimiter.join(map(str, names.values()))] if with_header else []
    lines += [delimiter.join(row) for row in zip(*(columns[name] for name in order), strict=True)]
    end = draw.choice(["\n", "\r\n"])
    given = (
        {} if with_header else {"term": order.index("Word") + 1, "count": order.index("freq") + 1}
    )
    (tmp_path / "list.txt").write_bytes(end.join([*lines, ""]).encode())
    table = ts.io.read_frequency_list(tmp_path / "list.txt", **given)
    assert table == {"term": terms, "count": counts}


PIECES = ["the", "word", "freq", "rank", "1", "2", "100", "0.5", "1,000", '"', "\t", ",", ";", "|"]
PIECES += [" ", "\n", "\r\n", "\r", "#", "sep=;", "é", "\ufeff", "\0", "1990", "\u2028", "-1"]


@given(
    st.lists(st.sampled_from(PIECES), max_size=30),
    st.dictionaries(
        st.sampled_from(["term", "count", "documents", "label"]),
        st.sampled_from([1, 2, "2", "word", "freq", "1990"]),
    ),
)
def test_any_text_is_read_or_refused(pieces: list[str], given_columns: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = read(Path(folder), "".join(pieces), **given_columns)
        except ValueError:
            return
    assert len({*map(len, table.values())}) == 1
    assert {*map(type, table["count"])} <= {int}


# ---- words, such as stop words -------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "the\nof\n",
        "Word\tFreq\nthe\t9\nof\t2",
        "n,TERM\n1,the\n2,of\n",
        "pos;word\nx;the\nx;of\n",
        '"word","count"\n"the","9"\n"of","2"\n',
        "stopword,n\nthe,9\nof,2\n",
        "stop_words;pos\nthe;x\nof;x\n",
        '"","x"\n"1","the"\n"2","of"\n',
        ",0\n0,the\n1,of\n",
        '"x"\n"1"\t"the"\n"2"\t"of"\n',
        "Wort,n\nthe,9\nof,2\n",
        "1,the\n2,of\n",
        "# by hand\nword,pos\nthe,x\nof,x\n",
        "the,\nof,\n",
        "\nthe\n\n  of \n\n",
        '"the"\n"of"\n',
        " | English | words\n\nthe\nof     | a preposition\n |and\n",
    ],
)
def test_words_are_lines_or_a_column(tmp_path: Path, text: str) -> None:
    path = tmp_path / "words"
    path.write_text(text)
    assert ts.io.read_words(path) == ["the", "of"]
    path.write_bytes(codecs.BOM_UTF16_LE + text.encode("utf-16-le"))
    assert ts.io.read_words(str(path)) == ["the", "of"]


def test_some_words_may_have_numbers_within(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("ham\nroute 66\neggs\narea 51\nspam\n")  # two lines of five
    assert ts.io.read_words(path) == ["ham", "route 66", "eggs", "area 51", "spam"]


def test_a_column_of_words_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("mot,n\nthe,9\nof,2\n")
    assert ts.io.read_words(path, term="mot") == ["the", "of"]
    path.write_text("9,the\n2,of\n")
    assert ts.io.read_words(path, term=2) == ["the", "of"]
    path.write_text("the\nof\n")
    assert ts.io.read_words(path, term=1) == ["the", "of"]
    path.write_text("mot\nthe\nof\n")
    assert ts.io.read_words(path, term="mot") == ["the", "of"]
    path.write_bytes(b"caf\xe9\n")
    assert ts.io.read_words(path, encoding="latin-1") == ["café"]


@pytest.mark.parametrize(
    "text",
    [
        "the,and,now,to\n",
        "the and now to\n",
        "Wort,Art\nthe,9\nof,2\n",
        "9,the\n2,of\n",
        "x;y\nthe;a\nof;b\n",
        "      9 the\n      2 of\n",
        '"x"\n"1" "the"\n"2" "of"\n',
    ],
)
def test_several_words_on_a_line_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "words"
    path.write_text(text)
    with raises(ValueError, "several_words_on_a_line", argument="path", at="line 1"):
        ts.io.read_words(path)


@pytest.mark.parametrize("text", ["", "\n \n", " | only\n", "rank,word\n", "word,rank\n,1\n"])
def test_a_list_without_words_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "words"
    path.write_text(text)
    with raises(ValueError, "a_list_without_words", argument="path"):
        ts.io.read_words(path)


def test_comments_among_words_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("# English stop words\n#\nthe\n#tag\n")
    with warns(UserWarning, "comments_among_words"):
        assert ts.io.read_words(path) == ["the", "#tag"]
    path.write_text("the\n#\n#tag\n")
    assert ts.io.read_words(path) == ["the", "#", "#tag"]


def test_a_heading_is_no_word(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("Stop words\nthe\nword\n")
    with warns(UserWarning, "the_first_line_is_a_heading", at=str(path)):
        assert ts.io.read_words(path) == ["the", "word"]
    path.write_text("English stop words\n\nthe\nof\n")
    with warns(UserWarning, "the_first_line_is_a_heading", at="'English stop words'"):
        assert ts.io.read_words(path) == ["the", "of"]
    path.write_text("new york\nthe\n")
    assert ts.io.read_words(path) == ["new york", "the"]
