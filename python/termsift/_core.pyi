# The compiled core. Array arguments must have exactly the stated dtypes, and _util/validation
# checks them. stubtest compares this file with the extension. tests/stubtest_allowlist.txt lists
# the names that only this file has.
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias, TypedDict, type_check_only

import numpy as np
from numpy.typing import NDArray

__version__: str
max_terms: int
default_window_bytes: int

Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
Float64s: TypeAlias = NDArray[np.float64]
Index: TypeAlias = Int32s | Int64s
Count: TypeAlias = Int64s | Float64s
Value: TypeAlias = NDArray[np.bool_ | np.integer | np.floating]

@type_check_only
class _PybindType(type): ...

@type_check_only
class _Enumeration:
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class CountOverflowError(OverflowError, ValueError): ...

@type_check_only
class CountArrays(TypedDict):
    n_terms: int
    n_docs: int | float
    has_collection: bool
    class_docs: Count
    indptr: Int64s
    terms: Int32s
    term_frequency: Count
    document_frequency: Count
    unlisted_tokens: Count

class Counts(metaclass=_PybindType):
    def __init__(self, n_classes: int, exact: bool) -> None: ...
    @property
    def exact(self) -> bool: ...
    @property
    def has_collection(self) -> bool: ...
    @property
    def n_terms(self) -> int: ...
    @property
    def n_docs(self) -> int | float: ...
    @property
    def n_pairs(self) -> int: ...
    @property
    def class_docs(self) -> Count: ...
    @property
    def class_tokens(self) -> Count: ...
    @property
    def unlisted_tokens(self) -> Count: ...
    @property
    def undocumented(self) -> NDArray[np.bool_]: ...
    def updated(
        self,
        indptr: Index,
        indices: Index,
        data: Value,
        n_columns: int,
        by_term: bool,
        label_indptr: Int64s | None,
        codes: Int32s,
        weights: Count | None,
        term_weight: TermWeight,
        n_threads: int,
        window_bytes: int,
    ) -> tuple[Counts, str] | None: ...
    def with_classes(self, map: Sequence[int]) -> Counts: ...
    def as_counted_by(self, model: EventModel, n_threads: int = 0) -> Counts: ...
    def of_terms(self, terms: Int64s, n_threads: int = 0) -> Counts: ...
    def in_columns(self, new_column: Int64s, n_terms: int, n_threads: int = 0) -> Counts: ...
    def of_classes(self, groups: Sequence[Sequence[int]], n_threads: int = 0) -> Counts: ...
    def collection_term_frequency(self, n_threads: int = 0) -> Count: ...
    def collection_document_frequency(self, n_threads: int = 0) -> Count: ...
    def equals(self, other: Counts, n_threads: int = 0) -> bool: ...
    def with_collection(self) -> Counts: ...
    def as_one_class(self) -> Counts: ...
    def first_fraction(self) -> tuple[int, int, float] | None: ...
    def term_frequency(self) -> tuple[Count, Int32s, Int64s]: ...
    def document_frequency(self) -> tuple[Count, Int32s, Int64s]: ...
    def merge(self, other: Counts, n_threads: int = 0) -> Counts: ...
    def subtract(self, part: Counts, n_threads: int = 0) -> Counts: ...
    def to_arrays(self) -> CountArrays: ...
    @staticmethod
    def from_arrays(
        n_terms: int,
        n_docs: int | float,
        has_collection: bool,
        class_docs: Count,
        indptr: Int64s,
        terms: Int32s,
        term_frequency: Count | NDArray[np.uint32],
        document_frequency: Count | NDArray[np.uint32],
        unlisted_tokens: Count | None = None,
    ) -> Counts: ...

def number_labels(labels: NDArray[np.generic] | list[Any] | Texts) -> tuple[Int32s, Int64s]: ...
def renumber(codes: Int32s, numbers: Int32s) -> Int32s: ...
def check_csr(
    indptr: Index,
    indices: Index,
    data: Value,
    n_columns: int,
    name: str,
    transposed: bool,
    n_threads: int,
) -> None: ...

