import type { Changes } from '../platform/storage/changes.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { GROUP, findTraining, sealsOf } from './groups.ts'
import { entries, type Entry } from './scores.ts'
import { segmentsIn } from './index/segments.sqlite.ts'
import { upkeep } from './index/upkeep.sqlite.ts'
import type { Passage } from './passage.ts'
import { removed } from './removed.sqlite.ts'
import { sealing } from './sealing.sqlite.ts'
import { sqliteSpoken } from './weights.sqlite.ts'
import { FORM } from './words/key.ts'
import type { Language } from './words/languages.ts'

/** Who trains what: the agent, its source, and what holds for the whole text. */
export interface Training {
  agent: number
  source: number
  language: Language | null
  /** Whether the agent uses the source; left out, as it was before. */
  selected?: boolean
}

/** A training's row when it is begun. */
interface Begun {
  agent: number
  source: number
  language: Language | null
  selected: number
  first: number
  passages: number
  secret: number
}

/** How much an agent has learnt, hidden sources included. */
export interface LearntTotals { sources: number, passages: number, words: number }

/**
 * The passages of all agents and their index in the database, for writing. Every method runs inside the caller's
 * transaction and is short, except that `add` and `replace` take as long as what they are handed: hand it over in
 * slices.
 */
export type PassageIndex = ReturnType<typeof sqlitePassages>

/** Where nobody is told of added segments, they are looked for each time. */
const LOOKED_FOR: Changes = { * moved () {}, generation: () => NaN }

