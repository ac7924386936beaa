import { compileAhead, lazilyInSteps } from '../../../platform/lazily.ts'
import { fold, foldedWords } from '../../../search/words/fold.ts'
import { nearAmong } from '../../../search/words/spelling.ts'
import table from './person.json' with { type: 'json' }

/**
 * How people ask for a human in a language: folded words, alternatives separated by `|`, `~` for any ending. Maintained
 * by hand in `person.json`.
 */
interface Asking {
  /** Written without word spaces. */
  glued?: boolean
  /** Who is asked for; and who only together with `talk` or `after`: someone, the support. */
  who?: string
  any?: string
  /** Words between verb and noun: articles, `real`, `please`. */
  fill?: string
  /** Verbs before the noun (`talk to`, `connect me with`), and after it, then with what precedes the noun. */
  talk?: string
  with?: string
  after?: string
  /** What one wants or looks for, and who then: a word that means nothing but a human being. */
  want?: string
  real?: string
  /** Words that may accompany `who` if nothing else is said: `human please`. */
  alone?: string
  /** Whole wordings, and those that ask to be called (back), unless it is before or after something. */
  more?: string
  call?: string
  /** Who is not wanted where a person is: a robot. */
  robot?: string
  /** What right before or behind it says that it is not wanted, and what says so, or that it is past, anywhere. */
  no?: string
  noAfter?: string
  past?: string
}

/** The same, compiled. */
interface Wording {
  language: string
  glued: boolean
  /** One for each way to ask: together they take twice as long to compile as nobody may wait. */
  wanted: readonly RegExp[]
  alone: RegExp | null
  before: RegExp | null
  behind: RegExp | null
  past: RegExp | null
}

/** Nobody asks for a person in a longer message, or in a longer clause of one. */
const [LONGEST_WISH, LONGEST_CLAUSE] = [300, 160]
/** A shorter word never counts as mistyped. */
const SHORTEST = 4
/** Maximum words besides the verb and besides the noun. */
const FILLED = '{0,4}'
/** A word of the tables long enough to be recognized when mistyped. */
const WORD = /(?<=[ |(:]|^)(?:[a-z]{5,}|[^ -~]{4,})(?=[ |)]|$)/gu
const CLAUSE_END = /(?:(?<=\p{L}{3})\.|[,;:!?…،؛؟。、，！？；\n()–—])+/u

const LANGUAGES = Object.entries(table as Record<string, Asking>)

const wordings = lazilyInSteps(function * (): Generator<void, Wording[]> {
  const made: Wording[] = []
  for (const [language, asking] of LANGUAGES) {
    made.push(wordingOf(language, asking))
    yield
  }
  return made
})
const compiled = wordings.get

function wordingOf (language: string, asking: Asking): Wording {
  const glued = asking.glued === true
  const [gap, ends] = glued ? ['', ''] : [' ', '(?= )']
  const part = (words: string) => `${gap}(?:${fold(words).replaceAll('~', glued ? '' : '[^ ]*')})`
  const fill = asking.fill ? `(?:${part(asking.fill)})${FILLED}` : ''
  const both = [asking.who, asking.any].filter(Boolean).join('|')
  const { who, talk, after, want, real, more, call } = asking
  const wanted = [
    talk && part(talk) + fill + part(both),
    after && (asking.with ? part(asking.with) : '') + fill + part(both) + fill + part(after),
    want && part(want) + fill + part(real ?? who!),
    more && part(more),
    call && part(call),
    asking.robot && noRobotBut(asking, part)
  ].filter((one) => typeof one === 'string')
  const made = (expression: string | undefined, wrap: (part: string) => string) =>
    expression === undefined ? null : new RegExp(wrap(part(expression)), 'gu')
  const beside = asking.alone ? `(?:${part(asking.alone)}){0,6}` : ''
  return {
    language,
    glued,
    wanted: wanted.map((one) => new RegExp(`(?:${one})${ends}`, 'gu')),
    alone: who ? new RegExp(`^${beside}${part([who, real].filter(Boolean).join('|'))}${beside} ?$`, 'u') : null,
    before: made(asking.no, (no) => `${no}${fill && `${fill.slice(0, -FILLED.length)}?`}$`),
    behind: made(asking.noAfter, (no) => `^${no}`),
    past: made(asking.past, (past) => past + ends)
  }
}

/** "No robot, I want a human", "I do not want to talk to a bot": in either order, and what else stands between. */
function noRobotBut (asking: Asking, part: (words: string) => string): string {
  const { robot, no, noAfter, talk, after, who, real, glued } = asking
  const [between, one, end] = glued ? ['.{0,6}', '', '$'] : ['(?: [^ ]+){0,4}', '(?: [^ ]+)?', '(?= $)']
  const human = part([who, real].filter(Boolean).join('|'))
  const refused = [no && part(no) + between + part(robot!), noAfter && part(robot!) + between + part(noAfter)]
    .filter(Boolean).join('|')
  // To a robot alone, and, where the verb comes last, with one to talk.
  const talking = [
    no && talk && part(no) + part(talk) + one + part(robot!) + end,
    no && after && asking.with && part(no) + part(asking.with) + one + part(robot!) + part(after) + end
  ].filter(Boolean).map((way) => `|${way}`).join('')
  return `(?:${refused})${between}${human}|${human}${between}(?:${refused})${talking}`
}