class GrowingCounts(metaclass=_PybindType):
    def __init__(self, counts: Counts) -> None: ...
    def add(
        self,
        indptr: Index,
        indices: Index,
        data: Value,
        n_columns: int,
        label_indptr: Int64s | None,
        codes: Int32s,
        n_classes: int,
        term_weight: TermWeight,
        n_threads: int,
        window_bytes: int,
    ) -> str: ...
    def counts(self, n_classes: int) -> Counts: ...

class TermWeight(_Enumeration, metaclass=_PybindType):
    raw: ClassVar[TermWeight]
    log: ClassVar[TermWeight]
    binary: ClassVar[TermWeight]
    __members__: ClassVar[dict[str, TermWeight]]

class EventModel(_Enumeration, metaclass=_PybindType):
    multinomial: ClassVar[EventModel]
    binary: ClassVar[EventModel]
    bernoulli: ClassVar[EventModel]
    poisson: ClassVar[EventModel]
    __members__: ClassVar[dict[str, EventModel]]

class Measure(_Enumeration, metaclass=_PybindType):
    kl: ClassVar[Measure]
    nu_j: ClassVar[Measure]
    nu_pearson: ClassVar[Measure]
    __members__: ClassVar[dict[str, Measure]]

class Aggregate(_Enumeration, metaclass=_PybindType):
    sum: ClassVar[Aggregate]
    mean: ClassVar[Aggregate]
    max: ClassVar[Aggregate]
    __members__: ClassVar[dict[str, Aggregate]]

class ContingencyMeasure(_Enumeration, metaclass=_PybindType):
    df: ClassVar[ContingencyMeasure]
    tfidf: ClassVar[ContingencyMeasure]
    mi: ClassVar[ContingencyMeasure]
    cet: ClassVar[ContingencyMeasure]
    ig: ClassVar[ContingencyMeasure]
    chi2: ClassVar[ContingencyMeasure]
    chi2_printed: ClassVar[ContingencyMeasure]
    gss: ClassVar[ContingencyMeasure]
    odds_ratio: ClassVar[ContingencyMeasure]
    relevancy: ClassVar[ContingencyMeasure]
    ngl: ClassVar[ContingencyMeasure]
    g2: ClassVar[ContingencyMeasure]
    bns: ClassVar[ContingencyMeasure]
    log_odds: ClassVar[ContingencyMeasure]
    log_ratio: ClassVar[ContingencyMeasure]
    jlh: ClassVar[ContingencyMeasure]
    chi2_counts: ClassVar[ContingencyMeasure]
    g2_counts: ClassVar[ContingencyMeasure]
    c_tfidf: ClassVar[ContingencyMeasure]
    c_tfidf_sqrt: ClassVar[ContingencyMeasure]
    c_tfidf_bm25: ClassVar[ContingencyMeasure]
    c_tfidf_bm25_sqrt: ClassVar[ContingencyMeasure]
    dfs: ClassVar[ContingencyMeasure]
    efs: ClassVar[ContingencyMeasure]
    gini: ClassVar[ContingencyMeasure]
    acc2: ClassVar[ContingencyMeasure]
    ndm: ClassVar[ContingencyMeasure]
    ndm_document: ClassVar[ContingencyMeasure]
    mmr: ClassVar[ContingencyMeasure]
    mmr_document: ClassVar[ContingencyMeasure]
    wllr: ClassVar[ContingencyMeasure]
    wllr_epsilon: ClassVar[ContingencyMeasure]
    cmfs: ClassVar[ContingencyMeasure]
    poisson_deviation: ClassVar[ContingencyMeasure]
    __members__: ClassVar[dict[str, ContingencyMeasure]]

