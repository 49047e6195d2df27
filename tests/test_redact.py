"""Secrets leave a text, harmless text stays as it is, and hostile text costs no more than other text.

Every key here is made up; they are put together from parts so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import json
import string
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strata import secret_shapes as shapes
from strata.model import Message, ToolCall
from strata.redact import Found, redact, redact_message, redact_value

MIXED = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4hJ6kL8mN1pQ3rS5tU7vW9xY2zA4bC6dE8fG1hJ3kL5mN7pQ9rS2tU4v"
HEX = "3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c"
UPPER = "Q7YLPMN5HFIQR7XYZ2KD4WTB6CVJ3EGS"
DASHES = "-" * 5
PEM = f"{DASHES}BEGIN RSA PRIVATE KEY{DASHES}\nMIIEowIBAAKCAQEA{MIXED[:40]}\n{MIXED[:50]}\n{DASHES}END RSA PRIVATE KEY{DASHES}"
JWT = f"ey{'JhbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{MIXED[:43]}"

KEYS = {
    "aws": ["AK" + "IA" + UPPER[:16], "AS" + "IA" + UPPER[:16]],
    "google": ["AI" + "za" + MIXED[:35], "GOC" + "SPX-" + MIXED[:28], "ya" + "29." + MIXED[:60]],
    "digitalocean": ["dop" + "_v1_" + HEX[:64]],
    "github": ["gh" + "p_" + "A" * 36, "gh" + "o_" + MIXED[:36], "gh" + "s_" + MIXED[:36], "github" + "_pat_" + MIXED[:22] + "_" + MIXED[:59]],
    "gitlab": ["gl" + "pat-" + MIXED[:20], "gl" + "rt-" + MIXED[:20]],
    "bitbucket": ["AT" + "BB" + MIXED[:32]],
    "slack": ["xo" + "xb-123456789012-1234567890123-" + MIXED[:24], "xo" + "xp-123456789012-123456789012-123456789012-" + HEX[:32],
              "hooks." + "slack.com/services/T0AAAA111/B0AAAA222/" + MIXED[:24]],
    "discord": ["discord" + ".com/api/webhooks/123456789012345678/" + MIXED[:68], "MTE1MTE1MTE1MTE1MTE1MTE1MQ." + "Ga3xYz." + MIXED[:38]],
    "stripe": ["sk" + "_live_" + MIXED[:24], "rk" + "_test_" + MIXED[:24], "wh" + "sec_" + MIXED[:32]],
    "npm": ["np" + "m_" + MIXED[:36]],
    "pypi": ["py" + "pi-AgEIcHlwaS5vcmc" + MIXED[:70]],
    "docker": ["dckr" + "_pat_" + MIXED[:27]],
    "huggingface": ["h" + "f_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"],
    "openai": ["s" + "k-" + MIXED[:20] + "T3BlbkFJ" + MIXED[:20], "s" + "k-proj-" + MIXED + "_" + MIXED[:30]],
    "anthropic": ["s" + "k-ant-api03-" + MIXED[:93] + "AA"],
    "openrouter": ["s" + "k-or-v1-" + HEX[:64]],
    "groq": ["gs" + "k_" + MIXED[:52]],
    "replicate": ["r" + "8_" + MIXED[:37]],
    "databricks": ["da" + "pi" + HEX[:32]],
    "sendgrid": ["S" + "G." + MIXED[:22] + "." + MIXED[:43]],
    "twilio": ["S" + "K" + HEX[:32]],
    "telegram": ["123456789" + ":AA" + MIXED[:33]],
    "azure": [f"abc8{'Q~'}{MIXED[:34]}"],
    "jwt": [JWT],
    "private-key": [PEM, PEM.replace("RSA ", "OPENSSH "), PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), PEM.replace("\n", "\\n")],
}  # fmt: skip
ALL = [(kind, key) for kind, keys in KEYS.items() for key in keys]

PLACES = [
    ("postgres://u:%s@db/x", "pw123", "password"),
    ("mysql://root:%s@10.0.0.1:3306/app", "1234", "password"),
    ("mongodb+srv://app:%s@cluster0.mongodb.net", "p@ss:w0rd", "password"),
    ("redis://:%s@cache:6379/0", "hunter2", "password"),
    ("amqp://app:%s@mq", "k", "password"),
    ("git clone https://jo:%s@git.invalid/a.git", "s3cr3t-thing", "password"),
    ("Authorization: Bearer %s", "abc123def456", "bearer"),
    ('-H "authorization: Basic %s"', "dXNlcjpwYXNzd29yZDE=", "bearer"),
    ('{"Authorization": "Bearer %s"}', MIXED[:30], "bearer"),
    ("curl with Bearer %s", MIXED[:30], "bearer"),
    ("export API_TOKEN=%s", MIXED[:20], "secret"),
    ("export DB_PASSWORD=%s", "Summer2024", "password"),
    ("DJANGO_SECRET_KEY='%s'", "n&x2)q!w$e7", "secret"),
    ("AWS_SECRET_ACCESS_KEY=%s", "wJalr/XUtnFEMI+K7MDENGbPxRfiCYzzzzzzKEY1", "secret"),
    ("aws_secret_access_key = %s", "wJalr/XUtnFEMI+K7MDENGbPxRfiCYzzzzzzKEY1", "secret"),
    ('password: "%s"', "S3cret!pass", "password"),
    ('"password": "%s"', "tr0ub4dor&3", "password"),
    ('{\\"client_secret\\": \\"%s\\"}', MIXED[:24], "secret"),
    ("const apiKey = '%s';", HEX[:32], "secret"),
    ("deploy --api-key %s --verbose", MIXED[:24], "secret"),
    ("DefaultEndpointsProtocol=https;AccountKey=%s;", MIXED[:86] + "==", "azure"),
]

HARMLESS = [
    "no API key in the build",
    "AK" + "IAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "postgres://user:password@localhost/db",
    "postgres://postgres:postgres@localhost/db",
    "postgres://$USER:$PASSWORD@localhost/db, ${U}:${P}@, https://{user}:{pw}@host, mysql://%s:%s@h, amqp://u:<password>@h, redis://:***@h",
    "http://localhost:8080/@scope/pkg and https://host:443/x@y",
    "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 and 9f8e7d6",
    "550e8400-e29b-41d4-a716-446655440000",
    "api_key: 550e8400-e29b-41d4-a716-446655440000",
    "the sk- prefix of a key, a task-force, disk-drive-and-risk-management-for-everyone-in-the-room",
    "tokens, token = get_token(); token: str = None; password=password; secret = os.environ['SECRET']",
    "my password is short and the secret is out: a token of appreciation",
    "max_tokens=4096 and token_count: 123456789012",
    "password = self.settings.database_password_2",
    "Authorization: Bearer <token>, Bearer $TOKEN, Bearer ${TOKEN}, Bearer authentication, Authorization: required",
    "-H 'Authorization: Bearer YOUR_API_KEY'",
    "gh" + "p_" + "x" * 36,
    "hooks." + "slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "pk_live_" + MIXED[:24],
    f"{DASHES}BEGIN PUBLIC KEY{DASHES}\n{MIXED[:64]}\n{DASHES}END PUBLIC KEY{DASHES}",
    f"{DASHES}BEGIN CERTIFICATE{DASHES}\n{MIXED[:64]}\n{DASHES}END CERTIFICATE{DASHES}",
    f"{DASHES}BEGIN PRIVATE KEY{DASHES}\n...\n{DASHES}END PRIVATE KEY{DASHES}",
    f"between '{DASHES}BEGIN RSA PRIVATE KEY{DASHES}' and '{DASHES}END RSA PRIVATE KEY{DASHES}' stands the key",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "<private> is a tag that hides what follows it",
    "sha512-" + MIXED[:86] + "==",
    'publicKeyToken="1fc8b3b9a1e18e3b"',
    "export GITHUB_TOKEN=$(cat token.txt); export API_KEY=changeme; PASSWORD=${PASSWORD}; TOKEN=/run/secrets/token1",
    'password: "new_password1", "passwd": "test1234"; SECRET_KEY=production2',
    "AK" + f"IA{UPPER[:28]} and TASK" + "AK" + f"IA{UPPER[:16]}",
    "next?page_token=2&secret=off",
]


@pytest.mark.parametrize(("kind", "key"), ALL)
def test_a_key_is_replaced_by_its_kind_and_a_short_hash(kind, key):
    for text in (key, f"use {key} now", f'X="{key}"', f"({key})", f"{key}\n", f"a:{key}, b"):
        clean, found = redact(text)

        assert f"[redacted:{kind}:" in clean
        assert found == (Found(kind, 1),)
        assert not leaks(key, clean)


def leaks(secret: str, text: str) -> bool:
    """Whether twelve characters of the secret still stand in the text."""
    return any(secret[at : at + 12] in text for at in range(15, len(secret) - 27))


@pytest.mark.parametrize(("place", "secret", "kind"), PLACES)
def test_a_secret_at_a_telling_place_is_replaced_and_the_rest_stays(place, secret, kind):
    clean, found = redact(place % secret)
    before, after = place.split("%s")

    assert secret not in clean.removeprefix(before)
    assert clean.startswith(before) and clean.endswith(after)
    assert found == (Found(kind, 1),)


def test_what_people_choose_gets_no_hash():
    assert redact("postgres://u:pw123@db/x")[0] == "postgres://u:[redacted:password]@db/x"
    assert redact("export DB_PASSWORD=Summer2024")[0] == "export DB_PASSWORD=[redacted:password]"


def test_equal_keys_are_recognised_as_equal_and_others_are_not():
    one, two = "gh" + "p_" + MIXED[:36], "gh" + "p_" + MIXED[1:37]
    clean, found = redact(f"{one} {two} {one}")
    first, second, third = clean.split()

    assert first == third != second
    assert found == (Found("github", 3),)


def test_an_aws_secret_beside_its_key_is_found():
    clean, found = redact("AK" + f"IA{UPPER[:16]}:wJalr/XUtnFEMI+K7MDENGbPxRfiCYzzzzzzKEY1")

    assert found == (Found("aws", 2),)
    assert "wJalr" not in clean


def test_a_key_that_was_cut_off_goes_as_well():
    clean, found = redact(PEM[: PEM.rindex(f"\n{DASHES}")] + "\n\nIs that right?")

    assert found == (Found("private-key", 1),)
    assert clean.endswith("Is that right?")
    assert MIXED[:12] not in clean


@pytest.mark.parametrize(
    ("text", "expected", "count"),
    [
        ("a <private>door code 4411</private> b", "a [private] b", 1),
        ("<private>\n1\n</private><PRIVATE>2</PRIVATE>", "[private][private]", 2),
        ("<private>a<private>b</private>c</private>d", "[private]d", 1),
        ("<private>a<private>b</private>c", "[private]c", 1),
        ("</private>a<private>b", "</private>a<private>b", 0),
    ],
)
def test_private_spans_are_dropped_whole(text, expected, count):
    assert redact(text) == (expected, (Found("private", count),) if count else ())


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays_as_it_is(text):
    assert redact(text) == (text, ())


PARTS = st.sampled_from(
    [key for _, key in ALL]
    + [place % secret for place, secret, _ in PLACES]
    + HARMLESS
    + [prefix for _, prefix, _ in shapes.KEYS]
    + list(shapes.NAMES)
    + ["[redacted:github:0a1b2c3d]", "[redacted:aws:0a1b2c3d]", "[redacted:password]", "[private]", "<private>", "</private>", "://", ":", "@", "=", '"', "'", " ", "\n", "-", "[", "]", "a", "7", MIXED[:40], HEX[:40]]
)  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(st.lists(PARTS | st.text(max_size=4), max_size=7).map("".join))
@example("gh" + "p_" + "A" * 36 + "gh" + "p_" + "A" * 36)
@example(f"{DASHES}BEGIN PRIVATE KEY{DASHES}\n{PEM}\n{DASHES}END PRIVATE KEY{DASHES}")
def test_redacting_twice_changes_nothing_more(text):
    clean, _ = redact(text)

    assert redact(clean) == (clean, ())


@given(st.text())
def test_any_text_is_either_unchanged_or_reported(text):
    clean, found = redact(text)

    assert (clean == text) == (not found)


HOSTILE = (
    "a", "1", "\\n", "eyJ", "-eyJ", "eyJaaaaaaaa.", "sk-", "ghp_", "xoxb-", "glpat-", "SG." + "a" * 20 + ".", "://a:", "password=", "password \n\n",
    "token=aaaaaaaaaaaaaaaa ", "token=a1b2c3d4e5f6g7h8(", "Bearer aaaaaaaa ", "Authorization: ", f"{DASHES}BEGIN PRIVATE KEY{DASHES}\n",
    f"{DASHES}BEGIN PRIVATE KEY{DASHES} - -", "<private>", "</private>", "12345678:AA", "MTE1MTE1MTE1MTE1MTE1MTE1.", "aQ~", "--a-token ",
    "[redacted:aws:00000000] key ", " ".join(prefix for _, prefix, _ in shapes.KEYS),
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length_and_not_with_its_square(piece):
    """Ten times the text may take thirty times as long, which a square (a hundred times) would exceed."""

    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        began = time.perf_counter()
        redact(text)
        return time.perf_counter() - began

    seconds(1000)
    assert min(seconds(400_000) for _ in range(2)) < 30 * max(min(seconds(40_000) for _ in range(3)), 0.002)


# -- values and messages -----------------------------------------------------------------------


def test_values_are_cleaned_by_text_and_by_the_names_of_their_keys():
    key = "gh" + "p_" + MIXED[:36]
    value = {"cmd": ["echo", key], "password": "hunter2", "api_key": "k9-abc12345", "Api-Key": "changeme", "token": "the", "n": 5, "db": {"userPassword": "x y"}}
    clean, found = redact_value(value)

    assert clean["cmd"][0] == "echo"
    assert clean["cmd"][1].startswith("[redacted:github:")
    assert (clean["password"], clean["api_key"]) == ("[redacted:password]", "[redacted:secret]")
    assert (clean["Api-Key"], clean["token"], clean["n"], clean["db"]) == ("changeme", "the", 5, {"userPassword": "x y"})
    assert found == (Found("github", 1), Found("password", 1), Found("secret", 1))
    assert list(clean) == list(value)
    assert value["password"] == "hunter2"


def test_keys_of_an_object_are_cleaned_and_none_is_lost():
    clean, found = redact_value({"postgres://u:pw1@h": 1, "postgres://u:pw2@h": 2})

    assert list(clean.values()) == [1, 2]
    assert "pw" not in json.dumps(clean).replace("password", "")
    assert found == (Found("password", 2),)


def test_depth_does_not_matter():
    value: object = "gh" + "p_" + MIXED[:36]
    for _ in range(5000):
        value = [value]
    clean, found = redact_value(value)
    for _ in range(5000):
        clean = clean[0]

    assert found == (Found("github", 1),)
    assert str(clean).startswith("[redacted:")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(string.printable, max_size=8) | PARTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("password", "token", "a")) | PARTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_a_value_is_the_same_or_reported_and_cleaning_twice_changes_nothing_more(value):
    clean, found = redact_value(value)

    assert redact_value(clean) == (clean, ())
    assert found or clean is value


def test_a_message_is_cleaned_everywhere_but_in_its_id():
    key = "gh" + "p_" + MIXED[:36]
    message = Message(key, "user", key, key, "2026-11-30", (ToolCall("bash", {"env": key}, [key]), ToolCall("ls")), {"note": key})
    clean, found = redact_message(message)

    assert (clean.id, clean.at, clean.role, clean.tools[1]) == (key, "2026-11-30", "user", ToolCall("ls"))
    assert key not in repr((clean.text, clean.speaker, clean.tools, clean.meta))
    assert found == (Found("github", 5),)


def test_a_message_without_secrets_is_given_back_itself():
    message = Message("m1", "user", "hello", tools=(ToolCall("ls", {"a": 1}),))

    assert redact_message(message)[0] is message
    assert redact_message(message)[1] == ()


def test_a_report_never_holds_the_secret():
    for kind, key in ALL:
        assert not leaks(key, repr(redact(key)[1])), kind
