"""The mutants of a C file: what is changed in it, and how a change looks.

Used by mutants.py, which tries them.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import collections
import os
import re
import subprocess

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|\s+)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<punct><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\|
                 |[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])""",
    re.X | re.S | re.M)

Token = collections.namedtuple("Token", "kind text start end")
Mutant = collections.namedtuple("Mutant", "file start end text kind")

COMPARISONS = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",),
               "==": ("!=",), "!=": ("==",)}
OPERATORS = {"&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",),
             "*": ("+",), "/": ("*",), "%": ("/",), "<<": (">>",),
             ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("|",),
             "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "&=": ("|=",),
             "<<=": (">>=",), ">>=": ("<<=",)}
OPENING = {"(": ")", "[": "]", "{": "}"}
# Tokens that end an operand of && or ||, on the side away from the operator.
ENDS = {"&&", "||", "?", ":", ",", ";", "=", "return", "{", "}"}
CONTROLS = ("if", "for", "while", "switch")
TYPES = {"const", "static", "unsigned", "struct", "enum", "union", "int",
         "char", "bool", "size_t", "void", "long", "off_t", "ssize_t"}


def tokens_of(text):
    result, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise SystemExit(f"mutants: cannot read: {text[at:at + 40]!r}")
        at = found.end()
        if found.lastgroup != "skip":
            result.append(Token(found.lastgroup, found.group(), found.start(),
                                at))
    return result


def pairs_of(tokens):
    """For each bracket the index of its other half."""
    other, stack = {}, []
    for i, token in enumerate(tokens):
        if token.kind != "punct":
            continue
        if token.text in OPENING:
            stack.append(i)
        elif token.text in OPENING.values() and stack:
            other[i] = stack.pop()
            other[other[i]] = i
    return other


class Generator:
    def __init__(self, file, text):
        self.file, self.text = file, text
        self.tokens = tokens_of(text)
        self.other = pairs_of(self.tokens)
        self.mutants = []
        self.begins = set()

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def add(self, first, last, text, kind):
        """Tokens FIRST to LAST become TEXT."""
        self.mutants.append(Mutant(self.file, self.tokens[first].start,
                                   self.tokens[last].end, text, kind))

    def bodies(self):
        """The outermost braces that follow a closing parenthesis."""
        i = 0
        while i < len(self.tokens):
            if self.at(i) == "{":
                end = self.other[i]
                if self.at(i - 1) == ")":
                    yield i, end
                i = end
            i += 1

    def is_binary(self, i):
        before = self.tokens[i - 1]
        if before.text in ("return", "case", "sizeof"):
            return False
        if before.text == ")" and self.at(i) in "+-*&":
            # A cast, most likely: "(type) -1".
            inside = self.tokens[self.other[i - 1] + 1].text
            if inside in TYPES or inside.endswith("_t"):
                return False
        return before.kind in ("name", "number") or before.text in (")", "]")

    def is_pointer(self, i):
        """Whether token I is the "*" of a declaration or a cast."""
        return self.at(i) == "*" and (
            self.at(i - 1).endswith("_t") or self.at(i - 1) in TYPES
            or self.at(i - 2) in ("struct", "enum", "union")
            or self.at(i + 1) in (")", "const", "*"))

    def operator(self, i):
        text = self.at(i)
        if text in COMPARISONS:
            for new in COMPARISONS[text]:
                self.add(i, i, new, "comparison")
        elif (text in OPERATORS and self.is_binary(i)
              and not self.is_pointer(i)):
            for new in OPERATORS[text]:
                self.add(i, i, new, "operator")

    def constant(self, i):
        text = self.at(i)
        if text in ("true", "false"):
            self.add(i, i, "false" if text == "true" else "true", "constant")
            return
        digits = text.rstrip("uUlL")
        octal = digits[0] == "0" and digits.isdigit()
        value = int(digits, 8 if octal else 0)
        new = value - 1 if value == 1 else value + 1
        self.add(i, i, str(new) + text[len(digits):], "constant")

    def condition(self, i):
        """Negate the condition of if or while; make that of if false, too."""
        end = self.other[i + 1]
        inside = self.text[self.tokens[i + 1].end:self.tokens[end].start]
        self.add(i + 2, end - 1, f"!({inside})", "negated condition")
        if self.at(i) == "if":
            self.add(i + 2, end - 1, "false", "condition never true")

    def operand_end(self, i, step):
        """The last token of the operand that begins next to token I."""
        j = i + step
        while 0 <= j < len(self.tokens):
            text = self.at(j)
            if text in (OPENING if step > 0 else OPENING.values()):
                if text == "{" or text == "}":
                    break
                j = self.other[j]
            elif text in OPENING or text in OPENING.values() or text in ENDS:
                break
            j += step
        return j - step

    def operands(self, i):
        """Drop one side of && or ||."""
        first = self.operand_end(i, -1)
        last = self.operand_end(i, 1)
        self.add(first, i, "", "dropped operand")
        self.add(i, last, "", "dropped operand")

    def statement(self, i, body_end):
        """Drop the statement that begins at token I, unless it declares."""
        token = self.tokens[i]
        if token.text in ("if", "for", "while", "do", "switch", "case",
                          "default", "else", "goto", ";", "{", "}"):
            return
        if (token.text.isupper() and self.at(i + 1) == "("
                and self.at(self.other[i + 1] + 1) != ";"):
            return  # a macro that is the head of a loop
        j = i
        while self.at(j) != ";":
            j = self.other.get(j, j) + 1 if self.at(j) in OPENING else j + 1
        following = self.tokens[i + 1]
        declares = (token.text in TYPES or token.text.endswith("_t")
                    or token.kind == "name" and token.text != "return"
                    and (following.kind == "name" or following.text == "*"))
        last_return = token.text == "return" and j + 1 == body_end
        if declares or last_return or self.at(i + 1) == ":":
            return
        self.add(i, j, ";", "dropped statement")

    def body(self, begin, end):
        for i in range(begin + 1, end):
            token = self.tokens[i]
            if token.kind == "number" or token.text in ("true", "false"):
                self.constant(i)
            elif token.kind == "punct":
                self.operator(i)
                if token.text in ("&&", "||"):
                    self.operands(i)
            elif token.text in ("if", "while") and self.at(i + 1) == "(":
                self.condition(i)
            if self.starts_statement(i) and self.is_block(self.enclosing(i)):
                self.statement(i, end)

    def starts_statement(self, i):
        before = self.at(i - 1)
        if before == ")":
            return self.at(self.other[i - 1] - 1) in CONTROLS
        if before == ":":
            j = i - 1
            while self.at(j) not in (";", "{", "}", "?", "case", "default"):
                j -= 1
            return self.at(j) in ("case", "default")
        return before in (";", "{", "}", "else")

    def enclosing(self, i):
        """The innermost bracket around token I, which is in a body."""
        j = i - 1
        while self.at(j) not in OPENING:
            j = self.other.get(j, j) - 1
        return j

    def is_block(self, i):
        """Whether the bracket I begins a block, not an initializer."""
        if self.at(i) != "{":
            return False
        if self.at(i - 1) == ")":
            return i in self.begins or (
                self.at(self.other[i - 1] - 1) in CONTROLS)
        return self.at(i - 1) in (";", "{", "}", "else", "do", ":")

    def all(self):
        self.begins = {begin for begin, _ in self.bodies()}
        for begin, end in self.bodies():
            self.body(begin, end)
        # Values of enumerations and tables.
        inside = set()
        for begin, end in self.bodies():
            inside.update(range(begin, end))
        for i, token in enumerate(self.tokens):
            if token.kind == "number" and i not in inside:
                self.constant(i)
        return self.mutants


