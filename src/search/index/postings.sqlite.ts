import type { Statements } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import { BlockReader, holdersOf, inOrder, keyOf, type Postings, termOf, type Terms, WEIGHTS } from './blocks.ts'

/** Words in fewer passages are counted again as fast as looked up here. */
const MANY = 500
/** Words of which the count is kept, of all agents together. */
const COUNTS = 5000
/** Blocks kept in memory, of 1.9 KB each, and of how many it is kept where they begin, at 16 bytes each. */
const BLOCKS = 6000
const BEGINNINGS = 1_000_000

/** A segment as its row has it. `version` counts how often some of its blocks were replaced by others. */
interface SegmentRow { id: number, version: number, low: number }

/** A segment as it is read: where its blocks begin, and from where its ids are counted. */
interface Opened { low: number, directory: Directory }

/** Where the blocks of a segment begin, in order. */
interface Directory { version: number, terms: Float64Array, ids: Float64Array }

/** The postings of a word: by weight, how many passages hold it, and their reader. */
type Found = Array<{ count: number, lists: Array<(into: number[]) => void> }>

/**
 * Reads where words occur. Blocks are never changed, so they may stay in memory. What many passages hold is counted
 * once and cached until the agent is retrained or something of it is removed: counting was a third of a search. While
 * removed passages are wiped, they count as long as they count among the agent's passages.
 */
export function sqlitePostings (
  db: Statements, { many = MANY, counts = COUNTS, blocks: mostBlocks = BLOCKS, beginnings = BEGINNINGS } = {}
): (agent: number) => Work<Postings> {
  const stateOf = db.column<[number], string>(`
    SELECT count(*) || ':' || coalesce(sum(id), 0) || ':' || coalesce(sum(words), 0) FROM trainings WHERE agent = ?`)
  const live = db.objects<[number], SegmentRow>(`
    SELECT id, version, low FROM segments INDEXED BY segments_of_agent WHERE agent = ? AND state = 'live' ORDER BY low`)
  const beginningsOf = db.rows<[number], [term: number, id: number]>(
    'SELECT term, id FROM blocks WHERE segment = ? ORDER BY term, first')
  const dataOf = db.column<[number], Buffer>('SELECT data FROM blocks WHERE id = ?')
  const before = keptBefore(db)
  const counted = keptCounts(counts)
  const directories = new Map<number, Directory>()
  let begun = 0
  const blocks = new Map<number, Buffer>()

  function * directoryOf ({ id, version }: SegmentRow): Work<Directory> {
    const known = directories.get(id)
    const directory = known?.version === version ? known : yield * readDirectory(id, version)
    const replaced = directories.get(id)
    directories.delete(id)
    if (replaced) begun -= replaced.ids.length
    directories.set(id, directory)
    begun += directory.ids.length
    for (const [oldest, { ids }] of directories) {
      if (begun <= beginnings || oldest === id) break
      directories.delete(oldest)
      begun -= ids.length
    }
    return directory
  }

  function * readDirectory (id: number, version: number): Work<Directory> {
    const rows = yield * beginningsOf.all(id)
    return {
      version, terms: Float64Array.from(rows, ([term]) => term), ids: Float64Array.from(rows, ([, block]) => block)
    }
  }

  /** Reads a block that is not in memory; undefined if it was replaced by others. */
  function * readBlock (id: number): Work<Buffer | undefined> {
    const data = yield * dataOf.get(id)
    if (data === undefined) return undefined
    blocks.set(id, data)
    if (blocks.size > mostBlocks) blocks.delete(blocks.keys().next().value!)
    return data
  }

  function * opened (agent: number): Work<Opened[]> {
    const segments: Opened[] = []
    for (const segment of yield * live.all(agent)) {
      segments.push({ low: segment.low, directory: yield * directoryOf(segment) })
    }
    return segments
  }

  /** The postings of a word in these segments; undefined if one of their blocks was removed. */
  function * read (segments: readonly Opened[], key: string): Work<Found | undefined> {
    const from = termOf(key)
    const found: Found = Array.from({ length: WEIGHTS }, () => ({ count: 0, lists: [] }))
    for (const { low, directory: { terms, ids } } of segments) {
      // A term that begins a block may have begun in the one before it.
      for (let at = Math.max(0, firstFrom(terms, from) - 1); at < terms.length && terms[at]! < from + WEIGHTS; at++) {
        const id = ids[at]!
        const data = blocks.get(id) ?? (yield * readBlock(id))
        if (data === undefined) return undefined
        note(new BlockReader({ term: terms[at]!, data }, low), from, found)
      }
    }
    return found
  }

  return function * (agent) {
    const countsOf = counted(agent, (yield * stateOf.get(agent))!)
    let old = yield * before.of(agent)
    let segments = yield * opened(agent)
    const found = new Map<string, Found>()

    /** Older entries may have been rewritten since the question began. */
    function * catchUp (): Work<void> {
      if (old === undefined || (yield * before.of(agent))) return
      old = undefined
      segments = yield * opened(agent)
      found.clear()
    }

    function * here (key: string): Work<Found> {
      const known = found.get(key) ?? (yield * read(segments, key))
      // Put together with others since, or without what was removed.
      const now = known ?? (yield * read(segments = yield * opened(agent), key))!
      found.set(key, now)
      return now
    }

    return {
      * terms (key) {
        const known = countsOf.get(key)
        if (known) return known
        yield * catchUp()
        const from = termOf(key)
        const terms = (yield * here(key)).flatMap(({ count }, weight): Terms =>
          count > 0 ? [[from + weight, count]] : [])
        const all = old ? together(terms, yield * old.terms(key)) : terms
        if (holdersOf(all) >= many) countsOf.keep(key, all)
        return all
      },

      * holders (term, most) {
        yield * catchUp()
        const ids = old ? [...yield * old.holders(term, most)] : []
        for (const list of (yield * here(keyOf(term)))[term % WEIGHTS]!.lists) list(ids)
        return inOrder(ids).slice(0, most)
      }
    }
  }
}

