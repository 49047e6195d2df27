"""The words by which a sentence decides, prefers, plans, corrects or tells what happened, and those that make it none of these."""

from __future__ import annotations

from typing import NamedTuple

LONGEST_READ = 320  # characters of a sentence; what is longer tells too much for one card


class Rule(NamedTuple):
    """One sort of card. `pattern` is searched in a sentence in lower case, with what stands in quotation marks blanked.

    `words` are such that one of them stands in whatever the pattern finds. `time` says which time the card takes from
    its sentence: "" none, "any" one if there is one, "before" a past one that stands before "decided", "past" and "coming" one on that side of its message, and no card without.
    `company` is False for what only counts between a person and an agent.
    """

    name: str
    type: str
    status: str
    confidence: float
    words: tuple[str, ...]
    pattern: str
    time: str = ""
    criticality: str = "routine"
    company: bool = True


_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# What may stand before the "I" of a plain statement; after "which", "when", "the book" it is none.
_LEAD = (
    rf"(?:^|[,;:.!…–—-]\s*|\b(?:and|but|so|because|since then|then|also|actually|honestly|yesterday|today|tonight|tomorrow|this|ago|btw|by the way|though|well|yes|no|yeah"
    rf"|yep|fact|course|lately|recently|night|morning|afternoon|evening|week|weekend|month|year|summer|winter|spring|fall|autumn|{_DAYS}|{_MONTHS}|(?:19|20)\d\d|\dth|\d)\s)"
)
_ADVERB = r"(?:\s(?:really|absolutely|totally|also|still|just|now|always|usually|generally|mostly|finally|recently|even|both|already|actually|personally|strongly|truly|definitely|currently|only|so|do|all))*"
_HAVE = r"(?:'ve|\shave|'d|\shad)?"
_AM = r"(?:'m|'re|\sam|\sare)"
_KIN = (
    r"(?:(?:step|grand|half-?|god)?(?:mother|father|son|daughter|sister|brother|parents?|kids?|children|mom|mum|dad|ma|pa)s?|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|aunt|uncle|cousin|niece"
    r"|nephew|grandma|grandpa|family|friends?|best friend|boss|colleague|coworker|roommate|neighbou?r|dogs?|cats?|pupp(?:y|ies)|team|company)"
)
_WE = rf"{_LEAD}(?:i|we|my (?:\w+ )?{_KIN}(?: and i|,? (?!who|that|which|and|or|just|also|ha[sd]|have|once|often|used)[a-z]+,?)?)"
# Deeds only: what somebody felt, thought or enjoyed is no event.
_DID = (
    r"(?:went|got|bought|sold|made|met|saw|took|gave|won|lost|found|left|began|ran|ate|read|drove|flew|wrote|broke|built|brought|caught|chose|drew|held|hit|hurt|led|paid|sent|sang|swam|taught|wore|rode|grew|became|came"
    r"|did|had (?:a|an|my|our|the|some|two|three|\d+)|spent|shot|fell|set up|quit|put|hung|threw|cut|was (?:in|at|on|born|promoted|diagnosed|hired|fired|accepted|invited|offered|able)|were (?:in|at|on|married)"
    r"|(?:visit|attend|join|adopt|start|finish|complet|graduat|mov|travel|hik|camp|paint|bak|cook|play|perform|present|pass|fail|appli|appl|register|volunteer|celebrat|host|organi[sz]|launch|open|clos|publish|releas|deploy|merg"
    r"|fix|repair|upgrad|migrat|switch|install|renovat|plant|adopt|rescu|donat|participat|compet|train|record|film|watch|order|receiv|return|book|sign|enroll?|retir|resign|marri|propos|climb|explor|tri|cancel|chang"
    r"|interview|present|deliver|ship|design|creat|discover|walk|danc|surf|work|stay|stopp|collaborat|team|partner|recommend|reach|pick|dropp|call|contact|help|kick|expand|plann|shopp|fish|tour|wander)(?:ed|ied)(?: up)?)"
)

