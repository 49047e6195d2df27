"""The words that the rule-based summariser knows: function words, courtesies and cues, English and Chinese."""

from __future__ import annotations

import re

STOP_WORDS = frozenset(
    """
    a an the this that these those here there it its it's i me my mine myself we us our ours you your yours he him his she
    her hers they them their theirs one ones someone somebody something anyone anybody anything everyone everybody everything
    nothing nobody who whom whose what which when where why how and or but nor so yet if then else than because since while
    although though unless until as at by for from in into of off on onto out over to up upon with without within about
    above across after again against along among around before behind below between beyond down during except inside near
    outside past through toward towards under via am is are was were be been being do does did done doing have has had having
    can could may might must shall should will would ought need needs needed i'm i've i'll i'd you're you've you'll you'd
    he's she's we're we've we'll we'd they're they've they'll they'd that's there's here's what's who's how's where's when's
    let's isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't
    mustn't not no yes nah just only also too very really quite pretty rather still already ever never always often
    sometimes usually maybe perhaps probably actually definitely absolutely totally certainly surely truly simply even much
    many more most less least few lot lots some any all both each every either neither other others another same such own
    good great nice cool awesome amazing wonderful fantastic excellent perfect lovely beautiful incredible super fun bad
    better best well fine ok okay sure right hi hello hey wow oh ah haha yeah yep yup thanks thank please sorry welcome
    congrats congratulations bye glad happy love loved loves like likes liked enjoy enjoyed want wants wanted feel feels
    feeling felt hope hoping think thinking thought guess know knows knew known understand see seeing saw seen look looks
    looking looked hear hearing heard say says said saying tell tells told ask asked talk talking talked chat mean means
    meant get gets getting got gotten give gives giving gave given take takes taking took taken make makes making made go
    goes going gone went come comes coming came keep keeps keeping kept put let lets try trying tried use used using work
    works worked find finding found start started help helps helped helping helpful show shows showed happen happened
    thing things stuff way ways kind kinds sort bit people person guy guys time times day days today tomorrow yesterday
    now later soon recently lately ago last next first second new old big small little long able back away together
    especially important interesting interested excited exciting inspiring inspired inspire special proud awesome sounds
    sound forward believe remember forget bring brings brought seem seems seemed become became different part end start
    life world moment moments experience experiences support supportive appreciate reminder reminds keep idea ideas
    question questions answer answers example problem sense reason case yourself themselves himself herself itself
    ourselves however therefore instead etc e.g i.e vs per im ive dont didnt cant thats whats id youre gonna wanna gotta
    chatted catch pic pics photo photos picture pictures hope hopefully agree totally real doing being having lot
    certainly possible would've could've ones week weeks month months year years morning afternoon evening night weekend
    don doesn isn ll ve re rest point points call called calls set two three four five six ten several couple enough
    currently sharing share shared shares suggest suggestion suggestions recommend recommended recommendation
    recommendations tips advice hard easy tough favorite favourite check checking matter matters difference impact positive journey inspiration motivation motivated
    motivating motivates passion passionate amazed challenge challenges challenging surrounded creating achieve achieving
    additionally consider considering current continue chatting it'll friend friends family everything's always'll
    meaningful wonderful strength appreciated appreciative encourage encouraging encouragement determined determination
    totally truly joy joyful rewarding fulfilling blast stay staying hang hanging giving making doing pretty place places
    live living try wait waiting deal huge tons ton run running turn turned leave left provide provides providing
    btw true crazy working name names change changes
    various based order include includes including following suitable relevant appropriate specific regarding related
    """.split()
)

