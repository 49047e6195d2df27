"""English forms that no stemming rule reaches, and the words a question can do without."""

from __future__ import annotations

_FORMS = """
be: am is are was were been being
have: has had having
do: does did done doing
go: goes went gone
arise: arose arisen
awake: awoke awoken
bear: bore borne
beat: beaten
become: became
begin: began begun
bend: bent
bind: bound
bite: bit bitten
bleed: bled
blow: blew blown
break: broke broken
breed: bred
bring: brought
build: built
burn: burnt
buy: bought
catch: caught
choose: chose chosen
cling: clung
come: came
creep: crept
deal: dealt
dig: dug
draw: drew drawn
dream: dreamt
drink: drank drunk
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
feel: felt
fight: fought
find: found
flee: fled
fling: flung
fly: flew flown
forbid: forbade forbidden
forget: forgot forgotten
forgive: forgave forgiven
freeze: froze frozen
get: got gotten
give: gave given
grind: ground
grow: grew grown
hang: hung
hear: heard
hide: hid hidden
hold: held
keep: kept
kneel: knelt
know: knew known
lay: laid
lead: led
lean: leant
leap: leapt
learn: learnt
leave: left
lend: lent
lie: lain
light: lit
lose: lost
make: made
mean: meant
meet: met
mistake: mistook mistaken
pay: paid
prove: proven
ride: rode ridden
ring: rang rung
rise: rose risen
run: ran
say: said
see: saw seen
seek: sought
sell: sold
send: sent
sew: sewn
shake: shook shaken
shine: shone
shoot: shot
show: shown
shrink: shrank shrunk
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
slide: slid
smell: smelt
sow: sown
speak: spoke spoken
speed: sped
spell: spelt
spend: spent
spill: spilt
spin: spun
spit: spat
spoil: spoilt
spring: sprang sprung
stand: stood
steal: stole stolen
stick: stuck
sting: stung
strike: struck stricken
strive: strove striven
swear: swore sworn
sweep: swept
swell: swollen
swim: swam swum
swing: swung
take: took taken
teach: taught
tear: tore torn
tell: told
think: thought
throw: threw thrown
understand: understood
undertake: undertook undertaken
wake: woke woken
wear: wore worn
weave: wove woven
weep: wept
win: won
wind: wound
withdraw: withdrew withdrawn
write: wrote written
good: better best
bad: worse worst
child: children
person: people
man: men
woman: women
mouse: mice
goose: geese
foot: feet
tooth: teeth
life: lives
wife: wives
knife: knives
leaf: leaves
shelf: shelves
half: halves
wolf: wolves
index: indices
matrix: matrices
vertex: vertices
analysis: analyses
crisis: crises
criterion: criteria
phenomenon: phenomena
"""

_PLAIN = """
a an the this that these those and or but nor so than then as if of at by for from in into on onto to with without
about over under between through during before after up down out off again
i me my mine myself you your yours yourself he him his himself she her hers herself it its itself
we our ours ourselves they them their theirs themselves
be have do will would shall should can could might must
what which who whom whose when where why how
not no there here some any both each too very just also only ever
"""

_PLAIN_STEMS = "ani befor dure onli ourselv themselv veri whi"  # what stemming makes of those it changes


def base_forms() -> dict[str, str]:
    """Irregular form to base form: `went` to `go`, `children` to `child`."""
    return {form: base for base, forms in (line.split(":") for line in _FORMS.strip().splitlines()) for form in forms.split()}


def plain_words() -> list[str]:
    """Words that carry grammar rather than meaning, in their base form."""
    return _PLAIN.split()


def plain_terms() -> list[str]:
    """`plain_words` as terms; written down, since stemming them anew would cost each search 3 ms."""
    return [*_PLAIN.split(), *_PLAIN_STEMS.split()]
