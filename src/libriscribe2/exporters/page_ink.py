"""Where on a page of a PDF there is text, and where a picture and how fine it is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pypdf import PageObject
from pypdf.generic import ContentStream

Matrix = tuple[float, float, float, float, float, float]
_SAME: Final[Matrix] = (1, 0, 0, 1, 0, 0)
_DEEPEST: Final = 6
_EM: Final = 1000


@dataclass(frozen=True, slots=True)
class Ink:
    """A line of text or a picture.

    Attributes:
        left: Its left edge in points.
        right: Its right edge in points.
        bottom: Its lower edge in points.
        top: Its upper edge in points.
        resolution: Pixels in an inch of a picture; 0 for text.
    """

    left: float
    right: float
    bottom: float
    top: float
    resolution: float = 0


def ink_of(page: PageObject) -> Iterator[Ink]:
    """The text and the pictures of a page, as they are drawn."""
    content = page.get_contents()
    if content is not None:
        resources = got(page.get("/Resources"))
        yield from _Drawing(resources, page.pdf).draw(content, _SAME, 0)


@dataclass(slots=True)
class _State:
    """The state of drawing that `q` keeps and `Q` brings back."""

    matrix: Matrix = _SAME
    font: Any = None
    size: float = 0
    spacing: float = 0
    words: float = 0
    scale: float = 1
    leading: float = 0


class _Drawing:
    """Follows the operators of a page."""

    def __init__(self, resources: Mapping[str, Any], pdf: Any) -> None:
        self._resources = resources
        self._pdf = pdf
        self._widths: dict[int, tuple[int, dict[int, float], float]] = {}
        self._text = self._line = _SAME

    def draw(self, content: Any, matrix: Matrix, depth: int) -> Iterator[Ink]:
        """The ink of a stream of operators."""
        state, kept = _State(matrix), list[_State]()
        for operands, operator in ContentStream(content, self._pdf).operations:
            name = operator.decode("latin-1")
            if name == "q":
                kept.append(replace(state))
            elif name == "Q":
                state = kept.pop() if kept else state
            elif name == "cm":
                state.matrix = _times(tuple(map(float, operands)), state.matrix)
            elif name == "Do":
                yield from self._object(str(operands[0]), state.matrix, depth)
            elif name in ("Tj", "TJ", "'", '"'):
                if name in ("'", '"'):
                    self._move(0, -state.leading)
                yield from self._shown(operands[-1], state)
            else:
                self._set(name, operands, state)

    def _set(self, name: str, operands: Any, state: _State) -> None:
        """What an operator changes."""
        if name == "BT":
            self._text = self._line = _SAME
        elif name == "Tm":
            self._text = self._line = _times(tuple(map(float, operands)), _SAME)
        elif name in ("Td", "TD"):
            state.leading = -float(operands[1]) if name == "TD" else state.leading
            self._move(float(operands[0]), float(operands[1]))
        elif name == "T*":
            self._move(0, -state.leading)
        elif name == "Tf":
            state.font = got(got(self._resources.get("/Font")).get(operands[0]))
            state.size = float(operands[1])
        else:
            _adjust(name, operands, state)

    def _move(self, right: float, up: float) -> None:
        self._text = self._line = _times((1, 0, 0, 1, right, up), self._line)

    def _shown(self, operand: Any, state: _State) -> Iterator[Ink]:
        """A piece of text, behind which the next one stands."""
        pieces = operand if isinstance(operand, list) else [operand]
        inked = False
        advance = 0.0
        for one in pieces:
            if isinstance(one, int | float):
                advance -= float(one) / _EM * state.size * state.scale
            else:
                wide, has_ink = self._width(_bytes(one), state)
                advance, inked = advance + wide, inked or has_ink
        start = _times(self._text, state.matrix)
        self._text = _times((1, 0, 0, 1, advance, 0), self._text)
        end = _times(self._text, state.matrix)
        if inked:
            (x1, y1), (x2, y2) = start[4:], end[4:]
            tall = abs(start[3] * state.size) * 0.7
            yield Ink(min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2) + tall)

    def _width(self, text: bytes, state: _State) -> tuple[float, bool]:
        """How wide a text is, and whether there is more in it than blanks."""
        step, known, default = self._metrics(state.font)
        codes = [int.from_bytes(text[at : at + step], "big") for at in range(0, len(text), step)]
        wide = sum(known.get(code, default) for code in codes) / _EM * state.size
        blanks = sum(code == ord(" ") for code in codes) if step == 1 else 0
        wide += len(codes) * state.spacing + blanks * state.words
        return wide * state.scale, len(codes) > blanks

    def _metrics(self, font: Any) -> tuple[int, dict[int, float], float]:
        """Bytes of a character, widths by character, and the width of others."""
        if id(font) not in self._widths:
            self._widths[id(font)] = _metrics_of(font)
        return self._widths[id(font)]

    def _object(self, name: str, matrix: Matrix, depth: int) -> Iterator[Ink]:
        """A picture, or a drawing that is used as a whole."""
        found = got(got(self._resources.get("/XObject")).get(name))
        if found.get("/Subtype") == "/Image":
            a, b, c, d, x, y = matrix
            wide, tall = max(abs(a), abs(b), 0.01), max(abs(d), abs(c), 0.01)
            pixels = (float(found.get("/Width", 0)), float(found.get("/Height", 0)))
            resolution = min(pixels[0] / wide, pixels[1] / tall) * 72
            left, bottom = min(x, x + a + c), min(y, y + b + d)
            yield Ink(left, left + wide, bottom, bottom + tall, resolution)
        elif found and depth < _DEEPEST:
            inner = tuple(map(float, found.get("/Matrix", _SAME)))
            resources = got(found.get("/Resources")) or self._resources
            yield from _Drawing(resources, self._pdf).draw(found, _times(inner, matrix), depth + 1)


def _adjust(name: str, operands: Any, state: _State) -> None:
    """The operators that set one number."""
    if name == "Tc":
        state.spacing = float(operands[0])
    elif name == "Tw":
        state.words = float(operands[0])
    elif name == "Tz":
        state.scale = float(operands[0]) / 100
    elif name == "TL":
        state.leading = float(operands[0])


def _metrics_of(font: Any) -> tuple[int, dict[int, float], float]:
    found = got(font)
    below = found.get("/DescendantFonts")
    if not below:
        first = int(found.get("/FirstChar", 0))
        widths = {first + at: float(one) for at, one in enumerate(got(found.get("/Widths")) or ())}
        return 1, widths, 500
    inner = got(got(below)[0])
    known: dict[int, float] = {}
    listed = [*(got(inner.get("/W")) or ())]
    while len(listed) > 1:
        first, second = int(listed.pop(0)), got(listed.pop(0))
        if isinstance(second, list):
            known |= {first + at: float(one) for at, one in enumerate(second)}
        else:
            wide = float(listed.pop(0))
            known |= dict.fromkeys(range(first, int(second) + 1), wide)
    return 2, known, float(inner.get("/DW", _EM))


def _times(one: Any, other: Any) -> Matrix:
    """Two matrices, the first of which comes first."""
    a, b, c, d, x, y = one
    e, f, g, h, u, v = other
    return (
        a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h,
        x * e + y * g + u, x * f + y * h + v,
    )  # fmt: skip


def _bytes(text: Any) -> bytes:
    return bytes(getattr(text, "original_bytes", text))


def got(value: Any) -> Any:
    """What a reference in a PDF leads to; an empty table for nothing."""
    return {} if value is None else value.get_object() if hasattr(value, "get_object") else value
