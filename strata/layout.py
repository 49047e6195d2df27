"""Where things lie in a memory: a record's ref to its path, and back.

Paths are relative to the memory, '/'-separated, and start with the tier, so that a move between
tiers is a pure rename. A ref never names a tier: it stays the same wherever the record lies.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from strata.errors import OutsideMemory, UsageError
from strata.model import Kind, Tier

TIERS = tuple(tier.value for tier in Tier)
LOCAL = ".strata"
SETTINGS = "strata.yaml"
ROOT_FILES = ("README.md", SETTINGS, ".gitattributes", ".gitignore")
SHARED_FOLDERS = ("attachments", "ledger")
IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})

MAX_NAME_BYTES = 100
MAX_PATH_BYTES = 400

_FOLDERS = {"blocks": Kind.BLOCK, "events": Kind.EVENT, "entities": Kind.ENTITY, "notes": Kind.NOTE, "tails": Kind.TAIL}
_PREFIXES = {"blk": "blocks", "evt": "events"}
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{p}{n}" for p in ("com", "lpt") for n in range(1, 10))})
_UNPORTABLE = frozenset('<>:"\\|?*#')  # what some system refuses, and the # that names a message
_DATED_ID = re.compile(r"(blk|evt)-(\d{4})(\d{2})\d{2}-[a-z0-9]{4,32}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,79}")
_PLAIN_THREAD = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def is_record(path: str) -> bool:
    """Whether a file at `path` is memory: a visible `*.md` in a tier, outside hidden and tool folders.

    Editor leftovers (`.a.md.swp`, `a.md~`, `.#a.md`), hidden folders and folders like
    `node_modules` are not, in every command alike.
    """
    tier, _, rest = path.partition("/")
    if tier not in TIERS or not rest.endswith(".md"):
        return False
    return not any(part.startswith(".") or part in IGNORED_FOLDERS for part in rest.split("/"))


def is_tracked(path: str) -> bool:
    """Whether strata commits what a person left at `path`: records, attachments, ledger and the root files."""
    if path in ROOT_FILES:
        return True
    parts = path.split("/")
    if parts[0] in SHARED_FOLDERS:
        return len(parts) > 1 and not any(part.startswith(".") for part in parts)
    return is_record(path)


def kind_of(path: str, header_kind: str = "") -> Kind:
    """What the file is: by its folder, else by the `kind` its header states, else a note."""
    parts = path.split("/")
    if len(parts) > 2 and parts[1] in _FOLDERS:
        return _FOLDERS[parts[1]]
    return Kind(header_kind) if header_kind in (Kind.BLOCK, Kind.EVENT, Kind.ENTITY) else Kind.NOTE


def tier_of(path: str) -> str:
    """The tier a path lies in, or "" outside the tiers."""
    tier = path.partition("/")[0]
    return tier if tier in TIERS else ""


def path_ref(path: str) -> str:
    """The ref a file has by its place: the path without tier and `.md`."""
    return path.partition("/")[2].removesuffix(".md")


def is_id(text: str) -> bool:
    """Whether a header's `id` is safe to be a ref; anything else (`../../x`) is only text."""
    return bool(_PLAIN_ID.fullmatch(text)) and ".." not in text


def split_ref(ref: str) -> tuple[str, str]:
    """`blk-…#m3` -> ("blk-…", "m3"); a ref without a message has ""."""
    record, _, message = ref.partition("#")
    return record, message


def record_path(ref: str, tier: str = Tier.ACTIVE) -> str | None:
    """Where strata itself puts the record `ref` in `tier`; None for refs that do not say (a note's id)."""
    if dated := _DATED_ID.fullmatch(ref):
        prefix, year, month = dated.groups()
        return f"{tier}/{_PREFIXES[prefix]}/{year}/{month}/{ref}.md"
    if ref.startswith("ent-") and is_id(ref) and ref.count("-") >= 2:
        _, type_, slug = ref.split("-", 2)
        return f"{tier}/entities/{type_}/{slug}.md"
    return None


