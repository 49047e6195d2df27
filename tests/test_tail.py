"""The tail of a thread: what is added once, what a turn is, and what is cut off to be sealed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata.document import Document
from strata.errors import Malformed, UsageError
from strata.model import ROLES, Message
from strata.tail import Chunk, Tail, add, cut, turns

roles = st.lists(st.sampled_from(ROLES), max_size=40)


def messages_of(roles: list[str], start: int = 1) -> tuple[Message, ...]:
    return tuple(Message(f"m{number}", role, f"text {number}") for number, role in enumerate(roles, start))


def of(letters: str) -> tuple[Message, ...]:
    """Messages by the first letters of their roles: "uat" is user, assistant, tool."""
    return messages_of([next(role for role in ROLES if role.startswith(letter)) for letter in letters])


# turns


@pytest.mark.parametrize(
    ("letters", "expected"),
    [("", []), ("u", ["u"]), ("uat", ["uat"]), ("uaua", ["ua", "ua"]), ("uuu", ["u", "u", "u"]), ("saua", ["sa", "ua"]), ("a", ["a"]), ("suatusa", ["s", "uat", "usa"])],
)
def test_a_turn_is_a_user_message_and_all_that_follows(letters: str, expected: list[str]) -> None:
    assert ["".join(message.role[0] for message in turn) for turn in turns(of(letters))] == expected


# adding


def test_a_message_is_added_once_and_the_first_wins() -> None:
    tail = Tail("main", 4, (Message("m1", "user", "in the tail"),))
    batch = [
        Message("m3", "user", "new"), Message("m1", "user", "again"), Message("m0", "user", "sealed"), Message("m2", "user", "new"), Message("m3", "user", "twice"),
    ]  # fmt: skip

    grown, added = add(tail, batch, {"m0"})

    assert [message.text for message in added] == ["new", "new"]
    assert [message.id for message in grown.messages] == ["m1", "m3", "m2"]
    assert (grown.thread, grown.first_turn) == ("main", 4)
    assert add(grown, batch, {"m0"}) == (grown, ())


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_adding_keeps_the_order_and_repeats_nothing(first: list[int], second: list[int], known: set[int]) -> None:
    batches = [[Message(str(number), "user", f"{number} in batch {which}") for number in batch] for which, batch in enumerate((first, second))]
    known_ids = {str(number) for number in known}
    one, _ = add(Tail("main"), batches[0], known_ids)

    two, added = add(one, batches[1], known_ids)

    assert two.messages == one.messages + added
    assert [message.id for message in two.messages] == [number for number in dict.fromkeys(map(str, first + second)) if number not in known_ids]
    assert add(two, batches[0] + batches[1], known_ids) == (two, ())


# cutting


def test_a_block_is_cut_when_the_turn_after_it_begins() -> None:
    tail = Tail("main", 5, of("uauaua"))
    assert cut(tail, 3) == ([], tail)

    chunks, rest = cut(Tail("main", 5, of("uauauau")), 3)

    assert chunks == [Chunk(5, 7, of("uauaua"))]
    assert rest == Tail("main", 8, of("uauauau")[6:])


def test_several_blocks_are_cut_at_once_oldest_first() -> None:
    chunks, rest = cut(Tail("main", 1, of("saua" + "ua" * 5)), 2)

    assert [(first, last) for first, last, _ in chunks] == [(1, 2), (3, 4), (5, 6)]
    assert rest == Tail("main", 7, of("saua" + "ua" * 5)[12:])


def test_everything_takes_the_last_turn_too_in_blocks_of_the_usual_size() -> None:
    chunks, rest = cut(Tail("main", 3, of("uauau")), 2, everything=True)

    assert [(first, last, len(messages)) for first, last, messages in chunks] == [(3, 4, 4), (5, 5, 1)]
    assert rest == Tail("main", 6, ())
    assert cut(rest, 2, everything=True) == ([], rest)


@settings(max_examples=500)
@given(roles, st.integers(1, 6), st.integers(1, 100), st.booleans())
def test_cutting_loses_nothing_and_numbers_every_turn(roles: list[str], block_turns: int, first_turn: int, everything: bool) -> None:
    tail = Tail("main", first_turn, messages_of(roles))

    chunks, rest = cut(tail, block_turns, everything=everything)

    assert sum((chunk.messages for chunk in chunks), ()) + rest.messages == tail.messages
    following = first_turn
    for chunk in chunks:
        assert chunk.first_turn == following
        assert chunk.last_turn - chunk.first_turn + 1 == len(turns(chunk.messages)) <= block_turns
        following = chunk.last_turn + 1
    assert rest.first_turn == following
    assert cut(rest, block_turns, everything=everything) == ([], rest)
    if everything:
        assert not rest.messages
    else:
        assert all(chunk.last_turn - chunk.first_turn + 1 == block_turns for chunk in chunks)
        assert len(turns(rest.messages)) <= block_turns
        assert bool(rest.messages) == bool(tail.messages)


@settings(max_examples=300)
@given(roles, st.integers(1, 6), st.lists(st.integers(1, 5), max_size=10))
def test_blocks_do_not_depend_on_how_the_messages_arrived(roles: list[str], block_turns: int, sizes: list[int]) -> None:
    messages = messages_of(roles)
    at_once, rest_at_once = cut(Tail("main", 1, messages), block_turns)
    tail, found, known, position = Tail("main"), [], set(), 0
    for size in [*sizes, len(messages)]:
        tail, added = add(tail, messages[max(0, position - 2) : position + size], known)
        known.update(message.id for message in added)
        position += size
        chunks, tail = cut(tail, block_turns)
        found += chunks

    assert (found, tail) == (at_once, rest_at_once)


def test_a_block_has_at_least_one_turn() -> None:
    with pytest.raises(UsageError):
        cut(Tail("main"), 0)


# the file


def test_the_file_is_a_header_and_a_transcript() -> None:
    tail = Tail("main", 13, (Message("m1", "user", "Which?", at="2026-11-30T11:50:02Z"), Message("m2", "assistant", "pnpm.\n", "Ada")))

    data = tail.dump()

    assert data.decode() == (
        "---\nkind: tail\nthread: main\nfirst_turn: 13\n---\n## user · m1 · 2026-11-30T11:50:02Z\nWhich?\n\n## assistant (Ada) · m2\npnpm.\n\n"
    )
    assert Tail.parse(data) == tail
    assert Tail.parse(Tail("a: b", 1).dump()) == Tail("a: b", 1)


def test_what_a_person_added_to_the_header_stays() -> None:
    existing = Document.parse(b"---\nkind: tail\r\nthread: main\nfirst_turn: 1  # so far\nproject: kynd # mine\n---\n## user \xc2\xb7 m1\nx\n")
    tail = Tail("main", 13, (Message("m9", "user", "---\n"),))

    data = tail.dump(existing)

    assert data == b"---\nkind: tail\r\nthread: main\nfirst_turn: 13  # so far\nproject: kynd # mine\n---\n## user \xc2\xb7 m9\n---\n\n"
    assert Tail.parse(data) == tail


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"text", 1), (b"---\nkind: block\nthread: main\nfirst_turn: 1\n---\n", 2), (b"---\nkind: tail\nfirst_turn: 1\n---\n", 2),
        (b"---\nkind: tail\nthread: main\nfirst_turn: 0\n---\n", 4), (b"---\nkind: tail\nthread: main\nfirst_turn: one\n---\n", 4),
        (b"---\nkind: tail\nthread: main\nfirst_turn: 99999999999999\n---\n", 4), ("---\nkind: tail\nthread: main\nfirst_turn: ²\n---\n".encode(), 4),
        (b"---\nkind: tail\nthread: main\n---\n", 1), (b"---\nkind: tail\nthread: main\nfirst_turn: 1\n---\n\nlost\n", 7), (b"---\nkind: a: b\n---\n", 2),
    ],
)  # fmt: skip
def test_a_file_that_is_no_tail_is_refused_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(Malformed) as refusal:
        Tail.parse(data, "active/tails/main.md")

    assert (refusal.value.path, refusal.value.line) == ("active/tails/main.md", line)
