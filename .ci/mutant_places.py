"""The places of the code whose changes the tests should notice, for ``mutants.py``.

A place is an operator, a number, a truth value, a condition, a call of ``min`` or ``max``, a call
that is a statement, an early return, or a break. ``rewritten`` returns the text of a file in which
the changes of chosen places are on or off at run time: ``a < b`` becomes
``on(17) ? a <= b : a < b``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field

MOST_PLACES = 4096
SWAPPED = {
    **{"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "+=": "-=", "-=": "+="},
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    **{"&&": "||", "||": "&&", "and": "or", "or": "and", "break": "continue", "continue": "break"},
    **{"true": "false", "false": "true", "True": "False", "False": "True"},
    **{"min": "max", "max": "min", "std::min": "std::max", "std::max": "std::min"},
    **{"is": "is not", "is not": "is", "in": "not in", "not in": "in"},
}


@dataclass
class Place:
    """A place of the code, and the change that is tried there."""

    file: str
    rank: int  # among the places of the file
    line: int
    last_line: int
    text: str  # of the line
    change: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.text, self.change

    @property
    def lines(self) -> range:
        return range(self.line, self.last_line + 1)


def other_number(text: str) -> str | None:
    """Return the number that replaces a number."""
    if re.fullmatch(r"\d+", text):
        return {"0": "1", "1": "0"}.get(text, str(int(text) + 1))
    if re.fullmatch(r"\d+\.\d*(e-?\d+)?", text):
        return {0.0: "1.0", 1.0: "0.0"}.get(float(text), f"({text} + 1.0)")
    return None


@dataclass
class Rewriter:
    """Finds the places of one file, and writes the changes of those that were chosen."""

    file: str
    source: str
    chosen: dict[int, int] = field(default_factory=dict)  # the number of a place, by its rank
    places: list[Place] = field(default_factory=list)
    n_equal: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.lines = self.source.splitlines()

    def number(self, line: int, last_line: int, what: str, change: str) -> int:
        """Note a place, and return its number if it was chosen, else 0."""
        text = self.lines[line - 1].strip()
        what = " ".join(what.split())
        change = f"{what if len(what) <= 60 else what[:57] + '...'}: {change}"
        self.n_equal[text, change] += 1  # `a[0] + b[0]` has two places with one text and one change
        if (n := self.n_equal[text, change]) > 1:
            change += f" (number {n})"
        rank = len(self.places)
        self.places.append(Place(self.file, rank, line, last_line, text, change))
        return self.chosen.get(rank, 0)


# ---- Python -------------------------------------------------------------------------------------

PYTHON_RUNTIME = """
import atexit, os
active = int(os.environ.get("MUTANT", "0"))
reached = set()
def on(number):
    reached.add(number)
    return number == active
def write():
    with open(f"{folder}/{os.getpid()}.python", "w") as file:
        print(*reached, file=file)
if folder := os.environ.get("MUTANT_REACH"):
    atexit.register(write)
