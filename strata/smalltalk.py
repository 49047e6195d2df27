"""Which texts say nothing but hello, thanks or yes, by fixed lists in several languages.

A text counts only when every part between punctuation marks is one of the phrases below, or the
name of somebody who is being addressed. Anything else, a "no" above all, carries information.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import cache

_LONGEST = 120  # characters; anything longer is no bare phrase
_PARTS = r"[👍👌✅💯🙏😊😀🙂❤🎉👋]|(?:[^\W_]| )+"

_COURTESIES = """
hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|good night|morning
bye|goodbye|bye bye|see you|see you later|see you soon|see ya|take care|talk to you later|talk soon|have a nice day
have a good day|have a great day|have a good one|you too|how are you|how are you doing|how s it going|nice to meet you
nice to meet you too|good to see you|great to see you|long time no see|welcome|welcome back
thanks|thank you|thanks a lot|thank you so much|thanks so much|thank you very much|many thanks|thx|ty|cheers
thanks again|thank you again|you re welcome|youre welcome|you are welcome|no problem|no worries|my pleasure|anytime
don t mention it|🙏|😊|😀|🙂|❤|🎉|👋
你好|您好|大家好|嗨|哈喽|早上好|早安|早|下午好|晚上好|晚安|再见|拜拜|明天见|回头见|谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢|不客气|不用谢
很高兴认识你|很高兴见到你|好久不见
你好啊|大家早|辛苦了|謝謝|再見|晚安了
hola|buenos días|buenas tardes|buenas noches|adiós|hasta luego|gracias|muchas gracias|de nada
bonjour|salut|bonsoir|bonne nuit|au revoir|merci|merci beaucoup|de rien
hallo|guten morgen|guten tag|guten abend|gute nacht|tschüss|auf wiedersehen|danke|danke schön|vielen dank|bitte schön
olá|oi|bom dia|boa tarde|boa noite|tchau|obrigado|obrigada|muito obrigado|ciao|buongiorno|buonasera|grazie|grazie mille|prego
こんにちは|おはよう|おはようございます|こんばんは|おやすみ|おやすみなさい|さようなら|ありがとう|ありがとうございます|どういたしまして
안녕|안녕하세요|안녕히 가세요|감사합니다|고마워|고맙습니다|привет|здравствуйте|доброе утро|пока|до свидания|спасибо|пожалуйста
"""

_CONFIRMATIONS = """
yes|yes please|yeah|yep|yup|ok|okay|k|sure|sure thing|of course|certainly|absolutely|definitely|exactly|indeed|right
that s right|thats right|correct|that s correct|true|agreed|i agree|got it|understood|i see|makes sense|that makes sense
sounds good|sounds great|looks good|looks good to me|lgtm|fine|all right|alright|alrighty|perfect|great|good|nice|cool|awesome
excellent|wonderful|amazing|done|will do|go ahead|please do|do it|roger|noted|of course i will|no doubt|for sure|👍|👌|✅|💯
是|是的|对|对的|对啊|没错|好|好的|好吧|好啊|好呀|好滴|嗯|嗯嗯|哦|行|行吧|可以|可以的|没问题|当然|当然可以|当然了|明白|明白了|知道了|了解|了解了|收到|同意
確實|对对|太好了|很好|不错|好的呢|是啊|是呀|沒問題|對|確定|确定
sí|si|claro|vale|de acuerdo|exacto|perfecto|entendido|oui|d accord|bien sûr|exactement|parfait|entendu
ja|genau|klar|stimmt|in ordnung|einverstanden|verstanden|alles klar|sim|claro que sim|certo|está bem|va bene|certo|esatto|perfetto
はい|うん|そうです|そうですね|了解|了解です|わかりました|分かりました|承知しました|네|예|응|알겠습니다|좋아요|맞아요|да|хорошо|ладно|понятно|конечно|верно
"""


STEERING = tuple(
    """
    use next go keep going continue carry proceed start stop wait try retry run fix change undo revert redo show tell explain please now more again
    then step time thing way one first last ok okay yes no good great fine right sure need want let help look see think know mean happen work
    继续 继续吧 用它 用这个 为什么 为什么呢 然后呢 下一步 下一步呢 怎么办 怎么了 再试一次 开始 开始吧 停 等一下 什么意思 还有呢
    """.split()
)
"""Words and phrases that steer a conversation: a prompt of nothing else asks for nothing that could be looked up."""


class SmallTalk(Enum):
    """What a bare phrase does: keep company, or agree to what came before."""

    COURTESY = "courtesy"
    CONFIRMATION = "confirmation"


def small_talk(text: str, names: Iterable[str] = ()) -> SmallTalk | None:
    """What kind of bare phrase a whole text is; None for a text that says something.

    `names` are those who may be addressed ("Thanks, Bea!" with Beatrix in the room). A text with
    any confirmation in it is a confirmation.
    """
    if len(text) > _LONGEST:
        return None
    parts = [part for part in (" ".join(piece.split()) for piece in re.findall(_PARTS, text.casefold())) if part]
    called = [name.casefold() for name in names if name]
    kinds = [_phrases().get(part) or _addressed(part, called) for part in parts]
    if not kinds or None in kinds:
        return None
    return SmallTalk.CONFIRMATION if SmallTalk.CONFIRMATION in kinds else SmallTalk.COURTESY


def _addressed(part: str, called: list[str]) -> SmallTalk | None:
    """A name alone, or a phrase and a name ("hi mel"); a name may be shortened to three letters."""
    phrase, _, last = part.rpartition(" ")
    if len(last) >= 2 and any(name == last or (len(last) >= 3 and name.startswith(last)) for name in called):
        return _phrases().get(phrase) if phrase else SmallTalk.COURTESY
    return None


@cache
def _phrases() -> dict[str, SmallTalk]:
    table: dict[str, SmallTalk] = {}
    for kind, text in ((SmallTalk.COURTESY, _COURTESIES), (SmallTalk.CONFIRMATION, _CONFIRMATIONS)):
        for phrase in text.replace("\n", "|").split("|"):
            table[phrase] = kind
    table.pop("", None)
    return table
