"""Provider `openai`: a model behind an address that speaks OpenAI's protocol, through the official SDK (extra `llm`)."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strata.asking import Question, Reply
from strata.errors import ModelFailed
from strata.providers import chat
from strata.providers.address import is_local, is_loopback
from strata.providers.keys import NO_KEY, key_for
from strata.providers.wording import reason

if TYPE_CHECKING:
    from strata.config import Config

_OFFICIAL = "api.openai.com"
_INSTALL = "install it: pip install 'strata-md[llm]'"

Sent = tuple[int, Mapping[str, str], bytes]
_learned: dict[tuple[str, str], int] = {}
"""For each address and model the first way to ask for JSON that it took (a place in chat.WAYS); known as long as the process lives."""


class OpenAI:
    """The model of the settings `openai_…`. A question is one request; the SDK's own retries are off, since jobs have theirs."""

    def __init__(self, config: Config) -> None:
        self._url: str = config["openai_base_url"]
        self._model: str = config["openai_model"]
        self._variable: str = config["openai_key"]
        self._timeout: int = config["openai_timeout"]
        self._limit: int = config["answer_limit"]
        if not self._model:
            raise ModelFailed("no model is set", again=False, remedy="strata config set openai_model NAME")
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ModelFailed(f"{reason(self._url)} is no address of a server", again=False, remedy="strata config set openai_base_url http://localhost:11434/v1")
        self._host = parts.hostname
        self.name = f"openai:{self._model}"

    def ask(self, question: Question) -> Reply:
        """The answer; raises ModelFailed for everything that a server, the way to it, or a missing package can do."""
        key = key_for(self._variable, self._url, local=is_local(self._host))
        way = _learned.get((self._url, self._model), 0)
        while True:
            status, headers, body = self._exchange(chat.request(question, self._model, way), key)
            if status in (400, 422) and way + 1 < len(chat.WAYS) and chat.is_about_format(body):
                way += 1
                continue
            reply = chat.read(status, headers, body, self._asked(key))
            _learned[self._url, self._model] = way
            return reply

    def _asked(self, key: str) -> chat.Asked:
        return chat.Asked(self._url, self._model, self._variable, "" if key == NO_KEY else key)

    def _exchange(self, request: Mapping[str, Any], key: str) -> Sent:
        """Send a request: status, headers and body of what came back, whichever status it was."""
        try:
            import openai  # 0.4 s, for those who use it
        except ImportError:
            raise ModelFailed("the package openai is not installed", again=False, remedy=_INSTALL) from None
        http = importlib.import_module(openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])  # httpx, or what the SDK has in its place
        deadline = time.monotonic() + self._timeout
        seen: list[Sent | ModelFailed] = []

        def look(response: Any) -> None:
            """Read the body of a refusal here, for the SDK would read it however long it is."""
            if response.status_code != 200:
                try:
                    seen.append((response.status_code, response.headers, self._body(response, deadline)))
                except ModelFailed as failed:
                    seen.append(failed)
                raise _Seen

        try:
            # A redirect would carry the text to an address that nobody allowed; a proxy has no part in what stays on this machine.
            with (
                openai.DefaultHttpxClient(follow_redirects=False, trust_env=not is_loopback(self._host), timeout=self._timeout, event_hooks={"response": [look]}) as transport,
                openai.OpenAI(api_key=key, base_url=self._url, max_retries=0, timeout=self._timeout, http_client=transport) as client,
            ):
                if self._host != _OFFICIAL:
                    client.organization = client.project = None  # the SDK takes them from the environment, and they concern nobody else
                with client.chat.completions.with_streaming_response.create(**request, extra_headers={"Accept-Encoding": "identity"}) as response:
                    return 200, response.http_response.headers, self._body(response.http_response, deadline)
        except (_Seen, openai.OpenAIError, http.HTTPError, http.StreamError, http.InvalidURL, OSError, ValueError, TypeError) as error:
            if seen and isinstance(seen[0], ModelFailed):
                raise seen[0] from None
            if seen:
                return seen[0]
            raise self._lost(error, key, late=(openai.APITimeoutError, http.TimeoutException), way=(openai.APIConnectionError, http.HTTPError, http.StreamError, OSError)) from None

    def _lost(self, error: BaseException, key: str, *, late: tuple[type[BaseException], ...], way: tuple[type[BaseException], ...]) -> ModelFailed:
        """Why nothing came back: too late, lost on the way, or never sent."""
        if isinstance(error, late):
            return self._late()
        if isinstance(error, way):
            return ModelFailed(f"there is no way to {self._url}, or it broke off: {_why(error, key)}", remedy="see whether the server runs, and whether openai_base_url is right")
        return ModelFailed(f"the question cannot be sent to {self._url}: {_why(error, key)}", again=False, remedy="see openai_base_url and openai_model")

    def _body(self, response: Any, deadline: float) -> bytes:
        """The bytes of a body as they were sent, as far as size and time allow."""
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise ModelFailed("the server sent a compressed answer, which was not asked for", remedy="see what stands between here and the server")
        body = bytearray()
        for piece in response.iter_raw():  # as it arrives; with a size it would wait until so much is there
            body += piece
            if len(body) > self._limit:
                raise ModelFailed(f"the server sent more than {self._limit:,} bytes", remedy="answer_limit is a setting")
            if time.monotonic() > deadline:
                raise self._late()
        return bytes(body)

    def _late(self) -> ModelFailed:
        return ModelFailed(f"{self._model} took longer than {self._timeout} seconds", remedy="openai_timeout is a setting")


class _Seen(Exception):
    """The body of a response was read already; the SDK passes this on, or wraps it."""


def _why(error: BaseException, key: str) -> str:
    """The innermost cause of a failure, in the words of the operating system where it has some."""
    while error.__cause__ is not None:
        error = error.__cause__
    return reason(str(error) or type(error).__name__, "" if key == NO_KEY else key)