# Each splits a run of Chinese characters; longer ones are tried first.
_CHINESE_FUNCTION_WORDS = """
    的 了 我 你 您 他 她 它 们 是 这 那 和 与 及 就 也 都 很 还 吗 呢 吧 啊 呀 哦 嗯 哈 嘛 啦 着 把 被 让 给 请 跟 在 有 又 才 只 并 而 且 或 但
    什么 怎么 怎样 怎么样 如何 为什么 哪个 哪些 哪里 哪 谁 多少 几个 可以 可能 应该 需要 能够 能不能 能否 一定 必须 没有 不是 不要 不会 不能 不过 不同 有没有
    一个 一些 一下 一种 一点 一起 一直 一样 一次 一位 一部 一本 一家 几个 这个 那个 这些 那些 这样 那样 这里 那里 这么 那么 非常 真的 十分 特别 比较 更加
    觉得 认为 感觉 知道 希望 喜欢 想要 想 觉 谢谢 感谢 你好 您好 再见 不错 好的 好吃 很好 太好 当然 如果 因为 所以 但是 而且 或者 虽然 然后 其实 还是 还有 以及 或许
    已经 正在 最近 今天 昨天 明天 现在 时候 时间 以后 以前 之前 之后 后来 自己 大家 人们 问题 事情 东西 方面 方法 方式 情况 帮助 帮我 帮 推荐 建议 告诉 说说 听说 听起来
    看看 看到 看过 知不知道 可不可以 是不是 要 会 能 去 来 说 做 对 对于 关于 从 到 为 为了 以 使 得 地 个 最 更 太 真 好 也许 大概 左右 通过 根据 尝试 试试 进行 成为 变得
    分享 交流 体验 考虑 决定 朋友 学到 不同 交互 探讨 讨论 更多 尤其 打算 确定 时间段 提高 增加 影响 带来 发现 重要 有意义 具体 丰富 有效 享受
    提供 选择 了解 理解 记得 记住 开始 继续 保持 注意 同时 每天 每个 很多 许多 一切 任何 其他 其它 另外 此外 首先 其次 最后 例如 比如 包括 等等 等 过 呗 嗨 吃 看 用 像
    也是 就是 都是 还要 要是 只要 只有 无论 不管 尽管 即使 除了 相信 明白 加油 开心 高兴 愉快 快乐 抱歉 对不起 没关系 没事 不客气 意思 有趣 有点 有些 有时 有时候 不知道 怎
    非常感谢 欢迎 随时 一般 通常 平时 经常 总是 常常 适合 不 没 去过 来说 之一 上 下 里 中 时 后 前 内 外 向 于 之 所 其 每 各 多 少 大 小 新 再 先 次 位 种 部 本 家 件 条 张 天 年 月 日
"""
# Words that hold one of the above as a syllable and must not be split by it.
_CHINESE_WHOLE_WORDS = """
    会议 机会 社会 大会 智能 功能 性能 能力 主要 要求 需求 目的 目标 目的地 地方 地址 地图 地铁 对象 对话 爱好 好友 未来 来源 去年 去年 过程 过敏 用户 使用 看法 吃饭 小吃 好奇 图像 偶像
    音乐 上海 上班 下班 上课 里程 中国 中午 中心 中学 时代 时尚 小时 后端 前端 内容 外语 外卖 方向 大学 大家庭 小说 小学 小米 新闻 新疆 家庭 家人 家具 大家 回家 国家 专家 作家 画家 条件 软件 硬件 邮件 文件
    天气 年龄 日本 日记 生日 节日 日程 部门 部署 全部 本地 版本 日本 书本 位置 单位 种类 张家界 先生 再生 多样 多伦多 少年 减少 次数 所有 其中 之间 于是 前任 内存 外套 下载 上传 没落 和平 和谐 个人 个性 最终 太阳
    太极 真相 以太 做饭 说明 小说 说服 得分 为难 行为 认为 成为 到期 达到 从事 等级 过年 通过 要点 想法 理想 思想 梦想 想象 有限 拥有 在线 存在 现在 而立 与会 还款 归还 是非 着急 把握 被子 让步 给予
"""
LONGEST_CHINESE_WORD = 4


def chinese_splitter() -> re.Pattern[str]:
    """Matches a function word, or (as group 1) a whole word that only looks as if it held one."""
    whole = sorted(set(_CHINESE_WHOLE_WORDS.split()), key=lambda word: (-len(word), word))
    function = sorted(set(_CHINESE_FUNCTION_WORDS.split()) - set(whole), key=lambda word: (-len(word), word))
    return re.compile(f"({'|'.join(whole)})|{'|'.join(function)}|[\u3040-\u309f]+")


