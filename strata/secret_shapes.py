"""What secrets look like: prefixes that vendors document, places that tell, and words that mean nothing.

Data only; `strata.redact` applies it. Prefixes, lengths and alphabets are those that vendors document
and that scanners such as gitleaks, detect-secrets and trufflehog look for.
"""

from __future__ import annotations

# Kind, literal prefix, and what must follow it. Edges: no letter, digit, `_` or bracket on either side.
_W = r"[A-Za-z0-9_-]"
KEYS: tuple[tuple[str, str, str], ...] = (
    *(("aws", prefix, r"[A-Z0-9]{16}") for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")),
    ("google", "AIza", rf"{_W}{{35}}"),
    ("google", "GOCSPX-", rf"{_W}{{28}}"),
    ("google", "ya29.", rf"{_W}{{20,}}"),
    ("google", "1//0", rf"{_W}{{40,}}"),
    *(("digitalocean", prefix, r"[a-f0-9]{64}") for prefix in ("dop_v1_", "doo_v1_", "dor_v1_")),
    *(("github", f"gh{letter}_", r"[A-Za-z0-9]{36,}") for letter in "pousr"),
    ("github", "github_pat_", r"\w{22,}"),
    *(("gitlab", f"gl{word}-", rf"{_W}[A-Za-z0-9_.-]{{18,}}{_W}")
      for word in ("pat", "dt", "rt", "ptt", "cbt", "ft", "soat", "agent", "oas", "imt")),
    ("bitbucket", "ATBB", r"[A-Za-z0-9]{32}"),
    ("atlassian", "ATATT3", r"[A-Za-z0-9_=-]{100,}"),
    ("atlassian", "ATCTT3", r"[A-Za-z0-9_=-]{100,}"),
    *(("slack", f"xox{letter}-", rf"(?=[A-Za-z-]{{0,40}}\d){_W}{{10,}}") for letter in "abeoprs"),
    ("slack", "xapp-", rf"\d-{_W}{{20,}}"),
    ("slack", "hooks.slack.com/", r"(?:services|workflows|triggers)/(?![A-Z0-9/]*X{8})[A-Za-z0-9+/]{30,}"),
    ("discord", "discord.com/api/webhooks/", rf"\d{{15,22}}/{_W}{{40,}}"),
    ("discord", "discordapp.com/api/webhooks/", rf"\d{{15,22}}/{_W}{{40,}}"),
    *(("stripe", f"{key}_{mode}_", r"[A-Za-z0-9]{10,}") for key in ("sk", "rk") for mode in ("live", "test")),
    ("stripe", "whsec_", r"[A-Za-z0-9+/=]{32,}"),
    ("npm", "npm_", r"[A-Za-z0-9]{36}"),
    ("pypi", "pypi-Ag", rf"{_W}{{50,}}"),
    ("rubygems", "rubygems_", r"[a-f0-9]{48}"),
    *(("docker", f"dckr_{word}_", rf"{_W}{{27,}}") for word in ("pat", "oat")),
    ("huggingface", "hf_", r"[A-Za-z0-9]{34,}"),
    ("huggingface", "api_org_", r"[A-Za-z0-9]{34,}"),
    ("anthropic", "sk-ant-", rf"{_W}{{20,}}"),
    ("openrouter", "sk-or-", r"v\d-[A-Za-z0-9]{32,}"),
    *(("openai", f"sk-{word}-", rf"{_W}{{32,}}") for word in ("proj", "svcacct", "admin", "None")),
    ("openai", "sk-", r"(?=[A-Za-z]{0,80}\d)[A-Za-z0-9]{32,}"),
    ("langsmith", "lsv2_", r"(?:pt|sk)_[A-Za-z0-9]{32}_[A-Za-z0-9]{10}"),
    ("groq", "gsk_", r"[A-Za-z0-9]{40,}"),
    ("xai", "xai-", r"[A-Za-z0-9]{70,}"),
    ("replicate", "r8_", r"[A-Za-z0-9]{37,}"),
    ("perplexity", "pplx-", r"[A-Za-z0-9]{48}"),
    ("nvidia", "nvapi-", rf"{_W}{{60,}}"),
    ("tavily", "tvly-", rf"(?=[A-Za-z-]{{0,40}}\d){_W}{{30,}}"),
    ("databricks", "dapi", r"[a-f0-9]{32}(?:-\d)?"),
    ("sendgrid", "SG.", rf"{_W}{{20,24}}\.{_W}{{39,50}}"),
    ("twilio", "SK", r"[a-f0-9]{32}"),
    ("mailgun", "key-", r"[a-f0-9]{32}"),
    ("newrelic", "NRAK-", r"[A-Z0-9]{27}"),
    ("linear", "lin_api_", r"[A-Za-z0-9]{40}"),
    ("notion", "ntn_", r"[A-Za-z0-9]{40,}"),
    ("figma", "figd_", rf"{_W}{{40,}}"),
    ("postman", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    *(("shopify", f"shp{word}_", r"[a-fA-F0-9]{32}") for word in ("at", "ca", "pa", "ss")),
    ("sentry", "sntrys_", r"[A-Za-z0-9+/=_]{60,}"),
    ("sentry", "sntryu_", r"[a-f0-9]{64}"),
    ("grafana", "glsa_", r"[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("grafana", "glc_", r"[A-Za-z0-9+/]{32,}={0,3}"),
    ("vault", "hvs.", rf"{_W}{{24,}}"),
    ("vault", "hvb.", rf"{_W}{{24,}}"),
    ("doppler", "dp.pt.", r"[A-Za-z0-9]{40,}"),
    ("pulumi", "pul-", r"[a-f0-9]{40}"),
    ("supabase", "sbp_", r"[a-f0-9]{40}"),
    ("netlify", "nfp_", r"[A-Za-z0-9]{36,}"),
    ("fly", "fm2_", r"[A-Za-z0-9+/]{100,}={0,3}"),
    ("planetscale", "pscale_tkn_", r"[\w.-]{32,}"),
    ("planetscale", "pscale_pw_", r"[\w.-]{32,}"),
    ("1password", "ops_eyJ", r"[A-Za-z0-9+/_-]{100,}={0,3}"),
    ("age", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    ("jwt", "eyJ", rf"(?<!-eyJ){_W}{{8,}}+\.{_W}{{8,}}+\.{_W}{{8,}}+(?:\.{_W}*+){{0,2}}"),
)

# What may stand directly before a key although it ends in a letter or digit: an escaped line break or tab, the
# end of a terminal colour, an escape in a URL.
EDGES = (r"\\[nrtbf0]", r"[\[;]\dm", r"[\[;]\d\dm", r"%[0-9A-Fa-f][0-9A-Fa-f]")

# Kind, literals of which one must be there, and a pattern; its group `secret` is replaced, else all of it.
Place = tuple[str, tuple[str, ...], str]
_BASE64_LINES = r"(?:[A-Za-z0-9+/=]{16,}+(?:\s|\\[nrt]){0,8}+)"
_KEY_LABEL = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
BLOCKS: tuple[Place, ...] = (
    # Followed by a line break or base64 at once, which a sentence about such lines is not. Whole, unless nothing but dots, stars, x or <…> stands in it; or cut off, with two lines of base64 at least.
    ("private-key", ("PRIVATE KEY",),
     rf"-----BEGIN {_KEY_LABEL}(?=[ \t]{{0,4}}(?:[\r\n]|\\[nr]|[A-Za-z0-9+/]{{16}}))(?!(?:\s|\\[nr]|[.…*xX]|<[^<>]{{0,80}}>)*+-----END)"
     rf"(?:[^-\[]*+(?:(?:-(?!----(?:BEGIN|END) )|\[(?!redacted:private-key))[^-\[]*+)*+-----END {_KEY_LABEL}"
     rf"|(?:\s|\\[nrt]){{0,8}}+{_BASE64_LINES}{{2,}}+)"),
    ("private-key", ("Private-Lines: ",), rf"Private-Lines: \d{{1,4}}\s{{1,4}}{_BASE64_LINES}++"),  # PuTTY
)
PLACES: tuple[Place, ...] = (
    ("aws", ("[redacted:aws:",),
     r"\[redacted:aws:[0-9a-f]{8}\](?:[\s\"',:;|/=]|\\n|(?i:aws|secret|access|key|_|id)){1,60}+(?<![A-Za-z0-9+])"
     r"(?P<secret>(?=[A-Za-z+/]*+\d)[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=\[])"),
    ("azure", ("Q~",), r"(?<![\w.~\]-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![\w.~\[-])"),
    *(("azure", (field,), rf"{field}(?P<secret>[A-Za-z0-9+/%]{{40,100}}(?:=|%3[dD]){{0,2}})")
      for field in ("AccountKey=", "SharedAccessKey=", "SharedAccessSignature=", "&sig=")),
    ("discord", (".",),
     rf"(?<![\w\]-])(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){{5,6}}{_W}{{2,4}}\.{_W}{{6}}\.{_W}{{27,40}}(?![\w\[-])"),
    ("telegram", (":AA",), rf"(?<![\w\]])\d{{8,10}}:AA{_W}{{32,34}}(?![\w\[-])"),
)

HEADER_WORDS = tuple(form for word in ("authorization", "bearer") for form in (word, word.capitalize(), word.upper()))
HEADER = (
    r"(?:(?:authorization|Authorization|AUTHORIZATION)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?P<scheme>(?i:bearer|basic|token|apikey|api-key))\s{1,3})?|(?:bearer|Bearer|BEARER)\s{1,3})"
    r"(?P<secret>(?=[A-Za-z._~+/-]{0,200}+\d)[A-Za-z0-9._~+/-]{8,4096}+={0,2})"
)
"""An authorization header, or `Bearer` and a token without one (then `scheme` is None)."""

CONNECTION = r"://(?P<user>[^\s:/@\"'`<>\[\]]{0,100}):(?P<secret>[^\s/\"'`<>\[\]]{1,200})@(?=[\w.$:{-])"
"""User and password of any URL; the password may hold `@` and `:`."""

_WORDS = ("password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "apikey", "api-key", "access_key",
          "accesskey", "access-key", "secret_key", "secretkey", "secret_key_base", "auth_key", "private_key", "encryption_key")
_CAMEL = ("apiKey", "ApiKey", "accessKey", "AccessKey", "secretKey", "SecretKey", "authKey", "privateKey")
NAMES = tuple(dict.fromkeys([*(form for word in _WORDS for form in (word, word.upper(), word.capitalize())), *_CAMEL]))
_NAME = "|".join(sorted(NAMES, key=len, reverse=True))
_SECRET = (
    r"(?P<quote>[\"'`])?+(?P<secret>(?=[A-Za-z_.:/+=-]{0,200}+[\d!@#$%^&*?~])(?(quote)[^\s\"'`\\<>{}\[\]]{8,512}+(?=\\?(?P=quote))"
    r"|[^\s\"'`,;&<>(){}\[\]|\\]{8,512}+))(?![(\[<])"
)

ASSIGNED = rf"(?P<name>{_NAME})\\?+[\"'`]?+\s{{0,3}}+(?P<sign>=>|:=|=|:)(?!=)\s{{0,3}}+\\?+(?:[bru](?=[\"']))?+{_SECRET}"
"""A value assigned to a name that ends in one of NAMES: shell, code, JSON (also within a JSON string), YAML, INI."""

FLAG = rf"--(?:[a-z]{{1,20}}-){{0,3}}(?P<name>{_NAME})(?P<sign>[ ])\\?+{_SECRET}"
"""The same as an option of a command: `--db-password VALUE`."""

STEMS = ("pass", "pwd", "secret", "token", "key")
"""One of these is in every NAME, in lower case."""

PASSWORD_NAMES = ("password", "passwd", "passphrase", "pwd")
SECRET_NAMES = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "authorization",
                "credential", "credentials", "encryptionkey", "sharedkey")
"""How the names of JSON keys end, in lower case and without `_` and `-`."""

PLACEHOLDERS = frozenset(
    "password passwd pass pwd pw secret token user username key apikey changeme change-me change_me example sample dummy "
    "placeholder redacted hidden none null true false mypassword my-password my_password yourpassword test testing".split()
)
PLACEHOLDER = r"(?i)[$<{%*].*|[x.*…-]+|.*(?:example|placeholder|your[-_]|redacted:|changeme|xxxx).*|\[.*"

NAMELIKE = r"[A-Za-z_.$:-]+\d{0,4}"
"""Words, dotted and dashed names, with a number at the end."""

_HEX = "[0-9a-fA-F]"
ORDINARY = (
    r"[A-Za-z_.$:-]+|[\d.,:+TZ_-]+"  # numbers, dates, versions
    rf"|{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}|{_HEX}{{1,23}}"  # a UUID, a short hash
    r"|(?:\.{0,2}|~)/.*|[A-Za-z]:[\\/].*|.*://.*"  # paths and addresses
)
WORDY = r"(?:[A-Za-z]{2,}\d{0,2}|\d{1,4})(?:[_./:-](?:[A-Za-z]+\d{0,2}|\d{1,4}))*"
"""Words and short numbers joined by marks: `sha256-rsa_v2.1`."""
