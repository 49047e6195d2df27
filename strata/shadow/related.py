"""Words of everyday talk and of software that a question may use for others: kinds and their members, and near synonyms.

A question asks for "pets" where the answer says "puppy". Each line gives words for a kind, a colon, and words that
belong to it; a line without a colon gives words that stand for each other. They count as a faint echo of the word
that was asked for, so that a text with the very word stays ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

_KINDS = """
pet animal: dog cat puppy kitten turtle tortoise hamster rabbit bunny parrot bird fish snake lizard gecko horse pup pooch critter
wild animal: bear deer wolf fox eagle elephant lion tiger monkey whale dolphin owl
dog: puppy pup pooch shepherd retriever labrador poodle terrier beagle husky collie
insect bug: bee butterfly ant spider mosquito
flower plant: rose tulip daisy sunflower lily orchid garden cactus succulent herb
tree: oak pine maple willow birch palm
fruit: apple banana orange grape strawberry cherry peach mango lemon pear berry
vegetable: carrot potato tomato onion pepper broccoli spinach cucumber lettuce kale
country nation abroad: england france spain germany italy portugal greece ireland scotland sweden norway denmark finland iceland poland austria switzerland netherlands turkey russia ukraine canada mexico brazil argentina peru chile colombia japan china korea india thailand vietnam indonesia malaysia singapore australia zealand egypt morocco kenya africa
european europe: england france spain germany italy portugal greece ireland scotland sweden norway denmark finland iceland poland austria switzerland netherlands london paris rome madrid barcelona berlin vienna amsterdam prague
asian asia: japan china korea india thailand vietnam indonesia malaysia singapore tokyo beijing bangkok bali
state: california texas florida washington oregon nevada arizona colorado minnesota michigan ohio georgia virginia carolina massachusetts illinois pennsylvania hawaii alaska utah montana wisconsin tennessee
city town: york london paris tokyo boston seattle chicago miami angeles francisco diego vegas orlando phoenix denver toronto vancouver barcelona rome berlin madrid amsterdam sydney dublin prague beijing shanghai bangkok
place location venue: park beach museum city cafe lake school restaurant theater stadium library
landmark sight: tower castle cathedral bridge temple palace monument museum
park: national theme amusement trail forest
mountain: hike peak summit climb ski ridge
water: lake river sea ocean pool swim
beach: ocean sea sand coast surf waves
accommodation lodging stay: hotel hostel airbnb cabin resort tent
transport commute: train bus subway metro taxi bike plane tram ferry car
vehicle car: toyota honda ford tesla truck motorcycle van suv driving drove
damage repair: crash accident fix storm flood leak mechanic
weather: rain snow storm sunny hot cold flood wind cloudy
natural disaster: flood earthquake hurricane storm fire tornado drought
instrument: guitar piano violin drum flute clarinet saxophone cello trumpet ukulele keyboard harp
sport: basketball football soccer baseball tennis volleyball golf swimming surfing skiing snowboarding hockey cricket badminton climbing boxing running cycling yoga rugby skating
martial: karate judo taekwondo kickboxing boxing kungfu jiujitsu aikido wrestling
exercise workout fitness training: gym yoga run running weights lifting cardio boxing pilates cycling swimming jog hike
outdoor nature: hike hiking camp camping trail mountain climb kayak fishing beach forest park canoe surfing biking
activity hobby interest pastime: hike camp paint painting swim dance read reading cook cooking bake baking game gaming garden gardening yoga pottery photography music guitar craft knitting travel fishing surfing running cycling chess
art artwork: paint painting drawing sketch sculpture pottery canvas gallery exhibit
craft handmade: pottery clay knit knitting sew sewing woodwork crochet
relax unwind destress: yoga meditate meditation bath walk music massage spa calm nap
food dish meal cuisine: pizza pasta salad soup sandwich burger cake pie bread rice noodle sushi curry steak chicken salmon taco cheese chocolate vegetable fruit lasagna roast stew grilled
dessert sweet treat snack: cake pie cookie chocolate brownie tart pudding cream cupcake muffin candy pastry doughnut
recipe cook bake: cake pie cookie soup salad chicken sauce cream bread pasta roast grilled ingredient
drink beverage: coffee tea beer wine juice soda smoothie cocktail milk
ingredient: flour sugar butter egg milk salt garlic oil
movie film: drama comedy thriller trilogy cinema watch documentary series scene actor director
genre: drama romance comedy thriller horror fantasy mystery action rock jazz pop classical rpg strategy adventure documentary
music song: band rock jazz pop classical album concert tune singer lyric
band musician artist singer: rock jazz pop concert album music song festival
concert gig: festival band music stage perform live
book novel: read author series chapter fantasy mystery biography story trilogy library
game: xbox playstation nintendo console rpg strategy chess controller multiplayer quest
console platform: xbox playstation nintendo switch pc
device equipment gadget technology: phone laptop computer tablet camera keyboard monitor headset printer router
appliance: oven fridge microwave blender washer dishwasher vacuum
furniture: sofa couch desk chair table bed shelf lamp
color colour: red blue green yellow purple pink orange black white brown grey
shape: round square circle triangle heart star
material: wood metal glass leather cotton plastic stone clay
clothes clothing outfit: shirt dress hoodie jacket shoes jeans hat costume skirt coat
jewelry: necklace ring pendant bracelet earring
appearance look: hair dyed tattoo glasses beard tall outfit
body injury: back knee shoulder ankle wrist leg arm neck foot
job career occupation profession: teacher nurse doctor engineer lawyer accountant designer developer manager waiter banker counselor mechanic hired fired promotion salary office interview
financial money finance: rich poor budget debt loan salary afford wealthy expensive saving invest bank bill
price cost fee: dollar euro pound yuan expensive cheap free
degree major study education: psychology counseling engineering biology history medicine law business science policy nursing math college university course graduate
subject: math physics chemistry biology history geography literature art
relationship status: single married divorced dating boyfriend girlfriend husband wife partner breakup engaged widowed
relative family: mom mother dad father sister brother son daughter kid wife husband grandma grandmother grandpa grandfather aunt uncle cousin niece nephew child
children kid child: son daughter baby toddler brother sister
parent: mom mother dad father
grandparent: grandma grandmother grandpa grandfather granny
health illness medical condition: asthma allergy cancer diabetes flu fever injury pain surgery hospital doctor diagnosed migraine anxiety depression
allergic allergy: fur dust pollen nuts peanut dairy gluten
medicine medication treatment: pill tablet dose therapy antibiotic vaccine prescription
diet eating: vegan vegetarian gluten sugar weight healthy lactose keto
emotion feeling feel: happy sad excited nervous proud grateful angry scared relieved thankful stressed overwhelmed anxious
personality trait attribute: kind caring thoughtful honest brave helpful generous selfless passionate driven creative rational strong
support help: encourage backing volunteer donate mentor aid
volunteer charity community service: shelter donate donation fundraiser homeless nonprofit mentor cleanup
cause: education infrastructure veteran homeless environment rights poverty hunger
political politics: campaign vote election liberal conservative candidate democrat republican rights policy
religion religious faith spiritual: church god pray prayer bible christian mosque temple buddhist
military: army navy veteran soldier
holiday celebration: christmas thanksgiving halloween easter birthday anniversary wedding party fireworks
event: festival concert parade conference workshop tournament party race fundraiser wedding competition ceremony meeting exhibition
competition contest tournament: win won prize trophy champion title
achievement accomplish milestone: finished won published completed graduated promoted award
award prize: won trophy medal champion certificate
gift present: gave necklace book toy doll
problem issue challenge trouble obstacle setback hurdle struggle: tough hard doubt difficult
accident: crash hit broke injured
travel trip vacation visit: flight hotel beach tour abroad explored coast
social media: instagram youtube tiktok twitter facebook blog post followers channel
business company: startup store shop studio brand customers clients investor
advertise promote marketing: ads campaign influencer website followers flyer
class lesson course workshop: learn teacher
talk speech presentation: spoke audience conference
meeting appointment schedule: calendar tomorrow monday tuesday wednesday thursday friday oclock
language: english spanish french german italian chinese japanese korean python rust go java javascript typescript ruby c++ kotlin swift
database storage: postgres postgresql mysql sqlite redis mongodb duckdb dynamodb cassandra s3
cache: redis memcached ttl
queue broker: kafka rabbitmq sqs nats celery
editor ide: vim neovim emacs vscode helix intellij
package manager: npm pnpm yarn pip uv poetry cargo bun conda
dependency: library package npm pip cargo upgrade pinned
framework library: react vue svelte django flask fastapi rails express nextjs angular
cloud hosting provider: aws gcp azure hetzner heroku vercel cloudflare
operating system: linux ubuntu debian macos windows fedora
pipeline ci: github actions gitlab jenkins workflow build
test testing: pytest jest vitest junit unittest playwright
container orchestration: docker kubernetes podman compose helm
auth authentication login: jwt oauth session token cookie sso password
secret credential: token key password vault env
error failure exception: traceback timeout segfault panic fail failed crash
logging monitoring: sentry grafana prometheus datadog log
deploy deployment rollout: ship staging production rollback canary release
endpoint url address: localhost http api route
license licence: mit apache gpl bsd
shell terminal: bash zsh fish powershell
format serialization: json yaml toml xml csv protobuf parquet
formatter linter lint: ruff black eslint prettier biome flake8
branch merge: rebase main master pull
migration schema: alembic column table index
宠物 动物: 猫 狗 小狗 小猫 乌龟 兔子 仓鼠 金毛 鹦鹉
乐器: 吉他 钢琴 小提琴 二胡 古筝 笛子
运动 锻炼: 跑步 游泳 篮球 足球 羽毛球 瑜伽 健身 爬山 骑车
国家: 中国 日本 韩国 美国 英国 法国 德国 泰国 西班牙 意大利
城市: 北京 上海 广州 深圳 杭州 成都 南京 西安 武汉
美食 食物 饮食: 面条 米饭 火锅 饺子 蛋糕 烧烤 沙拉 寿司
工作 职业: 老师 医生 工程师 律师 设计师 程序员 公司 上班 面试
家人 亲人: 妈妈 爸爸 姐姐 哥哥 弟弟 妹妹 父母 爷爷 奶奶 女儿 儿子
爱好 兴趣: 画画 看书 阅读 唱歌 跳舞 摄影 旅行 游戏 音乐 电影
书籍: 小说 阅读 作者 作家
心情 情绪: 开心 难过 生气 焦虑 紧张 高兴 伤心 压力
数据库: postgres mysql sqlite redis mongodb
端口: port localhost
报错 错误: error 异常 失败 超时
部署: deploy 上线 发布 docker
"""
_SAME = """
kid child
mom mother mum
dad father
sibling brother sister
husband wife spouse partner
boyfriend girlfriend partner
friend buddy pal mate
colleague coworker workmate
wedding marry marriage engaged
divorce breakup split separate
job work career occupation
boss manager employer
fired laid unemployed
company business firm startup
shop store
buy purchase bought
sell sold sale
money budget cost pay
car vehicle
accident crash collision
house home apartment flat
move relocate
city town
trip journey vacation holiday travel getaway
plane flight airport
camp camping tent
ocean sea beach coast
food meal dish
dinner lunch breakfast
sick ill illness disease
hurt injury injured pain
doctor hospital medical
exercise workout gym
race marathon
match game
team club squad
win won victory
lose lost defeat
movie film
author write writing
photo picture image photograph
school college university
teacher professor instructor
student pupil
exam test
happy glad joy excited thrilled
sad upset depressed
angry mad annoyed
scared afraid fear nervous anxious
stress stressed pressure overwhelmed
calm peace relax
proud achievement
love adore
hate dislike
help support assist
charity donate volunteer
party celebrate celebration
meet met encounter
talk chat conversation
phone call
email message
computer laptop pc
idea thought
problem issue challenge difficulty trouble
goal dream aim plan
begin start
end finish complete
big large huge
small little tiny
hair haircut
clothes outfit dress shirt
police officer
lawyer legal law
election vote campaign
community neighborhood
build construct
fix repair
broke broken damage
health healthy
sleep rest
adopt adoption
bike bicycle cycling
advice suggest recommend tip
quit leave
website online internet
delete remove erase
rename renamed
directory folder
function method
repo repository
database db
config configuration settings
env environment
dependency package
bug error defect
crash segfault panic
slow latency performance
deploy ship release
upgrade update bump
k8s kubernetes
postgres postgresql
js javascript
ts typescript
妈妈 母亲
爸爸 父亲
喜欢 喜爱
电影 影片
工作 上班
生病 感冒 不舒服
"""


def related(wanted: Iterable[str], terms: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """For each of the wanted index terms the terms that echo it, in the order of the lines; `terms` cuts a text into index terms."""
    found: dict[str, dict[str, None]] = {term: {} for term in wanted}
    for line in _KINDS.strip().split("\n") + _SAME.strip().split("\n"):
        heads, _, members = line.partition(": ")
        for term in _meant(found, heads, terms):
            found[term] |= dict.fromkeys(other for word in f"{heads} {members}".split() for other in _whole(word, terms) if other != term)
    return {term: list(echoes) for term, echoes in found.items()}


def _meant(found: dict[str, dict[str, None]], heads: str, terms: Callable[[str], list[str]]) -> list[str]:
    """Those of the wanted terms that a line begins with; only words that begin alike are cut into terms."""
    alike = [word for word in heads.split() if any(word[:2] == term[:2] for term in found)]
    return [term for word in alike for term in _whole(word, terms) if term in found]


def _whole(word: str, terms: Callable[[str], list[str]]) -> list[str]:
    """The terms of a word, without the single characters of a longer one in a script without spaces."""
    return [term for term in dict.fromkeys(terms(word)) if len(term) > 1 or term == word or term.isascii()]
