"""What stands where a value should: cut where the next clause begins, and told apart from what can be no place, no day, no tool."""

from __future__ import annotations

import re

# What follows the name of a trade that somebody has; "a student council member" is no student.
JOB_ENDS = r"(?=$|[,.;!?:–—(]|\s[-–—]|\s(?:at|for|in|by|from|who|and|with|working|on|here|now|too|so|but|since|turned|living|based|speciali\w+|focus\w+|because|myself|btw|currently|again|these|as well)\b)"
KIN_CHINESE = "妈妈?|母亲|爸爸?|父亲|老婆|妻子|太太|老公|丈夫|女儿|儿子|哥哥?|弟弟|姐姐?|妹妹|女朋友|男朋友|未婚妻|未婚夫|同事|老板|室友|爷爷|奶奶|外公|外婆"
_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤"
NAME_CHINESE = rf"(?:[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|[小阿][\u4e00-\u9fff]|(?P<twice>[\u4e00-\u9fff])(?P=twice)|[A-Za-z][\w'-]+)"

# Words that hang on a statement and are no part of what it is about.
_ASIDE = (
    r"(?i)(?:,? (?:by the way|btw|as (?:you|we) (?:all )?(?:may |might |probably |already |surely )*(?:know|remember|recall)|as (?:i )?(?:said|mentioned)(?: before| earlier)?|you know|any ?more|any longer|either|too|as well|though|now|right now"
    r"|these days|nowadays|at the moment|for now|again|i think|i guess|i believe|actually|honestly|of course|just so you know|fyi|for (?:what it's worth|the record|your information)|so much|a lot|very much|and so on|etc"
    r"|please|ok(?:ay)?|thanks|thank you|haha|in case (?:it matters|that matters|you wonder)))$"
)
# Where another clause begins behind "and": somebody does something, or at another time.
_RUNS_ON = (
    r"(?i),? (?:and|but|so|then|plus) (?:(?:next|last|this|on|in|by|from|since|until|for) (?:week|month|year|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|january|february|march|april|may|june|july|august|september|october|november|december|\d)"
    r"|tomorrow|yesterday|today|tonight|now|also|then|please|(?:i|we|he|she|it|they|you|my|our|there|that|this)(?:['’][a-z]+)?(?= )|(?:don['’]t|do not|can(?:not|['’]t)?|could|would|will|won['’]t|never|always|have|am|was|want|need|work|live|use|got|went)\b).*"
    r"|(?i: [-–—] ).*|,? (?i:so (?:please|don['’]t|do not|never|no|keep|avoid|remember|make|i|we|it|that)\b).*|,? (?i:which|because|since (?:i|we|it)|although|even though|whereas|unless)\b.*"
)
_DANGLING = r"(?i)\b(?:and|or|but|so|plus|then|also|very|really)$"
_UNFINISHED = frozenset("a an the to of in at on for with from by as than that which who my your our his her their and or is are".split())

TRIM = " \t.,;:!?。，；：！？、…~\"'“”’"
_NOT_PLACES = frozenset(
    """linux ubuntu debian fedora arch nixos gentoo mint redhat centos alpine freebsd windows mac macos osx ios android chromeos wayland gnome kde unix bsd
    vim neovim nvim emacs helix vscode vs code zed cursor sublime jetbrains intellij pycharm webstorm goland xcode eclipse nano tmux zsh bash fish powershell terminal
    python java javascript typescript rust go golang kotlin swift ruby elixir erlang haskell scala clojure perl php dart zig ocaml julia lua node nodejs deno bun
    postgres postgresql mysql mariadb sqlite mongodb mongo redis valkey cassandra dynamodb clickhouse duckdb snowflake bigquery elasticsearch opensearch kafka rabbitmq celery
    docker podman kubernetes nomad terraform pulumi ansible helm aws gcp azure hetzner heroku vercel netlify cloudflare digitalocean fly render
    git github gitlab bitbucket gitea mercurial jenkins circleci buildkite bazel gradle maven make cmake npm pnpm yarn uv pip poetry conda cargo webpack vite esbuild rollup
    react vue svelte angular solid next nextjs nuxt remix django flask fastapi rails laravel spring express tailwind bootstrap graphql grpc rest jest vitest pytest mypy ruff eslint prettier
    slack discord teams zoom notion obsidian jira linear trello asana confluence figma sketch excel gmail outlook thunderbird protonmail firefox chrome safari brave arc edge signal telegram whatsapp
    wordpress hugo jekyll mastodon bluesky twitter reddit spotify kindle dvorak colemak qwerty keras pytorch tensorflow pandas polars numpy claude chatgpt gemini copilot openai anthropic bedrock""".split()
)
_INSIDE = r"楼|[一二三四五六七八九十]层|办公室|房间|隔壁|宿舍|座位|工位|教室|会议室|楼上|楼下"  # of a house, and not where it is
_PLACEHOLDERS = frozenset("x y z foo bar baz qux it this that them something anything nothing everything ours mine yours more less too lots plenty".split())
_DAYS = {"jan": 31, "feb": 29, "mar": 31, "apr": 30, "may": 31, "jun": 30, "jul": 31, "aug": 31, "sep": 30, "oct": 31, "nov": 30, "dec": 31}


def trimmed(text: str) -> str:
    """Without the marks around it."""
    return text.strip(TRIM)


def cut_short(value: str) -> str:
    """The value up to where the next clause begins, without asides; "" where what is left breaks off."""
    text = re.sub(_RUNS_ON, "", value)
    while True:
        shorter = re.sub(_DANGLING, "", re.sub(_ASIDE, "", text).rstrip(" ,;:-–—")).rstrip(" ,;:-–—")
        if shorter == text:
            break
        text = shorter
    text = re.sub(r"(?<=[\u3400-\u9fff])了$", "", text)
    last = text.lower().rpartition(" ")[2]
    return "" if last in _UNFINISHED and text.isascii() else text


def is_place(value: str) -> bool:
    """Whether somebody can live there: no software, and nothing written like it."""
    words = value.lower().split()
    if not words or any(map(str.isdigit, value)) or re.search(_INSIDE, value) or re.search(r"\w\.\w|[a-z][A-Z]|[_/@]", value):
        return False
    return not set(words) <= _NOT_PLACES


def is_tool(value: str) -> bool:
    """Whether it names something that can be used, and not stands for it."""
    return value.lower() not in _PLACEHOLDERS


def is_day_of_year(text: str) -> bool:
    """Whether a birthday can be on it: a day that its month does not have makes it none, what names no month and day is taken as it is."""
    lowered = text.lower()
    month = re.search(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", lowered)
    day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", lowered)
    if month and day:
        return 1 <= int(day[1]) <= _DAYS[month[1]]
    chinese = re.search(r"(\d{1,2})月(\d{1,2})", lowered)
    if chinese:
        number = int(chinese[1])
        return 1 <= number <= 12 and 1 <= int(chinese[2]) <= [*_DAYS.values()][number - 1]
    return True