# What a request opens with and a title can do without. Applied until nothing changes.
_OPENINGS = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there| again| everyone| all)?(?:,? [A-Z]\w{0,20})?[,!.: -]+",
    r"(?:so|well|ok|okay|oh|ah|wow|yeah|yes|yep|no|sure|thanks|thank you|also|and|but|now|right|great|cool|alright|anyway"
    r"|by the way|btw|actually|hmm|haha|lol|definitely|absolutely|totally|for sure|of course|no problem|perfect|awesome"
    r"|i was wondering if|i was wondering|i wonder if|i have a question|quick question|one more thing|in that case"
    r"|sorry|excuse me|then|oh no|aww?|thx|congrats|nice|hope all is well|guess what)(?:,? (?:you know|though|again))?"
    r"(?:[,!.:;-]+ *| (?=so[, ]|can |could |would |will |i |please |what |how |do |does |is |are |let|have ))",
    r"(?:can|could|would|will) (?:you|u|we|someone)(?: please| kindly| also| just| maybe)?(?: help me(?: to| with)?)? ",
    r"(?:please|pls|kindly)(?: help me(?: to| with)?)?,? ",
    r"(?:help me|i need your help|i need help)(?: to| with)? ",
    r"(?:i['’]d like|i would like|i['’]d love|i would love|i want|i need|i wish)(?: you to |(?: to)? (?:know|ask|hear)(?: you)? (?:about |if )?)",
    r"(?:do|would) you (?:know|have|happen to (?:know|have))(?: of)? (?!how|when|where|what|who|why|if)",
    r"(?:do|can) you (?:know|tell me|remember|recall|explain)(?: about)? ",
    r"(?:tell me|let me know|remind me)(?: about| of)? ",
    r"i (?:just )?(?:think|guess|believe|mean|hope|heard|feel like) (?:that )?(?=we |the |it |you )",
)
_OPENINGS_CJK = (
    r"(?:你好|您好|嗨|哈喽|大家好|早上好|下午好|晚上好)[啊呀]?[，,！!。~～ ]*",
    r"(?:请问|麻烦你?|拜托|请你?|劳驾)[，, ]*",
    r"(?:你|您)?(?:能不能|能否|可以|可不可以|能|会不会)(?:帮我|给我|帮忙|为我|再)",
    r"(?:我想(?:问一下|请教一下|请教|知道|了解一下|了解|问问|问)|我想要|帮我|帮忙|给我)[，, ]*",
    r"(?:那么?|[嗯恩]+|哦+|好的?|是的|对了|其实|不过|还有|另外|谢谢你?|谢谢您|当然|没错|哇|啊|唉|哈哈+|对啊|好吧|是啊)[，,。！!~～ ]+",
    r"(?:你知道|你觉得|你认为)(?:吗)?[，, ]*",
)

OPENING = f"(?i)^(?:{'|'.join((*_OPENINGS, *_OPENINGS_CJK))})"