/** Notes the entries of a block that are of the word whose first term is `from`. */
function note (reader: BlockReader, from: number, found: Found): void {
  while (reader.next() && reader.term < from + WEIGHTS) {
    if (reader.term < from) reader.skip()
    else {
      const weight = found[reader.term - from]!
      weight.count += reader.count
      weight.lists.push(reader.later())
    }
  }
}

/** The place of the first number that is at least so high. */
function firstFrom (numbers: Float64Array, least: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

/** The same terms of both are one. */
function together (terms: Terms, others: Terms): Terms {
  const sums = new Map(terms)
  for (const [term, passages] of others) sums.set(term, (sums.get(term) ?? 0) + passages)
  return [...sums].sort(([a], [b]) => a - b)
}

/** Counts of words as they were found while an agent's trainings were in a state. */
function keptCounts (most: number) {
  const agents = new Map<number, { state: string, words: Map<string, Terms> }>()
  let size = 0
  return (agent: number, state: string) => {
    const known = agents.get(agent)
    if (known && known.state !== state) {
      size -= known.words.size
      agents.delete(agent)
    }
    // A question that was begun in another state goes on counting by that.
    const ofState = () => {
      const now = agents.get(agent)
      return now && now.state !== state ? undefined : now ?? { state, words: new Map<string, Terms>() }
    }
    return {
      get: (key: string) => ofState()?.words.get(key),
      keep (key: string, terms: Terms): void {
        const now = ofState()
        if (!now) return
        agents.set(agent, now)
        now.words.set(key, terms)
        if (++size < most) return
        agents.clear()
        size = 0
      }
    }
  }
}

const inFile = new WeakMap<Statements, ReturnType<typeof sqlitePostings>>()

/** Shared by all readers of a file: each block is in memory once. */
export function postingsIn (db: Statements): ReturnType<typeof sqlitePostings> {
  const known = inFile.get(db) ?? sqlitePostings(db)
  inFile.set(db, known)
  return known
}

/** What the index that programs up to 0.5 wrote, a table of FTS5, was kept in: it is there as long as that is. */
const KEPT_IN = 'passage_index_data'

/** Whether the file still has that index. */
export const hasIndexBefore = (db: Statements): Work<boolean> => db.hasTable(KEPT_IN)

/**
 * Postings written by versions up to 0.5, until they are rewritten (`rewriting`): each is a term of FTS5,
 * `42_0k3x9q1z_3`, by agent, key and weight.
 */
function keptBefore (db: Statements) {
  const isThere = db.column<[number], number>('SELECT 1 FROM trainings WHERE agent = ? AND segmented = 0 LIMIT 1')
  const statements = () => ({
    counted: db.rows<[string, string], [term: string, passages: number]>(
      'SELECT term, doc FROM passage_terms WHERE term >= ? AND term < ?'),
    holders: db.column<[string, number], number>(
      'SELECT rowid FROM passage_index WHERE passage_index MATCH ? LIMIT +?')
  })
  let prepared: ReturnType<typeof statements> | undefined

  return {
    /** Those of an agent; undefined where there are none. */
    * of (agent: number): Work<Postings | undefined> {
      if ((yield * isThere.get(agent)) === undefined) return undefined
      const { counted, holders } = prepared ??= statements()
      return {
        * terms (key) {
          // The weight is one character after the last `_`; the character after `_` closes the range.
          return (yield * counted.all(`${agent}_${key}_`, `${agent}_${key}\``))
            .map(([term, passages]): Terms[number] => [termOf(key) + parseInt(term.at(-1)!, WEIGHTS), passages])
        },

        // Only letters, digits and `_` are in a term; quoted, none of them is query syntax.
        holders: (term, most) =>
          holders.all(`"${agent}_${keyOf(term)}_${(term % WEIGHTS).toString(WEIGHTS)}"`, most)
      }
    }
  }
}
