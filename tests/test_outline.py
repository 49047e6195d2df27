"""The map of active/: never longer than can be read at once, every record counted once, links that lead to their files."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strata.errors import UsageError
from strata.markdown import code, link_target, one_line, shown
from strata.outline import WIDTH, Entered, Outline, outline

KINDS = ("note", "entity", "event", "block", "tail")
NOUNS = {"note": "note", "entity": "entity", "event": "event", "block": "block", "thread": "tail"}
HEADINGS = {"Notes": "note", "Entities": "entity", "Events": "event", "Blocks of conversation": "block", "Turns that are not sealed yet": "tail"}
PARTS = ["notes", "events", "2026", "11", "ein sehr langer Ordner für alles Mögliche", "(a)", "b]c", "日本語", "x" * 90, "it's 100%", "`code`", "a\nb", "\udce9", "#", "a_b"]


class Read:
    """A map as a reader takes it: the paths that have lines, and the number of others by kind and directory."""

    def __init__(self, text: str) -> None:
        self.own: list[tuple[str, str]] = []
        self.rest: dict[tuple[str, str], int] = {}
        self.more: set[tuple[str, str]] = set()
        kind = ""
        for line in text.splitlines():
            if heading := re.fullmatch(r"## (.*)", line):
                kind = HEADINGS[heading[1]]
            elif link := re.match(r"- \[(?:\\.|[^\\\]])+\]\(([^()\s]+)\)", line):
                self.own.append((kind, unquote(link[1], errors="surrogateescape")))
            elif folder := re.match(r"- (`+)(.*?)/\1 — ([\d,]+) (more )?(\w+)", line):
                assert kind == NOUNS[folder[5].removesuffix("s") if folder[5] != "entities" else "entity"]
                self.rest[kind, folder[2]] = int(folder[3].replace(",", ""))
                self.more |= {(kind, folder[2])} if folder[4] else set()


def seen(folder: str) -> str:
    """The name of a directory with what cannot be seen spelled out."""
    return "".join(char if char.isprintable() else quote(char, errors="surrogateescape") for char in folder)


rows = st.builds(
    lambda kind, parts, name, touched, title, about: Entered("/".join(["active", *parts, f"{name}.md"]), kind, touched, title, about),
    st.sampled_from(KINDS),
    st.lists(st.sampled_from(PARTS), max_size=4),
    st.integers(0, 400).map(str) | st.sampled_from(PARTS),
    st.dates().map(str) | st.sampled_from(["", "2026-11-30T12:00:00Z", "soon", "\n\n"]),
    st.text(max_size=200),
    st.text(max_size=200),
)


@st.composite
def memories(draw: st.DrawFn) -> list[Entered]:
    """A few records of any shape, and many in a row beside them, as a memory has them."""
    found = draw(st.lists(rows, max_size=30))
    for _ in range(draw(st.integers(0, 3))):
        model = draw(rows)
        folder = model.path.rpartition("/")[0]
        many, spread = draw(st.integers(1, 300)), draw(st.integers(1, 60))
        found += [model._replace(path=f"{folder}/{number % spread}/{number}.md", touched=f"2026-{1 + number % 12:02}-01") for number in range(many)]
    return found


@settings(max_examples=80, deadline=None)
@given(memories(), st.integers(40, 200))
def test_however_many_and_whatever_they_are_called_the_map_keeps_its_bound(found: list[Entered], limit: int) -> None:
    text = outline(found, limit=limit)

    assert text.count("\n") <= limit
    assert len(text.encode("utf-8")) <= limit * WIDTH
    assert all(line.isprintable() or "\u200c" in line or "\u200d" in line for line in text.split("\n"))


@settings(max_examples=80, deadline=None)
@given(memories(), st.integers(40, 200))
def test_every_record_is_counted_by_exactly_one_line(found: list[Entered], limit: int) -> None:
    check_counts(found, Read(outline(found, limit=limit)))


def check_counts(found: list[Entered], read: Read) -> None:
    """Each record has a line or is counted by the deepest directory above it that has one; "more" is said where that is not all there is."""

    left = Counter((row.kind, row.path) for row in found)
    left.subtract(read.own)
    assert not any(number < 0 for number in left.values())
    deepest: Counter[tuple[str, str]] = Counter()
    for (kind, path), number in left.items():
        above = path.rpartition("/")[0]
        while above and number and (kind, seen(above)) not in read.rest:
            above = above.rpartition("/")[0]
        if number:
            deepest[kind, seen(above)] += number
    assert deepest == Counter(read.rest)
    below = Counter((row.kind, seen(folder)) for row in found for folder in folders_above(row.path))
    assert read.more == {key for key, number in read.rest.items() if number < below[key]}


def folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


LONG = "ein Ordner mit einem sehr langen Namen, wie Menschen ihn manchmal vergeben "


@pytest.mark.parametrize("size", [3, 30, 300])
@pytest.mark.parametrize(
    "path",
    [
        lambda number: f"active/notes/{LONG * 6}/{number}.md",
        lambda number: f"active/notes/{LONG * 6}{number}/n.md",
        lambda number: f"active/notes/{LONG * 6}{number}/a.md" if number % 2 else f"active/notes/{number}.md",
        lambda number: f"active/notes/{LONG * 6}{number % 7}/{number}.md",
        lambda number: f"active/notes/{LONG}{number % 7}/{LONG}/{number}.md",
        lambda number: f"active/notes/{LONG * (number % 12)}{number}.md",
    ],
    ids=["in one", "each in its own", "every other", "in a few", "in a few of two", "files of any length"],
)
def test_long_names_cost_lines_but_no_record_its_count(path: Callable[[int], str], size: int) -> None:
    found = [Entered(path(number), "note", f"2026-{1 + number % 12:02}-01", "T" * 90, "A" * 200) for number in range(size)]
    for limit in (40, 150):
        text = outline(found, limit=limit)

        assert text.count("\n") <= limit
        assert len(text.encode("utf-8")) <= limit * WIDTH
        check_counts(found, Read(text))


def test_a_link_is_shown_however_long_where_it_fits() -> None:
    path = f"active/notes/{LONG * 6}/n.md"

    assert [("note", path)] == Read(outline([Entered(path, "note", "2026-11-30", "T")])).own


@settings(max_examples=30, deadline=None)
@given(memories(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_nothing(found: list[Entered], random: object) -> None:
    other = list(found)
    random.shuffle(other)  # type: ignore[attr-defined]

    assert outline(found) == outline(other)


def test_a_small_memory_is_shown_whole_newest_first() -> None:
    text = outline(
        [
            Entered("active/notes/plan.md", "note", "2026-11-28", "The plan", "Ship on Friday."),
            Entered("active/notes/frost.md", "note", "2026-11-30", "Frost"),
            Entered("active/entities/person/jo.md", "entity", "2026-11-29", "Jo", "Prefers tabs."),
            Entered("active/tails/main.md", "tail", "2026-11-30", "main"),
        ]
    )

    assert "2 notes, 1 entity, 1 thread; newest first." in text
    assert text.endswith(
        """