# All that follow, but for ASIDE, are matched against lower-case text.
REQUEST = (
    r"[?？]$|"
    r"^(?:please|pls)\b|\b(?:can|could|would|will) (?:you|we)\b|\bhelp me\b|\bi(?:['’]d| would)? (?:like|want|need) you to\b"
    r"|\bi(?:['’]d| would)? (?:like|want|need) to (?:know|find|learn|ask|build|make|add|fix|create|write|change|understand|set up|see how)\b"
    r"|\bi need (?:help|an? |some )|^(?:how|what|which|why|where|when|who|is there|are there|do you|does|should)\b"
    r"|^(?:fix|add|make|write|create|build|run|show|explain|find|implement|refactor|update|change|remove|delete|check|review"
    r"|test|set up|install|translate|summari[sz]e|plan|draft|compare|list|move|rename|use|generate|design|debug)\b"
    r"|请|帮我|帮忙|能不能|能否|可不可以|我想(?:问|知道|了解|要|找|学|请教)|怎么|如何|为什么|什么|哪些|哪个|推荐|有没有|吗[？?]?$"
)
# A question that is an order; as a title it needs no question mark.
DIRECTIVE = r"^(?:.{0,40}\b)?(?:can|could|would|will) (?:you|we)\b"
# Questions that keep up the conversation; no title.
COMPANY = (
    r"^(?:do|did|have|are|were) you (?:also |ever |still )?(?:like|enjoy|love|do|been|play|interested|feel(?:ing)?|doing|have any hobb)"
    r"|\b(?:too|yourself|lately|like that|for you)\?$|^你呢|^你(?:也|平时|最近)?(?:有没有|有什么|有)?(?:做|喜欢|爱)|^(?:你)?最近(?:怎么样|好吗|如何)"
)
DECISION = (
    r"\b(?:decid\w+|agreed?\b|settled on|we(?:['’]ll| will)|i(?:['’]ll| will| am going to|['’]m going to)|let['’]?s|from now on|from today"
    r"|plan(?:s|ned|ning)?\b|(?<!a )must (?!be |have )|never\b|always use\b|prefer\w*|switch\w*|cho(?:o?se|sen)|signed up|appl(?:y|ied)|book(?:ed)|schedul\w+"
    r"|deadline|promis\w+|use\b)|决定|以后|从今|约定|必须|不要|打算|计划|准备|选择了?|改用|确定|截止|答应|报名"
)
CORRECTION = (
    r"\b(?:actually|correction|no longer|not any ?more|instead of|rather than|i was wrong|my mistake|i meant|i misspoke|scratch that"
    r"|changed (?:to|my mind)|moved to|switched|it(?:['’]s| is) not|turns out|wait,)|更正|纠正|改成|改为|改到|换成|不再|其实|说错|记错|弄错|而不是|不是.{1,20}(?:而是|是)"
)
FACT = (
    r"\bmy (?:name|birthday|wife|husband|son|daughter|mom|mother|dad|father|sister|brother|dog|cat|job|boss|partner|kids?|friend\w*)\b"
    r"|\bi(?:['’]m| am)(?: a| an| from| allergic| working| studying)\b|\bi (?:work|live|study|was born|grew up|moved|started|bought|got"
    r"|adopted|joined|won|lost|finished|graduated|quit|passed|visited|met|hate|read|signed|made|painted|ran|went|took|attended)\b"
    r"|\b(?:my|our) (?:favou?rite|address|phone|team|company|school)\b|我叫|我是|我的|我住|我在|生日|过敏|我喜欢|我最喜欢|我不喜欢|我去|我有|我买|我学|我讨厌"
)
FIGURE = (
    r"\d|\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|yesterday|tomorrow|(?:last|next|this) (?:week|month|year|weekend|summer|winter|spring|fall|night))\b"
    r"|[一二三四五六七八九十]+(?:点|号|月|岁|年|天|次|元|块)|昨天|明天|后天|上周|下周|周[一二三四五六日末]|上个月|下个月|去年|明年"
)
# Sentences that lean on the one before.
LEANING = r"^(?:and|but|or|so|because|it|they|this|that|these|those|he|she|which|then|also)\b|^(?:它|这|那|但是|但|而且|所以|不过|因为|同时|此外)"
# What a title can do without at its end.
ASIDE = r"(?i)[,，;；]? ?(?:你呢|您呢|你觉得呢|你觉得怎么样|好吗|可以吗|what about you|how about you|and you|what do you think|right|please|thanks|thank you)[?？.。!！]?$"
# Sentences that react to what was said more than they say.
REACTION = (
    r"\bkeep (?:it up|up|going|working|spreading|on|pushing|chasing|believing|making)\b|^let['’]?s (?:keep|continue|make)"
    r"|^(?:understood|got it|okay,?|ok,|done\b.{0,5}$|on it|will do|you did|have an? |enjoy|wow|that['’]?s|thats|that (?:is|sounds|must)|it['’]s (?:great|good|nice|awesome|amazing|so|wonderful|always|important|lovely|inspiring)"
    r"|thanks|thank you|glad|i['’]m (?:so |really |very )?(?:glad|happy|proud|sorry|impressed|here|excited for)|so (?:glad|happy|proud)|sounds"
    r"|congrat|great (?:job|idea|to)|good (?:luck|for you|to)|nice|awesome|cool|keep |you(?:['’]re| are| got)|your |looks|what an? "
    r"|absolutely|definitely|i (?:totally |completely )?(?:agree|understand|get|hear)|yeah|if you|feel free|remember|hope|let me know|as an ai|i can)"
    r"|^(?:听起来|那真|那太|太好了|真棒|真不错|很高兴|作为|希望你|祝|如果你|加油|不客气|谢谢|没关系|我理解|我很抱歉|这是一个|这听起来|是的|当然|好的)"
)