# English
ENGLISH: tuple[Rule, ...] = (
    Rule("allergy", "state", "ongoing", 0.9, ("allerg", "coeliac", "celiac", "diabet", "epilep", "intoleran", "asthma"), rf"{_LEAD}(?:i{_ADVERB}(?:'m|\sam){_ADVERB} (?:\w+ )?(?:allergic to|(?:\w+[- ])?intolerant|diabetic|an? (?:coeliac|celiac|diabetic|epileptic))\b|i{_ADVERB}(?:'ve| have)(?: got)? (?:an? )?(?:\w+ ){{0,2}}(?:allerg(?:y|ies)|asthma|diabetes|epilepsy|coeliac disease|celiac disease)\b)|\bmy (?:\w+ ){{0,2}}(?:son|daughter|wife|husband|partner|mother|father|mom|dad|sister|brother|kid|child) is (?:\w+ )?allergic to\b", criticality="safety"),
    Rule("name", "state", "ongoing", 0.9, ("name", "call"), rf"{_LEAD}(?:my (?:full )?name is|my name's|i{_ADVERB}(?:'m|\sam) called(?! (?:on|to|in|up|out|off|for|by|upon)\b)|(?:you can |please |just )call me(?! (?:when|if|back|later|after|before|once|as|at|on|in|by|for|about|again|maybe|today|tonight|tomorrow|now|asap|any\w*|some\w*|every\w*)\b))\s+(?!(?:the|an?|crazy|old)\b)[^\W\d_]", criticality="identity"),
    Rule("birthday", "state", "ongoing", 0.8, ("birthday", "born"), rf"{_LEAD}(?:my birthday(?:'s| is)? (?:on |in )?(?:the )?(?:{_MONTHS}|\d)|i was born (?:on|in) )", criticality="identity"),
    Rule("home", "state", "ongoing", 0.8, (" live", "from", "based"), rf"{_LEAD}(?:(?:i|we){_ADVERB} live (?:in|near) (?!an? (?:constant )?(?:state|world|bubble|dream)|the moment|fear|peace|a world|an era|person)|i{_AM}{_ADVERB} (?:originally )?(?:living in|based in|from) (?!the|a|my|our|here|there|now|today|work|home|what|where)\w)", criticality="identity"),
    Rule("work", "state", "ongoing", 0.8, ("work", "stud", "engineer", "teacher", "nurse", "developer", "designer", "student", "doctor", "lawyer", "scientist", "programmer", "job", "freelanc", "major"), rf"{_LEAD}(?:i{_ADVERB} (?:work (?:as an?|at|for) (?!it|that|this|home|them|him|her|me\b|the (?:best|moment|weekend)|first|night|least)|study (?!more|hard|harder|it|that|this|and|well|for|with|better)\w)|i{_AM}{_ADVERB} (?:working (?:as an?|at|for) (?!it|that|this|home|them|him|her|the (?:moment|weekend)|night|least|a living|an? (?:\w+ )?(?:goal|future|plan))\w|studying (?!hard|for|more|with|and|it|a lot|now|all)\w|majoring in|an? (?:\w+[ -]){{0,3}}(?:engineer|teacher|nurse|developer|designer|student|doctor|lawyer|scientist|programmer|accountant|architect|researcher|freelancer|photographer|journalist|chef|electrician|plumber)\b(?! of (?:life|the)))|my (?:new |current )?job is)", criticality="identity"),
    Rule("diet", "preference", "ongoing", 0.8, ("vegetarian", "vegan", "eat", "drink"), rf"{_LEAD}i(?:{_ADVERB}(?:'m|\sam){_ADVERB} (?:an? )?(?:strict )?(?:vegetarian|vegan|pescatarian)\b|{_ADVERB} (?:don't|do not|never) (?:eat|drink) (?!it|that|this|much|enough|anything|them|too)\w)", criticality="preference"),
    Rule("kin", "state", "ongoing", 0.8, ("my ",), rf"{_LEAD}my (?:\w+ )?(?:{_KIN}) is (?:called|named) \w|{_LEAD}my (?:\w+ )?(?:{_KIN})'s name is \w", criticality="identity"),
    Rule("standing order", "preference", "ongoing", 0.7, ("always", "never", "from now on", "in future", "going forward"), r"^(?:and |please |also |so )*(?:always|never) (?!mind|forget|give up|stop|know|been|had|too|again|hurts?|have|was|is|did|will|say never|ever|thought|heard|seen|underestimate|a\b|knew|tried|the\b|felt|good|great|nice|happy|here|there|fun|inspir\w+|wonderful|excited|enough|easy|in\b|on\b|for\b|look(?:ing)? |love|loved|been|believe|remember|appreciate|try|chase)\w+ \w+|^(?:please,? |and |ok,? )*(?:from now on|in future|going forward),? (?:please |always |never |do not |don't |only )*(?:answer|write|use|keep|call|reply|respond|put|give|show|send|ask|run|make|add|explain|name|say|skip|avoid|stop)\b", criticality="preference", company=False),
    Rule("likes", "preference", "ongoing", 0.7, ("love", "enjoy", "prefer", "hate", "stand", "fan", "like"), rf"{_LEAD}i{_ADVERB} (?:(?:love|adore|hate|dislike|enjoy|prefer|can't stand|cannot stand|do not like|don't like|don't enjoy|do not enjoy)\b(?!(?: \w+){{0,4}} (?:it|its|this|that|them|these|those|you|your)\b)(?! (?:it|its|it's|that|this|them|these|those|him|her|you|your|y'all|yall|how|what|when|who|where|why|if|us|me|hear|see|seeing|hearing|to|the(?! (?:beach|sea|ocean|outdoors|countryside|mountains))|all|every|everything|each|both|our|his|their|my|being able|knowing|talking|chatting|reading your|sharing|feeling|having|one|some|people|as|too|and|about|a lot|more|even|thinking|watching you)\b)|like (?:\w+ing|to (?!just|think|know|believe|say|see|hear|ask|thank|share|add)\w+|[a-z]+s)\b(?!(?: \w+){{0,3}} (?:you|your|this|that|it|them|these|those)\b)) ?['\w]|{_LEAD}i{_ADVERB} (?:'m|am) (?:not )?(?:a )?(?:\w+ )?fan of (?!it|this|that|your|the|you)\w|{_LEAD}i'm (?:not )?a (?:big |huge |real )?fan of (?!it|this|that|your|the|you|them|all)\w", criticality="preference"),
    Rule("favourite", "preference", "ongoing", 0.7, ("favorite", "favourite"), rf"{_LEAD}my (?:all-time |absolute |personal )?favou?rites? (?!(?:part|thing|one|moment|memory|piece|picture|photo|quote)\b)[\w -]{{2,30}} (?:is|are) (?!it|that|this|the (?:one|way)|when|how|what|yours?|definitely|probably|always|to\b)['\w]|(?:^|[,;] )(?!it|that|this|they|these|those|he|she|which|what|one)[\w'. -]{{3,40}} (?:is|are) my (?:all-time |absolute )?favou?rite(?: [a-z]+)?[.!,]*$", criticality="preference"),
    Rule("correction", "correction", "occurred", 0.7, ("correction", "scratch", "wrong", "mistake", "misspoke", "i meant", "actually", "not "), r"^(?:(?:oops|sorry|wait|no|hm+|oh),? )*(?:correction(?: for good)?\b[:, ].{8,}|scratch that[,.;:]? .{5,}|i (?:was wrong|made a mistake|misspoke)[,.;:] .{5,}|my mistake[,.;:] .{5,}|i meant .{2,}\bnot .+)|^(?:(?:oops|sorry|wait|no|oh),? )*actually,? (?!(?:that|this|it)(?:'s| is| was) not)(?:(?:it|the|my|our|his|her)\b.{2,60}(?:\bis|\bare|\bwas|'s)\b .{1,60}(?:, not |instead of|rather than)).+"),
    Rule("changed mind", "decision", "occurred", 0.7, ("decid", "decision", "settled on", "made up my mind", "agreed"), rf"{_LEAD}(?:i|we){_HAVE}{_ADVERB} (?:decided (?!to \w+ (?:it|this|that|them)\b)(?:to|on|that|against|not to|we|i)\b|settled on |made up (?:my|our) minds? |agreed (?:to|on|that) )\s?\S+|^(?:the )?(?:final )?decision(?: on [\w ]{{2,30}})?(?: is)?[:,] \S+|^decided: \S+", time="before"),
    Rule("agreed", "decision", "occurred", 0.65, ("agreed", "it is"), r"^agreed[,:] (?:\S+ ){4,}|^(?:ok(?:ay)?,? |then |so |well,? |fine,? |right,? )+(?!that|this|so|how|here|there|what)[\w.+#/-]+(?: [\w.+#/-]+){0,2} it is\b(?:[.,!]|$)", company=False),
    Rule("going with", "decision", "occurred", 0.7, ("go with", "going with", "stick", "switch", "moving to", "move", "dropping", "drop ", "replaces", "stay with", "no longer", "let's", "we'll", "we will"), rf"{_LEAD}we(?:'ll| will) (?:go with|stick with|stick to|stay with|switch to|use|take|keep|drop|adopt|support|target|move to|ship|call it) (?!it\b|that\b|this\b|them\b|a look|you\b|your\b|in touch|going|at it|up\b|on\b|care\b|time\b)\S+|{_LEAD}(?:i|we){_AM}(?: now)? (?:going with|switching to|switching from|sticking with|dropping|moving (?:from|off)|migrating) (?!it\b|that\b|this\b|them\b|you\b)\S+|{_LEAD}(?:we|let's)(?: now)? (?:switch|move|migrate)(?:ed)?(?: \w+){{0,3}} (?:from|away from|off) \S+", company=False),
    Rule("let us", "decision", "occurred", 0.65, ("let's", "let us"), rf"{_LEAD}(?:let's|let us) (?:just |not |also |then )*(?:use|take|go with|switch|drop|stick (?:with|to)|move (?!on\b|forward|ahead)|adopt|replace|rename|pick|choose|settle on|standardi[sz]e|call (?:it|the|them)|hold) (?!it\b|that\b|this\b|them\b|a look|a break|time\b|care\b|one\b|up\b|on\b|(?:a|the) (?:next|closer))\S+", company=False),
    Rule("from now on", "decision", "occurred", 0.75, ("from now on", "from today on", "as of", "henceforth", "going forward", "no longer", "any more", "anymore", "replaces", "everywhere", "instead of"), r"\b(?:from now on|from today on|as of (?:now|today)|henceforth|going forward),? (?:we|the|all|every|each|[\w-]+) \w+|^(?:(?:then|so|ok(?:ay)?|and)[:,]? )*(?:we|the [\w -]{2,30}|[\w-]+) (?:will |do |does |is |are )?(?:no longer|not|don't|doesn't) (?:use|need|support|run|ship|issue|want|write|keep|send|in)\b(?:.*\b(?:any ?more)\b|.*, )|^we (?!should|could|can|may|might|would)\w+ .*\beverywhere\b|\b[\w.-]{3,} replaces \S+|^(?:ok(?:ay)?[:,] )?[\w -]{3,40} (?:is|are)(?: now)? (?!better|worse|nicer|easier|faster|slower).*\binstead of \S+", company=False),
    Rule("settled value", "decision", "occurred", 0.6, ("change", "move", "switch", "raise", "lower", "bump", "reduce", "increase", "rename", "replace", "upgrade", "downgrade", "set ", "limit", "drop ", "use ", "keep ", "cache ", "flush "), r"^(?:(?:ok(?:ay)?|so|then|right|also|and|please|now|fair|good|yes|fine)[,.:]? )*(?:(?:change|move|switch|migrate|raise|lower|bump|reduce|increase|rename|replace|upgrade|downgrade) (?!it\b|on\b|me\b|them\b|your\b|every(?:thing)?\b)(?!.*\b(?:file|function|test|tests|line|lines|method|class|import|paragraph|sentence|button|section|page|title|heading)\b).*\b(?:to|with|by)\b (?!me\b|do\b|make\b|see\b|be\b).*|(?:set|limit|cap) (?!up\b|it up|off\b)(?:the )?[\w .-]+ (?:to|at) \S*\d.*|(?:use|keep|cache|flush|store) (?!it\b|this\b|that\b|them\b|your\b|going\b|up\b|in\b|me\b|calm)(?=.*(?:\d|[\w]/[\w]|[a-z]_[a-z]|`|\bby default\b|\bfor all\b|\binstead of\b|\bin [a-z]+ at\b)).*)$", company=False),
    Rule("cancelled", "plan", "cancelled", 0.75, ("cancel", "called off", "after all"), rf"(?:^|[,;] )(?:the|my|our|this|next|tomorrow's|tonight's|{_DAYS})\b[\w' -]{{2,50}} (?:is|was|were|are|has been|have been|got|had to be) (?:cancell?ed|called off)\b|{_LEAD}(?:i|we)(?:'ve| have| had to)?(?: just)? (?:cancel(?:led|ed)?|called off) (?:my|our|the)\b", time="any"),
    Rule("plans", "plan", "planned", 0.7, ("plan", "intend"), rf"{_LEAD}(?:i|we|my (?:\w+ )?{_KIN}(?: and i)?){_ADVERB}(?:{_AM}{_ADVERB} planning(?: to| on| an?| our| my)\b|{_ADVERB} plan (?:to|on) |{_ADVERB} intend to )(?! keep| continue| stay| do (?:it|that|this)\b| try\b| be\b| make it| few[.!])\s?\w+|{_LEAD}(?:my|our) plan is to \w+", time="any"),
    Rule("going to", "plan", "planned", 0.7, ("going to", "gonna", "'ll", "will ", "ing "), rf"{_LEAD}(?!.*\b(?:talk to you|see you|chat again)\b)(?:i|we|my (?:\w+ )?{_KIN}(?: and i)?)(?:'re|'m|'s|\sam|\sare|\sis){_ADVERB} (?:(?:going to|gonna|about to) (?!be (?:so |a |the )?(?:great|fun|awesome|amazing|there|fine|ok|good|hard|worth|epic)|keep|try|miss|love|need|let you)\w+|(?!being|feeling|looking|hoping|thinking|wondering|trying|getting excited|doing (?:well|good|great|fine|ok)|loving|counting|missing|enjoying|dying|plowing|powering|pushing|getting through|going to (?!an?\b|the\b|my\b|our\b)|wishing|having fun|learning|still|amazing|talking|chatting|during|something|anything|nothing|everything|everyt|morning|evening|interesting|exciting|planning|working)[a-z]{{2,}}ing\b)|{_WE}(?:'ll| will) (?!be (?:so |a |the )?(?:great|fun|awesome|there|fine|ok)|let you|try|keep|definitely|never|always|take a look|think|check|remember|talk|see you|miss|have to|need|tell you|chat|send you|bring you|give)\w+", time="coming"),
    Rule("appointment", "plan", "planned", 0.7, ("appointment", "interview", "meeting", "exam", "flight", "wedding", "trip", "concert", "game", "show", "competition", "tournament", "deadline", "conference", "surgery", "workshop", "class", "presentation", "party", "recital", "race", "marathon", "audition", "release", "opening", "event", "performance", "launch", "date", "call", "visit", "reunion"), rf"{_WE}(?:'ve|'s)?(?: also| have| has| got)*(?: got)? (?:an?|my|our|the|some|another|two|three) (?:[\w'-]+ ){{0,4}}(?:appointment|interview|meeting|exam|flight|wedding|trip|concert|game|show|competition|tournament|deadline|conference|surgery|workshop|class|presentation|party|recital|race|marathon|audition|event|performance|launch|visit|reunion)\b|(?:^|[,;] )(?:my|our|the) (?:[\w'-]+ ){{0,3}}(?:appointment|interview|meeting|exam|flight|wedding|trip|concert|game|show|competition|tournament|deadline|conference|surgery|workshop|presentation|party|recital|race|marathon|audition|release|opening|event|performance|launch|visit|reunion)(?: (?:for|of|with) [\w ]{{2,30}})?(?:'s| is| will be| starts)\b", time="coming"),
    Rule("milestone", "happening", "occurred", 0.7, ("got ", "lost ", "quit ", "moved", "graduated", "adopted", "bought", "started", "signed up", "enrolled", "opened", "won ", "passed", "published", "released", "retired", "joined", "birth", "promoted", "launched", "proposed", "sold"), rf"{_WE}{_HAVE}{_ADVERB} (?:got (?:married|engaged|divorced|promoted|hired|fired|laid off|accepted|a (?:new |part-time )?(?:job|dog|puppy|cat|kitten|tattoo|promotion|scholarship)|my (?:degree|license|diploma|first))|lost (?:my|our|his|her) (?:job|house|home)|quit (?:my|our|his|her) job|moved (?:to|into|in with) (?!on|the next)|graduated (?:from|last|in)|adopted (?:a|an|two|three|our|my|some)|bought (?:a|an|my|our) (?:\w+ )?(?:house|apartment|flat|car|condo|bike|guitar|piano|boat)|started (?:a|an|my|our) (?:own |new |first |online |small )*(?:job|business|company|store|shop|course|blog|channel|internship|podcast|charity|project)|signed up for (?:a|an|the|some)|enrolled in|opened (?:a|an|my|our) (?:\w+ )?(?:\w+ )?(?:store|shop|studio|business|restaurant|cafe|account)|won (?:a|an|the|my|our|first|second|third)(?! over)|passed (?:my|the) |published (?:a|an|my|our)|released (?:a|an|my|our)|retired\b|gave birth|launched (?:a|an|my|our)|proposed to)", time="any"),
    Rule("dated", "happening", "occurred", 0.7, ("yesterday", "today", "ago", "last ", "night", "morning", "week", "month", "year", "day", "summer", "winter", "spring", "fall", "autumn", "20", "19", "christmas", *_MONTHS.split("|"), *_DAYS.split("|")), rf"{_WE}{_HAVE}{_ADVERB} {_DID}\b(?! something| experience that)(?!.*\bthere\b)(?!.*\b(?:this|the|that|these) (?:pic|photo|picture|shot|snap)s?\b)(?! (?:so|really|you|it|that|them|this[.!,]|a lot of (?:fun|support))\b)", time="past"),
    Rule("since", "happening", "ongoing", 0.7, ("since", "for "), rf"{_LEAD}(?:i|we)(?:'ve|\shave){_ADVERB} been (?!thinking|feeling|hoping|wanting|meaning|wondering|so|really|great|good|missing|dreaming|looking)\w+(?:ing|ed)?\b.* (?:since|for) ", time="past"),
    Rule("project", "state", "ongoing", 0.6, ("uses", "runs on", "written in", "listens on", "built with"), r"^(?:the )?(?:project |service |repo )?(?!he|she|it|who|everyone|everybody|nobody|that|this|which|one|mom|mum|dad|god|she)[\w-]+(?: (?:project|service|repo|repository|app|api|cli|backend|frontend))? (?:now )?(?:uses|runs on|is written in|listens on|is built with) (?!a |an |his|her|the |my |it|that|this|them|up)\S+", company=False),
)  # fmt: skip

