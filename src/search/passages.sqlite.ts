import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { GROUP, findTraining, sealsOf } from './groups.ts'
import { entries, type Entry } from './impact.ts'
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

/** How much an agent has learnt, hidden sources included. */
export interface LearntTotals { sources: number, passages: number, words: number }

/**
 * The passages of all agents and their index in SQLite, for writing. Every method runs inside the caller's transaction,
 * is synchronous and short, except that `add` and `replace` take as long as what they are handed: hand it over in
 * slices.
 */
export type PassageIndex = ReturnType<typeof sqlitePassages>

/** See PassageIndex. The tables must be there. */
export function sqlitePassages (db: Database, secrets: Secrets) {
  const nextFirst = db.prepare<[], number>('SELECT coalesce(max(first + passages), 1) FROM trainings').pluck()
  // SQLite would give the number of the newest training again once it is gone, and what is kept in memory of that one
  // would count for another. No secret's number is given twice.
  const begun = db.prepare(`
    INSERT INTO trainings (id, agent, source, state, selected, language, form, first, passages, secret, segmented)
    VALUES (max(:secret, (SELECT coalesce(max(id), 0) + 1 FROM trainings)),
      :agent, :source, 'staged', :selected, :language, ${FORM}, :first, :passages, :secret, 1)`)
  const isSelected = db
    .prepare<[number], number>("SELECT selected FROM trainings WHERE source = ? AND state = 'live'")
    .pluck()
  const find = findTraining(db)
  const segments = segmentsIn(db)
  const { destroySome, forget } = removed(db, secrets)
  const care = upkeep(db, secrets, destroySome)
  const insert = db.prepare(
    'INSERT INTO passage_groups (first, training, passages, data, spellings) VALUES (?, ?, ?, ?, ?)'
  )
  const count = db.prepare('UPDATE trainings SET words = words + ? WHERE id = ?')
  const removeLive = db.prepare("UPDATE trainings SET state = 'removed' WHERE source = ? AND state = 'live'")
  const removeStaged = db.prepare("UPDATE trainings SET state = 'removed' WHERE source = ? AND state = 'staged'")
  const abandonAll = db.prepare("UPDATE trainings SET state = 'removed' WHERE state = 'staged'")
  const live = db.prepare<[number], number>("SELECT id FROM trainings WHERE source = ? AND state = 'live'").pluck()
  const discardStaged = db.prepare(
    "UPDATE trainings SET state = 'removed' WHERE id = ? AND source = ? AND state = 'staged'"
  )
  const makeLive = db.prepare("UPDATE trainings SET state = 'live' WHERE id = ? AND state = 'staged'")
  const choose = db.prepare("UPDATE trainings SET selected = ? WHERE source = ? AND state IN ('live', 'staged')")
  const written = db
    .prepare<[number], number>(
      `
    SELECT (coalesce((SELECT g.first + g.passages FROM passage_groups g WHERE g.first >= t.first AND g.first < t.first + t.passages
      ORDER BY g.first DESC LIMIT 1), t.first) - t.first) * 1.0 / max(passages, 1)
    FROM trainings t WHERE source = ? AND state = 'staged' ORDER BY id DESC LIMIT 1`
    )
    .pluck()
  const learnt = db.prepare<[number], LearntTotals>(`
    SELECT count(*) AS sources, coalesce(sum(passages), 0) AS passages, coalesce(sum(words), 0) AS words
    FROM trainings WHERE agent = ? AND state = 'live'`)

  /** Starts a training that will have so many passages. It is not found before `publish`, and `abandon` drops it. */
  function begin ({ agent, source, language, selected }: Training, passages: number): number {
    const was = isSelected.get(source) ?? 1
    const chosen = selected === undefined ? was : Number(selected)
    const { lastInsertRowid } = begun.run({
      agent,
      source,
      language,
      selected: chosen,
      first: nextFirst.get()!,
      passages,
      secret: secrets.create()
    })
    return Number(lastInsertRowid)
  }

  /** Adds passages to a staged training, the first of them being number `ordinal` of the source, from 0. */
  function add (training: number, passages: Entry[], ordinal: number): void {
    const { agent, first, ...row } = find.get(training)!
    const seals = sealsOf(secrets, row)
    let total = 0
    for (let at = 0; at < passages.length; at += GROUP) {
      const id = first + ordinal + at
      const group = passages.slice(at, at + GROUP)
      total += group.reduce((sum, { length }) => sum + length, 0)
      insert.run(id, training, group.length, ...seals(id, group))
    }
    segments.add(agent, first + ordinal, passages.map(({ words }) => words), 'live')
    care.grown()
    count.run(total, training)
  }

  /** From now on this training answers for its source, and what was trained before is hidden. */
  function publish (training: number): void {
    removeLive.run(find.get(training)!.source)
    makeLive.run(training)
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
    replace (training: Training, title: string, passages: Passage[]): void {
      const id = begin(training, passages.length)
      add(id, entries(passages, title, training.language), 0)
      publish(id)
    },

    /** Forgets a source: it is not found from now on, `clean` wipes it. */
    remove (source: number): void {
      removeLive.run(source)
      removeStaged.run(source)
    },

    /** The training that answers for a source. */
    live: (source: number): number | undefined => live.get(source),

    /**
     * How much of a staged training of a source is written, from 0 to 1; 0 without one. Passages are added in order.
     */
    written: (source: number): number => written.get(source) ?? 0,

    /**
     * Drops a training of a source that will not be published, unless it is gone: its number may be another's by then.
     */
    discard (training: number, source: number): void {
      discardStaged.run(training, source)
    },

    /** Drops every training that was begun and not published: those of a process that died. */
    abandon (): void {
      abandonAll.run()
    },

    /** Lets an agent use a source, or not, without training it again. */
    select (source: number, selected: boolean): void {
      choose.run(Number(selected), source)
    },

    /** How much of what an agent was taught is in which language. */
    spoken: sqliteSpoken(db),

    /** How much an agent has learnt, exactly as it is now. */
    learnt: (agent: number): LearntTotals => learnt.get(agent)!
  }
}