def score(
    counts: Counts,
    measure: Measure | ContingencyMeasure,
    aggregate: Aggregate,
    b1: float,
    b2: tuple[float, float],
    prior: Float64s | None,
    n_threads: int,
) -> Float64s: ...
def class_scores(
    counts: Counts,
    measure: Measure | ContingencyMeasure,
    b1: float,
    b2: tuple[float, float],
    prior: Float64s | None,
    n_threads: int,
) -> Float64s: ...
def class_directions(
    counts: Counts,
    measure: Measure | ContingencyMeasure,
    b1: float,
    b2: tuple[float, float],
    prior: Float64s | None,
    n_threads: int,
) -> NDArray[np.int8]: ...
def score_pairs(
    counts: Counts,
    measure: Measure | ContingencyMeasure,
    b1: float,
    b2: tuple[float, float],
    prior: Float64s | None,
    n_threads: int,
    starts: Int64s,
    terms: Int32s,
) -> tuple[NDArray[np.int8], Float64s]: ...
def round_robin(
    counts: Counts,
    measure: Measure | ContingencyMeasure,
    b1: float,
    b2: tuple[float, float],
    prior: Float64s | None,
    k: int,
    n_threads: int,
) -> tuple[Int64s, Float64s, Int64s]: ...
def collection_scores(
    counts: Counts, measure: Measure | ContingencyMeasure, n_threads: int
) -> Float64s: ...
def strongest_class(
    counts: Counts, measure: Measure | ContingencyMeasure, n_threads: int
) -> tuple[Float64s, Int64s, NDArray[np.int8]]: ...
def greedy(
    counts: Counts,
    b1: float,
    b2: tuple[float, float],
    prior: Float64s | None,
    k: int,
    exhaustive: bool,
    n_threads: int,
    progress: Callable[[int], object] | None,
) -> tuple[Int64s, Float64s, int, int]: ...
def classify_by_prefixes(
    counts: Counts,
    model: EventModel,
    b1: float,
    ranking: Int64s,
    ks: Int64s,
    indptr: Index,
    indices: Index,
    data: Value,
    n_terms: int,
    labels: Int32s,
    term_weight: TermWeight,
    n_threads: int,
) -> tuple[Int64s, Int64s]: ...
def conditional_gain(
    indptr: Index,
    indices: Index,
    data: Value,
    n_terms: int,
    classes: Int32s,
    weights: Float64s | None,
    shape: float,
    temper: float,
    step: float,
    k: int,
    n_threads: int,
    progress: Callable[[int], object] | None,
    classes_in_play: int = ...,
    balance: float = ...,
    cost: float = ...,
    epochs: int = ...,
) -> tuple[Int64s, Float64s, int]: ...
def log_posteriors(
    constant: Float64s,
    term_of: Int32s | None,
    weights: Float64s,
    pairs: tuple[Float64s, Float64s, Int64s, Int32s] | None,
    indptr: Index,
    indices: Index,
    data: Value,
    n_columns: int,
    term_weight: TermWeight,
    n_threads: int,
) -> Float64s: ...
def predict_classes(
    constant: Float64s,
    term_of: Int32s | None,
    weights: Float64s,
    pairs: tuple[Float64s, Float64s, Int64s, Int32s] | None,
    indptr: Index,
    indices: Index,
    data: Value,
    n_columns: int,
    term_weight: TermWeight,
    tie: float,
    n_threads: int,
) -> Int32s: ...
def linear_machines(
    indptr: Index,
    indices: Index,
    data: Value,
    n_terms: int,
    classes: Int32s,
    n_classes: int,
    weights: Float64s | None,
    cost: float,
    epochs: int,
    n_threads: int,
) -> NDArray[np.float32]: ...
def rank_sums(
    indptr: Index,
    indices: Index,
    data: Value,
    n_terms: int,
    documents: Int64s,
    n_first: int,
    n_threads: int,
) -> Float64s: ...
def running_sums(values: Float64s) -> Float64s: ...
def top_k(scores: Float64s, k: int, n_threads: int) -> Int64s: ...
def compiler() -> str: ...
def openmp_version() -> str: ...
def effective_n_threads(requested: int) -> int: ...
def what_limits_threads() -> str: ...
def simd_targets() -> list[str]: ...
def simd_target() -> str: ...
def use_simd_target(name: str) -> None: ...
def counting_paths() -> list[str]: ...
def use_counting_path(name: str | None) -> None: ...

