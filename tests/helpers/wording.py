"""The wording of errors and warnings: whole messages, as users of Python see them.

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
    "13_of_90_texts_are_empty": (
        "13 of 90 texts are empty, and counted as documents without terms: if texts are "
        "missing, leave out their documents"
    ),
    "1_of_1_200_texts_is": (
        "1 of 1,200 texts is empty, and counted as documents without terms: if texts are "
        "missing, leave out their documents"
    ),
    "400_of_1_200_texts_are": (
        "400 of 1,200 texts are empty, and counted as documents without terms: if texts are "
        "missing, leave out their documents"
    ),
    "a_b_and_a_b_differ_only_in_blanks": (
        "the classes 'a  b' and 'a b' differ only in blanks or case: if they are one class, make "
        "their labels equal, or merge them with ClassCounts.subset"
    ),
    "a_bad_line_of_svmlight": "…f.svm, line …: expected …; on_error='skip' leaves it out",
    "a_carriage_return_alone": (
        "…, line 1: a carriage return without a line feed; put a field with a carriage return in "
        "quotes, or, if carriage returns end the lines of this file, replace them by line feeds"
    ),
    "a_class_in_place_of_a_classifier": (
        "classifier must be a model of naive Bayes, multinomial, binary, bernoulli, poisson, or "
        "an estimator with fit and predict, such as LinearSVC(), got <class "
        "'sklearn.naive_bayes.MultinomialNB'>"
    ),
    "a_class_is_negative": "a class is negative",
    "a_classifier_needs_a_class": "a classifier needs a class",
    "a_code_has_no_number": "a code has no number",
    "a_collection_has_no_such_k": "collection narrow: the curve of md has no k=20; it has 1, 5",
    "a_collection_is_left_out": "the collection bad is left out: …",
    "a_collection_must_be_a_pair": (
        "collections['a'] must be a pair (X, y), or a function that returns it, got a str"
    ),
    "a_column_in_another_case": (
        "…: expected one column 'text', found 'label', 'TEXT'; pass text='TEXT'"
    ),
    "a_column_in_names_of_folders": (
        "…: expected one column 'label', found 'text'; the values of 'label' in names of "
        "folders are not read; write them into the files, as "
        "pandas.read_parquet(folder).to_parquet(file) does"
    ),
    "a_column_in_names_of_folders_of_csv": (
        "…: expected one column 'label', found 'text'; the values of 'label' in names of "
        "folders are not read; write them into the files"
    ),
    "a_column_of_a_frame_is_chosen_twice": "text and label name the same column: 'title', 'title'…",
    "a_column_of_text_twice": "…text names a column twice: 't…', 't…'",
    "a_column_of_texts_is": "a column of texts is out of range",
    "a_column_or_its_number": "label must be the name of a column, or its number from 1, got …",
    "a_column_vector_y_was_passed": (
        "A column-vector y was passed when a 1d array was expected: change the shape of y to "
        "(n_samples,), as y.ravel() does"
    ),
    "a_count_is_not_whole": (
        "column 'count' has … at row …, term '…' of class 'x', expected a whole number from 0 to "
        "2^63 - 1; multiply relative frequencies by the number of tokens in the corpus, and round "
        "them"
    ),
    "a_counter_by_class_has_no_matrix": "a counter by class has no matrix",
    "a_counter_by_document_cannot_have_classes": "a counter by document cannot have classes",
    "a_counter_by_document_cannot_read_a_table": "a counter by document cannot read a table",
    "a_counter_by_document_has_no_counts": "a counter by document has no counts by class",
    "a_dataframe_with_the_columns": (
        "texts is a DataFrame with the columns 'body', 'stars', expected one column of "
        "texts: name it, as in text='text', or pass it alone"
    ),
    "a_dataset_for_each_split": (
        "…sms: holds a dataset for each of its splits, 'test', 'train'; pass one of them, as in "
        "…train, or all, as in '…*.arrow'"
    ),
    "a_division_by_zero": "division by zero",
    "a_division_by_zero_is_left_out": (
        "mine is left out, because it failed in fold 0: ZeroDivisionError: division by zero"
    ),
    "a_file_returned_more_bytes": "a file returned more bytes than were asked for",
    "a_function_has_no_policy": "a function has no policy, got 'round_robin'",
    "a_function_of_documents_has_no_stability": (
        "method must be a function of counts, because samples weight the documents, but <lambda> "
        "is one of X and y"
    ),
    "a_function_of_nothing": (
        "method must be a function of counts, or of X and y, but <lambda> has 0 arguments without"
        " a default: write a lambda, such as lambda counts: ..."
    ),
    "a_function_of_three": (
        "method must be a function of counts, or of X and y, but <lambda> has 3 arguments without"
        " a default: write a lambda, such as lambda counts: ..."
    ),
    "a_function_ranked_too_few": "mine ranked 4 terms, too few for the largest of ks, 20",
    "a_function_ranked_too_few_of_a_sample": (
        "fewer ranked 2 terms of a sample, fewer than k=3: let it return a score for each term"
    ),
    "a_function_returned_an_order": (
        "mine must return a Ranking or one score for each of the 20 terms, but its result is an"
        " order of the columns; the scores of an order are -np.argsort(order); if they are "
        "scores, return them as floats"
    ),
    "a_function_returned_another_shape": (
        "mine must return a Ranking or one score for each of the 20 terms, got shape (3,) of "
        "float64"
    ),
    "a_function_returned_nan": (
        "mine must return a Ranking or one score for each of the 20 terms, but … of them are NaN,"
        " the first in column 0"
    ),
    "a_function_returned_nothing": (
        "mine must return a Ranking or one score for each of the 20 terms, got a NoneType of object"
    ),
    "a_is_a_file_expected_a": "…a.csv: is a file, expected a folder for a checkpoint",
    "a_job_of_another_dialect": (
        "…sketch: is the checkpoint of another job, which differs in comment; name another folder"
    ),
    "a_job_of_other_functions": (
        "…sketch: is the checkpoint of another job, which differs in …functions; name another "
        "folder"
    ),
    "a_json_object_in_a_table": (
        "…, line 1: is a JSON object, expected delimited fields; pass input_format='jsonl'"
    ),
    "a_label_begins_each_line": (
        "…, line 1: expected at least 2 fields, found 1; separate the fields by tabs, by "
        "commas in a .csv, or as delimiter= says; if each line begins with its label, write a"
        " tab after it, as perl -pe 's/[ ,:;|]+/\\t/' does; …"
    ),
    "a_label_of_a_partition_is_not_in_classes": (
        "partition …: the label of document … is 'class 1', which is not in classes"
    ),
    "a_label_of_a_partition_is_unseen": (
        "partition …, from row …: the label of document … is 'class …', which is not in classes"
    ),
    "a_later_fold_is_named": (
        "method is left out, because it failed in fold 2: ValueError: method must return a Ranking "
        "or one score for each of the 20 terms, got shape (1,) of float64"
    ),
    "a_library_allows_one_type": (
        "the column 'class' holds values of several types, but … allows only one; use "
        "library='pandas'"
    ),
    "a_line_is_too_long": (
        "…zeros.txt.gz: has a line that is longer than 64 MiB, expected one document a line; end "
        "each document with a line feed"
    ),
    "a_line_may_be_a_document": (
        "…c.txt, line 1: expected at least 2 fields, found 1; separate the fields by tabs, by"
        " commas in a .csv, or as delimiter= says; if each line is a document, pass labels, a"
        " file of their labels, or input_format='lines', if their class is the name of the "
        "file"
    ),
    "a_line_or_a_file_may_be_a_document": (
        "…c.txt, line 1: expected at least 2 fields, found 1; separate the fields by tabs, by"
        " commas in a .csv, or as delimiter= says; if each line is a document, and the name "
        "of its file its class, pass input_format='lines'; if each file is a document, pass "
        "the folder of the folders of classes"
    ),
    "a_list_in_json": (
        "…list.json: is JSON, expected a table of terms and counts; write it as CSV, or pass what "
        "json.load returns to termsift.counts_from_table"
    ),
    "a_list_of_tokens_is_no": "a list of tokens is no text",
    "a_list_without_words": "…words: has no words, expected one on each line",
    "a_mapping_of_mappings_has": (
        "documents must name a column of a frame, but a mapping of mappings has none"
    ),
    "a_matrix_has_no_labels": (
        "…t.mtx: has no labels; pass labels= with a file of one label per line"
    ),
    "a_matrix_in_idna": ("…c.svm: is not idna: …; pass encoding= with the encoding of the texts"),
    "a_matrix_of_one_dimension": "…c.npz: expected a matrix of two dimensions, found 1",
    "a_method_is_a_name_or_a_function": (
        "a method is a name, a function or what termsift.method returns, got an int"
    ),
    "a_method_is_given_by": "a method is given by its name: pass 'md'",
    "a_method_is_left_out_of_a_collection": (
        "narrow: sometimes is left out, because it failed in fold 0: ValueError: sometimes must"
        " return a Ranking or one score for each of the 10 terms, got shape (1,) of float64"
    ),
    "a_name_of_several_terms": "the vocabularies differ, and … names … terms",
    "a_number_in_place_of_a_classifier": (
        "classifier must be a model of naive Bayes, multinomial, binary, bernoulli, poisson, or "
        "an estimator with fit and predict, such as LinearSVC(), got 3"
    ),
    "a_number_of_the_first_line": "…f.svm, line …: …",
    "a_page_of_html": (
        "…: is a page of HTML, expected a table; download the file itself, such as the raw "
        "file of a repository"
    ),
    "a_pair_has_an_unknown_class": "a pair has an unknown class",
    "a_part_differs_in_tf": (
        "part … and the parts before it: the counts differ in tf, '…' and '…'"
    ),
    "a_part_leaves_documents": (
        "cannot subtract counts that are not part of these: the count of term … in class … would "
        "leave documents without an occurrence (in float counts, rounding may have removed the "
        "remainder)"
    ),
    "a_part_leaves_occurrences": (
        "cannot subtract counts that are not part of these: the count of term … in class … would "
        "leave occurrences in no document (in float counts, rounding may have removed the "
        "remainder)"
    ),
    "a_part_without_a_header": (
        "…part-00001-0ac1.csv, line 1: expected one column 'text', found 'free pills', 'spam'; "
        "name the columns by text= and label=, by number if there is no header"
    ),
    "a_prediction_that_is_no_label": (
        "classifier must predict one of the labels for each of the 12 documents, got 0.5"
    ),
    "a_quote_that_ends_too_early": (
        "…t.csv, line 2: expected ',' or the end of the line after a closing quote, at byte 3; a "
        "quote within a quoted field is written twice; if quotes mean nothing in this file, pass "
        "quote=''"
    ),
    "a_ranking_is_not_an": (
        "a ranking is not an array: use its indices, scores or terms; to select columns in "
        "scikit-learn, use TermSelector(method) instead of SelectKBest"
    ),
    "a_row_has_no_term": "…list.tsv: left out 1 of 3 rows, which have no term, and 11 as counts",
    "a_row_holds_the_total": (
        "…list.tsv: left out the last row, …, whose count is the sum of all others"
    ),
    "a_row_of_a_list_is_too_short": "…list.tsv, line 3: expected 2 fields, found 1",
    "a_sample_takes_a_document": (
        "a sample takes a document up to … times, and its weight exceeds 2^63 - 1"
    ),
    "a_sample_weight_of_a_partition_is_no_number": (
        "partition …, from row 0: sample_weight has 'class …' at row 0, expected a number that "
        "int64 or float64 holds without rounding: fill or drop missing values, round others to "
        "floats"
    ),
    "a_scan_has_labels_and_names": "a scan has labels and names already: leave out …",
    "a_scan_has_labels_and_rules": "a scan has labels and rules already: leave out …",
    "a_sketch_cannot_choose_stems": "a sketch cannot choose stems",
    "a_sketch_cannot_count_stems": "a sketch cannot count stems",
    "a_sketch_drops_terms_only": (
        "a sketch drops terms only by min_df: leave out max_df, max_features, hashing and "
        "vocabulary"
    ),
    "a_sketch_has_its_own": "a sketch has its own rules, so leave out rules and max_memory",
    "a_sketch_of_5_bytes": (
        "a sketch of 5 bytes does not fit in memory: lower n_bytes or max_memory"
    ),
    "a_smoothing_for_an_estimator": (
        "classifier_alpha smooths naive Bayes, and classifier is an estimator with parameters of "
        "its own"
    ),
    "a_stray_delimiter": (
        "…, line 1: expected 2 fields, found 3; a field with ',' in it must begin and end with a "
        "quote; on_error='skip' leaves it out"
    ),
    "a_table_of_pandas_by_columns": (
        "…: holds a table by its columns, as pandas writes it by orient='columns', expected "
        "an object in each line; write pandas.read_json(file, "
        "orient='columns').to_json('records.jsonl', orient='records', lines=True)"
    ),
    "a_table_of_pandas_by_rows": (
        "…: holds a table by its …rows, as pandas writes it by orient='…', expected an object"
        " in each line; write pandas.read_json(file, orient='…').to_json('records.jsonl', "
        "orient='records', lines=True)"
    ),
    "a_table_that_is_drawn": (
        "…, line …: the table is drawn for reading, as psql, mysql and Markdown do; write it "
        "as CSV, which psql and sqlite3 have an option for, or as a .tsv, as mysql does in its "
        "batch mode"
    ),
    "a_term_and_a_fraction": (
        "…, line …: expected a term and a whole number, found …; multiply relative "
        "frequencies by the number of tokens, and round the products"
    ),
    "a_term_and_a_point": (
        "…, line …: expected a term and a whole number, found …; if '.' separates thousands, leave "
        "it out; else multiply relative frequencies by the number of tokens, and round the products"
    ),
    "a_term_and_no_number": (
        "…, line …: expected a term and a whole number, found 'bacon\\tx'; name the column by count"
    ),
    "a_term_in_another_form_cannot_match": (
        "1 of 2 terms of the vocabulary cannot match by these rules: …; write terms as the rules "
        "cut texts (see lowercase, …)"
    ),
    "a_word_among_numbers": (
        "…f.svm, line 5: the label 'x' is a word, and other labels are numbers, so all labels are "
        "read as text; if the line is no document, delete it"
    ),
    "a_word_among_numbers_2": (
        "…f.svm, line 4: the label 'x' is a word, and other labels are numbers, so all labels are "
        "read as text; if the line is no document, delete it"
    ),
    "a_word_that_is_no_option": (
        "'binry' in 'md binry' is no option of md: use one of …, or alpha=0.1"
    ),
    "absent_no_such_file": "…absent.csv: no such file",
    "aggregate_must_be_sum_mean_or_max_foo": "aggregate must be one of sum, mean, max, got 'foo'",
    "all_years_in_one_line": (
        "…ngrams.tsv: has all years of an n-gram in one line, as the third edition of Google's "
        "n-grams; add the counts of the years, and write a line with each n-gram and its sum"
    ),
    "alpha_is_rising": "alpha = (b1, b2) must satisfy b1 <= b2, got (2, 1)",
    "alpha_must_be_a_number_or_a_pair": "alpha must be a number or a pair (b1, b2), got 'one'",
    "alpha_must_be_finite_and_not": "alpha must be finite and not negative, got -1",
    "alpha_must_be_finite_and_not_2": "alpha must be finite and not negative, got -1.0",
    "alpha_must_be_positive_and_finite": "alpha must be positive and finite, got 0",
    "an_agreement_of_one_collection": (
        "1 collection with 3 rankings in common: an agreement needs two collections and a ranking"
        " that both have"
    ),
    "an_archive_on_a_failing_disk": "[Errno 5] the disk is gone: '…c.zip'",
    "an_earlier_call_of_this": (
        "an earlier call of this counter failed; start again with a new counter"
    ),
    "an_error_rate_in_bounds": "… must be between 0 and 1, got …",
    "an_error_rate_needs_a_test": (
        "… needs a test of significance, and method='…' is none: use one of chi2, g2, "
        "chi2_counts, g2_counts"
    ),
    "an_iterator_can_be_read": (
        "max_memory may read texts twice, but an iterator can be read only once"
    ),
    "an_option_given_twice": "'md binary bernoulli' gives model twice",
    "an_order_is_left_out": (
        "mine is left out, because it failed in fold 0: ValueError: mine must return a Ranking "
        "or one score for each of the 20 terms, but its result is an order of the columns; the "
        "scores of an order are -np.argsort(order); if they are scores, return them as floats"
    ),
    "an_unknown_ending": (
        "…: unknown kind of file; the known endings are …; if the name has another ending, pass "
        "input_format, such as input_format='lines' if each line is a document"
    ),
    "an_unknown_metric": (
        "metric must be one of accuracy, precision, recall, f1, macro_precision, macro_recall, "
        "macro_f1, got 'x'"
    ),
    "an_unknown_ranking": "to must be one of a, b, c, got 'd'",
    "an_unreadable_collection_is_left_out": (
        "the collection bad is left out: OSError: the disk is gone"
    ),
    "analyzer_is_lambda_in_one": (
        "the texts were cut by different rules: analyzer is <lambda> in one and another "
        "<lambda> in the other; count both with the same rules"
    ),
    "analyzer_must_be_a_name_of_the_core": (
        "analyzer must be 'word', 'char', 'char_wb' or 'tokens', got 'x'"
    ),
    "another_job_which_differs_in": (
        "…sketch: is the checkpoint of another job, which differs in rules and min_df; name"
        " another folder"
    ),
    "another_job_which_differs_in_2": (
        "…sketch: is the checkpoint of another job, which differs in files; name another folder"
    ),
    "another_shape_is_left_out": (
        "mine is left out, because it failed in fold 0: ValueError: mine must return a Ranking or"
        " one score for each of the 20 terms, got shape (3,) of float64"
    ),
    "another_thread_reads_this_file": "another thread is reading this file",
    "another_thread_uses_these_counts": "another thread uses these counts",
    "as_many_labels_as_20_documents": (
        "20 documents have 20 different labels: if texts and labels are swapped, pass the texts "
        "first, or name the columns by text= and label="
    ),
    "as_many_labels_as_documents": (
        "40 documents have 40 different labels: if texts and labels are swapped, pass the texts "
        "first, or name the columns by text= and label="
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
    "bad_and_bad_differ_only_in_case": (
        "the classes 'Bad' and 'bad' differ only in blanks or case: if they are one class, make "
        "their labels equal, or merge them with ClassCounts.subset"
    ),
    "bad_film_of_the_vocabulary_cannot_match": (
        "1 of 2 terms of the vocabulary cannot match by these rules: 'bad film'; write terms as "
        "the rules cut texts (see lowercase, ngram_range and stop_words)"
    ),
    "blanks_divide_the_fields": (
        "…c.txt, line 1: expected at least 2 fields, found 1; if blanks divide the fields, "
        "pass delimiter=' ' quote='\"'"
    ),
    "blanks_divide_the_fields_of_r": (
        "…c.txt, line 1: expected at least 2 fields, found 1; if R's write.table wrote the "
        "file, pass delimiter=' ' quote='\"' skip_lines=1 text=… label=…"
    ),
    "block_0_x_must_have_two": (
        "block …: X must have two dimensions, one row per document, got shape (2,). Reshape your "
        "data: X.reshape(1, -1) is one document"
    ),
    "block_1_y_has_40_labels": "block …: y has 40 labels for … document…",
    "block_3_the_label_of_document": (
        "block …: the label of document … is …, which is not in classes"
    ),
    "block_3_x_has": (
        "block 3: X has -1 at row 0, column …, expected a finite count that is not negative "
        "(HashingVectorizer needs alternate_sign=False)"
    ),
    "block_bytes_must_be_positive": "block_bytes must be positive",
    "both_columns_in_another_case": (
        "…: expected one column 'text', found …; pass text='Text…' and label='…'"
    ),
    "byte_3_is_not_utf_8": (
        "…t.csv, line 2: byte 3 is not UTF-8; pass encoding= with the encoding of the texts; "
        "on_error='skip' leaves it out"
    ),
    "c_json_line_1_expected_a": (
        "…c.json, line 1: expected a comma or a closing bracket after an object at character 20"
    ),
    "c_json_line_1_expected_a_2": (
        "…c.json, line 1: expected a JSON object in braces, found null; on_error='skip' leaves it "
        "out"
    ),
    "c_jsonl_holds_no_documents_1": (
        "…c.jsonl: holds no documents; 1 line, row or file left out, first: …c.jsonl, line 1: "
        "expected a key in double quotes at character 14"
    ),
    "c_jsonl_line_1_expected_a": (
        "…c.jsonl, line 1: expected a key 'text', found 'üüüüüüüüüüüüüüüüüüüüüüüüüüüüüü...'; name "
        "the columns by text= and label=; on_error='skip' leaves it out"
    ),
    "c_line_2_expected_or_the": (
        "…c.csv, line 2: expected ',' or the end of the line after a closing quote, at character "
        "5; a quote within a quoted field is written twice; if quotes mean nothing in this file, "
        "pass quote=''"
    ),
    "c_svm_a_matrix_is_read": "…c.svm: a matrix is read with all its terms; leave out min_df",
    "c_svm_line_2_expected_a": (
        "…c.svm, line 2: expected an index from 1 to 2147483647 before the colon, found '0:5'; if "
        "indices count from 0, pass index_base=0; on_error='skip' leaves it out"
    ),
    "c_tfidf_has_no_option_varant": (
        "c_tfidf has no option 'varant' (it has variant, sqrt); did you mean 'variant'?"
    ),
    "cannot_pickle_or_copy": (
        "cannot pickle or copy a …._core.…; pickle or copy the object of termsift that holds it"
    ),
    "cannot_save_the_class": (
        "cannot save the class …: labels in a file must be None, bool, int, float, str, "
        "bytes or tuples of these"
    ),
    "checkpoint_needs_max_memory": (
        "checkpoint needs max_memory; without it, count and save file by file"
    ),
    "chi2_has_no_model_binary_only": "chi2 has no model 'binary': only md, md_chi2, greedy have it",
    "chi2_has_no_option_sample_wieght_did": (
        "chi2 has no option 'sample_wieght'; did you mean 'sample_weight'?"
    ),
    "chunk_0_expected_x_y_or": "chunk 0: expected (X, y) or (X, y, sample_weight), got a csr_array",
    "chunk_0_the_label_of_document": (
        "chunk 0: the label of document 0 is a set, expected something hashable: for several "
        "labels per document pass the indicator matrix of "
        "sklearn.preprocessing.MultiLabelBinarizer, and classes=binarizer.classes_"
    ),
    "chunk_1_y_has_199_labels": "chunk 1: y has 199 labels for 200 documents",
    "chunk_overflows": (
        "chunk 0: with 4611686018427387904 at row 0, column 0, the tokens of class 'a' exceed"
        " 2^63 - 1"
    ),
    "class_0_has_all_the": (
        "class 0 has all the prior mass except …; scores need more prior mass in the other classes"
    ),
    "class_0_has_all_the_documents": (
        "class 0 has all the prior mass except …; the prior is each class's share of the documents'"
        " weights, so give weights less far apart, or class_prior='uniform'"
    ),
    "class_0_has_all_the_prior": (
        "class 'ham' has all the prior mass; scores need prior mass in other classes too"
    ),
    "class_docs_are_unknown": (
        "class_docs needs the documents of class 'land', which are unknown: its table has "
        "only occurrences; pass documents and class_docs to counts_from_table, or leave out"
        " the class with subset"
    ),
    "class_docs_lacks_class_y_expected_every": (
        "class_docs lacks class 'y', expected every class of the table"
    ),
    "class_docs_needs_documents_pass_both_or": "class_docs needs documents: pass both or neither",
    "class_docs_x_for_which_2_are": (
        "class_docs['x'], for which 2 are listed, must be in [2, 9223372036854775807], got 1"
    ),
    "class_eggs_is_in_both_target": "class 'eggs' is in both target and reference",
    "class_few_has_2_documents_fewer": (
        "class 'few' has 2 documents, fewer than the 3 folds: some folds have no document of this "
        "class"
    ),
    "class_ham_is_in_both_target": "class 'ham' is in both target and reference",
    "class_prior_has_3_values_for_2": "class_prior has 3 values for 2 classes",
    "class_prior_has_shape_3_expected_2": "class_prior has shape (3,), expected (2,)",
    "class_prior_is_0_for_every_class": "class_prior is 0 for every class with documents",
    "class_prior_is_a_masked": "class_prior is a masked array: fill or drop the masked values",
    "class_prior_must_be_finite_and_not_negative_got": (
        "class_prior must be finite and not negative, got -1 for class …"
    ),
    "class_tokens_must_map_each_label_to": "class_tokens must map each label to a total, got 9",
    "class_tokens_there_is_no_class_z": "class_tokens: there is no class 'z' in the table",
    "class_tokens_x_for_which_3_are": (
        "class_tokens['x'], for which 3 are listed, must be in [3, 9223372036854775807], got 2"
    ),
    "class_tokens_x_for_which_3_are_2": (
        "class_tokens['x'], for which 3 are listed, must be an integer, got 9.5"
    ),
    "class_tokens_y_for_which_3_are": (
        "class_tokens['y'], for which 3 are listed, must be in [3, 9223372036854775807], got 2"
    ),
    "classes_and_each_of_its_groups": "classes and each of its groups must hold at least one class",
    "classes_has_the_dtype_float64": "classes has the dtype float64",
    "classes_has_the_dtype_i4": "classes has the dtype >i4",
    "classes_hold_a_twice": "classes hold 'a' twice",
    "classes_hold_b_twice": "classes hold 'b' twice",
    "classes_must_be_a_contiguous_vector": "classes must be a contiguous vector",
    "classes_must_hold_labels_in": "classes must hold labels in order, got 0",
    "classifier_alpha_is_too_small": "classifier_alpha is too small for the counts of class 'a'",
    "classifier_alpha_must_be_a_number": "classifier_alpha must be a number, got (1, 2)",
    "classifier_alpha_must_be_positive": "classifier_alpha must be positive and finite, got 0",
    "classifier_alpha_must_be_positive_2": "classifier_alpha must be positive and finite, got -1",
    "classifier_must_be_one_of_multinomial": (
        "classifier must be one of multinomial, binary, bernoulli, poisson, got 'x'"
    ),
    "classifier_must_be_one_of_multinomial_2": (
        "classifier must be one of multinomial, binary, bernoulli, poisson, got 'gaussian'"
    ),
    "collections_is_empty": "collections is empty",
    "collections_must_be_a_mapping": "collections must be a Mapping, got list",
    "collections_without_a_common_k": "the collections have no k in common: pass k",
    "column_0_of_x_is": (
        "column 0 of X is 'pills', but 'bacon' in the counts: give the frame the same columns in "
        "the same order"
    ),
    "column_1_in_document_1": (
        "the count of column 1 in document 1 is 256, which does not fit int8: pass a wider "
        "dtype, such as numpy.int64"
    ),
    "column_1_of_x_is": (
        "column 1 of X is 'bacon', but 'pills' in the counts: give the frame the same "
        "columns in the same order"
    ),
    "column_1_of_x_is_eggs": (
        "column 1 of X is 'eggs', but 'pills' in the counts: give the frame the same columns in "
        "the same order"
    ),
    "column_df_has_0_at_row": (
        "column 'df' has 0 at row 0, term 'a' of class 'x', expected from 1 to 1, the occurrences "
        "of the term"
    ),
    "column_df_has_3_at_row": (
        "column 'df' has 3 at row 1, term 'b' of class 'x', expected from 1 to 2, the occurrences "
        "of the term"
    ),
    "column_features_is_of_type_vector": (
        "column 'features' is of type vector, expected one class per document: "
        "pyspark.sql.functions.explode makes a row of each element of an array"
    ),
    "column_label_has_2_rows_expected": "column 'label' has 2 rows, expected 3",
    "column_label_is_of_type_array": (
        "column 'label' is of type array<string>, expected one class per document: "
        "pyspark.sql.functions.explode makes a row of each element of an array"
    ),
    "column_label_is_of_type_string": (
        "column 'label' is of type string, expected vectors of pyspark.ml"
    ),
    "column_label_the_label_of_document": (
        "column 'label': the label of document 1 is missing: None; leave the document out, as "
        "dropna of pandas and drop_nulls of polars do"
    ),
    "column_n_int64_expected_strings": "column 'n'… int64, expected strings",
    "column_term_has_7_at_row": (
        "column 'term' has 7 at row 1, expected a term; pandas reads words such as null as missing "
        "unless keep_default_na=False"
    ),
    "column_term_has_nan_at_row": (
        "column 'term' has nan at row 1, expected a term; pandas reads words such as null as "
        "missing unless keep_default_na=False"
    ),
    "column_term_has_none_at_row": (
        "column 'term' has None at row 1, expected a term; pandas reads words such as null as "
        "missing unless keep_default_na=False"
    ),
    "column_text_of_a_partition_holds_int64": (
        "partition …: column 'text' holds int64, expected strings"
    ),
    "columns_has_2_elements_for_3": "columns has 2 elements for 3 terms",
    "columns_must_increase_but_0_does": "columns must increase, but 0 does not",
    "columns_must_increase_but_1_does": "columns must increase, but 1 does not",
    "columns_named_twice": "…c.…: text and label name the same column: '…', '…'…",
    "columns_of_a_part_in_another_order": (
        "…part-00001-0ac1.csv: has the columns 'label', 'text', expected the columns 'text', "
        "'label', as …part-00000-0ac1.csv has"
    ),
    "columns_t_y_n_as": (
        "texts is a … with the columns 't', 'y', 'n', expected one column of texts: name "
        "it, as in text='text', or pass it alone"
    ),
    "comments_among_words": (
        "…words: left out 2 lines with comments, such as '# English stop words'"
    ),
    "complex_data_not_supported": (
        "Complex data not supported: X has dtype complex128, expected counts"
    ),
    "conditional_gain_has_no_argument": "conditional_gain reads the documents and has no …",
    "conditional_gain_has_no_model_binary_only": (
        "conditional_gain has no model 'binary': only md, md_chi2, greedy have it"
    ),
    "conditional_gain_needs_the_documents": (
        "counts_ changed after fit, but conditional_gain needs the documents: fit again"
    ),
    "conditional_gain_reads_the_documents_and_has": (
        "conditional_gain reads the documents and has no policy, got 'round_robin'"
    ),
    "conditional_gain_reads_the_documents_and_has_2": (
        "conditional_gain reads the documents and has no class_prior, got 'uniform'"
    ),
    "conditional_gain_reads_the_documents_and_has_3": (
        "conditional_gain reads the documents and has no class_prior, got 'top'"
    ),
    "conditional_gain_reads_the_documents_and_has_4": (
        "conditional_gain reads the documents and has no aggregate, got 'top'"
    ),
    "conditional_gain_reads_the_documents_and_has_5": (
        "conditional_gain reads the documents and has no policy, got 'empirical'"
    ),
    "constant_must_be_positive": "constant must be positive and finite, got 0",
    "cost_must_be_a_number": "cost must be a number, got …",
    "cost_must_be_positive": "cost must be positive and finite, got …",
    "count_expected_one_column_n_found": (
        "count: expected one column 'n', found 'term', 'label', 'count'; name a column of the frame"
    ),
    "counts_cannot_have_1_terms": "counts cannot have -1 terms",
    "counts_cannot_have_2147483648_terms": "counts cannot have 2147483648 terms",
    "counts_cannot_have_the_dtype": "counts cannot have the dtype complex128",
    "counts_differ_in_tf": "the counts differ in tf, 'raw' and 'binary'",
    "counts_keep_only_the_name": "counts keep only the name of the function blanks",
    "counts_must_be_a_classcounts": (
        "counts must be a ClassCounts, got ndarray: count texts with termsift.count_texts, and a "
        "matrix with termsift.count"
    ),
    "counts_of_different_classes": "counts of different classes cannot be combined",
    "counts_with_a_row_of_the": (
        "counts with a row of the collection do not record which documents two classes share"
    ),
    "countvectorizer_has_no_vocabulary": "'CountVectorizer' has no 'vocabulary_' yet",
    "curves_must_be_a_curve_got": "curves must be a Curve or a dict of Curves by name, got a str",
    "curves_must_be_a_curve_got_2": (
        "curves must be a Curve or a dict of Curves by name, got an int in the dict"
    ),
    "curves_of_different_folds": "a has 5 runs and d has 4: compare curves of the same folds",
    "cv_3_makes_more_folds_than": (
        "cv=3 makes more folds than the largest class has documents; pass at most cv=2"
    ),
    "cv_holds_no_folds": "cv holds no folds",
    "cv_must_be_at_least_2": "cv must be at least 2, got 1",
    "cv_must_hold_pairs_train_test": (
        "cv must hold pairs (train, test) of indices, unless it is an integer or a splitter, got "
        "True"
    ),
    "cv_must_hold_pairs_train_test_2": (
        "cv must hold pairs (train, test) of indices, unless it is an integer or a splitter, got "
        "None"
    ),
    "cv_must_hold_pairs_train_test_3": (
        "cv must hold pairs (train, test) of indices, unless it is an integer or a splitter, got "
        "'10'"
    ),
    "damaged_ngram_range_must_be": (
        "…forged: the saved counts are damaged: ngram_range must be (from, to), the smaller"
        " first, got (2, 1)"
    ),
    "data_must_be_bytes_got": "data must be bytes, got …",
    "delimiter_must_be_a_str": "delimiter must be a str, got int",
    "df_is_an_expected_a": (
        "df is a …, expected a DataFrame of Spark: call spark.createDataFrame, or count "
        "data in memory with termsift.count or count_texts"
    ),
    "did_you_mean_alpha": (
        "Invalid parameter 'alpa' for NaiveBayes, expected one of terms, model, alpha, "
        "class_prior, n_threads; did you mean 'alpha'?"
    ),
    "did_you_mean_pills": "terms has 'pill', which is no term of the counts; did you mean 'pills'?",
    "direction_must_be_one_of": "direction must be one of both, over, under, got 'up'",
    "dispersion_has_a_negative_count": (
        "X has -1 at row 0, column 0, expected a finite count that is not negative "
        "(HashingVectorizer needs alternate_sign=False)"
    ),
    "dispersion_has_documents_of_1": (
        "dispersion has documents of 1 term, but the counts have 2: pass the documents "
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
    "documents_are_not_read": "documents has …, but the scan has read …",
    "documents_have_several_classes": (
        "documents have several classes, and counts do not record which documents two "
        "classes share: count the documents of these classes instead"
    ),
    "documents_known_only_in_the_whole": (
        "cannot subtract counts that are not part of these: the number of documents in "
        "class … is known only in the whole"
    ),
    "documents_needs_class_docs_pass_both_or": "documents needs class_docs: pass both or neither",
    "documents_of_several_labels": (
        "there are 3.0 documents, but the classes have 4.0: if documents have several "
        "classes or none, pass collection_term_frequency and collection_document_frequency"
    ),
    "does_not_use_class_prior": (
        "… does not use class_prior, which only the aggregate 'mean' and methods with event models "
        "use: leave out class_prior"
    ),
    "each_document_needs_a_class": "each document needs a class",
    "each_of_ks_must_be_an": "each of ks must be an integer, got 1.0",
    "each_of_ks_must_be_an_2": "each of ks must be an integer, got True",
    "each_of_ks_must_be_an_integer_5": "each of ks must be an integer, got '5'",
    "each_of_ks_must_be_in": "each of ks must be in [1, 5], got 6",
    "each_of_ks_must_be_in_2": "each of ks must be in [1, 5], got 0",
    "each_of_ks_must_be_in_3": "each of ks must be in [1, 4], got 5",
    "each_of_ks_must_be_in_4": "each of ks must be in [1, 1], got 2",
    "each_of_queries_must_be_a": "each of queries must be a str, got int",
    "each_word_needs_a_stem": "each word needs a stem",
    "entries_add_up_to_infinity": "the entries of X at row 0, column 1 add up to infinity",
    "every_document_is_left_out": (
        "…news: holds no documents; 1 line, row or file left out, first: …a.txt: …, expected "
        "text; …"
    ),
    "every_line_left_out": (
        "…c.csv: holds no documents; 1 line, row or file left out, first: …c.csv, line 2: "
        "expected 2 fields, found 3; a field with ',' in it must begin and end with a quote"
    ),
    "every_term_of_class_land": (
        "… needs every term of class 'land', but its table left out 5 tokens: pass the whole table"
    ),
    "expected_2_fields_found_1": (
        "…d.txt, line 2: expected 2 fields, found 1; on_error='skip' leaves it out"
    ),
    "expected_2_fields_found_3": ("…c.csv, line 2: expected 2 fields, found 3; …"),
    "expected_2_fields_found_3_of_tabs": (
        "…, line 4: expected 2 fields, found 3; on_error='skip' leaves it out"
    ),
    "expected_a_dask_array_x_with": (
        "expected a dask array X with y, or a list of chunks (X, y) or (X, y, sample_weight), "
        "which may be delayed, got a Delayed… of dask: make an array with "
        "X.to_dask_array(lengths=True), or a list of delayed chunks"
    ),
    "expected_a_dask_array_x_with_2": (
        "expected a dask array X with y, or a list of chunks (X, y) or (X, y, sample_weight), "
        "which may be delayed, got a csr_array of scipy: for a matrix in memory, use "
        "termsift.count(X, y)"
    ),
    "expected_a_dask_array_x_with_3": (
        "expected a dask array X with y, or a list of chunks (X, y) or (X, y, sample_weight), "
        "which may be delayed, got a list: for a matrix in memory, use termsift.count(X, y)"
    ),
    "expected_a_file_found_a": "…: expected a file, found a folder, pipe or device",
    "expected_an_iterable_of_strings": "expected an iterable of strings",
    "expected_an_object_with_the_arrow_interface": (
        "expected an object with the Arrow interface (__arrow_c_stream__), found a int"
    ),
    "expected_at_least_n_fields": (
        "…t.txt, line 1: expected at least … fields, found 2; name the columns by text= and "
        "label=, by number if there is no header"
    ),
    "expected_label_term_count": "frame maps terms to counts, expected {label: {term: count}}",
    "expected_one_column_wort": (
        "…, line 1: expected one column 'wort', found 'word', 'freq'; pass a number in term if "
        "there is no header; did you mean 'word'?"
    ),
    "expected_one_column_x_found": (
        "…: expected one column 'x', found 't', 'y', 'n'; name a column of the frame"
    ),
    "expected_one_row_per_run": (
        "runs['accuracy'] has shape (…,…), expected one row per run and one column for each"
        " of the 2 ks"
    ),
    "f_svm_line_2_expected_a": (
        "…f.svm, line 2: expected an index from 1 to 2 before the colon, found '3:1'; term_names "
        "has 2 names; on_error='skip' leaves it out"
    ),
    "fdr_and_fwe_exclude_each_other": (
        "fdr and fwe exclude each other: leave out all but one, or set them to None"
    ),
    "fdr_is_a_number": "fdr must be a number, got '0.05'",
    "feature_names_in_the_same_order": (
        "The feature names should match those that were passed during fit.\nFeature names must be "
        "in the same order as they were in fit.\nColumn 0 of X is 'pills', expected 'bacon': bring "
        "the columns of the frame into the same order\n"
    ),
    "feature_names_missing": (
        "The feature names should match those that were passed during fit.\nFeature names unseen "
        "at fit time:\n- eggs\nFeature names seen at fit time, yet now missing:\n- pills\n"
    ),
    "features_expected_one_column_text_found": (
        "features: expected one column 'text', found 'features', 'label'; name a column of df"
    ),
    "fields_too_many": (
        "…c.csv, line 2: expected 2 fields, found 3; a field with ',' in it must begin and "
        "end with a quote; on_error='skip' leaves it out"
    ),
    "file_without_documents": "…f.svm: holds no documents",
    "five_feature_names_unseen": (
        "The feature names should match those that were passed during fit.\nFeature names "
        "unseen at fit time:\n- x_a\n- x_b\n- x_c\n- x_d\n- x_e\nFeature names seen at fit "
        "time, yet now missing:\n- a\n- b\n- c\n- d\n- e\n"
    ),
    "float_counts_cannot_hold_exactly": "…, which float counts cannot hold exactly",
    "float_counts_take_float_weights": "float counts take float weights",
    "for_a_file_use_termsift": (
        "texts is a single …, expected a list of strings: for one text pass [text], for a "
        "file use termsift.count(termsift.scan(path))"
    ),
    "found_a_table_its_columns": "expected a column of strings, found a table; its columns are 't'",
    "frame_is_a_list_expected": (
        "frame is a list, expected a data frame, an Arrow table or stream, a dict of "
        "columns, or a mapping of label to mapping of term to count"
    ),
    "fwe_is_a_number": "fwe must be a number, got True",
    "good_of_the_vocabulary_cannot_match": (
        "1 of 2 terms of the vocabulary cannot match by these rules: 'Good'; write terms as the "
        "rules cut texts (see lowercase, ngram_range and stop_words)"
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
    "greedy_has_no_aggregate": "greedy has no aggregate",
    "greedy_has_no_option": "greedy has no …: see counts.greedy",
    "greedy_has_no_option_policy": (
        "greedy has no option 'policy' (it has exhaustive, model, class_prior, alpha)"
    ),
    "greedy_has_no_policy": "greedy has no policy",
    "has_columns_not_number": (
        "…, line 1: has … column…, not …; name the column of the counts by count"
    ),
    "has_no_prior": "model='complement' has no prior, so leave out class_prior",
    "hashed_terms_have_no_names_to": "hashed terms have no names to look for: leave out hashing",
    "header_must_be_true_or_false": "header must be True or False, got 1",
    "header_or_term": (
        "…, line 1: may be a header or a term with its count: …; name the columns of the "
        "terms and the counts by term and count"
    ),
    "hold_no_rules_for_them": (
        "X holds texts, but the counts hold no rules for them: only count_texts and scan "
        "keep rules, and files keep no functions; pass a matrix of the counted columns"
    ),
    "holds_arrays_of_numpy": (
        "…: holds arrays of numpy, expected text; give it a name that ends in .npz if it is a "
        "sparse matrix of scipy"
    ),
    "holds_no_documents": "…: holds no documents",
    "indices_and_data_differ": "indices and data differ in length",
    "indptr_is_empty": "indptr is empty, expected one entry more than rows",
    "indptr_reaches_beyond_the_entries": (
        "X.indptr reaches 4294967… at row …, but … entries are stored"
    ),
    "input_format_must_be_one_of_got": "input_format must be one of …, got 'excel'",
    "input_x_contains_nan_in_row_0": (
        "Input X contains NaN: X has nan at row 0, column 0, expected a finite count that is not "
        "negative"
    ),
    "input_x_contains_nan_x_has": (
        "Input X contains NaN: X has nan at row 2, column 3, expected a finite count that is not "
        "negative"
    ),
    "is_a_feather_file_of_version_1": (
        "…: is a Feather file of version 1, expected text; write it again as version 2 or Parquet"
    ),
    "is_a_lazyframe_pass_texts": (
        "texts is a LazyFrame: pass texts.collect(), or merge counts of batches"
    ),
    "is_a_parquet_file": (
        "…: is a Parquet file, expected text; give it a name that ends in .parquet…"
    ),
    "is_a_pdf_document": "…: is a PDF document, expected text; save its text as a text file",
    "is_a_pipe_socket_or_device": (
        "[Errno …] is a pipe, a socket or a device; copy it to a regular file: '…'"
    ),
    "is_a_pointer_of_git_lfs": (
        "…: is a pointer of Git LFS, expected text; fetch the file itself, as git lfs pull does…"
    ),
    "is_a_table_by_itself": (
        "…: is …, expected text; write it as text, such as CSV; on_error='skip' leaves it out"
    ),
    "is_a_tar_archive": (
        "…: is a tar archive, expected text; unpack it, and pass the folder or its files"
    ),
    "is_an_arrow_file": "…: is an Arrow file, expected text; give it a name that ends in .arrow…",
    "is_an_excel_workbook": "…: is an Excel workbook, expected text; save the sheet as CSV UTF-8",
    "is_an_office_document": (
        "…: is an Office document, expected text; save its text as a text file"
    ),
    "is_an_old_office_document": (
        "…: is an old Office document, such as .xls, expected text; save the sheet as CSV UTF-8"
    ),
    "is_an_rtf_document": "…: is an RTF document, expected text; save its text as a text file…",
    "is_an_sqlite_database": "…: is an SQLite database, expected text; export the table as CSV",
    "is_no_checkpoint": (
        "…: is damaged, or is no checkpoint of this version of termsift; delete the file to start "
        "the pass again, or the folder to start both again"
    ),
    "is_no_text_but_a_table": "…: is … file, expected text; write it as text, such as CSV",
    "it_needs_raw_counts": (
        "max_features needs tf='raw', because counts with tf='log' do not show which terms are "
        "most frequent; binary=True keeps the terms that are in the most documents"
    ),
    "k_and_fdr_exclude_each_other": (
        "k and fdr exclude each other: leave out all but one, or set them to None"
    ),
    "k_and_fpr_exclude_each_other": (
        "k and fpr exclude each other: leave out all but one, or set them to None"
    ),
    "k_must_be_a_number_of": "k must be a number of terms or 'all', got 0.5",
    "k_must_be_a_number_of_2": "k must be a number of terms or 'all', got 'some'",
    "k_must_be_a_number_of_3": "k must be a number of terms or 'all', got -1",
    "k_must_be_a_number_of_4": "k must be a number of terms or 'all', got True",
    "k_must_be_an_integer_got": "k must be an integer, got 2.5",
    "k_must_be_an_integer_got_2": "k must be an integer, got True",
    "k_must_be_an_integer_got_3": "k must be an integer, got 1.5",
    "k_must_be_at_least": "k must be at least 0, got -1",
    "k_must_be_at_least_1": "k must be at least 1, got 0",
    "k_must_be_in_0_3": "k must be in [0, 3]",
    "k_must_be_in_0_number_of_scores": "k must be in [0, number of scores]",
    "k_must_be_in_0_number_of_terms": "k must be in [0, number of terms]",
    "key_has_no_option_max_pvlue_did": "key has no option 'max_pvlue'; did you mean 'max_pvalue'?",
    "key_needs_the_documents": (
        "key needs the documents of class 'land', which are unknown: its table has only "
        "occurrences; use g2_counts, log_odds or multinomial md, which count occurrences, or leave "
        "out the class with subset"
    ),
    "keyness_must_be_a_keyness_got": "keyness must be a Keyness, got Ranking",
    "ks_is_empty": "ks is empty",
    "ks_must_hold_integers_got_12": "ks must hold integers, got '12'",
    "ks_must_hold_integers_got_3": "ks must hold integers, got 3",
    "label_expected_one_column_labels_found": (
        "label: expected one column 'labels', found 'term', 'label', 'count'; name a column of the "
        "frame; did you mean 'label'?"
    ),
    "label_expected_one_column_labl_found": (
        "label: expected one column 'labl', found 'features', 'label'; name a column of df; did "
        "you mean 'label'?"
    ),
    "label_expected_one_column_star": (
        "label: expected one column 'star', found 'body'; name a column of the frame"
    ),
    "labels_and_no_labels": "labels names a file of labels, so leave out label=False",
    "labels_for_the_documents_of_a_matrix": ("…labels: 39 labels for the 40 documents of …m.mtx"),
    "labels_must_be_a_contiguous_vector": "labels must be a contiguous vector",
    "labels_must_be_strings": "labels must be strings, found int",
    "labels_of_a_folder": (
        "…mail: a folder of files has no single file of labels; pass the files, each with its own"
    ),
    "labels_of_another_length": "…short: … label… for the 5 documents of …film.txt",
    "labels_with_a_header": (
        "…: … labels for the … documents of …; if its first line, '…', is a header, delete "
        "this line"
    ),
    "leave_one_out_needs_labels": "y must hold a label for each document in order, got None",
    "leave_out_sort_and_direction": (
        "similar terms have their own order, so leave out sort and direction"
    ),
    "level_must_be_above": "level must be above 0 and below 1, got 1",
    "level_must_be_above_0_and_below_1": "level must be above 0 and below 1, got 1.0",
    "line_1_may_name_columns": (
        "…, line 1: expected at least 2 fields, found 1; if line 1 names columns, pass "
        "input_format='csv'"
    ),
    "line_2_expected_a_string": (
        "…mail.jsonl, line 2: expected a string as 'a', found null; on_error='skip' leaves it out"
    ),
    "line_2_expected_a_string_2": (
        "…file.jsonl, line 2: expected a string or a whole number as 'label', found a "
        "number with a fraction; on_error='skip' leaves it out"
    ),
    "line_2_expected_a_term": "…terms.txt, line 2: expected a term, found nothing",
    "line_2_names_the_columns": (
        "…, line 1: expected one column 'text', found …; line 2 names the columns: pass "
        "skip_lines=1"
    ),
    "list_msgpack_line_1_byte_0": (
        "…list.msgpack, line 1: byte 0 is not UTF-8; pass encoding= with the encoding of the texts"
    ),
    "list_tsv_line_1_byte_3": (
        "…list.tsv, line 1: byte 3 is not UTF-8; pass encoding= with the encoding of the texts"
    ),
    "lists_of_objects_in_json": (
        "…: holds lists of objects in …, expected one object in each line; write the objects "
        "of one list into another file, as jq -c '…[]…' … > records.jsonl does"
    ),
    "log_odds_needs_occurrences_but_x_holds": (
        "log_odds needs occurrences, but X holds fractions, such as tf-idf (in class 'ham', term 0 "
        "occurs 0.5 times): use CountVectorizer instead of TfidfVectorizer; tf='log' damps its "
        "counts"
    ),
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
    "mail_line_1_expected_one_column": (
        "…mail.csv, line 1: expected one column 'titel', found 'title', 'stars', 'body', 'kind'; "
        "name the columns by text= and label=, by number if there is no header; did you mean "
        "'title'?"
    ),
    "malformed_pattern": "malformed pattern: …",
    "marks_cut_words_and_nfc_joins": (
        "combining marks cut words in … place…, …: normalize='NFC' joins accents …"
    ),
    "marks_cut_words_of_letters": (
        "combining marks cut words in … place…, … are not letters: a token_pattern with marks, as …"
    ),
    "marks_must_differ": "… and … must differ, got … for both",
    "masked_scores": "the scores of <lambda> is a masked array: fill or drop the masked values",
    "matrix_of_pandas_for_dask": (
        "expected a dask array X with y, or a list of chunks (X, y) or (X, y, "
        "sample_weight), which may be delayed, got a DataFrame of pandas: for a matrix in "
        "memory, use termsift.count(X, y)"
    ),
    "matrix_with_carriage_returns": (
        "…c.…, line 1: carriage returns end the lines of this file; replace them by line feeds"
    ),
    "max_memory_beside_rules_that_limit": (
        "hashing and vocabulary limit the terms: leave out max_memory"
    ),
    "max_memory_in_a_partition_needs_min_df": (
        "partition …: max_memory needs min_df, a whole number of at least 2, because it drops rare "
        "terms"
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
    "max_pvalue_needs_the_documents": (
        "max_pvalue needs the documents of class 'land', which are unknown: its table has only "
        "occurrences; pass method='g2_counts', which counts occurrences, leave out max_pvalue, or "
        "leave out the class with subset"
    ),
    "md_chi2_has_no_option_noncentralty_it": (
        "md_chi2 has no option 'noncentralty' (it has noncentrality); did you mean 'noncentrality'?"
    ),
    "md_has_no_aggregate": "md has no option 'aggregate'",
    "md_has_no_option": "md has no option '…'; did you mean '…'?",
    "md_has_no_option_libary_did": "md has no option 'libary'; did you mean 'library'?",
    "md_has_no_option_polcy": "md has no option 'polcy'",
    "md_has_no_option_variant": "md has no option 'variant'",
    "md_has_no_option_zero": (
        "md has no option 'zero' (it has model, policy, aggregate, class_prior, alpha)"
    ),
    "md_has_one_run_and": "md has one run and no deviation: use cross_validate",
    "md_needs_occurrences_but_x_holds": (
        "md needs occurrences, but X holds fractions, such as tf-idf (in class 'b', term 0 occurs "
        "0.5 times): use CountVectorizer instead of TfidfVectorizer; tf='log' damps its counts"
    ),
    "md_needs_occurrences_but_x_holds_2": (
        "md needs occurrences, but X holds fractions, such as tf-idf (in class 'ham', term 0 "
        "occurs 0.5 times): use CountVectorizer instead of TfidfVectorizer; tf='log' damps its "
        "counts"
    ),
    "md_needs_occurrences_of_later": (
        "md needs occurrences, but X holds fractions, such as tf-idf (in class …, term 0 occurs "
        "… times): use CountVectorizer instead of TfidfVectorizer; tf='log' damps its counts"
    ),
    "metadata_routing_is_off": (
        "metadata routing is off: call sklearn.set_config(enable_metadata_routing=True)"
    ),
    "method_conditional_gain_takes_no_alpha_got": (
        "method='conditional_gain' takes no alpha, got 2.0"
    ),
    "method_conditional_gain_takes_no_tf_got": (
        "method='conditional_gain' takes no tf, got 'binary'"
    ),
    "metric_must_be_one_of": "metrics must be one of …, got 'auc'",
    "metrics_must_hold_words_got_5": "metrics must hold words, got 5",
    "min_count_must_be_at_least": "min_count must be at least 0, got -1",
    "min_df_4_requires_4_or_more": (
        "min_df=4 requires 4 or more of 6 documents, but max_df=0.5 allows 3 or fewer; lower "
        "min_df or raise max_df"
    ),
    "min_df_61_requires_61_or_more": (
        "min_df=61 requires 61 or more of 60 documents, but max_df=1.0 allows 60 or fewer; lower "
        "min_df or raise max_df"
    ),
    "min_df_7_requires_7": (
        "min_df=7 requires 7 or more of 6 documents, but max_df=1.0 allows 6 or fewer; "
        "lower min_df or raise max_df"
    ),
    "min_df_at_least_1": "min_df must be at least 1, got 0",
    "min_df_is_an_integer": "min_df must be an integer, got 0.5",
    "min_share_must_be_between": "min_share must be between 0 and 1, got 2",
    "missing_value_at_150": (
        "texts has a missing value at 150, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "missing_value_at_2_expected": (
        "texts has a missing value at 2, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "misspelt_rule": "unknown argument 'lowercse', expected one of …; did you mean 'lowercase'?",
    "model_complement_has_no_leave_one_out_use": (
        "model='complement' has no leave_one_out: use another model"
    ),
    "model_must_be_one_of": "model must be one of …",
    "models_must_be_one_of_multinomial": (
        "models must be one of multinomial, binary, bernoulli, poisson, got 'x'"
    ),
    "module_termsift_text_has_no_attribute": "module 'termsift.text' has no attribute 'NoSuch'",
    "more_columns_than_two": (
        "…, line 1: expected a label and a text, found 3 fields in each row; pass text and "
        "label with the numbers of their columns"
    ),
    "more_columns_with_a_header": (
        "…, line 1: expected a label and a text, found 3 fields in each row; pass header=True"
        " text='Message' label='class'"
    ),
    "must_be_the_path_of": "… must be the path of a file or folder, got ''",
    "n_classes_must_not_be_negative": "n_classes must not be negative, got -1",
    "n_counters_must_be_positive": "n_counters must be positive, got 0",
    "n_docs_are_unknown": (
        "n_docs needs the documents of class 'land', which are unknown: its table has only "
        "occurrences; pass documents and class_docs to counts_from_table, or leave out the "
        "class with subset"
    ),
    "n_labels_for_12_texts": "y has … labels for 12 texts",
    "n_labels_for_12_texts_or_more": "y has … labels for 12 texts or more",
    "n_passages_must_be_at_least_1": "n_passages must be at least 1, got 0",
    "n_samples_must_be_at_least_2": "n_samples must be at least 2, got 1",
    "n_threads_must_be_in_1_4096": "n_threads must be in [1, 4096], got 0",
    "naive_bayes_needs_a_class_with": "naive Bayes needs a class with documents",
    "naive_bayes_needs_every_term": (
        "naive_bayes needs every term of class 'sea', but its table left out 6 tokens: pass"
        " the whole table"
    ),
    "naive_bayes_needs_the_documents": (
        "naive_bayes needs the documents of class 'land', which are unknown: its table has "
        "only occurrences; pass documents and class_docs to counts_from_table, or leave out"
        " the class with subset"
    ),
    "naivebayes_expects_12_features": (
        "X has 5 features, but NaiveBayes is expecting 12 features as input: pass all columns that "
        "were counted, since the classifier itself selects those of its 12 terms"
    ),
    "name_of_two_terms": (
        "part 1 and the parts before it: the vocabularies differ, and 's' names 2 terms"
    ),
    "names_of_terms_for_a_text_file": (
        "…c.txt: texts have their own labels and terms; leave out term_names, or for a file "
        "of svmlight, pass input_format='svm'"
    ),
    "nan_is_left_out": (
        "mine is left out, because it failed in fold 0: ValueError: mine must return a Ranking or"
        " one score for each of the 20 terms, but … of them are NaN, the first in column 0"
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
    "negative_at_row_0_in_a_selector": (
        "Negative values in data passed to TermSelector: X has … at row 0, column 0, expected a "
        "finite count that is not negative (HashingVectorizer needs alternate_sign=False)"
    ),
    "negative_in_a_selector": (
        "Negative values in data passed to TermSelector: X has -1 at row 3, column 4, "
        "expected a finite count that is not negative (HashingVectorizer needs "
        "alternate_sign=False)"
    ),
    "negative_values_in_data_passed_to": (
        "Negative values in data passed to NaiveBayes: X has -1 at row 0, column 1, expected a "
        "finite count that is not negative (HashingVectorizer needs alternate_sign=False)"
    ),
    "negative_values_passed_to_naivebayes": (
        "Negative values in data passed to NaiveBayes: X has … at row 0, column 0, expected a "
        "finite count that is not negative (HashingVectorizer needs alternate_sign=False)"
    ),
    "new_column_1_is_2_expected_1": "new_column[1] is -2, expected -1 or a column below 3",
    "new_column_2_is_1_which_is": "new_column[2] is 1, which is also new_column[1]",
    "new_column_2_is_2_which_is": "new_column[2] is 2, which is also new_column[0]",
    "new_column_2_is_3_expected_1": "new_column[2] is 3, expected -1 or a column below 3",
    "new_column_has_2_columns_for_3": "new_column has 2 columns for 3 terms",
    "new_column_has_4_columns_for_3": "new_column has 4 columns for 3 terms",
    "ngram_range_has_no_effect": (
        "ngram_range has no effect with this analyzer: leave it out, or let the function apply it"
    ),
    "ngrams_may_have_at_most": "n-grams may have at most 1000 words, got 1001",
    "no_bytes_for_a_sketch": (
        "the bytes are no sketch: n_bytes must be in [1, 9223372036854775807], got 0"
    ),
    "no_class_is_a_word": "no class is a word",
    "no_collections_to_show": "there are no collections to show",
    "no_column_text": (
        "…, line 1: expected one column 'text', found …; name the columns by text= and label=, by "
        "number if there is no header"
    ),
    "no_column_text_of_title_and_label": (
        "…t.csv, line 1: expected one column 'text', found 'title', 'label'; name the columns by "
        "text= and label=, by number if there is no header"
    ),
    "no_content_before_init": (
        "an object of …._core has no content before __init__: call its class instead"
    ),
    "no_counting_path": "no counting path 'x'",
    "no_curves_to_compare": "there are no curves to compare",
    "no_delimiter_is_left": "…c.txt: no character is left to be the delimiter",
    "no_document_has_a_word_of": (
        "no document has a word of two or more letters, so the counts have no terms"
    ),
    "no_file_matches_this_pattern": "…*.tsv: no file matches this pattern",
    "no_fit_today": "no fit today",
    "no_folders_of_classes": (
        "…mail: expected one sub-folder per class with one file per document, found none; for"
        " a table, pass its file; for parts of a table whose names do not tell its format, "
        "pass input_format, such as 'txt'; for documents without classes, pass label=False"
    ),
    "no_key_label_in_line_2": (
        "…mail.json, line 2: expected a key 'label', found 'text'; name the columns by text= and "
        "label=; on_error='skip' leaves it out"
    ),
    "no_key_text_in_line_2": (
        "…mail.json, line 2: expected a key 'text', found …; name the columns by text= and "
        "label=; on_error='skip' leaves it out"
    ),
    "no_key_text_of_title_and_label": (
        "…t.jsonl, line 1: expected a key 'text', found 'title', 'label'; name the columns by "
        "text= and label=; on_error='skip' leaves it out"
    ),
    "no_label_in_row_2": (
        "…, row 2: the label is None, expected a string or a whole number; on_error='skip' leaves "
        "it out"
    ),
    "no_label_of_document_1": (
        "…the label of document 1 is missing: …; leave the document out, as dropna of pandas and "
        "drop_nulls of polars do"
    ),
    "no_method_key_use_distinctive": (
        "no method 'key', expected one of …; key orders the terms of a class: use "
        "distinctive_terms or to_frame"
    ),
    "no_method_mdd": "no method 'mdd', expected one of …; did you mean 'md'?",
    "no_method_nonsense": "no method 'nonsense', expected one of …",
    "no_method_nope_expected_one_of": "no method 'nope', expected one of …",
    "no_number_of_documents": (
        "…, line 2: expected a whole number of documents, found 'news,9,0.3'; name the column by "
        "documents"
    ),
    "no_object_has_the_key": (
        "…mail.jsonl, line 3: no object has the key 'titel'; name the columns by text= and label="
    ),
    "no_such_method": "no method array(['key', 'g2'], dtype='<U3'), expected one of …",
    "no_text_among_2": "no text … among 2",
    "no_text_can_be_added_after": "no text can be added after the terms were sorted",
    "no_text_in_row_2": (
        "…, row 2: the text is missing, expected a string; on_error='skip' leaves it out"
    ),
    "no_text_of_document_1": (
        "…the text of document 1 is missing: leave the document out, as dropna of pandas and "
        "drop_nulls of polars do"
    ),
    "none_has_no_tokens": "'none' has no tokens, so there is nothing to compare",
    "normalize_has_no_effect_with_a_function": (
        "normalize has no effect with this preprocessor: leave it out, or let the function apply it"
    ),
    "normalize_has_no_effect_with_an_analyzer": (
        "normalize has no effect with this analyzer: leave it out, or let the function apply it"
    ),
    "normalize_is_nfc_in_one": (
        "the texts were cut by different rules: normalize is 'NFC' in one and None in the other; "
        "count both with the same rules"
    ),
    "normalize_must_be_a_name_of_the_core": "normalize must be None, 'NFC' or 'NFKC', got 'x'",
    "normalize_must_be_nfc": "normalize must be 'NFC' or 'NFKC', got 'NFD'; did you mean 'NFC'?",
    "not_a_finite_count_at_row_0": (
        "… has … at row 0, column 0, expected a finite count that is not negative…"
    ),
    "not_enough_memory_to_read": "…c.svm.bz2: not enough memory",
    "not_fitted": "the classifier is not fitted: call fit, or use counts.naive_bayes()",
    "not_part_of_these": (
        "cannot subtract counts that are not part of these: in class 'a', a term would have "
        "more documents than occurrences, or more than the class"
    ),
    "not_utf_8": (
        "document …, byte 0: expected UTF-8, found ff (hexadecimal); decode the text with "
        "the encoding in which it was written"
    ),
    "nothing_is_left_out": (
        "mine is left out, because it failed in fold 0: ValueError: mine must return a Ranking or"
        " one score for each of the 20 terms, got a NoneType of object"
    ),
    "nothing_to_draw_no_curves": "there is nothing to draw: no curves or no metrics",
    "nothing_to_draw_no_terms": "there is nothing to draw: no terms",
    "np_nan_is_an_invalid_document": (
        "np.nan is an invalid document, expected byte or unicode string."
    ),
    "null_as_label_in_line_2": (
        "…mail.jsonl, line 2: expected a string or a whole number as 'label', found null; "
        "on_error='skip' leaves it out"
    ),
    "null_as_text_in_line_2": (
        "…mail.jsonl, line 2: expected a string as 'text', found null; on_error='skip' leaves it "
        "out"
    ),
    "numbers_below_terms": (
        "…, line 1: expected one column …, found …; if the columns are terms and the numbers "
        "their counts, read frame = pandas.read_csv(file…), and count them by "
        "termsift.count(frame.drop(columns=[…]), …)"
    ),
    "numbers_beside_terms": (
        "…, line 1: expected one column 'text', found …; if each row is a term and each column a "
        "document, read frame = pandas.read_csv(file, index_col=0…), and count by "
        "termsift.count(frame.T, labels)"
    ),
    "numbers_named_twice": "…c.csv: text and label name the same column: 1, 1",
    "one_after_another": (
        "'greedy' chooses terms one after another and gives no score to a single term: use "
        "rank('greedy'), or one of …"
    ),
    "one_ascii_character": (
        "… must be one ASCII character that is no letter, digit or end of a line, got …"
    ),
    "one_column_text": (
        "…c.csv, line 1: expected one column 'text', found 'ham ham ham ham ham ham ham ham"
        " ham ham ham ham ham ham ham ...', 'a'; name the columns by text= and label=, by "
        "number if there is no header"
    ),
    "one_column_without_a_header": (
        "…c.csv, line 1: expected one column 'text', found 'bacon eggs'; if there is no "
        "header, pass text=1"
    ),
    "one_run_has_no_deviation": "a has one run and no deviation: use cross_validate",
    "only_shards_need_no_y": (
        "y must hold a label for each document in order, got None; only X that holds the "
        "ClassCounts of shards needs no y"
    ),
    "only_tables_have_a_dialect": (
        "…: only .csv, .tsv and .txt tables have a dialect; leave out delimiter and skip_lines"
    ),
    "only_the_name_of_a_function": (
        "rules has only the name of a function: pass termsift.text.TextRules with the "
        "function itself"
    ),
    "other_columns_of_a_part": (
        "…part-00001-0ac1.csv: has the columns 'text', 'label', 'id', expected the columns "
        "'text', 'label', as …part-00000-0ac1.csv has"
    ),
    "other_columns_of_parquet": (
        "…part-3.snappy.parquet: has the columns 'text', 'label', 'more', expected the "
        "columns 'text', 'label', as …part-0.snappy.parquet has"
    ),
    "other_number_of_columns": "…3.csv: has 3 columns, expected 2 columns, as …0.csv has",
    "other_rules_in_part_1": (
        "the texts were cut by different rules: … is … in part 1 and … in part 0; count both with "
        "the same rules"
    ),
    "other_rules_in_part_2": (
        "the texts were cut by different rules: … is … in part 2 and … in part 0; count both with "
        "the same rules"
    ),
    "other_rules_in_the_other": (
        "the texts were cut by different rules: … is … in one and … in the other; count both with "
        "the same rules"
    ),
    "other_tsv_no_such_file": "…other.tsv: no such file",
    "part_0_expected_texts_y_or": (
        "part 0: expected (texts, y), or a frame with a column of texts and a column of labels, "
        "got a list"
    ),
    "part_0_expected_texts_y_or_2": (
        "part …: expected (texts, y), or a frame with a column of texts and a column of labels, "
        "got a list of strings"
    ),
    "part_0_the_label_of": (
        "part 0: the label of document 0 is missing: None; leave the document out, as "
        "dropna of pandas and drop_nulls of polars do"
    ),
    "part_0_the_text_of": (
        "part 0: the text of document 4 is missing: leave the document out, as dropna of "
        "pandas and drop_nulls of polars do"
    ),
    "part_0_there_are_2_labels": "part 0: y has 2 labels for 1 text",
    "part_1_texts_has_an_int": "part 1: texts has an int at 0, expected strings",
    "part_1_the_label_of": (
        "part 1: the label of document 0 is missing: None; leave the document out, as "
        "dropna of pandas and drop_nulls of polars do"
    ),
    "part_3_the_label_of_document": "part …: the label of document … is …, which is not in classes",
    "part_expected_texts_y_or_a": (
        "part …: expected (texts, y), or a frame with a column of texts and a column of labels, "
        "got a str"
    ),
    "part_is_no_counts": "part 0 is an int, expected ClassCounts",
    "partition_0_document_0_the_analyzer": (
        "partition 0: document 0: the … returned 7, expected an iterable of strings"
    ),
    "partition_0_from_row_0": (
        "partition 0, from row 0: the label of document 0 is 'ham', which is not in classes"
    ),
    "partition_0_from_row_0_the_2": (
        "partition 0, from row 0: the vector of row 6 has 7 terms, others have 30"
    ),
    "partition_1_from_row_0_the": (
        "partition 1, from row 0: the label of document 2 is missing: None; leave the document "
        "out, as dropna of pandas and drop_nulls of polars do"
    ),
    "partition_2_the_label_of_document": (
        "partition 2: the label of document 1 is missing: None; leave the document out, as dropna "
        "of pandas and drop_nulls of polars do"
    ),
    "partition_2_the_text_of_document": (
        "partition 2: the text of document 1 is missing: leave the document out, as dropna of "
        "pandas and drop_nulls of polars do"
    ),
    "parts_overflow": (
        "part 1 and the parts before it: the sum of two counts of tokens exceeds 2^63 - 1"
    ),
    "pass_documents_not_shards": "guided_gain reads the documents: pass X and y",
    "pass_either_y_or_label": (
        "expected labels: pass either y, with one label per document in order, or label, the name "
        "of the label column"
    ),
    "path_must_be_a_str": "path must be a str or PathLike, got NoneType",
    "paths_is_a_dataframe": (
        "paths is a DataFrame, expected paths: count the texts of a frame with "
        "termsift.count_texts(frame, text=..., label=...)"
    ),
    "paths_is_empty": "paths is empty, expected at least one path",
    "pattern_matches_the_empty_text": (
        "token_pattern matches the empty text, so that '' is counted as a word: write + …"
    ),
    "pattern_takes_exponential_time": (
        "token_pattern takes exponential time, already for '…', because a loop is within a loop: …"
    ),
    "plot_curves_needs_matplotlib_pip_install_termsif": (
        "plot_curves needs matplotlib: pip install 'termsift[plot]', or pip install matplotlib"
    ),
    "plot_ranking_needs_matplotlib": (
        "plot_ranking needs matplotlib: pip install 'termsift[plot]', or pip install matplotlib"
    ),
    "policies_must_be_top_or_round_robin": "policies must be 'top' or 'round_robin', got 'x'",
    "policy_must_be_top_or_round_robin_rr": "policy must be 'top' or 'round_robin', got 'rr'",
    "preprocessor_has_no_effect": (
        "preprocessor has no effect with this analyzer: leave it out, or let the function apply it"
    ),
    "prior_lacks_class": "class_prior lacks class 'news': give every class a prior, or 0",
    "queries_must_hold_at_least_one": "queries must hold at least one word or phrase",
    "quote_must_be_a_str": "quote must be a str, got bool",
    "quotes_seem_to_enclose_fields": (
        "….txt: quotes seem to enclose fields, but count as text; if so, pass quote='\"'"
    ),
    "random_state_is_no_seed": "random_state: …",
    "ranking_has_1_twice_expected_each": "ranking has 1 twice, expected each term once",
    "ranking_has_2_dimensions": "ranking has 2 dimensions, expected 1",
    "ranking_has_4_at_position_1": "ranking has 4 at position 1, expected a term in [0, 4)",
    "ranking_must_be_a_ranking_got": (
        "ranking must be a Ranking or a dict of Rankings by name, got a ClassCounts"
    ),
    "ranking_must_be_a_ranking_got_2": (
        "ranking must be a Ranking or a dict of Rankings by name, got an int in the dict"
    ),
    "ranking_must_hold_integers_got_dtype": "ranking must hold integers, got dtype float64",
    "rate_beyond_2_to_64": (
        "term 0 occurs 1e+20 times in class 0, whose documents and b2 add up to 2; a rate "
        "must be at most 2^64"
    ),
    "raw_documents_has_a_missing_value_at_1": (
        "raw_documents has a missing value at 1, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "raw_documents_has_no_string": "raw_documents has … at 1, expected strings…",
    "raw_documents_is_a_lazyframe": (
        "raw_documents is a LazyFrame: pass raw_documents.collect(), or merge counts of batches"
    ),
    "reference_aggregate_unknown": "unknown aggregate 'median'; use one of sum, mean, max",
    "reference_alpha_lets_a_class_exceed_1": (
        "alpha = (b1, b2) must satisfy 3 * b1 <= b2, got (1, 2)"
    ),
    "reference_alpha_negative": "alpha must be finite and nonnegative, not -1",
    "reference_alpha_of_0_in_greedy": (
        "alpha must be positive: a term that is absent from a class has probability 0"
    ),
    "reference_alpha_rising": "alpha = (b1, b2) must satisfy b1 <= b2, got (2.0, 1.0)",
    "reference_class_prior_lacks_a_class": "class_prior must have one number for each class",
    "reference_class_prior_negative": "class_prior[1] is -1, not a finite nonnegative number",
    "reference_class_prior_of_one_class": (
        "class_prior must be positive for at least two classes with documents"
    ),
    "reference_class_prior_too_long": "class_prior has 3 numbers for 2 classes",
    "reference_class_prior_unknown": "class_prior is 'flat', not 'empirical', 'uniform' or numbers",
    "reference_classes_have_a_label_twice": "classes contains a label twice",
    "reference_classes_hold_spam_twice": "reference: classes hold 'spam' twice",
    "reference_count_infinite": "a count exceeds the largest float64",
    "reference_degrees_of_0": "degrees must be at least 1, not 0",
    "reference_how_unknown": "unknown how 'holm'; use one of bh, bonferroni",
    "reference_indices_beyond_the_terms": "indices must be distinct and within [0, 2), not [2]",
    "reference_indices_twice": "indices must be distinct and within [0, 2), not [0, 0]",
    "reference_k_negative": "k must not be negative, got -1",
    "reference_method_has_no_models": (
        "chi2 has no model 'binary'; methods with models are md, md_chi2"
    ),
    "reference_method_is_no_test": (
        "'md' is not a test of significance; use one of chi2, g2, chi2_counts, g2_counts"
    ),
    "reference_method_unknown": "unknown method 'chi3'; use one of md, md_chi2, …",
    "reference_model_unknown": (
        "unknown model 'gauss'; use one of multinomial, binary, bernoulli, poisson"
    ),
    "reference_noncentrality_unknown": (
        "unknown noncentrality 'neyman'; use one of jeffreys, pearson"
    ),
    "reference_one_class_has_documents": "1 classes have documents, expected at least two",
    "reference_sample_weight_negative": "sample_weight[1] is -1, not a finite nonnegative number",
    "reference_sample_weight_too_short": "sample_weight has shape (1,), X has 2 documents",
    "reference_tf_unknown": "unknown tf 'idf'; use one of raw, log, binary",
    "reference_variant_unknown": "unknown variant 'bm11'; use one of idf, bm25",
    "reference_x_in_1_dimension": "X must have 2 dimensions, not 1",
    "reference_x_negative": "X[1, 1] is -1, not a finite nonnegative number",
    "reference_y_holds_2": "y[1, 1] is 2, neither 0 nor 1",
    "reference_y_in_one_column": "y is a single column: pass y.ravel()",
    "reference_y_is_an_indicator_matrix": "y is an indicator matrix, not one label per document",
    "reference_y_is_missing": "y[1] is ('spam', None), which stands for a missing label",
    "reference_y_is_not_in_classes": "y[1] is 'spam', which is not in classes",
    "reference_y_of_other_columns": "y has 2 columns, classes has 1 labels",
    "reference_y_too_short": "X has 2 documents, y has 1",
    "reference_zero_unknown": "unknown zero 'one'; use one of epsilon, document",
    "requires_y_to_be_passed": "NaiveBayes requires y to be passed, but the target y is None",
    "reshape_your_data": (
        "X must have two dimensions, one row per document, got shape (…,). Reshape your "
        "data: X.reshape(1, -1) is one document"
    ),
    "returned_no_strings": ("…: the … returned …, expected an iterable of strings"),
    "round_robin_has_no_aggregate": "round_robin ranks by class scores and has no aggregate",
    "row_2_the_label_is": (
        "…, row 2: the label is '1.5', expected a string or a whole number; "
        "on_error='skip' leaves it out"
    ),
    "rows_end_in_a_delimiter": (
        "…, line 2: has 3 fields, and the header 2; if the rows end in a stray ',', pass "
        "skip_lines=1 text=2 label=1"
    ),
    "rows_have_names": (
        "…c.tsv, line 2: has 3 fields, and the header 2; if the first field is the name of "
        "the row, as R's write.table writes it, pass skip_lines=1 text=3 label=2"
    ),
    "rules_must_be_a_textrules": "rules must be a TextRules, got str",
    "sample_weight_and_x_differ_in_length": "sample_weight and X differ in length",
    "sample_weight_has_1152921504606846977_at_row_1": (
        "sample_weight has 1152921504606846977 at row 1, expected at most 2^53 because the counts "
        "are not integers"
    ),
    "sample_weight_has_nan": (
        "sample_weight has nan at row 0, expected a finite number, not negative and below 2^63"
    ),
    "sample_weight_is_a_masked": "sample_weight is a masked array: fill or drop the masked values",
    "scan_must_be_a_scan_got": "scan must be a Scan, got str",
    "scores_in_another_order": (
        "the scores of by_score have an index that is not the order of the terms: return them "
        "in the order of the columns, as with reindex(range(n_terms)).to_numpy()"
    ),
    "several_files_in_an_archive": (
        "…: expected an archive of one file, found 2: 'a.csv', 'b.csv'; unpack it, and pass its "
        "folder or files"
    ),
    "several_words_on_a_line": (
        "…words, line 1: expected one word on each line, or a column that the header names 'word', "
        "found …"
    ),
    "shape_must_be_a_number_got": "shape must be a number, got None",
    "shape_must_be_a_number_or": "shape must be a number or 'empirical_bayes', got 'auto'",
    "shape_must_be_positive_and_finite": "shape must be positive and finite, got 0",
    "shape_must_be_positive_and_finite_2": "shape must be positive and finite, got nan",
    "shards_are_counted_already": "shards are counted already: leave out …",
    "simd_target_must_be_one_of": "SIMD target must be one of … on this machine, got 'x'",
    "six_feature_names_unseen": (
        "The feature names should match those that were passed during fit.\nFeature names "
        "unseen at fit time:\n- x_a\n- x_b\n- x_c\n- x_d\n- x_e\n- ...\nFeature names seen at "
        "fit time, yet now missing:\n- a\n- b\n- c\n- d\n- e\n- ...\n"
    ),
    "sketch_is_full": (
        "90% of the sketch's counters reach min_df=2, so the sketch would keep too many "
        "terms: make one with n_bytes=4194304 or more, or pass max_memory=12582912"
    ),
    "sketch_of_bytes_is_full": (
        "100% of the sketch's counters reach min_df=3, so the sketch would keep too many "
        "terms: make one with n_bytes=8192 or more, or pass max_memory=24576"
    ),
    "sketch_was_read_from_bytes_which": (
        "sketch was read from bytes, which keep only the name of the function lists (analyzer): "
        "make the sketch and count the texts in one process"
    ),
    "skip_lines_must_be_an_integer": "skip_lines must be an integer, got 1.5",
    "skip_lines_must_be_in": "skip_lines must be in [0, 4611686018427387904], got -1",
    "smoothing_b1_1_is_too_small": (
        "smoothing b1 = 1 is too small compared with the 10000000000000000 tokens of class 0; "
        "greedy needs at least 2^-40 of the number of tokens"
    ),
    "smoothing_b2_beyond_doubles": (
        "smoothing b2 = … is too … compared with the … tokens of the collection; log_odds needs b2 "
        "/ tokens between 2^-450 and 2^450, or b2 = 0 for no smoothing"
    ),
    "smoothing_too_small": (
        "smoothing b1 = … is too small for class 0, whose tokens and b2 add up to …"
    ),
    "some_documents_have_a_class_beyond": "some documents have class 1, expected below 1",
    "some_partitions_have_vectors_of_30": (
        "some partitions have vectors of 30 terms, others have vectors of 7"
    ),
    "sort_must_be_one_of": "sort must be one of …, got 'size'",
    "source_must_be_a_path": "source must be a path or bytes, got …",
    "source_must_be_a_path_2": "source must be a path or bytes, got int",
    "stability_of_another_ranking": (
        "stability is that of another ranking: pass that of these documents with method='g2'"
    ),
    "stability_type": "stability must be a Stability, got …",
    "stem_has_a_blank": (
        "stem returned 'new york' for the word 'nyc', which has a blank, but blanks join the words "
        "of n-grams: return a stem without one"
    ),
    "stem_is_none_in_one": (
        "the texts were cut by different rules: stem is None in one and stem in the other; count "
        "both with the same rules"
    ),
    "stem_must_be_a_function_got": "stem must be a function, got 'english'",
    "stem_needs_analyzer_word": "stem needs analyzer='word', got 'char'",
    "stem_returned_3_for_the_text": "stem returned 3 for the text 'oil', expected a string",
    "step_is_too_large_for_this": (
        "step is too large for this shape: step times the logarithm of 1 + documents / shape must "
        "be at most 300, got … with step 400, shape 1 and 3 documents"
    ),
    "step_is_too_large_for_this_2": (
        "step is too large for this shape: step times the logarithm of 1 + 1 / shape must be at "
        "most 12, got … with step 40, shape 1 and 3 documents"
    ),
    "step_is_too_large_for_this_3": (
        "step is too large for this shape: step times the logarithm of 1 + 1 / shape must be at "
        "most 12, got … with step 0.5, shape 9.9999999999999998e-201 and 3 documents"
    ),
    "step_must_be_positive_and_finite": "step must be positive and finite, got …",
    "stop_words_turn_into_another_form": (
        "some stop words cannot match, because these rules turn them into 'été': add these words "
        "to stop_words"
    ),
    "stop_words_turn_into_bad_film": (
        "some stop words cannot match, because these rules turn them into 'bad', 'film': add these "
        "words to stop_words"
    ),
    "stop_words_turn_into_don": (
        "some stop words cannot match, because these rules turn them into 'don': add these words "
        "to stop_words"
    ),
    "stop_words_turn_into_good": (
        "some stop words cannot match, because these rules turn them into 'good': add these words "
        "to stop_words"
    ),
    "strip_accents_has_no_effect": (
        "strip_accents has no effect with this preprocessor: leave it out, or let the function "
        "apply it"
    ),
    "strip_accents_must_be_a_name_of_the_core": (
        "strip_accents must be None, 'ascii' or 'unicode', got 'x'"
    ),
    "svmlight_has_no_dialect": (
        "…c.svm: an svmlight file has its own labels and no texts; leave out delimiter and "
        "skip_lines"
    ),
    "tables_in_class_folders": (
        "…: … file…, such as …, …read as one text, with all columns and marks; for tables "
        "with a column of labels, pass '…', text and label; tables whose label is the name of"
        " the folder must get it as a column first"
    ),
    "tags_count_as_words": (
        "…: the tags in …, such as …, count as words; save the pages as plain text"
    ),
    "target_classes_and_each_of_its": (
        "target: classes and each of its groups must hold at least one class"
    ),
    "target_has_all_classes_so_no": "target has all classes, so no class is left for the reference",
    "target_there_is_no_class_hem": (
        "target: there is no class 'hem', expected one of 'eggs', 'ham', 'spam'; did you mean "
        "'ham'?"
    ),
    "temper_must_be_a_number_got": "temper must be a number, got True",
    "temper_must_be_not_negative_and": "temper must be not negative and finite, got -0.1",
    "temper_must_be_not_negative_and_2": "temper must be not negative and finite, got inf",
    "term_0_has_l_b1_1": (
        "term 0 has l + b1 = 1.0000000000000001e-09 in class 1, too small compared with the "
        "1000000.000000001 tokens of class 1; greedy needs at least 2^-40 of the number of tokens"
    ),
    "term_1_has_l_b1_1": (
        "term 1 has l + b1 = 1.0000000000000001e-09 in class 0, too small compared with the "
        "1000000.000000001 tokens of class 0; greedy needs at least 2^-40 of the number of tokens"
    ),
    "term_1_has_l_b1_1e": (
        "term 1 has l + b1 = 1e-10 in class 0, too small compared with the 1000000.0000000001 "
        "tokens of class 0; greedy needs at least 2^-40 of the number of tokens"
    ),
    "term_1_has_l_b1_3": (
        "term 1 has l + b1 = 3 in class 0, too small compared with the 10000000000000003 tokens of "
        "class 0; greedy needs at least 2^-40 of the number of tokens"
    ),
    "term_1_has_probability_0_in": (
        "term 1 has probability 0 in class 0 with b1 = 0; greedy needs every p_ic > 0"
    ),
    "term_1_occurs_more_than_2": "term 1 occurs more than 2^63 - 1 times in the collection",
    "term_2_has_probability_0_in": (
        "term 2 has probability 0 in class 'ham' with b1 = 0; greedy needs every p_ic > 0"
    ),
    "term_expected_one_column_term": (
        "term: expected one column 'term', found 'mot', 'label', 'count'; name a column of the "
        "frame"
    ),
    "term_names_has_1_names": "term_names has 1 name for 2 terms",
    "term_names_has_1_names_2": "term_names has 1 name for 3 terms",
    "term_of_has_an_unknown_term": "term_of has an unknown term",
    "terms_has_15_at_position_0": "terms has 15 at position 0, expected a term in [0, 15)",
    "terms_has_1_twice_expected_each": "terms has 1 twice, expected each term once",
    "terms_holds_names_but_the_counts": (
        "terms holds names, but the counts have none: pass column numbers"
    ),
    "terms_must_increase": "terms must increase and be below 2, got … at …",
    "terms_not_all_with_names": (
        "part 1 and the parts before it: 2 and … terms, not all with names: count with term_names, "
        "or add the counts (a + b) if each index means the same term in both"
    ),
    "terms_of_a_table_cannot_match": (
        "1 of 2 terms of the table cannot match texts that are cut by these rules: 'new york'; "
        "choose ngram_range so that texts have such n-grams, or leave the terms out"
    ),
    "termsift_conditional_gain_x_y": (
        "conditional_gain reads the documents: use termsift.conditional_gain(X, y, k)"
    ),
    "test_has_no_label_in_common": "…test.csv: has no label in common with …train.csv",
    "test_has_no_term_in_common": "…test.csv: has no term in common with …train.csv",
    "text_after_a_closing_quote": (
        "c, line 2: expected ',' or the end of the line after a closing quote, at byte 8; a"
        " quote within a quoted field is written twice; if quotes mean nothing in this "
        "file, pass quote=''"
    ),
    "text_and_label_must_be_names": "text and label must be names or numbers of columns, got None",
    "text_and_label_must_be_names_2": "text and label must be names or numbers of columns, got 1.5",
    "text_expected_one_column_body_found": (
        "text: expected one column 'body', found 'text', 'label'; name a column of df"
    ),
    "text_expected_one_column_t": (
        "text: expected one column 't', found 't', 't'; give each column another name"
    ),
    "text_expected_one_column_text": (
        "text: expected one column 'text', found 'body', 'stars'; name a column of the frame"
    ),
    "text_expected_one_column_titel": (
        "text: expected one column 'titel', found 'title', 'body', …; name a column of the "
        "frame; did you mean 'title'?"
    ),
    "text_expected_one_column_titel_of_df": (
        "text: expected one column 'titel', found 'title', 'body', 'label'; name a column of df; "
        "did you mean 'title'?"
    ),
    "text_files_in_a_folder": (
        "…news: holds text files, but no class folders; pass input_format='lines' if each "
        "file is a class and each line a document, label=False if each file is a document "
        "without a class, or input_format='txt' if each line is a label, a tab and a text"
    ),
    "text_must_name_columns": "text must name one or several columns",
    "texts_before_labels": (
        "…: column 1 seems to hold the texts, and column 2 the labels; if so, pass …text=1 "
        "label=2, else text=2 label=1"
    ),
    "texts_by_label_in_json": (
        "…: holds lists of texts under …, expected an object in each line; if the keys are "
        "labels, read table = json.load(file), and count by termsift.count_texts(…)"
    ),
    "texts_has_a_bytes_at_0": "texts has a bytes at 0, expected strings",
    "texts_has_a_missing_value": (
        "texts has a missing value at 1, expected strings: drop the missing texts or "
        "replace them by ''"
    ),
    "texts_has_a_str_at": "texts has a str at 1, expected bytes",
    "texts_has_an_int_at": "texts has an int at 150, expected strings",
    "texts_has_an_int_at_0": "texts has an int at 0, expected strings",
    "texts_has_the_columns_body": (
        "texts has the columns 'body', 'stars': name the columns of texts and labels by the"
        " arguments text and label"
    ),
    "texts_has_the_dtype_float64": "texts has the dtype float64, expected strings",
    "texts_has_the_dtype_int64_expected": "texts has the dtype int64, expected strings",
    "texts_has_the_dtype_s1_expected": "texts has the dtype |S1, expected strings",
    "texts_has_the_shape_1_1": (
        "texts has the shape (1, 1), expected one dimension: pass one column, as in texts[:, 0]"
    ),
    "texts_has_the_shape_expected_one": "texts has the shape (), expected one dimension",
    "texts_is_a_dask_collection": (
        "texts is a Dask collection: use termsift.dask.count_texts, or compute it"
    ),
    "texts_is_a_dataframe_of_spark": (
        "texts is a DataFrame of Spark: use termsift.spark.count_texts"
    ),
    "texts_is_a_datasetdict_of_hugging": (
        "texts is a DatasetDict of Hugging Face: pass one of its splits, as in texts['train']"
    ),
    "texts_is_a_list_and": (
        "texts is a list and has no columns: leave out the arguments text and label, which "
        "name columns of a frame"
    ),
    "texts_is_a_scan_of_matrices": "texts is a scan of matrices, which hold no texts",
    "texts_is_an_iterabledataset_of_hugging": (
        "texts is an IterableDataset of Hugging Face: merge the counts of "
        "texts.with_format('arrow').iter(batch_size=10_000)"
    ),
    "texts_must_be_a_core": "texts must be a _core.Texts, found a …",
    "texts_must_be_a_dask_data": (
        "texts must be a dask data frame, whose columns you name by the arguments text and label, "
        "or a list of parts, got a Delayed… of dask"
    ),
    "texts_must_be_a_dask_data_2": (
        "texts must be a dask data frame, whose columns you name by the arguments text and label, "
        "or a list of parts, got a str: use termsift.count_texts"
    ),
    "texts_must_be_a_list_or_a_tuple": "texts must be a list or a tuple of strings",
    "texts_must_hold_strings_got_3": "texts must hold strings, got 3",
    "texts_must_hold_strings_got_none": "texts must hold strings, got None",
    "texts_must_hold_strings_in_order": "texts must hold strings in order, got a dict",
    "texts_must_hold_strings_in_order_2": "texts must hold strings in order, got a set",
    "tf_must_be_one_of_raw": "tf must be one of raw, log, binary, got 'idf'",
    "the_analyzer_tokens_counts_lists_of": (
        "the analyzer 'tokens' counts lists of tokens, and all other analyzers count texts"
    ),
    "the_arrow_array_holds_expected": "the Arrow array holds …, expected strings",
    "the_arrow_stream_failed": "the Arrow stream failed: …the disk is on fire…",
    "the_bytes_are_no_sketch": (
        "the bytes are no sketch: damaged, truncated or from another version of termsift"
    ),
    "the_bytes_are_no_sketch_because": "the bytes are no sketch: …",
    "the_class_of_row_0_has_no_document": (
        "the class of row 0 has fewer than one document; expected documents that were counted with "
        "this label"
    ),
    "the_class_of_row_1_has": (
        "the class of row 1 has fewer than one document; expected documents that were counted with "
        "this label"
    ),
    "the_column_of_labels_is": "the column of labels is out of range",
    "the_columns_have_different_lengths": "the columns have different lengths",
    "the_count_of_aa_in_document": (
        "the count of 'aa' in document 1 is 256, which does not fit …: pass a wider dtype, such as "
        "numpy.int64"
    ),
    "the_counts_differ_in_tf": "the counts differ in tf, '…' and '…'",
    "the_counts_of_a_class_sum": "the counts of a class sum to more than 2^63 - 1",
    "the_curve_has_no_such_k": "the curve of a has no k=11; it has 10, 20, 50, 100",
    "the_curve_of_md_has": "the curve of md has no k",
    "the_disk_is_gone": "the disk is gone",
    "the_documents_hold_values_above_2": (
        "the documents hold values above 2^900, too large for sums of logarithms"
    ),
    "the_documents_need_one_column": "the documents need one column for each term",
    "the_empty_word": "…list.txt: left out 1 of 3 rows, which have no term, and 3 as counts",
    "the_empty_word_of_many": (
        "…list.txt: left out 1 of 302 rows, which have no term, and 3 as counts"
    ),
    "the_first_label_1_occurs_nowhere_else": (
        "the label of the first document, '1', occurs nowhere else: if the first row is a header, "
        "leave it out, or name the columns by text= and label="
    ),
    "the_first_label_counts": (
        "…: the first label, '…', counts as that of a document; if it is a header, delete the"
        " first lines of this file and of …"
    ),
    "the_first_label_occurs_nowhere_else": (
        "the label of the first document, 'class', occurs nowhere else: if the first row is a "
        "header, leave it out, or name the columns by text= and label="
    ),
    "the_first_line_declares_more_terms_than_names": (
        "…, line 1: declares 3 terms, but there are 2 names"
    ),
    "the_first_line_is_a_heading": (
        "…words: the first line, …, is taken as a heading and left out; if it is a "
        "word, move it to another line"
    ),
    "the_first_row_counts": (
        "…: the first row counts as a document; if it is a header, pass header=True"
    ),
    "the_header_is_longer_than": (
        "…c.csv, line 1: the header is longer than 64 MiB; a closing quote may be missing, "
        "or there is no header (name the columns by number)"
    ),
    "the_label_in_line_3_is_empty": "…, line 3: the label is empty; on_error='skip' leaves it out",
    "the_label_is_empty": "…, line …: the label is empty; on_error='skip' leaves it out",
    "the_label_is_missing": (
        "the label of document … is missing: …; leave the document out, as dropna of pandas and "
        "drop_nulls of polars do"
    ),
    "the_label_of_document_0_is": "the label of document 0 is 7, which is not in classes",
    "the_label_of_document_1": "the label of document 1 is 'news', which is not in classes",
    "the_label_of_document_1_2": (
        "the label of document 1 is missing: …; leave the document out, as dropna of pandas"
        " and drop_nulls of polars do"
    ),
    "the_label_of_document_3_is": (
        "the label of document 3 is missing: nan; leave the document out, as dropna of pandas and "
        "drop_nulls of polars do"
    ),
    "the_label_of_document_9": "the label of document 9 is 'spam', which is not in classes",
    "the_label_offsets_do_not_span": "the label offsets do not span the labels",
    "the_label_offsets_of_a_document": "the label offsets of document 0 are invalid",
    "the_labels_changed": "the labels changed while they were read",
    "the_lines_are_those_of_fasttext": (
        "…c.…, line 1: expected …; the lines begin with __label__, as those of fastText do; "
        "write a label, a tab and a text into a .txt file, as perl -pe "
        "'s/^__label__(\\S+)\\s+/$1\\t/' does"
    ),
    "the_lines_are_those_of_svmlight": (
        "…c.txt, line 1: expected at least 2 fields, found 1; if the lines are those of "
        "svmlight, pass input_format='svm'"
    ),
    "the_number_of_columns_must_be_positive": "the number of columns must be positive, got 0",
    "the_of_the_vocabulary_cannot_match": (
        "1 of 2 terms of the vocabulary cannot match by these rules: 'the'; write terms as the "
        "rules cut texts (see lowercase, ngram_range and stop_words)"
    ),
    "the_pairs_of_terms_and_classes": "the pairs of terms and classes do not match",
    "the_probabilities_of_a_class_must": (
        "the probabilities of a class must not sum to more than 1: greedy needs b2 >= b1 * n_terms "
        "= 3, got b2 = 2"
    ),
    "the_range_of_ngrams_must_be": "the range of n-grams must be 1 <= min_n <= max_n, got (2, 1)",
    "the_same_table_compressed": (
        "…part-00001-0ac1.csv and …part-00001-0ac1.csv.gz: are the same table; remove one of them"
    ),
    "the_sketches_differ_in_min": "the sketches differ in min_df: 20 and 3",
    "the_sketches_differ_in_n": "the sketches differ in n_bytes: 8 and 9",
    "the_sum_of_repeated_entries": "…m.mtx: the sum of repeated entries exceeds 2^63 - 1",
    "the_terms_have_not_been_sorted": "the terms have not been sorted",
    "the_test_part_of_fold_0": (
        "the test part of fold 0 has -1 at position 0, expected a document in [0, 4)"
    ),
    "the_text_of_document_0": (
        "the text of document 0 is missing: leave the document out, as dropna of pandas and"
        " drop_nulls of polars do"
    ),
    "the_text_of_document_1": (
        "the text of document 1 is missing: leave the document out, as dropna of pandas and"
        " drop_nulls of polars do"
    ),
    "the_text_of_document_4": (
        "the text of document 4 is missing: leave the document out, as dropna of pandas and"
        " drop_nulls of polars do"
    ),
    "the_texts_were_cut_by_different": (
        "the texts were cut by different rules: hashing is 8 in one and 16 in the other; count "
        "both with the same rules"
    ),
    "the_tokens_of_a_class_and_b2": "the tokens of class 0 and b2 add up to infinity",
    "the_total_has_no_term": (
        "…list.txt: left out 1 of 4 rows, which have no term, and 157 as counts"
    ),
    "the_total_of_a_list_with_a_row_without_a_term": (
        "…list.tsv: left out 1 of 4 rows, which have no term, and 4 as counts; the last row, "
        "'Total', whose count is the sum of all others"
    ),
    "the_training_documents_of_a_fold_are_of_one_class": (
        "the training documents of fold 0 of cv are all of one class, and md compares classes: "
        "pass other folds"
    ),
    "the_training_part_of_fold_0": (
        "the training part of fold 0 has 0 twice, expected each document once"
    ),
    "the_training_part_of_fold_0_2": (
        "the training part of fold 0 has 4 at position 1, expected a document in [0, 4)"
    ),
    "the_training_part_of_fold_0_3": (
        "the training part of fold 0 must hold integers, got dtype bool"
    ),
    "the_vector_of_row_0_has": "the vector of row 0 has 3 terms, others have 4",
    "the_vector_of_row_1_has": "the vector of row 1 has 2 terms, others have 3",
    "the_vector_of_row_1_is": "the vector of row 1 is null",
    "the_weights_need_a_row": "the weights need a row for each of 2 terms",
    "the_weights_need_a_value": "the weights need a value for each term and class",
    "there_are_no_chunks_expected_at": "there are no chunks, expected at least one",
    "there_are_no_documents_expected_some": "there are no documents, expected some to classify",
    "there_are_no_parts_expected_at": "there are no parts, expected at least one",
    "there_are_no_shards": "there are no shards",
    "there_are_no_terms_expected_at": "there are no terms, expected at least one",
    "there_are_no_terms_to": "there are no terms to choose from",
    "there_are_no_test_documents": "there are no test documents",
    "there_is_no_class_d": "there is no class 'd', expected one of 'a', 'b', 'c'",
    "there_is_no_class_e_expected": "there is no class 'e', expected one of 'a', 'b', 'c', 'd'",
    "there_is_nothing_to_rank_by": (
        "there is nothing to rank by: methods, models or policies are empty"
    ),
    "thousands_or_fractions": (
        "…list.tsv, line …: expected a term and a whole number, found …; if … separates thousands, "
        "leave it out; else multiply relative frequencies by the number of tokens, and round the "
        "products"
    ),
    "token_pattern_has_no_effect": "token_pattern has no effect with this analyzer: leave it out",
    "token_pattern_has_no_effect_with_a_tokenizer": (
        "token_pattern has no effect with this tokenizer: leave it out, or let the function apply "
        "it"
    ),
    "tokenizer_has_no_effect": "tokenizer has no effect with this analyzer: leave it out",
    "too_few_are_left_out": (
        "mine is left out, because it failed in fold 0: ValueError: mine ranked 4 terms, too few "
        "for the largest of ks, 20"
    ),
    "too_few_predictions": (
        "classifier must predict one of the labels for each of the 12 documents, got …"
    ),
    "too_few_shards": (
        "X holds the counts of 4 shards, expected at least 5, and better 20: few shards give few "
        "different samples"
    ),
    "train_and_test_svm_expected_texts": (
        "…train.csv and …test.svm: expected texts in both, or matrices in both"
    ),
    "two_classes_with_documents": "scores need at least two classes with documents, got …",
    "two_columns_of_a_frame": (
        "the columns 'Freq.', 'frequency' may all hold the counts; name the column of the "
        "counts by count"
    ),
    "two_columns_of_counts": (
        "…, line 1: the columns 'freq', 'frequency' may all hold the counts; name the column "
        "of the counts by count"
    ),
    "two_columns_of_terms": (
        "…, line 1: the columns 'word', 'lemma' may all hold the terms; name the column of "
        "the terms by term"
    ),
    "two_delimiters": (
        "…c.csv, line 1: ',' and ';' split the first rows equally well; pass delimiter=, as in "
        "delimiter=','"
    ),
    "two_methods_of_one_name": (
        "two of the methods are called 'dfs': pass a dict of names to methods"
    ),
    "unclear_count": (
        "…, line 1: it is not clear which of … hold terms and counts: …; name the column of the "
        "counts by count"
    ),
    "unclear_term": (
        "…, line 1: it is not clear which of … hold terms and counts: …; name the columns of the "
        "terms and the counts by term and count"
    ),
    "unite_terms": (
        "rules unite 'The' and 'the' of class 'x', which may share documents, so leave out "
        "documents and class_docs"
    ),
    "unknown_argument_meant": "unknown argument '…', expected one of …; did you mean '…'?",
    "unknown_argument_mindf": "unknown argument 'mindf', expected one of …; did you mean 'min_df'?",
    "unknown_argument_ngram_did_you": (
        "unknown argument 'ngram', expected one of …; did you mean 'ngram_range'?"
    ),
    "unknown_argument_nonsense": "unknown argument 'nonsense', expected one of …",
    "unknown_argument_widht": "unknown argument 'widht', expected one of …; did you mean 'width'?",
    "unknown_encoding_utf_9": "unknown encoding 'utf-9', expected one such as 'utf-8'",
    "unknown_label_type_continuous": (
        "Unknown label type: continuous. y has …, expected classes: a label that is a float must "
        "be a whole number, so pass strings, or bin the values"
    ),
    "unknown_label_type_continuous_0": (
        "Unknown label type: continuous. y has 0.5, expected classes: a label that is a "
        "float must be a whole number, so pass strings, or bin the values"
    ),
    "use_termsift_conditional_gain_x": (
        "'conditional_gain' chooses terms one after another and gives no score to a single "
        "term: use termsift.conditional_gain(X, y), or one of …"
    ),
    "vocabulary_gives_pills_the_column_1": (
        "vocabulary_ gives 'pills' the column -1, but has 2 terms: number their columns from 0 "
        "without a gap"
    ),
    "vocabulary_gives_pills_the_column_2": (
        "vocabulary_ gives 'pills' the column 2, but has 2 terms: number their columns from 0 "
        "without a gap"
    ),
    "weights_for_a_function_of_documents": (
        "sample_weight cannot be passed to the function documents_of_most of X and y: let it read"
        " counts, which are weighted"
    ),
    "weights_must_be_a_contiguous_array": "weights must be a contiguous array of two dimensions",
    "what_a_survey_tool_writes": (
        "…: left out line…, in which the survey tool writes more about the columns"
    ),
    "which_does_not_fit_uint8": (
        "the count of column 5 in document 0 is -1, which does not fit uint8: pass a wider "
        "dtype, such as numpy.int64"
    ),
    "which_is_not_in_classes": "the label of document 0 is 3, which is not in classes",
    "wide_document": (
        "…a: is UTF-… without a mark of the order of bytes, expected UTF-8; pass "
        "encoding='utf-…'; on_error='skip' leaves it out"
    ),
    "wide_matrix": (
        "…c.…: is UTF-… without a mark of the order of bytes, expected UTF-8; convert it to UTF-8"
    ),
    "wide_names": (
        "…names.txt: is UTF-… without a mark of the order of bytes, expected UTF-8; pass "
        "encoding='utf-…'"
    ),
    "wide_svmlight": (
        "…c.svm: is UTF-… without a mark of the order of bytes, expected UTF-8; pass "
        "encoding='utf-…'"
    ),
    "wide_table": (
        "…: is UTF-16 without a mark of the order of bytes, expected UTF-8; pass "
        "encoding='utf-16-le'"
    ),
    "width_must_be_at_least_1": "width must be at least 1, got 0",
    "with_the_columns_id_body": (
        "raw_documents is a … with the columns 'id', 'body', expected one column of texts: "
        "pass it alone"
    ),
    "without_a_header": (
        "…c.csv: without a header, columns have numbers from 1, not the name …; number them by "
        "text= and label="
    ),
    "words_in_json": "…list.json: is JSON, expected one word on each line",
    "workers_lack_termsift_install_it": (
        "workers lack termsift: '…://…/…/…'; install it in the environment of the scheduler"
        " and of every worker"
    ),
    "wrong_checksum": (
        "the bytes: the saved counts are damaged or truncated: their checksum does not match"
    ),
    "x_has_11_at_row_0": (
        "X has 11 at row 0, column 1, but its class has only 5; expected documents that were "
        "counted with this label"
    ),
    "x_has_2_blocks_of_columns": (
        "X has 2 blocks of columns, expected whole rows: use rechunk({1: -1})"
    ),
    "x_has_39_features_but_termselector": (
        "X has 39 features, but TermSelector is expecting 40 features as input."
    ),
    "x_has_3_terms_but": "X has 3 terms, but only 2 have names: set term_names to None first",
    "x_has_5_features_but_naivebayes": (
        "X has 5 features, but NaiveBayes is expecting 15 features as input: pass all columns that "
        "were counted, since the classifier itself selects those of its 5 terms"
    ),
    "x_has_99_at_row_38": (
        "X has 99 at row 38, column 5, but its class has only 20; expected documents that were "
        "counted with this label"
    ),
    "x_has_a_bytes_at_0": "X has a bytes at 0, expected strings",
    "x_has_a_missing_value_at": (
        "X has a missing value at 1, expected strings: drop the missing texts or replace them by ''"
    ),
    "x_has_an_int_at_1": "X has an int at 1, expected strings",
    "x_has_counts_at_row_0": "X has counts at row 0 that are too large: their sum overflows",
    "x_has_dtype_complex128": (
        "…c.npz: X has dtype complex128, expected booleans, integers or floats"
    ),
    "x_has_in_partition_1": (
        "partition 1, from row 0: X has -1 at row 1, column …, expected a finite count that is not "
        "negative…"
    ),
    "x_has_no_row": "X has no row …",
    "x_has_the_index_2000000": "X has the index 2000000 in row 2, expected a column in [0, 4)",
    "x_has_the_index_99": "X has the index 99 in row …, expected a column in [0, …)",
    "x_has_the_shape_1_1": (
        "X has the shape (1, 1), expected one dimension: pass one column, as in X[:, 0]"
    ),
    "x_has_what_is_no_count": (
        "X has … at row …, column …, expected a finite count that is not negative…"
    ),
    "x_holds_texts_count_texts": (
        "X holds texts, expected a matrix of counts: count texts with termsift.count_texts,"
        " and add such counts to others with termsift.merge, or make a matrix with "
        "termsift.text.CountVectorizer"
    ),
    "x_is_a_dataframe_of_spark": "X is a DataFrame of Spark: use termsift.spark.count",
    "x_is_a_frame_of_texts": (
        "X is a DataFrame with the columns 'text', 'label', expected one column of texts: pass it "
        "alone"
    ),
    "x_is_a_masked_array": "X is a masked array: fill or drop the masked values",
    "x_is_a_single_str": (
        "X is a single str, expected a list of strings: for one text pass [text], for a file use "
        "termsift.count(termsift.scan(path))"
    ),
    "x_test_has_3_columns_x_train_4": "X_test has 3 columns, X_train 4",
    "x_test_has_the_index": "X_test has the index 2000000 in row 2, expected a column in [0, 4)",
    "x_train_has_the_index": "X_train has the index 2000000 in row 2, expected a column in [0, 4)",
    "y_and_x_differ_in_length": "y and X differ in length",
    "y_has_150_labels_for_200": "y has 150 labels for 200 documents",
    "y_has_199_labels_for_200": "y has 199 labels for 200 documents",
    "y_has_2_blocks_x_has": "y has 2 blocks, X has 5",
    "y_has_2_labels_for_1": "y has 2 labels for 1 documents",
    "y_has_n_labels": "y has … label… for … document…",
    "y_is_a_list_expected_a": (
        "y is a list, expected a dask array, because X is one: use dask.array.from_array(y, "
        "chunks=X.chunks[0])"
    ),
    "y_is_a_masked_array": "y is a masked array: fill or drop the masked values",
    "y_is_a_nonetype_expected_a": (
        "y is a NoneType, expected a dask array, because X is one: use dask.array.from_array(y, "
        "chunks=X.chunks[0])"
    ),
    "y_is_a_series_of": (
        "y is a Series of dask, expected a dask array, because X is one: use "
        "y.to_dask_array(lengths=True)"
    ),
    "y_is_an_indicator_matrix_expected": (
        "y is an indicator matrix, expected one label per document"
    ),
    "y_is_an_indicator_matrix_expected_2": (
        "y is an indicator matrix, expected one label per document: the classifier assigns each "
        "document to one class"
    ),
    "y_is_an_indicator_matrix_expected_3": (
        "y is an indicator matrix, expected one label per document: conditional_gain needs exactly "
        "one class for each document"
    ),
    "y_is_an_indicator_matrix_expected_4": (
        "y is an indicator matrix, expected one label per document (document 1 has 2): "
        "conditional_gain needs exactly one class for each document"
    ),
    "y_is_no_indicator_matrix": (
        "y has … at row 0, column 0, expected an indicator matrix of zeros and ones"
    ),
    "y_test_has_3_labels_for_4": "y_test has 3 labels for 4 documents",
    "y_test_is_an_indicator_matrix_expected": (
        "y_test is an indicator matrix, expected one label per document: the classifier assigns "
        "each document to one class"
    ),
    "y_train_is_an_indicator_matrix_expected": (
        "y_train is an indicator matrix, expected one label per document: the classifier assigns "
        "each document to one class"
    ),
    "zero_must_be_epsilon": "zero must be 'epsilon' or 'document', got 'x'",
}


def fits(message: str, wording: str) -> bool:
    """Return whether a message has this wording."""
    return re.fullmatch(pattern(wording), message, re.DOTALL) is not None


def pattern(wording: str) -> str:
    """Return the regular expression of the messages that have this wording."""
    return ".*".join(map(re.escape, wording.split("…")))


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


@contextmanager
def warns(warning: type[Warning], key: str, *, at: str = "") -> Iterator[pytest.WarningsRecorder]:
    """Expect a warning with this wording, which names this place."""
    with pytest.warns(warning, match=rf"\A(?s:{pattern(WORDING[key])})\Z") as caught:
        yield caught
    told = [str(warning.message) for warning in caught]
    assert any(at in message for message in told if fits(message, WORDING[key]))
