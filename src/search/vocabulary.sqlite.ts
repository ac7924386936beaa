import type { Secrets } from '../platform/storage/secrets.ts'
import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Sliced, Work } from '../platform/storage/work.ts'
import { Spellings } from './words/spelling.ts'

/**
 * Spellings of all agents kept in memory, at 8 bytes each; beyond that the agent that was asked longest ago is
 * forgotten.
 */
const MOST = 4_000_000
/** Groups of passages read at a time, and how long that may hold the event loop before others are let in. */
const SLICE = 32
const SLICE_MS = 3

/** The part of an agent's words that is in memory. */
interface Kept { signature: string, trainings: Set<number>, spellings: Spellings }

interface LiveTraining { id: number, first: number, passages: number, secret: number }

/**
 * How the words of an agent's sources are spelt. In the file they are sealed with their source's secret and die with
 * it; a search that has a use for them reads them once. Read inside a transaction, step by step.
 */
export function sqliteVocabulary (
  db: Statements, secrets: Secrets, { most = MOST, slice = SLICE, sliceMs = SLICE_MS } = {}
) {
  const signature = db.column<[number], string>(`
    SELECT count(*) || ':' || coalesce(sum(id), 0) FROM trainings WHERE agent = ? AND state = 'live'`)
  const live = db.objects<[number], LiveTraining>(`
    SELECT id, first, passages, secret FROM trainings WHERE agent = ? AND state = 'live' AND secret IS NOT NULL ORDER BY id`)
  const groups = db.rows<[number, number, number], [first: number, sealed: Buffer]>(`
    SELECT first, spellings FROM passage_groups WHERE first BETWEEN ? AND ? AND spellings IS NOT NULL ORDER BY first LIMIT ?`)
  const agents = new Map<number, Kept>()

  /** An agent's spellings, as far as they are in memory; the agent counts as the one asked last. */
  function * keptOf (agent: number): Work<Kept> {
    const ids = new Set((yield * live.all(agent)).map(({ id }) => id))
    const known = agents.get(agent)
    agents.delete(agent)
    const isMostlyThere =
      known !== undefined && [...known.trainings].filter((id) => !ids.has(id)).length * 2 <= known.trainings.size
    const kept = isMostlyThere ? known : { signature: '', trainings: new Set<number>(), spellings: new Spellings() }
    agents.set(agent, kept)
    return kept
  }

  function forgetSome (): void {
    let sum = 0
    for (const [agent, { spellings }] of [...agents].reverse()) {
      sum += spellings.size
      if (sum > most && agent !== [...agents.keys()].at(-1)) agents.delete(agent)
    }
  }

  function * read (
    { first, passages, secret }: LiveTraining, into: Spellings, pause: () => boolean
  ): Sliced<void> {
    const last = first + passages - 1
    for (let from = first; from <= last;) {
      // Fetched again in each step: once destroyed, it must decrypt nothing.
      const seal = yield * secrets.seal(secret)
      const rows = seal ? yield * groups.all(from, last, slice) : []
      for (const [first, sealed] of rows) {
        try {
          const bytes = seal!.open(`spellings ${first}`, sealed)
          for (let at = 0; at < bytes.length; at += 4) into.add(bytes.readUInt32LE(at))
        } catch {
          // Damaged: its typos are not corrected.
        }
      }
      from = rows.length < slice ? last + 1 : rows.at(-1)![0] + 1
      if (pause()) yield
    }
  }

  return {
    /**
     * The spellings of all of an agent's words. Works in steps of a few milliseconds where they are not in memory yet.
     */
    * of (agent: number): Sliced<Spellings> {
      const now = (yield * signature.get(agent))!
      const known = agents.get(agent)
      if (known?.signature === now) {
        agents.delete(agent)
        agents.set(agent, known)
        return known.spellings
      }
      const kept = yield * keptOf(agent)
      // Reading may take a while: waiting work goes first.
      yield
      let until = performance.now() + sliceMs
      const pause = () => {
        if (performance.now() < until) return false
        until = performance.now() + sliceMs
        return true
      }
      for (const training of yield * live.all(agent)) {
        if (kept.trainings.has(training.id)) continue
        yield * read(training, kept.spellings, pause)
        kept.trainings.add(training.id)
        if (pause()) yield
      }
      // Not before all were read: reading may fail, and others may ask meanwhile.
      kept.signature = now
      forgetSome()
      return kept.spellings
    }
  }
}
