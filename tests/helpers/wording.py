"""The wording of errors: whole messages, as users of Python see them.

Tests elsewhere ask for the argument and the place of an error, and name its message by a key of
`WORDING`. So who words a message anew changes this file alone. In a message, … stands for what may
vary, such as the path of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# Keys are in alphabetical order.
WORDING: dict[str, str] = {
    "a_dataframe_with_the_columns": (
        "texts is a DataFrame with the columns 'body', 'stars', expected one column of "
        "texts: name it, as in text='text', or pass it alone"
    ),
    "a_mapping_of_mappings_has": (
        "documents must name a column of a frame, but a mapping of mappings has none"
    ),
    "a_ranking_is_not_an": (
        "a ranking is not an array: use its indices, scores or terms; to select columns in "
        "scikit-learn, use TermSelector(method) instead of SelectKBest"
    ),
    "a_sketch_drops_terms_only": (
        "a sketch drops terms only by min_df: leave out max_df, max_features, hashing and "
        "vocabulary"
    ),
    "a_sketch_has_its_own": "a sketch has its own rules, so leave out rules and max_memory",
    "a_sketch_of_5_bytes": (
        "a sketch of 5 bytes does not fit in memory: lower n_bytes or max_memory"
    ),
    "alpha_is_rising": "alpha = (b1, b2) must satisfy b1 <= b2, got (2, 1)",
    "an_earlier_call_of_this": (
        "an earlier call of this counter failed; start again with a new counter"
    ),
    "an_iterator_can_be_read": (
        "max_memory may read texts twice, but an iterator can be read only once"
    ),
    "analyzer_is_lambda_in_one": (
        "the texts were cut by different rules: analyzer is <lambda> in one and another "
        "<lambda> in the other; count both with the same rules"
    ),
    "another_job_which_differs_in": (
        "…sketch: is the checkpoint of another job, which differs in rules and min_df; name"
        " another folder"
    ),
    "another_job_which_differs_in_2": (
        "…sketch: is the checkpoint of another job, which differs in files; name another folder"
    ),
    "at_least_one_part": "expected at least one part to merge, got none",
    "at_most_one_class": (
        "y has documents of at most one class (documents of weight zero do not count), "
        "expected two classes or more"
    ),
    "at_row_0_column_1": (
        "X has … at row 0, column 1, expected a finite count that is not negative…"
    ),
    "at_row_1_column_1": (
        "X has … at row 1, column 1, expected a finite count that is not negative…"
    ),
    "both_be_names_or_both": (
        "text and label must both be names or both be numbers, got 'a' and 2 and 1"
    ),
    "cannot_save_the_class": (
        "cannot save the class …: labels in a file must be None, bool, int, float, str, "
        "bytes or tuples of these"
    ),
    "checkpoint_needs_max_memory": (
        "checkpoint needs max_memory; without it, count and save file by file"
    ),
    "chunk_overflows": (
        "chunk 0: with 4611686018427387904 at row 0, column 0, the tokens of class 0 exceed"
        " 2^63 - 1"
    ),
    "class_0_has_all_the": (
        "class 0 has all the prior mass except …; scores need more prior mass in the other classes"
    ),
    "class_docs_are_unknown": (
        "class_docs needs the documents of class 'land', which are unknown: its table has "
        "only occurrences; pass documents and class_docs to counts_from_table, or leave out"
        " the class with subset"
    ),
    "class_prior_is_a_masked": "class_prior is a masked array: fill or drop the masked values",
    "classes_must_hold_labels_in": "classes must hold labels in order, got 0",
    "column_1_in_document_1": (
        "the count of column 1 in document 1 is 256, which does not fit int8: pass a wider "
        "dtype, such as numpy.int64"
    ),
    "column_1_of_x_is": (
        "column 1 of X is 'bacon', but 'pills' in the counts: give the frame the same "
        "columns in the same order"
    ),
    "column_n_int64_expected_strings": "column 'n'… int64, expected strings",
    "columns_named_twice": "…c.…: text and label name the same column: '…', '…'…",
    "columns_t_y_n_as": (
        "texts is a … with the columns 't', 'y', 'n', expected one column of texts: name "
        "it, as in text='text', or pass it alone"
    ),
    "conditional_gain_needs_the_documents": (
        "counts_ changed after fit, but conditional_gain needs the documents: fit again"
    ),
    "counts_differ_in_tf": "the counts differ in tf, 'raw' and 'binary'",
    "counts_must_be_a_classcounts": "counts must be a ClassCounts, got ndarray",
    "damaged_ngram_range_must_be": (
        "…forged: the saved counts are damaged: ngram_range must be (from, to), the smaller"
        " first, got (2, 1)"
    ),
    "data_must_be_bytes_got": "data must be bytes, got …",
    "df_is_an_expected_a": (
        "df is a …, expected a DataFrame of Spark: call spark.createDataFrame, or count "
        "data in memory with termsift.count or count_texts"
    ),
    "did_you_mean_alpha": (
        "Invalid parameter 'alpa' for NaiveBayes, expected one of terms, model, alpha, "
        "class_prior, n_threads; did you mean 'alpha'?"
    ),
    "did_you_mean_pills": "terms has 'pill', which is no term of the counts; did you mean 'pills'?",
    "dispersion_has_documents_of_1": (
        "dispersion has documents of 1 terms, but the counts have 2: pass the documents "
        "that were counted"
    ),
    "do_not_fit_in_max": (
        "the terms that may be in min_df=2 documents do not fit in max_memory=2097152: "
        "raise min_df or max_memory"
    ),
    "document_0_is_1_which": "the label of document 0 is 1, which is not in classes",
    "document_is_not_utf_8": (
        "document 11, byte 2: expected UTF-8, found ff (hexadecimal); decode the text with "
        "the encoding in which it was written"
    ),
    "documents_have_several_classes": (
        "documents have several classes, and counts do not record which documents two "
        "classes share: count the documents of these classes instead"
    ),
    "documents_known_only_in_the_whole": (
        "cannot subtract counts that are not part of these: the number of documents in "
        "class 0 is known only in the whole"
    ),
    "documents_of_several_labels": (
        "there are 3.0 documents, but the classes have 4.0: if documents have several "
        "classes or none, pass collection_term_frequency and collection_document_frequency"
    ),
    "entries_add_up_to_infinity": "the entries of X at row 0, column 1 add up to infinity",
    "every_line_left_out": (
        "…c.csv: holds no documents; 1 line, row or file left out, first: …c.csv, line 2: "
        "expected 2 fields, found 3; a field with ',' in it must begin and end with a quote"
    ),
    "every_term_of_class_land": (
        "… needs every term of class 'land', but its table left out 5 tokens: pass the whole table"
    ),
    "expected_a_file_found_a": "…: expected a file, found a folder, pipe or device",
    "expected_label_term_count": "frame maps terms to counts, expected {label: {term: count}}",
    "expected_one_column_x_found": (
        "…: expected one column 'x', found 't', 'y', 'n'; name a column of the frame"
    ),
    "expected_one_row_per_run": (
        "runs['accuracy'] has shape (…,…), expected one row per run and one column for each"
        " of the 2 ks"
    ),
    "fields_too_many": (
        "…c.csv, line 2: expected 2 fields, found 3; a field with ',' in it must begin and "
        "end with a quote; on_error='skip' leaves it out"
    ),
    "file_without_documents": "…f.svm: holds no documents",
    "for_a_file_use_termsift": (
        "texts is a single …, expected a list of strings: for one text pass [text], for a "
        "file use termsift.count(termsift.scan(path))"
    ),
    "found_a_table_its_columns": "expected a column of strings, found a table; its columns are 't'",
    "frame_is_a_list_expected": (
        "frame is a list, expected a data frame, an Arrow table or stream, a dict of "
        "columns, or a mapping of label to mapping of term to count"
    ),
    "got_a_dataframe_of_dask": (
        "expected a dask array X with y, or a list of chunks (X, y) or (X, y, "
        "sample_weight), which may be delayed, got a DataFrame of dask: make an array with "
        "X.to_dask_array(lengths=True), or a list of delayed chunks"
    ),
    "got_a_dataframe_of_pandas": (
        "texts must be a dask data frame, whose columns you name by the arguments text and "
        "label, or a list of parts, got a DataFrame of pandas: use termsift.count_texts"
    ),
    "greedy_does_not_score_each": "greedy does not score each term: see ranking_",
    "greedy_has_no_policy_aggregate": (
        "greedy has no policy, aggregate or options: see counts.greedy"
    ),
    "has_no_prior": "model='complement' has no prior, so leave out class_prior",
    "hold_no_rules_for_them": (
        "X holds texts, but the counts hold no rules for them: only count_texts and scan "
        "keep rules, if no rule is a function; pass a matrix of the counted columns"
    ),
    "holds_no_documents": "…: holds no documents",
    "is_a_lazyframe_pass_texts": (
        "texts is a LazyFrame: pass texts.collect(), or merge counts of batches"
    ),
    "k_must_be_at_least": "k must be at least 0, got -1",
    "label_expected_one_column_star": (
        "label: expected one column 'star', found 'body'; name a column of the frame"
    ),
    "leave_out_sort_and_direction": (
        "similar terms have their own order, so leave out sort and direction"
    ),
    "line_2_expected_a_string": (
        "…mail.jsonl, line 2: expected a string as 'a', found null; on_error='skip' leaves it out"
    ),
    "line_2_expected_a_string_2": (
        "…file.jsonl, line 2: expected a string or a whole number as 'label', found a "
        "number with a fraction; on_error='skip' leaves it out"
    ),
    "line_2_expected_a_term": "…terms.txt, line 2: expected a term, found nothing",
    "log_odds_smoothing": (
        "smoothing b2 = … is too … compared with the 4 tokens of the collection; log_odds "
        "needs b2 / tokens between 2^-450 and 2^450, or b2 = 0 for no smoothing"
    ),
    "log_ratio_smoothing_too_small": (
        "smoothing b1 = … is too small compared with the … tokens of the collection; "
        "log_ratio needs b1 / tokens of at least 2^-450, or b1 = 0 for no smoothing"
    ),
    "lowercase_is_true_in_part": (
        "the texts were cut by different rules: lowercase is True in part 2 and False in "
        "part …; count both with the same rules"
    ),
    "made_by_count_or_load": "use termsift.count or termsift.load",
    "matrix_of_pandas_for_dask": (
        "expected a dask array X with y, or a list of chunks (X, y) or (X, y, "
        "sample_weight), which may be delayed, got a DataFrame of pandas: for a matrix in "
        "memory, use termsift.count(X, y)"
    ),
    "max_memory_needs_min_df": (
        "max_memory needs min_df, a whole number of at least 2, because it drops rare terms"
    ),
    "max_memory_of_parts_needs_min_df": (
        "part …: max_memory needs min_df, a whole number of at least 2, because it drops rare terms"
    ),
    "max_pvalue_in_bounds": "max_pvalue must be between 0 and 1, got …",
    "max_pvalue_is_a_number": "max_pvalue must be a number, got 'small'",
    "max_pvalue_needs_documents": (
        "max_pvalue needs the documents of class 'a', which are unknown: its table has only "
        "occurrences; pass method='g2_counts', which counts occurrences, leave out max_pvalue, "
        "or leave out the class with subset"
    ),
    "md_has_no_aggregate": "md has no option 'aggregate'",
    "md_has_one_run_and": "md has one run and no deviation: use cross_validate",
    "metadata_routing_is_off": (
        "metadata routing is off: call sklearn.set_config(enable_metadata_routing=True)"
    ),
    "metric_must_be_one_of": "metrics must be one of …, got 'auc'",
    "min_df_7_requires_7": (
        "min_df=7 requires 7 or more of 6 documents, but max_df=1.0 allows 6 or fewer; "
        "lower min_df or raise max_df"
    ),
    "min_df_at_least_1": "min_df must be at least 1, got 0",
    "min_df_is_an_integer": "min_df must be an integer, got 0.5",
    "missing_value_at_150": (
        "texts has a missing value at 150, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "missing_value_at_2_expected": (
        "texts has a missing value at 2, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "misspelt_rule": "unknown argument 'lowercse', expected one of …; did you mean 'lowercase'?",
    "must_be_the_path_of": "… must be the path of a file or folder, got ''",
    "n_docs_are_unknown": (
        "n_docs needs the documents of class 'land', which are unknown: its table has only "
        "occurrences; pass documents and class_docs to counts_from_table, or leave out the "
        "class with subset"
    ),
    "naive_bayes_needs_every_term": (
        "naive_bayes needs every term of class 'sea', but its table left out 6 tokens: pass"
        " the whole table"
    ),
    "naive_bayes_needs_the_documents": (
        "naive_bayes needs the documents of class 'land', which are unknown: its table has "
        "only occurrences; pass documents and class_docs to counts_from_table, or leave out"
        " the class with subset"
    ),
    "name_of_two_terms": (
        "part 1 and the parts before it: the vocabularies differ, and 's' names 2 terms"
    ),
    "needs_a_class_with_documents": (
        "naive Bayes needs a class with documents, and there is none (documents of weight "
        "zero do not count)"
    ),
    "needs_the_documents_of_class": (
        "… needs the documents of class '…', which are unknown: its table has only "
        "occurrences; …, or leave out the class with subset"
    ),
    "needs_the_documents_pass_dispersion": (
        "sort='rank_sum' needs the documents: pass dispersion=(X, y)"
    ),
    "needs_two_documents_or_more": "leave_one_out needs two documents or more",
    "negative_in_a_selector": (
        "Negative values in data passed to TermSelector: X has -1 at row 3, column 4, "
        "expected a finite count that is not negative (HashingVectorizer needs "
        "alternate_sign=False)"
    ),
    "no_bytes_for_a_sketch": (
        "the bytes are no sketch: n_bytes must be in [1, 9223372036854775807], got 0"
    ),
    "no_method_key_use_distinctive": (
        "no method 'key', expected one of …; key orders the terms of a class: use "
        "distinctive_terms or to_frame"
    ),
    "no_such_method": "no method array(['key', 'g2'], dtype='<U3'), expected one of …",
    "none_has_no_tokens": "'none' has no tokens, so there is nothing to compare",
    "not_fitted": "the classifier is not fitted: call fit, or use counts.naive_bayes()",
    "not_part_of_these": (
        "cannot subtract counts that are not part of these: in class 0, a term would have "
        "more documents than occurrences, or more than the class"
    ),
    "not_utf_8": (
        "document …, byte 0: expected UTF-8, found ff (hexadecimal); decode the text with "
        "the encoding in which it was written"
    ),
    "nothing_to_draw_no_curves": "there is nothing to draw: no curves or no metrics",
    "nothing_to_draw_no_terms": "there is nothing to draw: no terms",
    "numbers_named_twice": "…c.csv: text and label name the same column: 1, 1",
    "one_after_another": (
        "'greedy' chooses terms one after another and gives no score to a single term: use "
        "rank('greedy'), or one of …"
    ),
    "one_column_text": (
        "…c.csv, line 1: expected one column 'text', found 'ham ham ham ham ham ham ham ham"
        " ham ham ham ham ham ham ham ...', 'a'; name the columns by text= and label=, by "
        "number if there is no header"
    ),
    "part_0_the_label_of": (
        "part 0: the label of document 0 is missing: None; leave the document out, as "
        "dropna of pandas and drop_nulls of polars do"
    ),
    "part_0_the_text_of": (
        "part 0: the text of document 4 is missing: leave the document out, as dropna of "
        "pandas and drop_nulls of polars do"
    ),
    "part_1_the_label_of": (
        "part 1: the label of document 0 is missing: None; leave the document out, as "
        "dropna of pandas and drop_nulls of polars do"
    ),
    "part_is_no_counts": "part 0 is an int, expected ClassCounts",
    "partition_0_from_row_0": (
        "partition 0, from row 0: the label of document 0 is 'ham', which is not in classes"
    ),
    "parts_overflow": (
        "part 1 and the parts before it: the sum of two counts of tokens exceeds 2^63 - 1"
    ),
    "path_must_be_a_str": "path must be a str or PathLike, got NoneType",
    "plot_ranking_needs_matplotlib": (
        "plot_ranking needs matplotlib: pip install 'termsift[plot]', or pip install matplotlib"
    ),
    "prior_lacks_class": "class_prior lacks class 'news': give every class a prior, or 0",
    "rate_beyond_2_to_64": (
        "term 0 occurs 1e+20 times in class 0, whose documents and b2 add up to 2; a rate "
        "must be at most 2^64"
    ),
    "requires_y_to_be_passed": "NaiveBayes requires y to be passed, but the target y is None",
    "reshape_your_data": (
        "X must have two dimensions, one row per document, got shape (…,). Reshape your "
        "data: X.reshape(1, -1) is one document"
    ),
    "row_2_the_label_is": (
        "…, row 2: the label is '1.5', expected a string or a whole number; "
        "on_error='skip' leaves it out"
    ),
    "sample_weight_is_a_masked": "sample_weight is a masked array: fill or drop the masked values",
    "sketch_is_full": (
        "90% of the sketch's counters reach min_df=2, so the sketch would keep too many "
        "terms: make one with n_bytes=4194304 or more, or pass max_memory=12582912"
    ),
    "sketch_of_bytes_is_full": (
        "100% of the sketch's counters reach min_df=3, so the sketch would keep too many "
        "terms: make one with n_bytes=8192 or more, or pass max_memory=24576"
    ),
    "smoothing_too_small": (
        "smoothing b1 = … is too small for class 0, whose tokens and b2 add up to …"
    ),
    "source_must_be_a_path": "source must be a path or bytes, got …",
    "source_must_be_a_path_2": "source must be a path or bytes, got int",
    "term_names_has_1_names": "term_names has 1 names for 2 terms",
    "term_names_has_1_names_2": "term_names has 1 names for 3 terms",
    "termsift_conditional_gain_x_y": (
        "conditional_gain reads the documents: use termsift.conditional_gain(X, y, k)"
    ),
    "text_after_a_closing_quote": (
        "c, line 2: expected ',' or the end of the line after a closing quote, at byte 8; a"
        " quote within a quoted field is written twice; if quotes mean nothing in this "
        "file, let its name end in .txt and name its columns by text= and label="
    ),
    "text_expected_one_column_t": (
        "text: expected one column 't', found 't', 't'; give each column another name"
    ),
    "text_expected_one_column_text": (
        "text: expected one column 'text', found 'body', 'stars'; name a column of the frame"
    ),
    "texts_has_a_missing_value": (
        "texts has a missing value at 1, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "texts_has_a_str_at": "texts has a str at 1, expected bytes",
    "texts_has_an_int_at": "texts has an int at 150, expected strings",
    "texts_has_the_columns_body": (
        "texts has the columns 'body', 'stars': name the columns of texts and labels by the"
        " arguments text and label"
    ),
    "texts_has_the_dtype_float64": "texts has the dtype float64, expected strings",
    "texts_is_a_dask_collection": (
        "texts is a Dask collection: use termsift.dask.count_texts, or compute it"
    ),
    "texts_is_a_list_and": (
        "texts is a list and has no columns: leave out the arguments text and label, which "
        "name columns of a frame"
    ),
    "texts_must_be_a_core": "texts must be a _core.Texts, found a …",
    "the_arrow_array_holds_expected": "the Arrow array holds …, expected strings",
    "the_bytes_are_no_sketch": (
        "the bytes are no sketch: damaged, truncated or from another version of termsift"
    ),
    "the_curve_of_md_has": "the curve of md has no k",
    "the_header_is_longer_than": (
        "…c.csv, line 1: the header is longer than 64 MiB; a closing quote may be missing, "
        "or there is no header (name the columns by number)"
    ),
    "the_label_of_document_1": "the label of document 1 is 'news', which is not in classes",
    "the_label_of_document_1_2": (
        "the label of document 1 is missing: …; leave the document out, as dropna of pandas"
        " and drop_nulls of polars do"
    ),
    "the_label_of_document_9": "the label of document 9 is 'spam', which is not in classes",
    "the_sketches_differ_in_min": "the sketches differ in min_df: 20 and 3",
    "the_sketches_differ_in_n": "the sketches differ in n_bytes: 8 and 9",
    "the_text_of_document_1": (
        "the text of document 1 is missing: leave the document out, as dropna of pandas and"
        " drop_nulls of polars do"
    ),
    "the_text_of_document_4": (
        "the text of document 4 is missing: leave the document out, as dropna of pandas and"
        " drop_nulls of polars do"
    ),
    "there_are_no_terms_to": "there are no terms to choose from",
    "there_is_no_class_d": "there is no class 'd', expected one of 'a', 'b', 'c'",
    "two_classes_with_documents": "scores need at least two classes with documents, got …",
    "unknown_argument_mindf": "unknown argument 'mindf', expected one of …; did you mean 'min_df'?",
    "unknown_argument_ngram_did_you": (
        "unknown argument 'ngram', expected one of …; did you mean 'ngram_range'?"
    ),
    "unknown_label_type_continuous_0": (
        "Unknown label type: continuous. y has 0.5, expected classes: a label that is a "
        "float must be a whole number, so pass strings, or bin the values"
    ),
    "use_termsift_conditional_gain_x": (
        "'conditional_gain' chooses terms one after another and gives no score to a single "
        "term: use termsift.conditional_gain(X, y), or one of …"
    ),
    "which_does_not_fit_uint8": (
        "the count of column 5 in document 0 is -1, which does not fit uint8: pass a wider "
        "dtype, such as numpy.int64"
    ),
    "which_is_not_in_classes": "the label of document 0 is 3, which is not in classes",
    "with_the_columns_id_body": (
        "texts is a DataFrame with the columns 'id', 'body', expected one column of texts: "
        "name it, as in text='text', or pass it alone"
    ),
    "workers_lack_termsift_install_it": (
        "workers lack termsift: '…://…/…/…'; install it in the environment of the scheduler"
        " and of every worker"
    ),
    "wrong_checksum": (
        "the bytes: the saved counts are damaged or truncated: their checksum does not match"
    ),
    "x_has_3_terms_but": "X has 3 terms, but only 2 have names: set term_names to None first",
    "x_has_dtype_complex128": (
        "…c.npz: X has dtype complex128, expected booleans, integers or floats"
    ),
    "x_has_the_index_2000000": "X has the index 2000000 in row 2, expected a column in [0, 4)",
    "x_holds_texts_count_texts": (
        "X holds texts, expected a matrix of counts: count texts with termsift.count_texts,"
        " and add such counts to others with termsift.merge, or make a matrix with "
        "termsift.text.CountVectorizer"
    ),
    "x_is_a_masked_array": "X is a masked array: fill or drop the masked values",
    "x_test_has_the_index": "X_test has the index 2000000 in row 2, expected a column in [0, 4)",
    "x_train_has_the_index": "X_train has the index 2000000 in row 2, expected a column in [0, 4)",
    "y_is_a_masked_array": "y is a masked array: fill or drop the masked values",
    "y_is_a_series_of": (
        "y is a Series of dask, expected a dask array, because X is one: use "
        "y.to_dask_array(lengths=True)"
    ),
}


def fits(message: str, wording: str) -> bool:
    """Return whether a message has this wording."""
    pattern = ".*".join(map(re.escape, wording.split("…")))
    return re.fullmatch(pattern, message, re.DOTALL) is not None


@contextmanager
def raises(
    error: type[BaseException] | tuple[type[BaseException], ...],
    key: str,
    *,
    argument: str | None = None,
    at: str = "",
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """Expect an error with this wording, about this argument, which names this place.

    The place is a row, a column, a line, a document, a part or a class.
    """
    with pytest.raises(error) as caught:
        yield caught
    message = str(caught.value)
    assert fits(message, WORDING[key]), f"WORDING[{key!r}] is another message than: {message}"
    assert at in message
    if argument is not None:
        assert getattr(caught.value, "argument", None) == argument