class BadTextError(ValueError):
    document: int
    byte: int

def unite_names(
    first: Sequence[str], second: Sequence[str], n_threads: int = 0
) -> tuple[Int64s, Int64s, Int64s]: ...

class Texts(metaclass=_PybindType):
    @staticmethod
    def of_strings(
        strings: Sequence[str | None], allow_missing: bool = False, first_row: int = 0
    ) -> Texts: ...
    @staticmethod
    def of_arrow(stream: object, column: str | None = None) -> Texts: ...
    @staticmethod
    def of_bytes(documents: Sequence[bytes]) -> Texts: ...
    @staticmethod
    def of_files(paths: Iterable[str | bytes | PathLike[str]], n_threads: int = 0) -> Texts: ...
    @staticmethod
    def of_tokens(
        texts: Texts,
        cut: Callable[[Any], Iterable[str]],
        refuse: Callable[[Any, int], NoReturn],
        first: int = 0,
        n_bytes: int = 16777216,
    ) -> Texts: ...
    @staticmethod
    def joined(columns: Sequence[Texts]) -> Texts: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> str | None: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def n_empty(self) -> int: ...
    @property
    def missing(self) -> Int64s: ...
    @property
    def is_utf8(self) -> bool: ...
    @property
    def has_zero_bytes(self) -> bool: ...
    def take(self, positions: Int64s) -> Texts: ...

class TokenPattern(metaclass=_PybindType):
    def __init__(
        self,
        steps: Int32s,
        starts: Int32s,
        classes: NDArray[np.uint8],
        sets: NDArray[np.uint8],
        tests: NDArray[np.uint8],
        context_after: NDArray[np.uint8],
        asks_for_last_newline: bool,
        skip_before: int,
        skip_after: int,
    ) -> None: ...
    def matches(self, texts: Texts, piece: int = ...) -> list[list[str]]: ...

class TextRules(metaclass=_PybindType):
    def __init__(
        self,
        analyzer: str,
        lowercase: bool,
        strip_accents: str | None,
        min_n: int,
        max_n: int,
        stop_words: Sequence[str],
        normalize: str | None = None,
        pattern: TokenPattern | None = None,
        stem: Callable[[list[str]], list[str]] | None = None,
    ) -> None: ...
    def with_sketch(self, sketch: TermSketch, least: int) -> TextRules: ...

class TermSketch(metaclass=_PybindType):
    def __init__(self, n_counters: int) -> None: ...
    def add(self, rules: TextRules, texts: Texts, n_threads: int = 0) -> None: ...
    @property
    def counters(self) -> NDArray[np.uint8]: ...

