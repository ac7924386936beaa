import { Refusal } from '../platform/errors.ts'
import type { Seal, Secrets } from '../platform/storage/secrets.ts'
import type { Statements } from '../platform/storage/sqlite/database.ts'
import { flatMapped, type Sliced, type Work } from '../platform/storage/work.ts'
import { best, byScore, factorOf, idf, mostTogether, pairsOf, type Scored, Scores, togetherness } from './scores.ts'
import { wordKeyOf, type Dialect } from './words/key.ts'
import type { Language } from './words/languages.ts'
import { confidenceOf } from './confidence.ts'
import { hitOf, type Hit, type Opened } from './hits.ts'
import { otherPhrases, sqliteOwnWords } from './own/own-words.sqlite.ts'
import { openGroup, type Kept } from './passage.ts'
import { withoutCourtesies } from './sense/talk/courtesies.ts'
import { compare, inOrder, judgedBy, JUDGED, senseOf, type Sense } from './sense/asked.ts'
import { isKnown, meant } from './sense/question.ts'
import { prepareFor } from './sense/talk/asking.ts'
import { GUESSED_AT, longestFirst, understanding } from './sense/understood.ts'
import { postingsIn } from './index/postings.sqlite.ts'
import { holdersOf, type Postings, type Terms } from './index/blocks.ts'
import { sqliteVocabulary } from './vocabulary.sqlite.ts'
import { formsFor, formsIn, lookedForIn, meantBy, type QueryWord } from './words/query.ts'
import { spellingOf } from './words/spelling.ts'
import { spansOf } from './words/words.ts'

/** Keys of the words of a query, in all languages together, that are looked up. */
const KEYS_LOOKED_UP = 192
/** Postings counted and read for one query: what bounds its time. Counting takes some 25 ns each, reading 150 ns. */
const COUNTED = 60_000
const READ = 15_000

/** Characters of a query that is read in a step of its own. */
const LONG = 500
/** Fewer passages than this say little about how rare a word is. */
const FEW = 200

/**
 * How many more passages are ranked than are requested, since some repeat others: each page of a site may have the same
 * footer.
 */
const SPARE = 100

/** The best one's confidence is judged against this many others, however few are requested. */
const COMPARED = 4

/** How many of the best passages may be opened to see whether the query's words are adjacent in them. */
const OPENED = 20

/** A passage's id and its score. */
export type Ranked = [id: number, score: number]

/** Gives ranked passages one after the other, best first; undefined after the last. */
export type Ranking = () => Work<Ranked | undefined>

/** A question to an agent, and what has been found out about it. */
export interface Asked {
  agent: number
  words: QueryWord[]
  /** The weight of each word: its idf times its weight in the query. */
  worths: Map<QueryWord, number>
  /** The sum of these, of what is looked for in a language: of what a passage in it may have at most, some half. */
  most: Map<Language | null, number>
  /** What each word says about the subject, by its idf among many passages: where there are few, rarity says little. */
  telling: Map<QueryWord, number>
  /** The same of a word that no passage holds. */
  rarest: number
  /** The postings of the words, those that add most first. */
  gains: Gain[]
  /** The passages that hold a term, in order, up to a maximum. */
  holders: Postings['holders']
  /**
   * The bit of each word that some passage holds, which marks the passages that do; 0 for a word of which that is not
   * known for every passage.
   */
  bits: Map<QueryWord, number>
  /** The bits of the other phrases in the agent's vocabulary for a word. */
  alsoBits: Map<QueryWord, number[]>
  /** The words as a language has them. */
  forms: Map<Language | null, Set<string>>
  /** Passages that were opened for it, and what they were trained with: undefined where the agent may not use it. */
  opened: Map<number, Opened | undefined>
  /** What it means, and which of its words and concepts each ranked passage holds. */
  sense: Sense
  held: Map<number, number>
  trainings: Map<number, Usable | undefined>
}