def ref_at(path: str) -> str:
    """The ref of the record at a path, as far as its place says it: an id for blocks, events and entities, else the path."""
    rest = path_ref(path)
    folder, _, name = rest.rpartition("/")
    if folder.startswith("entities/") and folder.count("/") == 1:
        return f"ent-{folder.partition('/')[2]}-{name}"
    return name if _DATED_ID.fullmatch(name) and folder.startswith(("blocks/", "events/")) else rest


def tail_path(thread: str) -> str:
    """The file of a thread's unsealed turns; names stay apart even where case or script would merge them."""
    if _PLAIN_THREAD.fullmatch(thread) and thread not in _RESERVED:
        return f"{Tier.ACTIVE}/tails/{thread}.md"
    readable = re.sub(r"[^a-z0-9]+", "-", thread.lower()).strip("-")[:40] or "thread"
    digest = hashlib.sha256(thread.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{Tier.ACTIVE}/tails/{readable}--{digest}.md"


def note_ref(text: str) -> str:
    """The ref of the note a person names: tier, `notes/` and `.md` may be given or left out.

    `projects/kynd/plan`, `notes/projects/kynd/plan.md` and `active/notes/projects/kynd/plan` are
    one note. Raises OutsideMemory for anything that would leave the memory or its notes, and
    UsageError for a name that cannot exist on every system.
    """
    path = contained(text).removesuffix(".md")
    if path.partition("/")[0] in TIERS:
        path = path.partition("/")[2]
    if not path.startswith("notes/"):
        path = f"notes/{path}"
    for part in path.split("/"):
        _check_portable(part, text)
    if len(path.encode()) > MAX_PATH_BYTES:
        raise UsageError(f"the path is longer than {MAX_PATH_BYTES} bytes", remedy="shorten it", path=path[:60] + "…")
    return path


def contained(text: str) -> str:
    """`text` as a normal relative path, or OutsideMemory when it could point outside or at git's own files."""
    path = unicodedata.normalize("NFC", text)
    bad = (
        not path
        or path.startswith(("/", "~"))
        or "\\" in path
        or any(ord(char) < 32 or 0xD800 <= ord(char) < 0xE000 or ord(char) == 127 for char in path)
        or (len(path) > 1 and path[1] == ":" and path[0].isalpha())
    )
    parts = path.split("/")
    decoded = _unquoted(path).split("/") if "%" in path else parts
    if bad or any(part.strip(". ") == "" for part in [*parts, *decoded]):
        raise OutsideMemory("this is no path inside the memory", remedy="give a relative path such as notes/plan", path=repr(text))
    if any(part.lower() in (".git", LOCAL) or part.startswith(".") for part in parts):
        raise OutsideMemory("hidden folders are not addressable", remedy="give a path such as notes/plan", path=repr(text))
    return path


def is_portable(path: str) -> bool:
    """Whether every system can check out a file of this name, and a ref can name it."""
    try:
        for part in path.split("/"):
            _check_portable(part.removesuffix(".md") or part, path)
    except UsageError:
        return False
    return not any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) < 0xE000 for char in path)


def _unquoted(path: str) -> str:
    """`%2e%2e/x` as somebody downstream might read it."""
    from urllib.parse import unquote

    return unquote(path)


def _check_portable(part: str, text: str) -> None:
    """A name every file system takes: no reserved character or device name, no dot or blank at its end."""
    stem = part.split(".")[0].lower()
    if part in IGNORED_FOLDERS:
        raise UsageError(f"{part} is a folder of tools, and no record lies in one", remedy="use another name", path=repr(text))
    if any(char in _UNPORTABLE for char in part) or part[-1] in ". " or part[0] == " " or stem in _RESERVED:
        raise UsageError(
            f"{part!r} is not a file name on every system",
            remedy='leave out < > : " \\ | ? * #, a final dot or blank, and names like CON',
            path=repr(text),
        )
    if len(f"{part}.md".encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        raise UsageError(f"the name {part[:30]}… is longer than {MAX_NAME_BYTES} bytes", remedy="shorten it; --title keeps the long one")