# Chinese; the patterns are searched in sentences that hold Chinese characters.
_CAN = r"(?:也|很|最|特别|非常|真的|一直|比较|超|更|平时|都|还|挺|十分|从小|其实|就|蛮)*"
_SELF = r"(?:^|[，,。；;：:、\s]|因为|所以|但是?|而且|其实|不过)"
_SWITCH = "改(?:成|为|到|至|用|放)|换(?:成|为|到|用)|调(?:到|成|整为|整到)|升(?:级)?到|降(?:到|至)|迁(?:移)?到|切(?:换)?到|统一用"
CHINESE: tuple[Rule, ...] = (
    Rule("allergy", "state", "ongoing", 0.9, ("过敏", "糖尿病", "哮喘"), rf"{_SELF}我(?:从小)?(?:对[^，。]{{1,12}}(?:严重)?过敏|[^，。你他她]{{0,4}}过敏[。！.!]*$|有(?:糖尿病|哮喘|[^，。]{{1,8}}过敏))", criticality="safety"),
    Rule("name", "state", "ongoing", 0.9, ("我叫", "我的名字"), rf"{_SELF}(?:我叫(?![他她你它了我做]|外卖|快递|滴滴|救护|服务|[车醒停](?:$|[了，。！]))|我的名字(?:是|叫))\S", criticality="identity"),
    Rule("birthday", "state", "ongoing", 0.8, ("生日", "出生"), rf"{_SELF}我(?:的)?生日是|{_SELF}我(?:是)?[0-9一二三四五六七八九十年月日]{{2,12}}出生", criticality="identity"),
    Rule("home", "state", "ongoing", 0.8, ("住在", "来自"), rf"{_SELF}我(?:现在|目前|一直|们)?(?:住在|来自)(?!这|那|哪|[^，。]*(?:的时候|那时|期间|那会儿|的日子))\S", criticality="identity"),
    Rule("work", "state", "ongoing", 0.8, ("我在", "我是", "工作", "上班"), rf"{_SELF}我(?:现在|目前)?(?:在(?!想|做|这|那|看|学习)[^，。！]{{2,20}}(?:工作|上班|上学|读书|实习)[。！.!]*$|是(?:一?[名个位])[^，。！]{{0,12}}(?:师|生|员|工人|医生|护士|警察|记者|作家|律师|设计师|程序员|教授))", criticality="identity"),
    Rule("diet", "preference", "ongoing", 0.8, ("不吃", "不喝", "吃素", "素食"), rf"{_SELF}我{_CAN}(?:不吃(?!了|饭|早|午|晚|亏|完)|不喝(?!了|完)|吃素|是(?:个)?素食)", criticality="preference"),
    Rule("standing order", "preference", "ongoing", 0.7, ("以后", "从现在起", "今后"), r"^(?:请)?(?:以后|从现在起|今后)(?:请|都|就|每次|只|统一|回答|写|用|不要|别|不再)(?!有机会|再聊|再说)\S{2,}", criticality="preference", company=False),
    Rule("likes", "preference", "ongoing", 0.7, ("喜欢", "爱", "讨厌", "受不了"), rf"{_SELF}我(?:个人|自己)?{_CAN}(?:不(?:太|怎么)?喜欢|喜欢|热爱|偏爱|讨厌|受不了|爱(?=[看吃喝听玩打画唱跳读]))(?!你|这|那|它|他|她|上|和你|与你|跟你|的(?!是)|吗|呢|啊|了)[^，。！？]{{2,}}", criticality="preference"),
    Rule("favourite", "preference", "ongoing", 0.7, ("最喜欢", "最爱", "爱好", "兴趣"), rf"{_SELF}我(?:的(?:业余)?(?:爱好|兴趣(?:爱好)?)(?:是|有|包括)|最(?:喜欢|爱)的[^，。！？]{{1,12}}(?:是|有))(?!什么|吗|和)\S{{2,}}", criticality="preference"),
    Rule("correction", "correction", "occurred", 0.7, ("更正", "说错", "记错", "弄错", "搞错"), r"^(?:更正|抱歉|不好意思|等等|哦|我|刚才|刚刚|上次|之前|[，,：: ]){0,4}(?:更正(?:一下)?|(?:说|记|弄|搞)错了)[，,：:。 ]\S{3,}"),
    Rule("changed mind", "decision", "occurred", 0.7, ("决定", "定了", "就这么定"), r"(?:^|[，。；：:\s]|我|我们|最终|最后|已经|终于)(?<!没)(?<!还没)(?<!没有)决定(?!权|性|了吗|吧|不了|于|因素)了?[^，。？]{3,}|^(?:定了|就这么定了?)[：:，, ]\S{3,}"),
    Rule("switched", "decision", "occurred", 0.65, tuple("改换调升降迁搬移切统"), rf"^(?!.*(?:我(?!们)|被)).*(?:{_SWITCH})(?!了|什么|多少|哪)\s?[^，。？]{{1,}}", company=False),
    Rule("no longer", "decision", "occurred", 0.65, ("不再",), r"不再(?:使?用|需要|维护|支持|发|买|自己)[^，。？]{1,}", company=False),
    Rule("settled value", "decision", "occurred", 0.6, ("用", "定为", "设", "保留", "只留"), r"(?:^|[，。；：:\s]|[^不没使采好有作利])(?:那就|那|就|先|还是|统一|都|只)用\s?(?=[^，。？]*[A-Za-z0-9])[^，。？]{2,}|^[^，。？]{2,12}用\s?[A-Z][\w.+-]*\s?吧?(?:[。.，,]|$)|(?:定为|设为|设成|设(?=\s?\d)|保留(?=\s?\d)|只留)\s?(?=[^，。？]*[0-9一二三四五六七八九十A-Za-z])[^，。？]{1,}", company=False),
    Rule("cancelled", "plan", "cancelled", 0.75, ("取消",), r"(?:^|[，。；\s])(?:我们?的|这次|原定|明天|后天|下周|周)[^，。？]{1,16}取消了", time="any"),
    Rule("plans", "plan", "planned", 0.7, ("打算", "计划", "准备"), rf"{_SELF}(?:我|我们|咱们)(?:正|也|已经|现在|最近|(?:今|明|后)天|这?周末|下周|下个?月|明年|今年)*(?:打算|计划(?!是|书|表|得|的)|准备(?!好|了|的|得))(?!什么|怎么|如何)[^，。？]{{2,}}", time="any"),
    Rule("going to", "plan", "planned", 0.65, ("要", "去", "会", "有"), rf"{_SELF}我们?[^，。？想]{{0,10}}(?:要(?!是|求|不|好|么)|会去|将|准备去|(?<=天)去|(?<=末)去|(?<=周.)去|有(?:一?[个场次])?[^，。？]{{0,6}}(?:考试|面试|会议|比赛|演出|航班|手术|聚会|婚礼|预约))[^，。？]{{1,}}", time="coming"),
    Rule("going to", "plan", "planned", 0.65, ("我", "发"), rf"{_SELF}(?:那)?(?:明天|后天|下周|下个?月|明年|这?周[一二三四五六日末])[^，。？想]{{0,4}}(?:我们?要|我们?会去|我们?去|发布|发版|上线)[^，。？]{{0,}}", time="coming"),
    Rule("dated", "happening", "occurred", 0.7, tuple("天周月年晚早"), r"我[^，。？]{0,14}(?:去|参加|看|买|搬|换|吃|做|完成|开始|收到|见到|遇到|遇见|找到|通过|赢|输|毕业|入职|辞|写|读|跑|拿到|参观|报名|订|卖|丢|修|画|玩|爬|学会|听)(?:[^，。？]{0,4}?(?:了|过|完)|到了)|(?:昨天|前天|上周|上个?月|去年|今天)[^，。？你他她]{0,8}我?[^，。？你他她]{0,4}(?:去|参加|买|搬|完成|收到|参观|报名|看)了", time="past"),
)  # fmt: skip