class TextCounter(metaclass=_PybindType):
    def __init__(self, rules: TextRules, by_class: bool = False) -> None: ...
    def add(
        self,
        texts: Texts,
        classes: Int32s | None = None,
        n_threads: int = 0,
        indptr: Int64s | None = None,
    ) -> None: ...
    def sort(self, n_threads: int = 0) -> None: ...
    @property
    def n_empty(self) -> int: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_before_marks(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def n_terms(self) -> int: ...
    def document_frequency(self, n_threads: int = 0) -> Int64s: ...
    def term_frequency(self, n_threads: int = 0) -> Int64s: ...
    def terms(self, columns: Int32s | None = None) -> list[str]: ...
    def term_array(self, columns: Int32s | None = None) -> NDArray[np.object_]: ...
    def matrix(
        self, columns: Int32s | None = None, n_threads: int = 0
    ) -> tuple[Int64s, Int32s, Int64s]: ...
    def counts(
        self,
        n_classes: int,
        columns: Int32s | None = None,
        binary: bool = False,
        n_threads: int = 0,
    ) -> Counts: ...

class Table(metaclass=_PybindType):
    def read(self) -> tuple[Texts, Int32s, Int64s] | None: ...
    def count(self, counter: TextCounter, n_bytes: int, n_threads: int = 0) -> int: ...
    def labels(self, first: int = 0) -> list[str]: ...
    @property
    def is_done(self) -> bool: ...
    @property
    def n_skipped(self) -> int: ...
    @property
    def skipped(self) -> list[str]: ...

class DelimitedTable(Table):
    def __init__(
        self,
        readinto: Callable[[memoryview], int],
        file: str,
        *,
        quote: str | None,
        escape: str | None = None,
        comment: str | None = None,
        labels: Sequence[str] = [],
        skip: bool = False,
        encoding: str = "UTF-8",
        block_bytes: int = 1048576,
        unlabelled: bool = False,
    ) -> None: ...
    def skip_lines(self, n: int) -> int: ...
    def first_rows(
        self, delimiter: str, most: int, is_header: bool = False
    ) -> list[tuple[int, list[str], str | None]]: ...
    def choose(
        self, delimiter: str, texts: Sequence[int], label: int, n_fields: int, has_header: bool
    ) -> None: ...

class JsonTable(Table):
    def __init__(
        self,
        readinto: Callable[[memoryview], int],
        file: str,
        *,
        texts: Sequence[str],
        label: str,
        may_be_array: bool = False,
        labels: Sequence[str] = [],
        skip: bool = False,
        encoding: str = "UTF-8",
        block_bytes: int = 1048576,
        unlabelled: bool = False,
    ) -> None: ...

class SvmlightFile(metaclass=_PybindType):
    def __init__(
        self,
        readinto: Callable[[memoryview], int],
        file: str,
        *,
        index_base: int = 1,
        n_terms: int = 2147483647,
        skip: bool = False,
        block_bytes: int = 16777216,
    ) -> None: ...
    def read(
        self, n_threads: int = 0
    ) -> tuple[tuple[Index, Index, Value], int, int, Int64s, Int64s | None, Int32s] | None: ...
    def labels(self, first: int = 0) -> list[int | float | str]: ...
    def first_word(self) -> tuple[str, int]: ...
    @property
    def n_terms(self) -> int: ...
    @property
    def n_skipped(self) -> int: ...
    @property
    def skipped(self) -> list[str]: ...

class MarketFile(metaclass=_PybindType):
    def __init__(
        self,
        readinto: Callable[[memoryview], int],
        file: str,
        *,
        block_bytes: int = 16777216,
    ) -> None: ...
    def header(self) -> tuple[int, int, bool, str]: ...
    def order(self, n_threads: int = 0) -> Literal["rows", "columns", "none"]: ...
    def read(
        self, by_column: bool, n_threads: int = 0
    ) -> tuple[tuple[Index, Index, Value], int] | Literal[False] | None: ...
    def whole(self, n_threads: int = 0) -> tuple[Index, Index, Value]: ...

class TextIndex(metaclass=_PybindType):
    def __init__(self, rules: TextRules, terms: Sequence[str]) -> None: ...
    def matrix(self, texts: Texts, n_threads: int = 0) -> tuple[Int64s, Int32s, Int64s]: ...
    def sums(
        self, texts: Texts, weights: Float64s, binary: bool = False, n_threads: int = 0
    ) -> Float64s: ...

def hashed_matrix(
    rules: TextRules,
    texts: Texts,
    n_columns: int,
    alternate_sign: bool,
    n_threads: int = 0,
) -> tuple[Int64s, Int32s, Int64s]: ...
