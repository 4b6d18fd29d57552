"""`make house` counts what it says: on small programs whose figures are known beforehand."""

from pathlib import Path
from textwrap import dedent

import pytest
from bench import house_counts
from bench.house import Figure, table, walked
from bench.house_counts import Source

BACKEND = """
    class Demo:
        async def complete(self, request):
            return "reply"
"""


def source(text: str, name: str = "room/some.py") -> Source:
    return Source(name, dedent(text))


def program(root: Path, **files: str) -> Path:
    """A program of our name; `a__b` is the file `a/b.py`."""
    package = root / "src" / "libriscribe2"
    for name, text in {**files, "__init__": "", "llm__backends__demo": BACKEND}.items():
        path = package / f"{name.replace('__', '/') if name[0] != '_' else name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


def test_lines_of_code_leave_out_blanks_comments_and_docstrings_but_no_tables() -> None:
    text = '''
        """What it holds."""

        # A comment.
        TABLE = {
            "a": 1,  # with a comment
        }

        def one():
            """Say
            it."""
            return """two
        lines"""
    '''
    assert house_counts.code_lines(source(text)) == 6


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@cache\ndef one(): ...", ["one"]),
        ("@functools.lru_cache(maxsize=2)\ndef one(): ...", ["one"]),
        ("two = lru_cache(maxsize=3)(one)", ["lru_cache(maxsize=3)(one), line 1"]),
        ("SEEN = {}\ndef one(key):\n    SEEN[key] = 1", ["SEEN"]),
        ("SEEN: Final = deque[int](maxlen=3)\ndef one(n):\n    SEEN.append(n)", ["SEEN"]),
        ("LAST = None\ndef one(n):\n    global LAST\n    LAST = n", ["LAST"]),
        ("class One:\n    seen = {}\n    def two(self):\n        self.seen.clear()", ["seen"]),
        ("TABLE = {}\nfor n in range(3):\n    TABLE[n] = n", []),
        ("SEEN = {}\ndef one():\n    SEEN = {}\n    SEEN['a'] = 1", []),
        ("def one():\n    seen = {}\n    seen['a'] = 1", []),
    ],
)
def test_what_is_remembered_between_calls_counts_as_a_cache(text: str, found: list[str]) -> None:
    wanted = [f"room/some.py:{one}" for one in found]
    assert house_counts.caches([source(text)]) == wanted


def test_a_variable_that_another_module_fills_counts_as_a_cache() -> None:
    held = Source("room/held.py", "SEEN = {}\n")
    text = "from libriscribe2.room.held import SEEN as seen\ndef one():\n    seen['a'] = 1\n"
    assert house_counts.caches([held, source(text)]) == ["room/some.py:seen"]


def test_names_are_shared_by_rooms_and_not_by_folders_of_one() -> None:
    names = ("a/one.py", "a/sub/one.py", "b/two.py", "c/two.py", "a/__init__.py", "b/__init__.py")
    assert house_counts.shared_names([Source(name, "") for name in names]) == {"two.py": ["b", "c"]}


def test_words_and_rules_of_a_guide(tmp_path: Path) -> None:
    guide = tmp_path / "AGENTS.md"
    guide.write_text("# Five words with a mark\n\n1. One rule.\n2. Another.\n", encoding="utf-8")
    assert house_counts.words_and_rules(guide) == (11, 2)


def test_a_task_and_a_thread_do_not_shorten_the_road(tmp_path: Path) -> None:
    root = program(
        tmp_path,
        __main__="""
            import asyncio
            from libriscribe2 import begin, unused
            asyncio.run(begin.main())
        """,
        unused="""
            NUMBERS = [n for n in range(3)]
            class Unused:
                def never(self): ...
        """,
        begin="""
            import asyncio
            from libriscribe2 import middle
            async def main():
                async with asyncio.TaskGroup() as group:
                    group.create_task(middle.work())
        """,
        middle="""
            import asyncio
            from libriscribe2.room import last
            async def work():
                await asyncio.to_thread(in_thread)
            def in_thread():
                asyncio.run(last.send())
        """,
        room__last="""
            from libriscribe2.llm.backends.demo import Demo
            async def pieces():
                yield await Demo().complete("request")
            async def send():
                async for piece in pieces():
                    print(piece)
        """,
    )
    walk = walked(root, tmp_path)
    assert walk.stacks[0] == [
        "room/last.py:pieces",
        "room/last.py:send",
        "middle.py:in_thread",
        "middle.py:work",
        "begin.py:main",
    ]
    assert walk.files(last="request") == [
        "begin.py",
        "llm/backends/demo.py",
        "middle.py",
        "room/last.py",
    ]


def test_files_are_counted_from_one_event_to_another(tmp_path: Path) -> None:
    root = program(
        tmp_path,
        __main__="""
            from libriscribe2 import agent, plan
            plan.write("scenes.json")
            agent.Agent().execute()
        """,
        plan="""
            from pathlib import Path
            def write(name):
                Path("part").write_text("text")
                Path("part").replace(name)
        """,
        agent="""
            from libriscribe2.plan import write
            from libriscribe2.words import words
            class Agent:
                def execute(self):
                    words()
                    write("01.md")
        """,
        words="def words(): ...",
    )
    walk = walked(root, tmp_path)
    end = "file /01.md"
    assert walk.files("chapter", end) == ["agent.py", "plan.py", "words.py"]
    with pytest.raises(SystemExit, match="came by no 'request'"):
        walk.files(last="request")


def test_only_the_road_fails() -> None:
    size = Figure("size", 9, 9, 3)
    road = Figure("road", 9, 9, 3, road=True)
    unknown = Figure("chain", 9, None, 3, road=True)
    assert [one.fails for one in (size, road, unknown, Figure("x", 9, 3, 3, road=True))] == [
        False,
        True,
        True,
        False,
    ]
    assert [line.split()[-1] for line in list(table([size, road, unknown]))[1:]] == [
        "over",
        "FAILS",
        "FAILS",
    ]
