"""Of two statements about one thing the later is current where it says so, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.changecues import LONGEST_CLAUSE
from strata.model import Entry, Hit
from strata.revisions import LOOKED_AT, Revision, Statement, reranked, revised, revisions

# A question, what was said first, and what was said later.
REPLACED = """
What is the request timeout?|The request timeout is 30 seconds.|We bumped the request timeout to 45 seconds.
Where do the logs go?|Logs are written to /var/log/app.log.|Logs now go to stdout, not to /var/log/app.log any more.
Which branch do we release from?|Releases are cut from the branch main.|Releases are cut from the branch stable instead of main.
Where does the staging database run?|The staging database runs on db-3.|Correction: the staging database runs on db-7.
When do we deploy?|We deploy on Fridays.|We don't deploy on Fridays any more, only before noon.
What is our minimum Python?|Python 3.10 is our minimum version.|Python 3.10 is dropped, our minimum version is Python 3.12.
What does the API return?|The export API returns XML.|As of now the export API returns JSON rather than XML.
When does the cron job run?|The cleanup cron job runs at 02:00.|The cleanup cron job runs at 04:30 from now on.
How many connections are allowed?|max_connections is set to 100 for the pool.|Raised max_connections for the pool to 250.
What do we format the code with?|We format the code with black.|black is replaced by ruff format for the code.
Which queue do we use?|Mails go through RabbitMQ as the queue.|We abandoned RabbitMQ in favour of Redis streams as the queue for mails.
Where do we store sessions?|Sessions are stored in Redis.|Sessions are now stored in Postgres, Redis is gone.
Who owns the release?|The platform team owns the release checklist.|The release checklist moved from the platform team to the apps team.
How many replicas run?|The api runs with 3 replicas.|Scaled the api up to 5 replicas.
Where do backups go?|Backups are copied to the NAS in the basement.|Backups no longer go to the NAS, they are copied to the cloud bucket.
Which port has the debugger?|The debugger attaches on port 5005.|I changed the debugger port to 5105 because 5005 was taken.
Which ORM?|We use Hibernate as the ORM in the order service.|The order service dropped Hibernate and moved its ORM to jOOQ.
How many retries?|Uploads get 3 retries.|Uploads now get 5 retries.
When is standup?|Standup is at 9:30.|Standup moved to 10:15 for everyone.
Which image does CI use?|CI builds on `node:18-slim`.|Switched the CI image: it builds on `node:22-slim` instead of `node:18-slim`.
Where is the config file?|The config file is at /etc/app/config.ini.|Config file moved from /etc/app/config.ini to /etc/app/config.toml.
Which client do we use for http?|We use requests as the http client.|We now use httpx as the http client.
What are tokens for?|Tokens carry the tenant id.|The tenant id is no longer carried in tokens.
数据库是什么版本？|数据库用 MySQL 5.7。|数据库升级到 MySQL 8.0 了。
部署在哪个机房？|服务部署在杭州机房。|服务部署从杭州机房迁到上海机房。
日志保留多久？|日志保留 7 天。|日志以后保留 30 天。
前端框架用什么？|前端框架用 Vue。|前端框架不用 Vue 了，换成 React。
密码最短几位？|密码最短长度是 8 位。|密码最短长度改为 12 位。
主键怎么生成？|主键用自增整数。|主键改用雪花算法，不再用自增整数。
会议室在哪？|周会的会议室在 203。|更正：周会的会议室在 302。
灰度比例多少？|灰度比例 5%。|灰度比例提高到 20%。
日志级别？|线上日志级别用 info。|线上日志级别改为 warn。
用哪个镜像仓库？|镜像仓库用 Harbor。|镜像仓库由 Harbor 换为 ACR。
消息队列用哪个？|消息队列用 RabbitMQ。|消息队列用 Kafka 代替 RabbitMQ。
""".strip().splitlines()

NOT_REPLACED = {
    "the later one asks": "Which queue?|Mails go through RabbitMQ as the queue.|Should the queue for mails move from RabbitMQ to Redis?",
    "the later one is a proposal": "Which queue?|Mails go through RabbitMQ as the queue.|Maybe we move the queue for mails from RabbitMQ to Redis.",
    "the later one is a condition": "Which queue?|Mails go through RabbitMQ as the queue.|If we move the mail queue from RabbitMQ to Redis, we lose priorities.",
    "the later one refuses": "Which queue?|Mails go through RabbitMQ as the queue.|We will not move the mail queue from RabbitMQ to Redis.",
    "the earlier one asks": "Which queue?|Do mails go through RabbitMQ as the queue?|We moved the mail queue from RabbitMQ to Redis.",
    "the earlier one weighs both": "Which queue?|For the mail queue RabbitMQ has priorities, Redis is smaller.|We moved the mail queue from RabbitMQ to Redis.",
    "the earlier one is an echo": "Which queue?|The mail queue runs on Redis instead of RabbitMQ.|So we moved the mail queue from RabbitMQ to Redis.",
    "another subject has the old value": "Which port has the gateway or the API?|The gateway listens on 8080.|Moved the API from 8080 to port 8412, the gateway keeps its own.",
    "another thing has a value": "How is the pool of the api?|The pool of the api has 4 workers.|The pool of the api now waits 30 seconds.",
    "the new word is all that both share": "Where are secrets?|Secrets are rotated in the clusters.|We moved from sealed secrets to external secrets in the clusters.",
    "the earlier one gave up the same": "Which queue?|Mails go through Redis, the queue does not use RabbitMQ any more.|For the mail queue RabbitMQ is retired.",
    "another value was given up": "How many workers?|The pool has 4 workers.|We raised the pool from 8 to 9 workers.",
    "one word is shared of many": "How many workers?|The pool has 4 workers in the big datacenter of the northern region.|Now 9 workers paint the fence.",
    "the same path again": "Where is the config file?|The config file is at /etc/app/config.ini.|The config file is now at /etc/app/config.ini.",
    "the same words again": "What does the export API return?|The export API returns XML.|From now on the export API returns XML.",
    "a correction is about something else": "What finds duplicates?|The tool finds duplicates.|Actually, the tool which finds duplicates was written on a long train ride to Lisbon in winter.",
    "the same value again": "How many retries?|Uploads get 5 retries.|Uploads now get 5 retries.",
    "no change is announced": "Which port has the debugger?|The debugger attaches on port 5005.|The debugger attaches on port 5105.",
    "the query is about something else": "What is for lunch?|The request timeout is 30 seconds.|We bumped the request timeout to 45 seconds.",
    "the later one is a question in Chinese": "消息队列用哪个？|消息队列用 RabbitMQ。|消息队列要从 RabbitMQ 换成 Kafka 吗？",
    "the later one is a proposal in Chinese": "消息队列用哪个？|消息队列用 RabbitMQ。|消息队列也许可以从 RabbitMQ 换成 Kafka。",
    "the later one refuses in Chinese": "消息队列用哪个？|消息队列用 RabbitMQ 3。|消息队列没升到 RabbitMQ 4。",
    "talk of films": "What do you like about dance?|My dance studio takes much of my time.|Another movie helped my dance studio to open my mind.",
    "talk of a mood": "How is the shelter?|I was busy at the homeless shelter.|I am happy at the homeless shelter now.",
    "talk of a new place": "How is the job?|My job at the bank was tough.|I'm looking for a job now, the search is tough.",
}

EVERYDAY = [
    "My dance moves get me pumped, they give me energy to tackle my goals.",
    "We went from the beach to the old town and had ice cream instead of lunch.",
    "I dropped my phone, but it is fine now.",
    "She moved to Lisbon in spring and works at a bakery now.",
    "The shelter raised 300 dollars to cover the basics.",
    "He has two turtles now and wants a bigger tank.",
    "I used to paint, now I mostly take photos.",
    "We changed trains to get to the lake.",
    "The kids love the lake, they asked to go again.",
    "My sister works at a bakery and bakes at home too.",
    "I painted the lake last summer.",
    "We had lunch at the beach with the kids.",
]


def two(pair: str) -> tuple[str, Statement, Statement]:
    query, earlier, later = pair.split("|")
    return query, Statement("earlier", earlier, "2026-04-01T10:00:00Z", "t", 1), Statement("later", later, "2026-05-01T10:00:00Z", "t", 2)


@pytest.mark.parametrize("pair", REPLACED)
def test_a_change_that_is_announced_replaces_what_it_changes(pair: str) -> None:
    query, earlier, later = two(pair)

    assert [Revision("later", "earlier")] == revisions(query, [earlier, later]) == revisions(query, [later, earlier])


@pytest.mark.parametrize("why", NOT_REPLACED)
def test_nothing_is_marked_where(why: str) -> None:
    query, earlier, later = two(NOT_REPLACED[why])

    assert revisions(query, [earlier, later]) == []


def test_everyday_talk_replaces_nothing() -> None:
    talk = [Statement(str(number), text, "", "t", number) for number, text in enumerate(EVERYDAY)]

    for query in EVERYDAY:
        assert revisions(query, talk) == []


def test_across_threads_they_must_share_more_than_one_word() -> None:
    query, earlier, later = two("Which CI?|CI runs on Jenkins, one agent per team.|We migrated CI from Jenkins to hosted runners.")

    assert revisions(query, [earlier, later]) == [Revision("later", "earlier")]
    assert revisions(query, [earlier, later._replace(thread="u")]) == []


PORTS = "Which port does the api listen on?|The api listens on port 8080.|Moved the api from port 8080 to port 8412."


def test_across_threads_the_times_decide() -> None:
    query, earlier, later = two(PORTS)

    assert revisions(query, [earlier, later._replace(thread="u", position=0)]) == [Revision("later", "earlier")]
    assert revisions(query, [earlier, later._replace(thread="u", at="2026-03-01T10:00:00Z")]) == []


@pytest.mark.parametrize("unknown", ["earlier", "later", "both"])
def test_across_threads_an_unknown_time_decides_nothing(unknown: str) -> None:
    query, earlier, later = two(PORTS)
    later = later._replace(thread="u")

    assert revisions(query, [earlier._replace(at="") if unknown != "later" else earlier, later._replace(at="") if unknown != "earlier" else later]) == []


def test_within_a_thread_the_order_decides_whatever_the_clocks_say() -> None:
    query, earlier, later = two(PORTS)

    assert revisions(query, [earlier._replace(at="2026-06-01"), later._replace(at="")]) == [Revision("later", "earlier")]
    assert revisions(query, [earlier._replace(position=3), later]) == []


def test_of_a_chain_the_last_is_current() -> None:
    query, first, second = two(PORTS)
    third = Statement("third", "The api moved from port 8412 to port 9000.", "", "t", 3)

    assert revisions(query, [second, first, third]) == [Revision("third", "later"), Revision("third", "earlier")]


def test_what_is_said_outright_needs_no_words() -> None:
    old, new = Statement("old", "Lives in Porto."), Statement("new", "Home is Lisbon.", supersedes=("old", "elsewhere"))

    assert revisions("where", [old, new]) == [Revision("new", "old")]


def test_two_that_supersede_each_other_say_nothing() -> None:
    assert revisions("where", [Statement("a", "", supersedes=("b",)), Statement("b", "", supersedes=("a",)), Statement("c", "", supersedes=("c",))]) == []


def test_only_the_best_twenty_are_looked_at() -> None:
    query, earlier, later = two(PORTS)
    between = [Statement(str(number), "The api is fine.") for number in range(LOOKED_AT - 1)]

    assert revisions(query, [earlier, *between[:-1], later]) == [Revision("later", "earlier")]
    assert revisions(query, [earlier, *between, later]) == []


def test_a_clause_too_long_for_a_decision_announces_nothing() -> None:
    query, earlier, later = two(PORTS)
    long = later._replace(text=later.text.rstrip(".") + " and so on" * (LONGEST_CLAUSE // 10))

    assert revisions(query, [earlier, long]) == []


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=80), max_size=6), st.text(max_size=30))
def test_any_text_can_be_asked_about(texts: list[str], query: str) -> None:
    statements = [Statement(str(number), text, "", "t", number) for number, text in enumerate(texts)]

    for current, outdated in revisions(query, statements):
        assert int(current) > int(outdated)


@st.composite
def revised_lists(draw: st.DrawFn) -> tuple[list[Statement], list[Revision]]:
    """Ranked statements, and revisions among them as `revisions` gives them: no current one is outdated itself."""
    refs = draw(st.permutations([str(number) for number in range(draw(st.integers(2, 9)))]))
    split = draw(st.integers(1, len(refs) - 1))
    pairs = {outdated: draw(st.sampled_from(refs[:split])) for outdated in draw(st.sets(st.sampled_from(refs[split:])))}
    ranked = [Statement(ref, "") for ref in sorted(refs)]
    return ranked, [Revision(pairs[one.ref], one.ref) for one in ranked if one.ref in pairs]


@given(revised_lists())
def test_ranking_again_puts_the_current_above_the_outdated_and_moves_nothing_else(case: tuple[list[Statement], list[Revision]]) -> None:
    ranked, found = case
    order = [one.ref for one in reranked(ranked, found)]
    before = [one.ref for one in ranked]
    moved = {current for current, outdated in found if before.index(current) > before.index(outdated)}

    assert sorted(order) == sorted(before)
    assert all(order.index(current) < order.index(outdated) for current, outdated in found)
    assert [ref for ref in order if ref not in moved] == [ref for ref in before if ref not in moved]
    for current in moved:
        below = [ref for ref in order[order.index(current) + 1 :] if ref not in moved]
        assert Revision(current, below[0]) in found
    assert [one.ref for one in reranked(reranked(ranked, found), found)] == order


def hits(*texts: str, kind: str = "message") -> list[tuple[Hit, Entry | None]]:
    """Ranked hits in one thread; a text begins with its turn."""
    found: list[tuple[Hit, Entry | None]] = []
    for text in texts:
        turn, _, said = text.partition(" ")
        entry = Entry("p", turn, kind, text=said, thread="t", position=int(turn))
        found.append((Hit(turn, kind, "active", "p", "", "", "", 1.0, thread="t"), entry))
    return found


RANKED = ("1 The api listens on port 8080.", "5 The api is nice.", "9 Moved the api from port 8080 to port 8412.", "7 Ports are for ships.")


def test_hits_are_marked_and_the_current_one_rises_directly_above() -> None:
    found = revised("Which port does the api listen on?", hits(*RANKED))

    assert [(hit.ref, hit.status, hit.counterpart) for hit in found] == [("9", "current", "1"), ("1", "outdated", "9"), ("5", "", ""), ("7", "", "")]


@pytest.mark.parametrize("query", ["Which port was the first one of the api?", "Where did the api originally listen, port?", "api 以前的 port"])
def test_a_question_about_the_past_keeps_its_order(query: str) -> None:
    found = revised(query, hits(*RANKED))

    assert [hit.ref for hit in found] == ["1", "5", "9", "7"]
    assert [hit.status for hit in found] == ["outdated", "", "current", ""]


def test_hits_without_a_change_stay_as_they_are() -> None:
    ranked = hits(*RANKED[:2])

    assert revised("Which port does the api listen on?", ranked) == [hit for hit, _ in ranked]
    assert revised("Which port does the api listen on?", []) == []


def test_a_hit_whose_text_is_gone_stays_where_it_is() -> None:
    ranked = hits(*RANKED)
    ranked[1] = (ranked[1][0], None)

    assert [hit.ref for hit in revised("Which port does the api listen on?", ranked)] == ["9", "1", "5", "7"]


def test_notes_and_blocks_are_never_marked_for_their_words() -> None:
    for kind in ("note", "block", "entity"):
        ranked = hits(*RANKED, kind=kind)

        assert revised("Which port does the api listen on?", ranked) == [hit for hit, _ in ranked]


def test_one_that_replaces_several_names_the_best_ranked() -> None:
    found = revised("Who uses port 8080?", hits("5 The api moved from port 8080 to port 8412.", "2 The api uses port 8080.", "9 The api moved from port 8412 to port 9000."))

    assert [(hit.ref, hit.status, hit.counterpart) for hit in found] == [("9", "current", "5"), ("5", "outdated", "9"), ("2", "outdated", "9")]


def test_an_answer_is_about_what_was_asked_right_before() -> None:
    said = [
        Statement("q", "Which package manager shall we use?", "2026-01-05", "t", 1),
        Statement("a", "Let's take npm, it is on every machine.", "2026-01-05", "t", 2),
        Statement("b", "Switched: pnpm instead of npm. The package list is the same.", "2026-02-01", "t", 9),
    ]

    assert [Revision("b", "a")] == revisions("which package manager", said)
    assert [] == revisions("which package manager", [said[0]._replace(text="What a day."), *said[1:]])


def test_a_time_that_is_named_asks_for_what_was_said_then() -> None:
    entries = [Entry("p", "old", "message", text="The printer listens on port 9100.", at="2026-05-04", thread="t", position=1)]
    entries.append(Entry("p", "new", "message", text="The printer now listens on port 9412 instead of 9100.", at="2026-09-14", thread="t", position=9))
    hits = [(Hit(entry.ref, "message", "active", "p", "", entry.at, "", 1.0), entry) for entry in entries]

    assert ["new", "old"] == [hit.ref for hit in revised("printer port", hits)]
    assert ["old", "new"] == [hit.ref for hit in revised("printer port in May", hits)]
    assert ["new", "old"] == [hit.ref for hit in revised("printer port in September", hits)]
    assert ["outdated", "current"] == [hit.status for hit in revised("printer port in May", hits)]


# A question and what was said, by two in turn; the last replaces the one with a star, if any.
TALKS = """
where do the backups go|Where do the nightly backups go?|*To the NAS in the cellar. It is 94% full.|From today on they go to the bucket attic-eu instead. Keep 30 days.
where do the backups go|Where do the nightly backups go?|*To the NAS in the cellar. It is 94% full.|Hm, that is tight.|From today on they go to the bucket attic-eu instead. Keep 30 days.
when do we deploy|*We deploy on Fridays.|ok|No more Friday deploys, Tuesdays from now on.
when are deploys|*we deploy on Fridays|noted|No more Friday deploys, Tuesdays from now on
what is the rate limit|*The rate limit is 60 requests per minute.|Noted.|Raise it to 300.
what is the rate limit|*The rate limit is 60.|x|y|z|Clients complain about the rate limit.|Raise it to 300.
rate limit|*rate limit is 60|Raise it to 300
which CI do we use|*CI runs on Jenkins.|fine|We switched from Jenkins to GitHub Actions.
what does CI run on|*CI runs on Jenkins.|fine|We switched from Jenkins to GitHub Actions.
where do I live|*I live in Bergen.|nice|I moved to Oslo, I don't live in Bergen any more.
周会什么时候|*周会定在周五。|好的|改到周日，不再是周五。
爬山是周几|*爬山定在周五。|好的|改到周日，不再是周五
which database|Which database do we take?|*OK, SQLite it is.|fine|SQLite locks again, the database is too slow.|let's go with Postgres after all
which database do we use|Which database do we take, SQLite or Postgres?|*OK, SQLite it is.|done|For the database let's go with Postgres after all.
which database do we use|Which database shall we use?|*OK, SQLite it is.|done|The database is growing, we are moving to PostgreSQL 16.
which database do we use|Which database shall we use?|*OK, SQLite it is.|done|And the database?|We are moving to PostgreSQL 16.
what is the project called|*Let's name the project Falcon.|ok|The name Falcon was a mistake, the project is called Heron.
what do we use for cache|*We use Redis for the cache.|ok|Redis is gone, the cache is memcached.
which editor|*My editor is Vim.|ok|Scratch that. My editor is Helix, not Vim any more.
which queue|*The queue is RabbitMQ.|ok|Forget RabbitMQ, the queue is Redis streams.
which queue|*The queue is RabbitMQ.|ok|For the queue: not RabbitMQ but NATS.
which queue|*The queue is RabbitMQ.|ok|queue: RabbitMQ → NATS
which queue|*The queue is RabbitMQ.|ok|We dropped RabbitMQ, the queue is NATS.
which queue|*The queue is RabbitMQ.|ok|The queue should be NATS rather than RabbitMQ.
which queue|*The queue is NATS.|ok|Back to RabbitMQ for the queue.
where are photos stored|*Photos are stored on the laptop.|ok|Photos are no longer stored on the laptop.
队列用什么|*消息队列用 RabbitMQ。|好|消息队列还是用 Kafka 吧。
队列用什么|*消息队列用 RabbitMQ。|好|RabbitMQ 作废，消息队列用 Kafka。
消息队列是什么|*消息队列用 RabbitMQ。|好|消息队列换到 Kafka 了。
""".strip().splitlines()

QUIET_TALKS = """
the confirmation of an order repeats it|which tools do we drop|Drop Celery and Redis.|Done: Celery and Redis are gone.
the confirmation names what was ordered away|celery|Drop Celery and Redis.|Dropped Celery and Redis, cron does it now.
the answer to a complaint|why are the tests slow|The tests are slow, 14 minutes. Can you find out why?|The tests now take 3 minutes instead of 14: the fixture is shared.
two agree|pnpm or npm|now they say pnpm everywhere, npm is out|No. We have used pnpm since October, npm would ignore the lockfile.
more is said of the same|where do the backups go|Where do backups go?|To the NAS.|From now on they are encrypted too.
the same number is set again|what is the rate limit|The rate limit is 60.|ok|Set it to 60 in the config.
the answer is confirmed|where do backups go|Where do backups go?|To the bucket attic-eu.|Good. From today on they go there, instead of nowhere.
somebody else moved|where do I live|I live in Bergen.|ok|My sister moved to Oslo.
the verb is about something else|which queue|The queue is RabbitMQ.|ok|I forgot to drop the queue tests.
an identifier is part of another|which node version|Node 24 it is. Let's use npm.|ok|npm installs node_modules twice. Use pnpm, and npm is out.
a trace quotes what is given up|which driver is locked|The kiosk says: ```SqliteError at better-sqlite3/lib``` and waits.|ok|The driver moved from better-sqlite3 to pg, nothing is locked.
the earlier one only asks in the end|which command does the wiki name|The wiki says npm install as its command. Is that right?|The command of the wiki is out of date: npm is retired.
another service has the same part|what does the orders service use|The orders service uses MySQL.|ok|Switched the billing service from MySQL to Postgres.
a month is gone|what do we pay for hosting|We pay 40 euros a month for hosting.|ok|The month of May is gone and hosting was flawless.
the later one counts seconds of something else|what did we say about the share|The share is slow, it has a timeout of 5 seconds.|ok|I raised the timeout of the share from 5 to 20 seconds.
a part of it gets another value|编辑器用什么|编辑器用 Vim。|好|编辑器的字体换成 Fira Code。
a proposal is taken up|when is the contest|The contest is on 20 March, in the middle of the trip. Do you agree?¶May is free.|Fine. So the trip with the contest moves from March to May.
one word of the query is met|which host runs the night server|The server room has 4 fans.|ok|The server room now has 9 fans.
a listing quotes it|which driver|```¶The driver is better-sqlite3.¶```¶Hm.|ok|The driver moved from better-sqlite3 to pg.
a number is taken up in the reply|at which distance|At a distance of 6 all collapse.|So lower the distance from 6 to 2.
another sentence is asked about|how high is the tower|The tower is 20 m high. The shop sells red paint.|ok|The shop sells blue paint instead of red. Nice tower.
a value is answered right away|what is our minimum python|Python 3.10 is our minimum version.|Our minimum version of Python now gets 3.12 as its neighbour.
two words stand apart|is SQLite still used|SQLite relies on locks of a file, and shares on a network get those wrong.|ok|We move from the SQLite file to Postgres. A share on the network gets locks wrong.
""".strip().splitlines()


def talk(line: str) -> tuple[str, list[Statement]]:
    query, *said = line.split("|")
    return query, [Statement(str(turn), text.lstrip("*").replace("¶", "\n"), f"2026-01-{turn:02d}", "t", turn, speaker="AB"[turn % 2]) for turn, text in enumerate(said, 1)]


@pytest.mark.parametrize("line", TALKS)
def test_a_change_in_a_conversation_replaces_what_was_said(line: str) -> None:
    query, said = talk(line)
    outdated = [str(turn) for turn, text in enumerate(line.split("|")[1:], 1) if text.startswith("*")]

    assert revisions(query, said) == [Revision(str(len(said)), ref) for ref in outdated]


@pytest.mark.parametrize("line", QUIET_TALKS)
def test_a_conversation_without_a_change_marks_nothing(line: str) -> None:
    why, rest = line.split("|", 1)
    query, said = talk(rest)

    assert revisions(query, said) == [], why


def test_what_tools_were_given_and_returned_says_nothing() -> None:
    ranked = hits(*RANKED)
    output = "\nMoved the api from port 8080 to port 8412."
    text = "All done." + output
    ranked[2] = (ranked[2][0], ranked[2][1]._replace(text=text, shown=len(output)))  # type: ignore[union-attr]

    assert [hit.status for hit in revised("Which port does the api listen on?", ranked)] == ["", "", "", ""]
    ranked[2] = (ranked[2][0], ranked[2][1]._replace(shown=0))  # type: ignore[union-attr]
    assert "current" in [hit.status for hit in revised("Which port does the api listen on?", ranked)]


def test_what_has_only_a_day_is_not_replaced_by_an_hour_of_that_day_nor_a_card_by_the_message_it_cites() -> None:
    query = "kubernetes nomad deploy"
    change = Statement("blk-1#m1", "Change of plan: scratch Nomad, we deploy the api with Kubernetes.", "2026-11-20T10:00:00Z", "main", 5)

    def replaced(at: str, **more: object) -> list[str]:
        older = Statement("evt-1", "We deploy the api with Nomad.", at, **more)  # type: ignore[arg-type]
        return [revision.outdated for revision in revisions(query, [older, change])]

    assert ["evt-1"] == replaced("2026-11-19") == replaced("2026-11-20T09:00:00Z")
    assert [] == replaced("2026-11-20") == replaced("2026-11"), "nobody knows which came first"
    assert [] == replaced("2026-11-19", cites=("blk-1#m1",))