## Notes
- [Frost](active/notes/frost.md) · 2026-11-30
- [The plan](active/notes/plan.md) — Ship on Friday. · 2026-11-28

## Entities
- [Jo](active/entities/person/jo.md) — Prefers tabs. · 2026-11-29

## Turns that are not sealed yet
- [main](active/tails/main.md) · 2026-11-30
"""
    )


def test_an_empty_memory_has_a_map_that_says_so() -> None:
    assert "Nothing yet" in outline([])
    assert "- " not in outline([])


def events(months: int, each: int) -> list[Entered]:
    """So many events in each of the last months of 2026 and before."""
    found = []
    for back in range(months):
        year, month = divmod(2026 * 12 + 11 - 1 - back, 12)
        day = f"{year}-{month + 1:02}-17"
        found += [Entered(f"active/events/{day[:4]}/{day[5:7]}/evt-{number}.md", "event", day, f"Event {number}") for number in range(each)]
    return found


def test_what_is_old_is_counted_by_year_and_what_is_fresh_by_month() -> None:
    read = Read(outline(events(119, 200)))

    folders = [folder for _, folder in read.rest]
    assert folders[:2] == ["active/events/2026/11", "active/events/2026/10"]
    assert folders[-2:] == ["active/events/2018", "active/events/2017"]
    assert 12 * 200 == read.rest["event", "active/events/2017"]
    assert {"active/events/2026/11"} == {path.rpartition("/")[0] for _, path in read.own}


def test_a_directory_counts_more_where_some_of_it_has_lines_of_its_own() -> None:
    text = outline(events(119, 200))

    assert re.search(r"- `active/events/2026/11/` — \d+ more events, newest: Event \d+ · 2026-11-17\n", text)
    assert re.search(r"- `active/events/2017/` — 2,400 events, newest: Event \d+ · 2017-12-17\n", text)


def test_one_kind_with_very_many_leaves_room_for_the_others() -> None:
    others = [Entered(f"active/notes/projects/p{number}.md", "note", "2020-01-01", "Old") for number in range(20)]
    read = Read(outline([*events(60, 100), *others]))

    assert 20 == sum(kind == "note" for kind, _ in read.own)


def test_a_small_directory_stays_open_beside_one_that_fills_up() -> None:
    imported = [Entered(f"active/notes/import/n{number}.md", "note", "2026-11-30", "Imported") for number in range(5000)]
    project = [Entered(f"active/notes/projects/kynd/{name}.md", "note", "2025-01-01", name) for name in ("plan", "people", "prices")]
    read = Read(outline([*imported, *project]))

    assert {row.path for row in project} < {path for _, path in read.own}
    assert [("note", "active/notes/import")] == list(read.rest)


def notes(folder: str, number: int, year: int = 2026) -> list[Entered]:
    return [Entered(f"active/notes/{folder}/n{at}.md", "note", f"{year}-{1 + at % 12:02}-{1 + at // 12 % 28:02}", "N") for at in range(number)]


@pytest.mark.parametrize("fresh", [60, 130, 138, 139, 140, 141])
def test_a_directory_with_one_record_left_gives_its_line_to_it(fresh: int) -> None:
    text = outline([*notes("fresh", fresh), *notes("old", 100, 2025)])
    read = Read(text)

    assert 1 not in read.rest.values()
    assert 150 == text.count("\n")


def test_those_with_lines_are_the_newest() -> None:
    many = [Entered(f"active/notes/{at % 7}/{at}.md", "note", f"2026-11-30T{at // 60:02}:{at % 60:02}:00Z") for at in range(1000)]
    read = Read(outline(many))

    newest = sorted(many, key=lambda row: row.touched, reverse=True)[: len(read.own)]
    assert [row.path for row in newest] == [path for _, path in read.own]


def test_directories_have_a_third_of_the_lines_and_one_whose_all_have_lines_has_none() -> None:
    """141 lines are left for one kind, so 47 directories; those above them need no line."""
    flat = [row for at in range(47) for row in notes(f"d{at}", 40)]
    nested = [row for at in range(47) for row in notes(f"{'xy'[at % 2]}/d{at}", 40)]
    wide = [row for at in range(48) for row in notes(f"d{at}", 40)]

    assert {f"active/notes/d{at}" for at in range(47)} == {folder for _, folder in Read(outline(flat)).rest}
    assert {f"active/notes/{'xy'[at % 2]}/d{at}" for at in range(47)} == {folder for _, folder in Read(outline(nested)).rest}
    assert ("note", "active/notes") in Read(outline(wide)).more


def test_small_directories_leave_half_of_the_lines_to_the_newest() -> None:
    small = [row for at in range(40) for row in notes(f"d{at}", 4, 2020)]
    read = Read(outline([*notes("fresh", 500), *small]))
    fresh = sum(path.startswith("active/notes/fresh/") for _, path in read.own)

    assert len(read.own) / 3 < fresh < len(read.own) * 2 / 3


def test_threads_are_named_up_to_a_few_and_then_counted() -> None:
    tails = [Entered(f"active/tails/t{number}.md", "tail", f"2026-11-{1 + number % 30:02}", f"t{number}") for number in range(40)]
    read = Read(outline(tails))

    assert 12 == len(read.own)
    assert {("tail", "active/tails"): 28} == read.rest


def test_where_lines_are_few_they_may_be_longer() -> None:
    about = "What it says, in as many words as a line of description has, which is up to one hundred and twenty of them, all told."
    few = [Entered(f"active/notes/projects/kynd/requirements-{number}.md", "note", "2026-11-30", "Requirements of the kynd project", about) for number in range(3)]
    many = [few[0]._replace(path=f"active/notes/projects/kynd/requirements-{number}.md") for number in range(400)]

    assert about in outline(few)
    assert about not in outline(many)
    assert about[:20] in outline(many)


def test_words_may_come_later_and_only_those_that_are_shown_are_asked_for() -> None:
    bare = [row._replace(title="") for row in events(119, 200)]
    drawn = Outline(bare)
    words = {path: (f"Title of {path}", "About it") for path in drawn.wanted}
    text = drawn.text(words)

    assert len(drawn.wanted) < 150 < len(bare)
    assert all(f"[Title of {path}]({path}) — About it" in text for _, path in Read(text).own)
    assert 10 < text.count("newest: Title of active/events/")
    assert Read(text).rest == Read(drawn.text()).rest


def test_without_a_title_the_file_has_its_name() -> None:
    text = outline([Entered("active/notes/a_b.md", "note", "", " \n"), Entered("active/notes/\x01.md", "note", "")])

    assert "- [a_b](active/notes/a_b.md)\n" in text
    assert "- [(no title)](active/notes/%01.md)\n" in text


@pytest.mark.parametrize(
    "title, line",
    [
        ("two\nlines\r\n## and a heading", "two lines ## and a heading"),
        ("[x](y) ![z](w) [[wiki]]", r"\[x\](y) !\[z\](w) \[\[wiki\]\]"),
        ("*a* _b_ `c` ~~d~~ $e$", r"\*a\* \_b\_ \`c\` \~\~d\~\~ \$e\$"),
        ("snake_case_name", "snake_case_name"),
        ("<script>&amp; R&D", r"\<script>\&amp; R&D"),
        ("a & b", "a & b"),
        ("#tag and C#", r"\#tag and C#"),
        ("%%hidden%% ==bright== a=b 5%", r"\%%hidden\%% \==bright\== a=b 5%"),
        ("c:\\users", r"c:\\users"),
        ("\u202egnp.exe\u2066", "gnp.exe"),
        ("שלום עולם", "שלום עולם"),
        ("\x1b[2Jx\ud800", r"\[2Jx"),
        ("👩\u200d🚀", "👩\u200d🚀"),
    ],
)
def test_a_title_is_shown_as_it_is_on_one_line(title: str, line: str) -> None:
    assert line == shown(title, 80, 200)
    assert f"- [{line}](active/notes/x.md)\n" in outline([Entered("active/notes/x.md", "note", "", title)])


def test_a_title_of_ten_thousand_characters_is_cut() -> None:
    assert 80 == len(shown("x" * 10_000, 80, 200))
    assert "字" * 33 + "…" == shown("字" * 10_000, 80, 102)
    assert "" == shown("字", 80, 2)
    assert "" == shown("\n" * 10_000 + "x", 80, 200), "only its beginning is looked at"


@given(st.text(), st.integers(2, 100), st.integers(4, 200))
@example("\\" * 50, 10, 11)
@example("*" * 50, 100, 20)
def test_shown_text_fits_and_no_backslash_is_cut_from_its_mark(text: str, characters: int, room: int) -> None:
    cut = shown(text, characters, room)
    read = re.sub(r"\\(.)", r"\1", cut)

    assert len(cut.encode("utf-8")) <= room
    assert len(read) <= characters
    assert not re.search(r"(?<!\\)(?:\\\\)*\\$", cut.removesuffix("…"))
    assert one_line(text[: 4 * characters]).startswith(read.removesuffix("…"))


@pytest.mark.parametrize(
    "path, target",
    [
        ("active/notes/plan.md", "active/notes/plan.md"),
        ("active/notes/日本語.md", "active/notes/日本語.md"),
        ("active/notes/my plan (v2).md", "active/notes/my%20plan%20%28v2%29.md"),
        ("active/notes/100%.md", "active/notes/100%25.md"),
        ("active/notes/a#b?c&d.md", "active/notes/a%23b%3Fc%26d.md"),
        ("active/notes/a\nb\u00a0c.md", "active/notes/a%0Ab%C2%A0c.md"),
        ("active/notes/\udce9.md", "active/notes/%E9.md"),
        ("active/notes/\ud800.md", "active/notes/%ED%A0%80.md"),
        ("active/notes/[x]<y>|z.md", "active/notes/%5Bx%5D%3Cy%3E%7Cz.md"),
    ],
)
def test_a_link_leads_to_its_file(path: str, target: str) -> None:
    assert target == link_target(path)
    assert path == unquote(target, errors="surrogatepass" if "\ud800" in path else "surrogateescape")


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_every_path_can_be_read_back_from_its_link(path: str) -> None:
    target = link_target(path)

    assert path == unquote(target)
    assert not re.search(r"[\s()<>\\\[\]\"]", target)
    assert target.isprintable()


def test_a_directory_is_shown_as_it_is_called() -> None:
    assert "`active/notes/a_b [c]/`" == code("active/notes/a_b [c]/")
    assert "``a`b``" == code("a`b")
    assert "`a%0Ab%E9  c/`" == code("a\nb\udce9  c/")


def test_a_day_that_is_none_is_left_out() -> None:
    text = outline([Entered(f"active/notes/{number}.md", "note", touched, "T") for number, touched in enumerate(["", "soon", "2026-11-30T08:00:00Z", "2026-1"])])

    assert ["2026-11-30"] == re.findall(r" · (.*)\n", text)


def test_a_map_of_too_few_lines_is_refused() -> None:
    with pytest.raises(UsageError, match="40 lines"):
        outline([], limit=39)


@pytest.mark.parametrize(
    "path",
    [
        lambda number: f"active/notes/n{number}.md",
        lambda number: f"active/notes/d{number}/n.md",
        lambda number: "active/notes/" + "/".join(str(number >> shift & 3) for shift in range(0, 34, 2)) + f"/{number}.md",
        lambda number: "active/notes/" + "ä (x) & " * 30 + f"{number}/n.md",
        lambda number: "active/notes/" + "ä (x) & " * 30 + f"{number}.md",
    ],
    ids=["flat", "one directory each", "deep", "long names of directories", "long names of files"],
)
def test_no_shape_of_the_tree_makes_it_slow(path: Callable[[int], str]) -> None:
    """A record more takes a few calls more, counted, not timed, and not the spelling of its name."""
    few, many = (calls([Entered(path(number), "note", f"2026-{1 + number % 12:02}-01", "T") for number in range(size)]) for size in (2_000, 4_000))

    assert many - few < 40 * 2_000


def calls(found: list[Entered]) -> int:
    """How many functions are called to draw the map."""
    count = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        outline(found)
    finally:
        sys.setprofile(None)
    return count
