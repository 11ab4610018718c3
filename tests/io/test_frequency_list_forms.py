"""Frequency lists in the forms in which other tools write them."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

import termsift as ts
from wording import raises, warns

WANTED = {"the": 100, "of": 50, '"': 7}
# Each list has these three words, in the form of the tool.
FORMS: dict[str, str] = {
    "AntConc 3": "#Word Types: 3\n#Word Tokens: 157\n#Search Hits: 0\n"
    '1\t100\tthe\t\n2\t50\tof\t\n3\t7\t"\t\n',
    "AntConc 4": "Type\tRank\tFreq\tRange\tNormFreq\tNormRange\nthe\t1\t100\t2\t636942.7\t1.0\n"
    'of\t2\t50\t2\t318471.3\t1.0\n"\t3\t7\t1\t44586.0\t0.5\n',
    "WordSmith": "N\tWord\tFreq.\t%\tTexts\t%\tLemmas\tSet\n1\tthe\t100\t63.69\t2\t100.00\t\t\n"
    '2\tof\t50\t31.85\t2\t100.00\t\t\n3\t"\t7\t4.46\t1\t50.00\t\t\n',
    "CQPweb": "Frequency list\n______\n\nNumber\tWord form\tFrequency\n\n1\tthe\t100\n2\tof\t50\n"
    '3\t"\t7\n',
    "Sketch Engine": '"corpus","British National Corpus"\n"subcorpus","-"\n"Item","Frequency"\n'
    '"the","100"\n"of","50"\n"""","7"\n',
    "Sketch Engine with documents": '"corpus","BNC"\n"Item","Frequency","DOCF","Relative DOCF"\n'
    '"the","100","2","1.0"\n"of","50","2","1.0"\n"""","7","1","0.5"\n',
    "Leipzig": '1\t"\t7\n2\tthe\t100\n3\tof\t50\n',
    "Leipzig from 101": '101\tthe\t100\n102\tof\t50\n103\t"\t7\n',
    "COCA": "rank\tlemma\tPoS\tfreq\tperMil\n1\tthe\ta\t100\t60.1\n2\tof\ti\t50\t30.2\n"
    '3\t"\ty\t7\t4.2\n',
    "COCA for reading": "Rank\t   Word\tPart of speech\tFrequency\tDispersion\n"
    '1\t   the\ta\t100\t0.98\n2\t   of\ti\t50\t0.97\n3\t   "\ty\t7\t0.95\n',
    "uniq -c": '    100 the\n     50 of\n      7 "\n',
    "uniq -c of large counts": '100 the\n50 of\n7 "\n',
    "subtitles": 'the 100\nof 50\n" 7\n',
    "pandas": ',freq,word\n0,100,the\n1,50,of\n2,7,""""\n',
    "pandas of a series": ',0\nthe,100\nof,50\n"""",7\n',
    "R": '"word"\t"freq"\n"1"\t"the"\t100\n"2"\t"of"\t50\n"3"\t""""\t7\n',
    "R with blanks": '"word" "freq"\n"1" "the" 100\n"2" "of" 50\n"3" """" 7\n',
    "quanteda": '"feature","frequency","rank","docfreq","group"\n"the",100,1,2,"all"\n'
    '"of",50,2,2,"all"\n"""",7,3,1,"all"\n',
    "tidytext": 'word,n\nthe,100\nof,50\n"""",7\n',
    "Google's n-grams": "the\t1999\t60\t20\nthe\t2000\t40\t10\nof\t1999\t20\t9\nof\t2000\t30\t8\n"
    '"\t2000\t7\t3\n',
    "Google's first n-grams": "the\t1999\t60\t50\t20\nthe\t2000\t40\t35\t10\nof\t1999\t20\t15\t9\n"
    'of\t2000\t30\t24\t8\n"\t2000\t7\t7\t3\n',
}
DOCUMENTS = {
    "AntConc 4": {"the": 2, "of": 2, '"': 1},
    "WordSmith": {"the": 2, "of": 2, '"': 1},
    "Sketch Engine with documents": {"the": 2, "of": 2, '"': 1},
    "quanteda": {"the": 2, "of": 2, '"': 1},
    "Google's n-grams": {"the": 30, "of": 17, '"': 3},
    "Google's first n-grams": {"the": 30, "of": 17, '"': 3},
}