/** What is known of a question before anything was looked up. */
function nothingYet (agent: number, rarest: number): Omit<Asked, 'sense' | 'holders'> {
  return {
    agent,
    words: [],
    worths: new Map(),
    most: new Map(),
    telling: new Map(),
    rarest,
    gains: [],
    bits: new Map(),
    alsoBits: new Map(),
    forms: new Map(),
    opened: new Map(),
    held: new Map(),
    trainings: new Map()
  }
}

/** The postings of one word with one weight, and what it adds to the score of a passage there. */
interface Gain { word: QueryWord, term: number, gain: number }

/** A training as its row has it, as far as its passages need it. */
interface TrainingRow { source: number, first: number, language: Language | null, secret: number | null }

/** The same with what opens the passages. */
interface Usable extends TrainingRow { seal: Seal | undefined }

/**
 * Ranks an agent's passages by BM25, reading the postings that add most first until the budget is used up, so that a
 * search takes about as long in a large agent as in a small one, and as long whatever other agents there are. Of the
 * best, those come first in which the words are adjacent as in the query.
 */
export function sqliteSearch (db: Statements, secrets: Secrets, { read = READ, counted = COUNTED } = {}) {
  const postingsOf = postingsIn(db)
  const dialects = db.objects<[number], Dialect & { passages: number }>(`
    SELECT language, form, sum(passages) AS passages FROM trainings WHERE agent = +? AND state = 'live' AND selected = 1 GROUP BY language, form`)
  const all = db.column<[number], number>('SELECT coalesce(sum(passages), 0) FROM trainings WHERE agent = ?')
  const hidden = db.rows<[number], [number, number]>(`
    SELECT first, first + passages FROM trainings WHERE agent = ? AND NOT (state = 'live' AND selected = 1) ORDER BY first`)
  const group = db.rows<[number], [training: number, first: number, data: Buffer | string]>(
    'SELECT training, first, data FROM passage_groups WHERE first <= ? ORDER BY first DESC LIMIT 1')
  const training = db.objects<[number, number], TrainingRow>(
    "SELECT source, first, language, secret FROM trainings WHERE id = ? AND agent = ? AND state = 'live' AND selected = 1"
  )
  const vocabulary = sqliteVocabulary(db, secrets)
  const understood = understanding({ ownOf: sqliteOwnWords(db).of, spellingsOf: vocabulary.of })

  const sums = new Scores(read)

  /**
   * A query to an agent: its words in the forms that the agent's passages have, mistyped ones as they may have been
   * meant. Takes steps of a few milliseconds if the agent's spellings have to be read for that.
   */
  function * ask (agent: number, query: string): Sliced<Asked> {
    const plain = withoutCourtesies(lookedForIn(query))
    // Where a text has no spaces, finding its words takes milliseconds.
    if (query.length > LONG) yield undefined
    const spoken = yield * dialects.all(agent)
    yield * prepareFor(plain, spoken.map(({ language, passages }) => [language, passages]))
    const total = (yield * all.get(agent))!
    const { terms, holders } = yield * postingsOf(agent)
    const prior = spoken.map(({ language, passages }) => [language, passages] as const)
    const looked = new Map<QueryWord, Terms>()
    function * look (word: QueryWord): Work<Terms> {
      const rows = looked.get(word) ?? (yield * rowsOf(terms, word, spoken))
      looked.set(word, rows)
      return rows
    }
    const { words, question } = yield * understood(agent, plain, prior, look)
    const [holdings, itself] = [new Map<QueryWord, number>(), new Map<QueryWord, number>()]
    const asked = nothingYet(agent, idf(0, Math.max(total, FEW)))
    const found: { word: QueryWord, worth: number, held: Terms }[] = []
    const said = otherPhrases((word) => rowsOf(terms, word, spoken))
    let [sum, keysLeft, guesses] = [0, KEYS_LOOKED_UP, GUESSED_AT]
    for (const typed of longestFirst(words)) {
      const rows = yield * look(typed)
      const isStrange = rows.length === 0 && guesses > 0 && !isKnown(question, typed) && spellingOf(typed.plain) !== 0
      if (isStrange) guesses--
      const word = isStrange ? meantBy(typed, yield * vocabulary.of(agent)) : typed
      const held = word === typed ? rows : yield * rowsOf(terms, word, spoken)
      const holding = holdersOf(held) + (yield * said.look(word))
      const worth = idf(holding, total) * word.weight
      holdings.set(word, holding)
      itself.set(word, holdersOf(held))
      if (word !== typed) meant(question, typed, word)
      asked.words.push(word)
      asked.worths.set(word, worth)
      for (const language of word.forms.keys()) asked.most.set(language, (asked.most.get(language) ?? 0) + worth)
      asked.telling.set(word, idf(holding, Math.max(total, FEW)) * word.weight)
      sum += holding
      // A word that no passage holds finds nothing.
      if (held.length > 0) found.push({ word, worth, held })
      keysLeft -= spoken.length
      if (sum > counted || keysLeft <= 0) break
    }
    const holdingItself = (word: QueryWord) => itself.get(word) ?? 0
    const sense = yield * senseOf(question, total, terms, { holding: (word) => holdings.get(word) ?? 0, holdingItself })
    found.push(...sense.sought)
    const others = said.found(asked.worths, (word) => holdingItself(word) > 0)
    // Beyond 32 words two share a bit: then a passage may seem to hold both, which costs at most a look at it.
    for (const [at, { word }] of found.entries()) asked.bits.set(word, 1 << at)
    for (const { word, concept } of sense.sought) sense.bits.set(concept, asked.bits.get(word)!)
    for (const [i, { word }] of others.entries()) {
      const at = found.length + i
      asked.bits.set(word, at < 32 ? 1 << at : 0)
    }
    asked.alsoBits = said.bits(asked.bits)
    asked.gains = [...found, ...others]
      .flatMap(({ word, worth, held }) => held.map(([term]) => ({ word, term, gain: worth * factorOf(term) })))
      .sort((a, b) => b.gain - a.gain)
    return { ...asked, sense, holders }
  }

  /** How many passages hold a word in any dialect, by its weight there. */
  function * rowsOf (terms: Postings['terms'], word: QueryWord, dialects: Dialect[]): Work<Terms> {
    const keys = new Set(
      dialects.flatMap((dialect) => formsFor(word, dialect).map((form) => wordKeyOf(form, dialect)))
    )
    return yield * flatMapped(keys, terms)
  }

  /** The scores of the passages that hold words of the query, within the budget. Good until the next query. */
  function * scores ({ gains, holders, bits }: Asked): Work<Scores> {
    let left = read
    const found: Array<{ ids: number[], gain: number, bit: number }> = []
    for (const { word, term, gain } of gains) {
      const ids = left > 0 ? yield * holders(term, left) : []
      found.push({ ids, gain, bit: bits.get(word)! })
      left -= ids.length
      if (left <= 0) bits.set(word, 0)
    }
    // Added up without a pause: all searches share one table of sums.
    sums.clear()
    for (const { ids, gain, bit } of found) for (const id of ids) sums.add(id, gain, bit)
    return sums
  }

  /**
   * An agent's best passages for a query with their scores, best first, only of the sources it uses. Of the first ones
   * only as many are opened as the caller reads: not those that would not move up even if their words were adjacent.
   */
  function * rank (asked: Asked, limit: number): Work<Ranking> {
    const gone = yield * hidden.all(asked.agent)
    const ranked = best(yield * scores(asked), Math.max(limit, OPENED), gone)
    for (const [id, , held] of ranked) asked.held.set(id, held)
    const first = together(asked, ranked.slice(0, OPENED), limit)
    const rest = inTurn(ranked.slice(OPENED, limit).map(([id, score]): Ranked => [id, score]))
    return function * () {
      return (yield * first()) ?? (yield * rest())
    }
  }

  /** The same passages in their order once adjacent words count. */
  function together (asked: Asked, ranked: Scored[], limit: number): Ranking {
    const { words, worths, bits } = asked
    const pairs = pairsOf(words)
    const closed = ranked.map(([id, score, held]) => {
      const more = mostTogether(pairs, worths, (word) => {
        const bit = bits.get(word)
        return bit !== undefined && (held & bit) === bit
      })
      return { id, score, more, most: score + more }
    }).sort((a, b) => b.most - a.most)
    const opened: Ranked[] = []
    let left = Math.min(ranked.length, limit)
    return function * () {
      if (left-- <= 0) return undefined
      while (closed[0] && closed[0].most >= (opened[0]?.[1] ?? -Infinity)) {
        const { id, score, more } = closed.shift()!
        const passage = more > 0 ? yield * open(asked, id, score) : undefined
        opened.push([id, passage ? score + togetherness(pairs, worths, passage.spans, passage.language) : score])
        opened.sort(byScore)
      }
      return opened.shift()
    }
  }

  /** A passage as it is kept; undefined where the agent may not use it, or it is damaged. */
  function * open (asked: Asked, id: number, score: number): Work<Opened | undefined> {
    const { opened } = asked
    if (!opened.has(id)) opened.set(id, yield * passage(asked, id, score))
    return opened.get(id)
  }

  function * passage (asked: Asked, id: number, score: number): Work<Opened | undefined> {
    const { agent, words, forms, trainings } = asked
    const [number, groupFirst, data] = (yield * group.get(id)) ?? []
    if (number === undefined) return undefined
    if (!trainings.has(number)) {
      const found = yield * training.get(number, agent)
      const secret = found?.secret ?? null
      const seal = secret === null ? undefined : yield * secrets.seal(secret)
      trainings.set(number, found && { ...found, seal })
    }
    const of = trainings.get(number)
    const kept = of && passageIn(of.seal, groupFirst!, data!, id)
    if (!kept) return undefined
    const { source, first, language } = of
    const wanted = forms.get(language) ?? new Set(formsIn(words, language).keys())
    forms.set(language, wanted)
    return { id, source, ordinal: id - first, language, ...kept, score, ...spansOf(wanted, kept.text, language) }
  }

  /**
   * Ranked passages as a person reads them, without those that repeat a better one; at most `limit`. What the agent may
   * not use is left out here too.
   */
  function * show (asked: Asked, ranked: Ranking, limit: number): Work<Hit[]> {
    const { words, telling, rarest, most, sense } = asked
    let left = sense.weight === 0 ? 0 : JUDGED
    const texts = new Set<string>()
    return compare(sense, yield * hitOf(limit, function * () {
      for (let next = yield * ranked(); next; next = yield * ranked()) {
        const [id, score] = next
        const found = yield * open(asked, id, score)
        // What stands on several pages is judged once: it takes no other's place.
        if (found === undefined || texts.has(found.text)) continue
        texts.add(found.text)
        const possible = (most.get(found.language) ?? 0) + sense.most
        const known = possible === 0 ? 0 : found.score / possible
        const confidence = confidenceOf(words, telling, { ...found, known, rarest })
        return left-- <= 0
          ? { ...found, score, confidence }
          : { ...found, score, ...judgedBy(asked, found, asked.held.get(id) ?? 0, confidence) }
      }
      return undefined
    }))
  }

  return { ask, rank, show }
}

/** Ranked passages that are known already, in their order. */
export function inTurn (ranked: readonly Ranked[]): Ranking {
  const rest = ranked.values()
  return function * () { return rest.next().value }
}

/** The passage of this number in its group; undefined where it is damaged, which keeps nobody from the others. */
function passageIn (seal: Seal | undefined, first: number, data: Buffer | string, id: number): Kept | undefined {
  try {
    const kept = openGroup(seal, first, data)[id - first]
    if (kept === undefined) return undefined
    const { text, start, heading, page, row, lastRow } = kept
    return { text, start, heading, page, row, lastRow }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** What a search by words shows, and how many more are ranked than are shown, since some repeat others. */
export function * showBest (
  { rank, show }: Pick<ReturnType<typeof sqliteSearch>, 'rank' | 'show'>, asked: Asked, limit: number
): Work<Hit[]> {
  const compared = Math.max(limit, COMPARED)
  const found = yield * show(asked, yield * rank(asked, compared + SPARE), compared)
  return inOrder(asked.sense, found).slice(0, limit)
}