/** A comma before what says when: "call me, before you come" is one wish. */
const WHEN = new RegExp(
  ',(?= (?:bevor|ehe|wenn|sobald|falls|als|voordat|wanneer|zodra|when|before|if|once|когда|если|перед|прежде|коли|якщо|' +
    'kiedy|gdy|jak|zanim|jeśli|když|až|než|keď|mielőtt|amikor|ha|când|dacă|innan|när|inden|når|før|ennen|kun) )',
  'giu'
)

/** Every word of the tables that is matched literally, and in which languages. */
const literal = lazilyInSteps(function * (): Generator<void, Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  for (const [language, { glued, who, any, talk, after, want }] of LANGUAGES) {
    if (glued) continue
    for (const [word] of fold([who, any, talk, after, want].join('|')).matchAll(WORD)) {
      found.set(word, (found.get(word) ?? new Set()).add(language))
    }
    yield
  }
  return found
})
const vocabulary = literal.get

const near = lazilyInSteps(() => nearAmong(vocabulary().keys()))
const nearWords = near.get

/** Cached results for the latest messages: several steps of a turn need that of one message. */
const latest = new Map<string, readonly string[]>()
const LATEST = 20

/**
 * The languages in which a message asks for a human, whatever else it says; none if it does not. Anything one letter
 * away from a word of the table counts as mistyped.
 */
export function languagesAskingForPerson (text: string): readonly string[] {
  if (text.length > LONGEST_WISH) return []
  const before = latest.get(text)
  if (before) return before
  const found = new Set<string>()
  for (const part of text.replaceAll(WHEN, '').split(CLAUSE_END)) {
    const clause = foldedWords(part)
    if (clause === '' || clause.length > LONGEST_CLAUSE) continue
    for (const language of languagesOf(clause)) found.add(language)
  }
  if (latest.size >= LATEST) latest.clear()
  latest.set(text, [...found])
  return [...found]
}

/** Prepares ahead, an expression per step, what would delay the first message: expressions are compiled in use. */
export function * prepareAskingForPerson (): Generator<void> {
  yield * wordings.ahead()
  yield * literal.ahead()
  for (const { wanted, alone, before, behind, past } of compiled()) {
    for (const expression of [...wanted, alone, before, behind, past]) if (expression) yield * compileAhead(expression)
  }
  yield * near.ahead()
}

function languagesOf (clause: string): string[] {
  const meanings = compiled().map((wording) => [wording.language, meaningOf(clause, wording)] as const)
  const asking = meanings.filter(([, meaning]) => meaning === 'asked').map(([language]) => language)
  // If they say they want none, it is not a typo.
  return asking.length > 0 || meanings.some(([, meaning]) => meaning === 'refused') ? asking : mended(clause)
}

/** Whether a clause asks for a person, says that none is wanted, or neither. */
function meaningOf (
  clause: string, { glued, wanted, alone, before, behind, past }: Wording
): 'asked' | 'refused' | undefined {
  const text = glued ? clause.replaceAll(' ', '') : ` ${clause} `
  if (has(past, text)) return 'refused'
  if (alone?.test(text)) return 'asked'
  let meaning: 'refused' | undefined
  for (const [from, to] of placesOfAny(wanted, text)) {
    if (!has(before, text.slice(0, from)) && !has(behind, text.slice(to))) return 'asked'
    meaning = 'refused'
  }
  return meaning
}

/** Where what several expressions find begins and ends; of places that overlap, the one that begins first. */
function * placesOfAny (expressions: readonly RegExp[], text: string): Generator<[from: number, to: number]> {
  let end = 0
  for (const [from, to] of expressions.flatMap((one) => [...placesOf(one, text)]).sort((a, b) => a[0] - b[0])) {
    if (from < end) continue
    end = to
    yield [from, to]
  }
}

/**
 * Where what an expression finds begins and ends. `matchAll` copies the expression, and Node compiles the copy again
 * where it has forgotten the code: all of them took 80 ms.
 */
function * placesOf (expression: RegExp, text: string): Generator<[from: number, to: number]> {
  expression.lastIndex = 0
  for (let found = expression.exec(text); found; found = expression.exec(text)) {
    const next = expression.lastIndex
    yield [found.index, next]
    expression.lastIndex = next
  }
}

/** Whether an expression matches a text. */
function has (expression: RegExp | null, text: string): boolean {
  return expression !== null && text.search(expression) >= 0
}

/** The same with typos corrected. */
function mended (clause: string): string[] {
  const words = clause.split(' ')
  const meant = words.map((word) => vocabulary().has(word) || word.length < SHORTEST
    ? []
    : nearWords()(word))
  if (meant.every((near) => near.length === 0)) return []
  return compiled().filter((wording) => {
    const read = words.map((word, at) =>
      meant[at]!.find((near) => vocabulary().get(near)!.has(wording.language)) ?? word)
    return !wording.glued && meaningOf(read.join(' '), wording) === 'asked'
  }).map(({ language }) => language)
}
