import { mostOf, seenOf, TAUGHT, type Taught, type Weights } from '../../../src/search/sense/certainty.ts'
import { besidesOf } from '../../../src/search/sense/asked.ts'
import { readConfig } from '../../../src/config.ts'
import { isRight, offeredBeside, ordered, outcomeOf, putAll, type Outcome, type Put } from './evidence.ts'
import { fit, likelihood, type Example, type Learnt } from './logistic.ts'

const USAGE = `npm run fit:certainty -- DIRECTORY… [--penalty 10] [--wrong 0.0075] [--false 0.095]

  DIRECTORY  a folder of places, as bench:places reads them; a place of the same name is asked once
  --penalty  of the square of each weight, had its figure a deviation of 1
  --wrong    which share of all questions may be answered wrongly and surely at most
  --false    which share of what nobody can know may be offered something at most

Fits how sure an answer is (src/search/sense/certainty.ts) to what is right, each place judged by what the others teach,
beside the weights in use, and prints the weights that all places teach together.`

const KEYS = Object.keys(TAUGHT.right) as (keyof Weights)[]
/** From where an answer is sure and offered, if nothing is set. */
const { ANSWER_SURE: SURE, ANSWER_MAYBE: MAYBE } = readConfig({})
/** In larger agents the words count as well, and nothing is refused. */
const SMALL = 0.4

/** The best passage for a question, whether it is right, and whether it or one that is offered beside it is. */
interface Case { put: Put, seen: number[], most: number, isRight: boolean, isHelp: boolean }

/** What is asked of the fit. */
interface Aims { penalty: number, wrong: number, falsely: number }

function caseOf (put: Put): Case[] {
  const found = ordered(put)
  const best = found.find(({ quotes }) => quotes.length > 0)
  if (best?.evidence === undefined || put.weight < SMALL) return []
  const besides = besidesOf(found.map((one) => ({ ...one, confidence: one.before })))
  const beside = besides[found.indexOf(best)]!
  const seen = seenOf({ fit: best.fit, evidence: best.evidence }, beside)
  return [{
    put,
    seen: KEYS.map((key) => seen[key]),
    most: mostOf(best.evidence),
    isRight: isRight(put, best),
    isHelp: [best, ...offeredBeside(put, found)].some((one) => isRight(put, one))
  }]
}

/** What cases teach; how far what is bounded may go says nothing of the limits. */
function teach (cases: readonly Case[], { penalty, wrong, falsely }: Aims): Taught {
  const [maySure, mayHelp] = [cases.filter(({ most }) => most >= SURE), cases.filter(({ most }) => most >= MAYBE)]
  const learn = (is: (one: Case) => boolean) =>
    fit(cases.map((one): Example => ({ seen: one.seen, is: is(one) })), penalty)
  const [right, helps] = [learn((one) => one.isRight), learn((one) => one.isHelp)]
  const unknown = ({ put }: Case) => put.expected === null
  const isWrong = maySure.filter((one) => !one.isRight)
  const isFalse = mayHelp.filter(unknown)
  return {
    right: weightsOf(right),
    helps: weightsOf(helps),
    rightEven: right.even + logit(SURE) - limitOf(right, isWrong, wrong * cases.length),
    helpsEven: helps.even + logit(MAYBE) - limitOf(helps, isFalse, falsely * cases.filter(unknown).length)
  }
}

/** The odds from which at most so many of some cases are reached: half way to the next. */
function limitOf (learnt: Learnt, cases: readonly Case[], most: number): number {
  const odds = cases.map(({ seen }) => logit(likelihood(learnt, seen))).sort((a, b) => b - a)
  const at = Math.floor(most)
  return ((odds[at - 1] ?? odds[0] ?? 0) + (odds[at] ?? odds.at(-1) ?? 0)) / 2
}

const logit = (share: number) => Math.log(share / (1 - share))
const weightsOf = ({ weights }: Learnt) =>
  Object.fromEntries(KEYS.map((key, at) => [key, weights[at]!])) as unknown as Weights

const HEADS: [Outcome, string][] = [
  ['right and sure', 'r+sure'], ['right and offered', 'r+offer'], ['missed', 'missed'], ['wrong and offered', 'w+offer'],
  ['wrong and sure', 'w+sure'], ['honest', 'honest'], ['not honest', 'not h.']
]

function print (name: string, puts: readonly Put[], by: (put: Put) => Taught): void {
  const outcomes = puts.map((put) => outcomeOf(put, by(put), { sure: SURE, maybe: MAYBE }))
  const count = (...of: Outcome[]) => outcomes.filter((one) => of.includes(one)).length
  const known = puts.filter(({ expected }) => expected !== null).length
  const share = (part: number, all: number) => (all === 0 ? '–' : (100 * part / all).toFixed(1)).padStart(8)
  const counts = HEADS.map(([outcome]) => String(count(outcome)).padStart(8)).join('')
  const right = share(count('right and sure', 'right and offered'), known)
  console.log(name.padEnd(30) + counts + right + share(count('honest'), puts.length - known))
}

/** Prints what comes of all questions, and of each place, by the weights in use and by what the others teach. */
function compareAll (puts: readonly Put[], aims: Aims): void {
  const cases = puts.flatMap(caseOf)
  const places = [...new Set(puts.map(({ place }) => place))]
  const others = new Map(places.map((place) => [place, teach(cases.filter(({ put }) => put.place !== place), aims)]))
  const taught = ({ place }: Put) => others.get(place)!
  const helped = (put: Put): Taught => ({ ...TAUGHT, helps: taught(put).helps, helpsEven: taught(put).helpsEven })
  const heads = [...HEADS.map(([, head]) => head), 'right %', 'hon. %']
  console.log(' '.repeat(30) + heads.map((head) => head.padStart(8)).join(''))
  for (const place of places) {
    const here = puts.filter((put) => put.place === place)
    print(place, here, () => TAUGHT)
    print('  what may help, fitted', here, helped)
  }
  print('all, by the weights in use', puts, () => TAUGHT)
  print('all, both fitted', puts, taught)
  print('all, what may help, fitted', puts, helped)
  const { right, helps, rightEven, helpsEven } = teach(cases, aims)
  for (const [name, weights, even] of [['RIGHT', right, rightEven], ['HELPS', helps, helpsEven]] as const) {
    console.log(`${name}: ${KEYS.map((key) => `${key} ${weights[key].toFixed(2)}`).join(', ')}; even ${even.toFixed(2)}`)
  }
}

const given = process.argv.slice(2)
const numberAt = (name: string, otherwise: number) => {
  const at = given.indexOf(name)
  return at < 0 ? otherwise : Number(given.splice(at, 2)[1])
}
const aims = { penalty: numberAt('--penalty', 10), wrong: numberAt('--wrong', 0.0075), falsely: numberAt('--false', 0.095) }
if (given.length === 0) console.log(USAGE)
else {
  compareAll(await putAll(given), aims)
  process.exit(0)
}