/** See PassageIndex. The tables must be there. `grown`: segments were added, here or in another process. */
export function sqlitePassages (db: Statements, secrets: Secrets, grown = LOOKED_FOR) {
  const nextFirst = db.column<[], number>('SELECT coalesce(max(first + passages), 1) FROM trainings')
  // SQLite would reuse the number of the newest training once that is deleted, and what is cached of that one would
  // count for another. No secret's number is given twice.
  const begun = db.column<[Begun], number>(`
    INSERT INTO trainings (id, agent, source, state, selected, language, form, first, passages, secret, segmented)
    VALUES (max(:secret, (SELECT coalesce(max(id), 0) + 1 FROM trainings)),
      :agent, :source, 'staged', :selected, :language, ${FORM}, :first, :passages, :secret, 1) RETURNING id`)
  const isSelected = db.column<[number], number>("SELECT selected FROM trainings WHERE source = ? AND state = 'live'")
  const find = findTraining(db)
  const segments = segmentsIn(db)
  const { destroySome, forget } = removed(db, secrets)
  const care = upkeep(db, secrets, destroySome, grown)
  const insert = db.objects(
    'INSERT INTO passage_groups (first, training, passages, data, spellings) VALUES (?, ?, ?, ?, ?)'
  )
  const count = db.objects('UPDATE trainings SET words = words + ? WHERE id = ?')
  const removeLive = db.objects("UPDATE trainings SET state = 'removed' WHERE source = ? AND state = 'live'")
  const removeStaged = db.objects("UPDATE trainings SET state = 'removed' WHERE source = ? AND state = 'staged'")
  const abandonAll = db.objects<[number]>("UPDATE trainings SET state = 'removed' WHERE state = 'staged' AND id <= ?")
  const newest = db.column<[], number>('SELECT coalesce(max(id), 0) FROM trainings')
  const live = db.column<[number], number>("SELECT id FROM trainings WHERE source = ? AND state = 'live'")
  const discardStaged = db.objects(
    "UPDATE trainings SET state = 'removed' WHERE id = ? AND source = ? AND state = 'staged'"
  )
  const makeLive = db.objects("UPDATE trainings SET state = 'live' WHERE id = ? AND state = 'staged'")
  const choose = db.objects("UPDATE trainings SET selected = ? WHERE source = ? AND state IN ('live', 'staged')")
  const written = db.column<[number], number>(`
    SELECT (coalesce((SELECT g.first + g.passages FROM passage_groups g WHERE g.first >= t.first AND g.first < t.first + t.passages
      ORDER BY g.first DESC LIMIT 1), t.first) - t.first) * 1.0 / max(passages, 1)
    FROM trainings t WHERE source = ? AND state = 'staged' ORDER BY id DESC LIMIT 1`)
  const learnt = db.objects<[number], LearntTotals>(`
    SELECT count(*) AS sources, coalesce(sum(passages), 0) AS passages, coalesce(sum(words), 0) AS words
    FROM trainings WHERE agent = ? AND state = 'live'`)

  /** Starts a training that will have this many passages. It is not found before `publish`, and `abandon` drops it. */
  function * begin ({ agent, source, language, selected }: Training, passages: number): Work<number> {
    const was = (yield * isSelected.get(source)) ?? 1
    const chosen = selected === undefined ? was : Number(selected)
    const first = (yield * nextFirst.get())!
    const secret = yield * secrets.create()
    return (yield * begun.get({ agent, source, language, selected: chosen, first, passages, secret }))!
  }

  /** Adds passages to a staged training, the first of them being number `ordinal` of the source, from 0. */
  function * add (training: number, passages: Entry[], ordinal: number): Work<void> {
    const { agent, first, ...row } = (yield * find.get(training))!
    const seals = yield * sealsOf(secrets, row)
    let total = 0
    for (let at = 0; at < passages.length; at += GROUP) {
      const id = first + ordinal + at
      const group = passages.slice(at, at + GROUP)
      total += group.reduce((sum, { length }) => sum + length, 0)
      yield * insert.run(id, training, group.length, ...seals(id, group))
    }
    yield * segments.add(agent, first + ordinal, passages.map(({ words }) => words), 'live')
    yield * grown.moved()
    yield * count.run(total, training)
  }

  /** From now on this training answers for its source, and what was trained before is hidden. */
  function * publish (training: number): Work<void> {
    yield * removeLive.run((yield * find.get(training))!.source)
    yield * makeLive.run(training)
  }

  return {
    destroySome,
    forget,
    upkeep: care.upkeep,
    isUntidy: care.isUntidy,
    ...sealing(db, secrets),
    begin,
    add,
    publish,

    /** Trains a short source at once. */
    * replace (training: Training, title: string, passages: Passage[]): Work<void> {
      const id = yield * begin(training, passages.length)
      yield * add(id, entries(passages, title, training.language), 0)
      yield * publish(id)
    },

    /** Forgets a source: it is not found from now on, `clean` wipes it. */
    * remove (source: number): Work<void> {
      yield * removeLive.run(source)
      yield * removeStaged.run(source)
    },

    /** The training that answers for a source. */
    live: (source: number): Work<number | undefined> => live.get(source),

    /**
     * How much of a staged training of a source is written, from 0 to 1; 0 without one. Passages are added in order.
     */
    * written (source: number): Work<number> { return (yield * written.get(source)) ?? 0 },

    /**
     * Drops a training of a source that will not be published, unless already removed: its number may be reused by
     * then.
     */
    * discard (training: number, source: number): Work<void> { yield * discardStaged.run(training, source) },

    /** Drops every training, up to this one, that was begun and not published: those of a process that died. */
    * abandon (upTo: number): Work<void> { yield * abandonAll.run(upTo) },

    /** The newest training of all. */
    * newest (): Work<number> { return (yield * newest.get())! },

    /** Lets an agent use a source, or not, without training it again. */
    * select (source: number, selected: boolean): Work<void> { yield * choose.run(Number(selected), source) },

    /** How much of what an agent was taught is in which language. */
    spoken: sqliteSpoken(db),

    /** How much an agent has learnt, exactly as it is now. */
    * learnt (agent: number): Work<LearntTotals> { return (yield * learnt.get(agent))! }
  }
}