def summed(terms: list[str], numbers: list[int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for term, n in zip(terms, numbers, strict=True):
        found[term] = found.get(term, 0) + n
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("form", FORMS)
def test_the_forms_of_tools(tmp_path: Path, form: str, end: str, encoding: str) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(FORMS[form].replace("\n", end).encode(encoding))
    table = ts.io.read_frequency_list(path)
    assert summed(table["term"], table["count"]) == WANTED
    if "documents" in table:
        assert summed(table["term"], table["documents"]) == DOCUMENTS[form]
    else:
        assert form not in DOCUMENTS


def test_years_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "ngrams.tsv"
    path.write_text(FORMS["Google's n-grams"])
    table = ts.io.read_frequency_list(path)
    assert table["label"] == ["1999", "2000", "1999", "2000", "2000"]
    assert ts.counts_from_table(table).class_tokens.tolist() == [80, 77]


def test_the_total_below_a_list_of_cqpweb_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(FORMS["CQPweb"] + "\nTotal:\t\t157\n")
    with warns(UserWarning, "the_total_has_no_term"):
        table = ts.io.read_frequency_list(path)
    assert summed(table["term"], table["count"]) == WANTED


def test_bigrams_of_uniq_are_terms(tmp_path: Path) -> None:
    path = tmp_path / "bigrams.txt"
    path.write_text("    100 of the\n     50 in the\n      7 a , b\n")
    table = ts.io.read_frequency_list(path)
    assert table == {"term": ["of the", "in the", "a , b"], "count": [100, 50, 7]}


def test_a_column_between_blanks_is_no_part_of_the_term(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("the DT 50\ncat NN 7\n")
    with raises(ValueError, "unclear_term"):
        ts.io.read_frequency_list(path)
    table = ts.io.read_frequency_list(path, term=1, count=3)
    assert table == {"term": ["the", "cat"], "count": [50, 7]}


@pytest.mark.parametrize(
    "text",
    [
        "      3 \n      9 news\n      2 bacon\n",
        "      9 news\n      3\n      2 bacon\n",
        "      9 news\n      2 bacon\n      3 \n",
        "9 news\n3 \n2 bacon\n",
    ],
)
def test_the_empty_word_of_uniq_is_left_out(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text)
    with warns(UserWarning, "the_empty_word", at=str(path)):
        table = ts.io.read_frequency_list(path)
    assert table == {"term": ["news", "bacon"], "count": [9, 2]}


def test_the_empty_word_may_come_late(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    rows = [f"{1000 - i:7} word{i}\n" for i in range(300)]
    path.write_text("".join(rows) + "      3 \n      2 new york\n")
    with warns(UserWarning, "the_empty_word_of_many"):
        table = ts.io.read_frequency_list(path)
    assert table["term"] == [*(f"word{i}" for i in range(300)), "new york"]


@pytest.mark.parametrize(
    "text",
    [
        '{"the": 5, "of": 3}',
        '{\n  "a \\"b": 5\n}\n',
        '[["the", 5], ["of", 3]]',
        '[{"word": "the", "count": 5}]',
        '{"word": "the", "count": 5}\n{"word": "of", "count": 3}\n',
        '[\n "the",\n "of"\n]',
    ],
)
def test_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list.json"
    path.write_text(text)
    with raises(ValueError, "a_list_in_json", argument="path"):
        ts.io.read_frequency_list(path)
    with raises(ValueError, "words_in_json", argument="path"):
        ts.io.read_words(path)


def test_marks_of_json_may_be_terms(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text('{\t9\n["\t2\n[\t1\n')
    assert ts.io.read_frequency_list(path)["term"] == ["{", '["', "["]


@pytest.mark.parametrize(
    ("text", "key", "argument", "place"),
    [
        ("the\t0.0537\nof\t0.0257\n", "a_term_and_a_fraction", "count", "line 1"),
        ("word,freq\nthe,5.37e-02\nof,2.57e-02\n", "a_term_and_a_fraction", "count", "line 2"),
        ("the\nof\nto\n", "unclear_term", "term", "line 1"),
    ],
    ids=["tsv", "csv", "words only"],
)
def test_the_relative_frequencies_of_wordfreq_are_refused(
    tmp_path: Path, text: str, key: str, argument: str, place: str
) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text)
    with raises(ValueError, key, argument=argument, at=place):
        ts.io.read_frequency_list(path)


def test_google_of_one_year_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ngrams.tsv"
    path.write_text("the\t1999\t60\t20\nof\t1999\t20\t9\n")
    with raises(ValueError, "unclear_term", argument="term", at="line 1"):
        ts.io.read_frequency_list(path)
    table = ts.io.read_frequency_list(path, term=1, count=3, documents=4)
    assert table == {"term": ["the", "of"], "count": [60, 20], "documents": [20, 9]}


@pytest.mark.parametrize("columns", [{}, {"term": 1, "count": 2}])
def test_the_third_edition_of_google_is_refused(tmp_path: Path, columns: dict[str, int]) -> None:
    path = tmp_path / "ngrams.tsv"
    path.write_text("the\t1999,60,20\t2000,40,10\nof\t1999,20,9\n")
    with raises(ValueError, "all_years_in_one_line", argument="path"):
        ts.io.read_frequency_list(path, **columns)


def test_binary_lists_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.msgpack"
    path.write_bytes(b"\x92\x83\xa6format\xa2cB\xa7version\x01" + codecs.BOM_UTF8)
    with raises(ValueError, "list_msgpack_line_1_byte_0", argument="encoding"):
        ts.io.read_frequency_list(path)


def test_the_form_of_a_long_list_is_that_of_its_whole_lines(tmp_path: Path) -> None:
    # The start that shows the form ends within a line, whose count is cut off.
    path, terms = tmp_path / "list.txt", [f"x{i} " + "ab " * 299 + "ab" for i in range(99)]
    path.write_text("".join(f" {term} {2 * i}\n" for i, term in enumerate(terms)))
    assert ts.io.read_frequency_list(path) == {"term": terms, "count": list(range(0, 198, 2))}