# What makes a sentence none of this: questions, wishes and conditions, hearsay, jokes.
OPEN = (
    r"[?？]|\b(?:maybe|perhaps|might|could|would|wouldn't|couldn't|should i|should we|shall|if|unless|whether|what about|how about|why don't|i'd|we'd|they'd|you'd|consider\w*|thinking (?:of|about)|think about|let me think|wish|wishing"
    r"|hope|hoping|hopefully|want to|wanna|wants? to|would like|possibly|probably|suppose|supposedly|imagine|pretend|dream(?:ing|t)? (?:of|about)|i (?:dreamed|dreamt)|hypothetically|assuming|in case|for example|for instance|e\.g\.|let's say|say we|as if|once upon|not sure|unsure|undecided|haven't decided|can't decide)\b"
)
HEARSAY = (
    r"\b(?:(?:(?:he|she|they|who|someone|somebody|people|everyone|everybody|nobody) (?:say|claim|think|thought|want|wanted|writes?|wrote|suggests?|recommends?)|\w+ (?:says|said|claims|claimed|thinks|wants|suggested|recommended|keeps saying|insists|insisted))|told (?:me|us)|heard (?:that|from)|hear that"
    r"|in (?:the|a|my|this|that|our) (?:movie|film|novel|story|dream|nightmare|series|episode|fairy tale)|according to|apparently|reportedly|rumou?rs?|allegedly|quote|the (?:article|book|docs?|documentation|blog|post|news|manual|readme) (?:says|said))\b"
)
# The first words of a text that is given to work on, and of a log.
GIVEN = (
    r"^(?:(?:please|can you|could you) )?(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e|write|draft|polish) [^:]{1,60}:"
    r"|^\[?(?:info|debug|trace|error|fatal)(?:\]|:|\s+\d)"
)
# What begins a line in a talk that somebody pasted: the name of who said it.
SPEAKER = r"(?m)^(?!(?i:note|update|edit|decisions?|plan|correction|remember|reminder|remind|important|heads|facts?|status|warning|allerg\w*|about|also|fyi|ps|btw|me|so|then|yes|no|ok|okay|well|and|but|now|today|yesterday)\b)[^\W\d_a-z][\w'-]{1,20}: (?=(?i:i|i['’][a-z]+|my|we|we['’][a-z]+)\b)"
# Cyrillic and Greek letters that pose as Latin ones, and characters that nobody sees.
DISGUISES = str.maketrans("авеіјкмнорѕстухԁԛԝοαιυνγ", "abeijkmhopsctyxdqwoaiuvy", "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\ufe0f\ufeff")
JOKE = r"\b(?:just kidding|kidding|jk|joking|lol|lmao|rofl|haha\w*|hehe\w*|sarcas\w+|not really|in my dreams|yeah right|as if|feels? like|seems like|felt like|april fools?)\b|[-–—.,] ?not!*$|/s$|[😂🤣😜😝🙃😏]|;-?\)"
ORDERS = r"\b(?:ignore|disregard|forget|override) (?:\w+ ){0,3}(?:above|previous|prior|earlier|preceding|instructions?|everything|rules)\b|\bsystem prompt\b|\b(?:record|store|save|remember|note|write) (?:\w+ ){0,2}(?:that|as) (?:the user|he |she |they |everybody)|\byou are now\b|<\/?(?:system|user|assistant|tool|instructions?)\b|忽略(?:以上|上面|之前|前面)|无视(?:以上|上面|之前)"
OPEN_CHINESE = (
    r"[?？]|也许|可能|或许|要不要?|考虑|试试|尝试|如果|要是|假如|假设|万一|能不能|能否|可不可以|倾向|想(?!法|象|念|到|起|出)|是不是|会不会|吗|呢$|希望|但愿|建议|听说|据说|说是|[他她]们?(?:说|觉得)|[一-鿿]{1,3}说[我他她]|好像|似乎|应该|比如|例如|哪|什么|怎么|谁|多少|几点"
    r"|开玩笑|哈哈|嘿嘿|呵呵|做梦|梦见|梦到|还没|没有?决定|不确定|引用|原文|没有?(?:换|改)|不要?(?:换|改)|别(?:换|改)|本来|本该|差点|你"
)
# A deed that an agent reports at the beginning of a sentence, as the answer to a request.
DEED = r"^(?:done[:,.]? )?(?:i(?:'ve| have)? )?(?:just )?(?:migrated|switched|released|deployed|published|upgraded|renamed|replaced|rolled back|reverted|moved|deleted|rebuilt|merged)\b(?! (?:it|them|that|this)\b)(?!.*\b(?:because|unless|if)\b)[: ].{8,}|^已?(?:经)?(?:部署|发布|迁移|回滚|升级|删除)(?:了|完成|到|完)"
# A confirmation that what was asked for right before is done.
CONFIRMED = r"^(?:done|fixed|changed|set|switched|migrated|moved|renamed|replaced|updated|removed|implemented|bumped|raised|lowered|deleted|converted|applied|wrote|added|all done)\b|^(?:已|改好|改完|换好|换完|改了|设置?好|已经|好了|完成|搞定|接好|接入完毕)"
NEGATED = r"\b(?:didn't|did not|wasn't|weren't|never|haven't|hasn't|hadn't|not yet|almost|nearly|was going to|were going to|was supposed to|were supposed to|used to)\b"
DENIED = r"\b(?:not|never|neither|nobody\w*)\b|n't\b|n’t\b"
NEGATED_CHINESE = "没|不"