"""
OPERATORS = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="},
    **{ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"},
    **{ast.And: "and", ast.Or: "or"},
}
OF_SIGN = {sign: operator for operator, sign in OPERATORS.items()}


def swapped(operator: ast.AST) -> ast.AST:
    return OF_SIGN[SWAPPED[OPERATORS[type(operator)]]]()


class PythonRewriter(ast.NodeTransformer):
    """Changes the syntax tree. Annotations, messages of errors and assertions have no places."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def noted(self, node: ast.AST, change: str) -> int:
        lines = [line.encode() for line in self.rewriter.lines[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        what = b" ".join([lines[0][node.col_offset :], *lines[1:]]).decode()
        return self.rewriter.number(node.lineno, node.end_lineno, what, change)

    def on(self, number: int) -> ast.expr:
        return ast.Call(ast.Name("mutant_on", ast.Load()), [ast.Constant(number)], [])

    def either(self, number: int, changed: ast.expr, node: ast.expr) -> ast.expr:
        return ast.IfExp(self.on(number), changed, node) if number else node

    def without(self, number: int, node: ast.stmt) -> ast.stmt:
        if not number:
            return node
        return ast.If(ast.UnaryOp(ast.Not(), self.on(number)), [node], [])

    def skip(self, node: ast.AST) -> ast.AST:
        return node

    visit_Raise = visit_Assert = visit_JoinedStr = visit_Import = visit_ImportFrom = skip
    visit_TypeAlias = visit_match_case = skip

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns, returns = None, node.returns
        self.generic_visit(node)
        node.returns = returns
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        # zip(strict=True) is an assertion.
        return node if node.arg == "strict" else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        sign = OPERATORS.get(type(node.op))
        if not sign or any(isinstance(side, ast.JoinedStr) for side in (node.left, node.right)):
            return node
        number = self.noted(node, f"{sign} becomes {SWAPPED[sign]}")
        return self.either(number, ast.BinOp(node.left, swapped(node.op), node.right), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sign = OPERATORS[type(node.ops[0])]
        number = self.noted(node, f"{sign} becomes {SWAPPED[sign]}")
        operators = [swapped(node.ops[0]), *node.ops[1:]]
        return self.either(number, ast.Compare(node.left, operators, node.comparators), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        sign = OPERATORS[type(node.op)]
        number = self.noted(node, f"{sign} becomes {SWAPPED[sign]}")
        return self.either(number, ast.BoolOp(swapped(node.op), node.values), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        number = self.noted(node, "not is removed")
        return self.either(number, ast.UnaryOp(ast.Not(), node), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            number = self.noted(node, f"becomes {not node.value}")
            return self.either(number, ast.Constant(not node.value), node)
        if isinstance(node.value, int | float) and (other := other_number(repr(node.value))):
            number = self.noted(node, f"becomes {other}")
            return self.either(number, ast.parse(other, mode="eval").body, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in ("min", "max"):
            return node
        other = SWAPPED[node.func.id]
        number = self.noted(node, f"{node.func.id} becomes {other}")
        changed = ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
        return self.either(number, changed, node)

    def visit_If(self, node: ast.If) -> ast.AST:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return node
        self.visit_While(node)
        for statements in (node.body, node.orelse):
            for k, statement in enumerate(statements):
                if isinstance(statement, ast.Return):
                    number = self.noted(statement, "is removed")
                    statements[k] = self.without(number, statement)
        return node

    def visit_While(self, node: ast.While | ast.If) -> ast.AST:
        is_plain = isinstance(node.test, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        number = self.noted(node.test, "is negated") if is_plain else 0
        self.generic_visit(node)
        node.test = self.either(number, ast.UnaryOp(ast.Not(), node.test), node.test)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Call):
            return node
        return self.without(self.noted(node, "is removed"), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        sign = OPERATORS.get(type(node.op))
        if sign not in ("+", "-"):
            return node
        number = self.noted(node, f"{sign}= becomes {SWAPPED[sign]}=")
        changed = ast.AugAssign(node.target, swapped(node.op), node.value)
        return ast.If(self.on(number), [changed], [node]) if number else node

    def visit_Break(self, node: ast.Break | ast.Continue) -> ast.AST:
        name = type(node).__name__.lower()
        number = self.noted(node, f"becomes {SWAPPED[name]}")
        other = ast.Continue() if name == "break" else ast.Break()
        return ast.If(self.on(number), [other], [node]) if number else node

    visit_Continue = visit_Break


def rewritten_python(rewriter: Rewriter) -> str:
    tree = PythonRewriter(rewriter).visit(ast.parse(rewriter.source))
    after = sum(
        isinstance(node, ast.Expr | ast.ImportFrom)
        and (isinstance(node, ast.Expr) or node.module == "__future__")
        for node in tree.body[:2]
    )
    tree.body[after:after] = ast.parse("from termsift_mutants import on as mutant_on").body
    return ast.unparse(ast.fix_missing_locations(tree))


# ---- C++ ----------------------------------------------------------------------------------------

FUNCTIONS = {
    **{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "<": "less"},
    **{"<=": "less_or_equal", ">": "greater", ">=": "greater_or_equal", "==": "equal"},
    **{"!=": "not_equal"},
}

# A constant expression takes no other value at run time, so the change of its place is never on.
# A change that does not compile, such as the sum of two pointers, marks its place with a 2.
CPP_RUNTIME = (
    """#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <unistd.h>
#define MUTANT_SHARED __attribute__((visibility("default")))
#define MUTANT_INLINE __attribute__((always_inline)) inline constexpr
extern "C" {
inline MUTANT_SHARED unsigned char mutant_reached[MOST_PLACES] = {};
inline MUTANT_SHARED int mutant_active =
    std::getenv("MUTANT") ? std::atoi(std::getenv("MUTANT")) : 0;
}
namespace mutant {
struct Writer {
  ~Writer() {
    const char* const folder = std::getenv("MUTANT_REACH");
    if (!folder) return;
    const std::string name = std::string(folder) + "/" + std::to_string(getpid()) + ".cpp";
    std::FILE* const file = std::fopen(name.c_str(), "w");
    for (int i = 0; file && i < MOST_PLACES; ++i)
      if (mutant_reached[i] == 1) std::fprintf(file, "%d ", i);
    if (file) std::fclose(file);
  }
};
inline Writer writer;
MUTANT_INLINE bool on(int number) {
  if (std::is_constant_evaluated()) return false;
  mutant_reached[number] = 1;
  return mutant_active == number;
}
MUTANT_INLINE void cannot(int number) {
  if (!std::is_constant_evaluated()) mutant_reached[number] = 2;
}
"""
    + "".join(
        f"""
template <int number, class A, class B>
MUTANT_INLINE auto {name}(const A& a, const B& b) {{
  using Result = std::remove_cvref_t<decltype(a {sign} b)>;
  if constexpr (requires {{ static_cast<Result>(a {SWAPPED[sign]} b); }}) {{
    if (on(number)) return static_cast<Result>(a {SWAPPED[sign]} b);
  }} else {{
    cannot(number);
  }}
  return static_cast<Result>(a {sign} b);
}}
"""
        for sign, name in FUNCTIONS.items()
    )
    + "}  // namespace mutant\n"
).replace("MOST_PLACES", str(MOST_PLACES))
# What is no code that runs, and messages of errors.
WITHOUT_PLACES = {
    *("throw_statement", "static_assert_declaration", "template_argument_list", "enumerator"),
    *("template_parameter_list", "requires_clause", "array_declarator", "noexcept", "comment"),
    *(
        "concept_definition",
        "string_literal",
        "raw_string_literal",
        "preproc_include",
        "preproc_def",
    ),
    *("preproc_function_def", "preproc_call", "decltype", "operator_name", "bitfield_clause"),
    *("alignas_qualifier", "lambda_capture_specifier"),
}


def on_one_line(text: str) -> str:
    return " ".join(re.sub(r"//[^\n]*", "", text).split("\n"))


class CppRewriter:
    """Changes the text, so that lines keep their numbers."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter
        self.data = rewriter.source.encode()

    def written(self) -> str:
        import tree_sitter
        import tree_sitter_cpp

        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
        return self.text(parser.parse(self.data).root_node)

    def source(self, node) -> str:
        return self.data[node.start_byte : node.end_byte].decode()

    def noted(self, node, change: str) -> int:
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        return self.rewriter.number(first, last, self.source(node), change)

    def text(self, node) -> str:
        """Return the text of a node with the changes of its places."""
        if node.type in WITHOUT_PLACES:
            return self.source(node)
        if node.type in ("declaration", "field_declaration"):
            start = self.source(node)[:60]
            if re.match(r"(static |inline |thread_local )*(constexpr|constinit) ", start):
                return self.source(node)
        return getattr(self, f"of_{node.type}", self.parts)(node)

    def parts(self, node, **given: str) -> str:
        """Join the texts of the children. Those in fields of these names have the given texts."""
        out, at = [], node.start_byte
        for k, child in enumerate(node.children):
            out.append(self.data[at : child.start_byte].decode())
            name = node.field_name_for_child(k)
            out.append(given[name] if name in given else self.text(child))
            at = child.end_byte
        return "".join([*out, self.data[at : node.end_byte].decode()])

    def of_binary_expression(self, node) -> str:
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        operator = node.child_by_field_name("operator")
        sign = self.source(operator)
        if sign not in SWAPPED or "string_literal" in (left.type, right.type):
            return self.parts(node)
        a, b = self.text(left), self.text(right)
        number = self.noted(node, f"{sign} becomes {SWAPPED[sign]}")
        if not number:
            return self.parts(node, left=a, right=b)
        if sign in FUNCTIONS:
            comma = self.parts(node, left="", right="", operator=",")
            return f"mutant::{FUNCTIONS[sign]}<{number}>({a}{comma}{b})"
        whole = self.parts(node, left=a, right=b)
        changed = f"({on_one_line(a)}) {SWAPPED[sign]} ({on_one_line(b)})"
        return f"(mutant::on({number}) ? bool({changed}) : bool({whole}))"

    def of_unary_expression(self, node) -> str:
        text = self.parts(node)
        if not text.startswith("!"):
            return text
        number = self.noted(node, "! is removed")
        return f"(mutant::on({number}) != bool({text}))" if number else text

    def of_number_literal(self, node) -> str:
        text = self.source(node)
        if (other := other_number(text)) and (number := self.noted(node, f"becomes {other}")):
            return f"(mutant::on({number}) ? {other} : {text})"
        return text

    def of_true(self, node) -> str:
        text = self.source(node)
        number = self.noted(node, f"becomes {SWAPPED[text]}")
        return f"(mutant::on({number}) != {text})" if number else text

    of_false = of_true

    def of_call_expression(self, node) -> str:
        name = self.source(node.child_by_field_name("function"))
        text = self.parts(node)
        if name not in ("std::min", "std::max"):
            return text
        number = self.noted(node, f"{name} becomes {SWAPPED[name]}")
        other = on_one_line(SWAPPED[name] + text.removeprefix(name))
        return f"(mutant::on({number}) ? {other} : {text})" if number else text

    def of_assignment_expression(self, node) -> str:
        sign = self.source(node.child_by_field_name("operator"))
        text = self.parts(node)
        if sign not in ("+=", "-="):
            return text
        number = self.noted(node, f"{sign} becomes {SWAPPED[sign]}")
        other = on_one_line(text.replace(sign, SWAPPED[sign], 1))
        return f"(mutant::on({number}) ? ({other}) : ({text}))" if number else text

    def without(self, node) -> str:
        text = self.parts(node)
        number = self.noted(node, "is removed")
        return f"{{ if (!mutant::on({number})) {text} }}" if number else text

    def of_expression_statement(self, node) -> str:
        is_macro = node.parent.type in ("translation_unit", "declaration_list")
        is_call = node.children[0].type == "call_expression" and not is_macro
        return self.without(node) if is_call else self.parts(node)

    def of_return_statement(self, node) -> str:
        parent = node.parent
        if parent.type == "compound_statement":
            parent = parent.parent
        is_early = parent.type == "if_statement" and not self.is_constant(parent)
        return self.without(node) if is_early else self.parts(node)

    def is_constant(self, node) -> bool:
        return self.source(node).startswith("if constexpr")

    def of_break_statement(self, node) -> str:
        around = node.parent
        while around.type not in (
            "for_statement",
            "for_range_loop",
            "while_statement",
            "do_statement",
        ):
            if around.type == "switch_statement" or around.parent is None:
                return self.source(node)
            around = around.parent
        text = self.source(node)
        number = self.noted(node, f"becomes {SWAPPED[text[:-1]]}")
        other = SWAPPED[text[:-1]]
        return f"{{ if (mutant::on({number})) {other}; {text} }}" if number else text

    of_continue_statement = of_break_statement

    def of_if_statement(self, node) -> str:
        condition = node.child_by_field_name("condition")
        if self.is_constant(node):
            return self.parts(node, condition=self.source(condition))
        value = condition.child_by_field_name("value")
        plain = "identifier", "field_expression", "call_expression", "subscript_expression"
        if condition.named_child_count != 1 or value is None or value.type not in plain:
            return self.parts(node)
        text = self.text(condition)
        number = self.noted(value, "is negated")
        changed = f"(mutant::on({number}) != bool{text})"
        return self.parts(node, condition=changed if number else text)

    def of_case_statement(self, node) -> str:
        value = node.child_by_field_name("value")
        return self.parts(node, value=self.source(value)) if value else self.parts(node)


def rewritten_cpp(rewriter: Rewriter) -> str:
    text = CppRewriter(rewriter).written()
    return f'#include "termsift_mutants.hpp"\n#line 1\n{text}' if rewriter.chosen else text


def rewritten(file: str, source: str, chosen: dict[int, int]) -> tuple[str, list[Place]]:
    """Return the text of a file with the chosen changes, and all places of the file."""
    rewriter = Rewriter(file, source, chosen)
    text = rewritten_python(rewriter) if file.endswith(".py") else rewritten_cpp(rewriter)
    return text, rewriter.places