def squeeze(text):
    return " ".join(text.split())


class Change:
    """A mutant as text: the lines it is in, before and after."""

    def __init__(self, source, mutant):
        begin = source.rfind("\n", 0, mutant.start) + 1
        end = source.find("\n", mutant.end)
        if "\n" in mutant.text[-1:]:
            end = mutant.end
        self.line = source.count("\n", 0, mutant.start) + 1
        self.old = squeeze(source[begin:end])
        self.new = squeeze(source[begin:mutant.start] + mutant.text
                           + source[mutant.end:end])
        self.result = (source[:mutant.start] + mutant.text
                       + source[mutant.end:])

        # The function: in GNU style its name begins in column 1.
        names = re.findall(r"^(\w+) \(", source[:mutant.start], re.M)
        self.function = names[-1] if names else ""
        self.turn = 1

    def text(self, file):
        return file, self.old, self.new

    def key(self, file):
        """What mutants-equivalent has of the mutant: no number of a line."""
        return file, self.function, self.turn, self.old, self.new


def mutants_of(srcdir, files):
    for file in files:
        with open(os.path.join(srcdir, file), encoding="utf-8") as source:
            text = source.read()
        seen, turns = set(), collections.Counter()
        for mutant in Generator(file, text).all():
            change = Change(text, mutant)
            tokens = "".join(change.new.split()), change.line, change.old
            if tokens in seen:
                continue
            seen.add(tokens)
            alike = change.function, change.old, change.new
            turns[alike] += 1
            change.turn = turns[alike]
            yield mutant, change


def edited(srcdir, file, expression):
    """The mutant that a sed expression makes."""
    path = os.path.join(srcdir, file)
    with open(path, encoding="utf-8") as source:
        text = source.read()
    new = subprocess.run(["sed", "-E", expression, path], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    if new == text:
        raise SystemExit(f"mutants: this changes nothing: {expression}")
    first = next(i for i, (a, b) in enumerate(zip(text, new)) if a != b)
    tail = 0
    while (tail < min(len(text), len(new)) - first
           and text[-1 - tail] == new[-1 - tail]):
        tail += 1
    mutant = Mutant(file, first, len(text) - tail,
                    new[first:len(new) - tail], "edit")
    return mutant, Change(text, mutant)
