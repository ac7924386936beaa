import type { Database } from 'better-sqlite3'
import { inOverflow } from '../platform/storage/sqlite/overflow.ts'
import type { Passage } from './passage.ts'
import { entries, indexed } from './impact.ts'
import type { Entry } from './impact.ts'
import type { Language } from './languages.ts'

/** Who trains what: the agent, its source, and what holds for the whole text. */
export interface Training {
  agent: number
  source: number
  language: Language | null
  /** Whether the agent uses the source; left out, as it was before. */
  selected?: boolean
}

/**
 * To wipe a passage costs some 0.5 ms where the index is in one piece, 1.5 ms where new words lie beside old ones; to put it together 0.005 ms for
 * each passage there is. So it pays when more than one of this many passages is to be wiped.
 */
const PAYS_ONE_OF = 200
/** Passages kept together: fewer waste room, since what is kept fills whole pages; more take longer to wipe in one go. */
const GROUP = 8
/** Pages of the index put together in one go: 3 to 6 ms. As much goes with each slice that is added, so that the index stays in few pieces. */
const MERGED_PAGES = 32

/** How much an agent has learnt, hidden sources included. */
export interface Learnt { sources: number, passages: number, words: number }

/** A passage as it is kept, of which the place in its group and its training's number are known already. */
type Kept = Omit<Entry, 'end' | 'length'>

interface TrainingRow { id: number, agent: number, source: number, first: number, passages: number }

/**
 * The passages of all agents and their index in SQLite, for writing. Every method runs inside the caller's transaction, is synchronous and short, except
 * that `add`, `replace` and `clean` take as long as what they are handed: hand it over in slices.
 */
export type PassageIndex = ReturnType<typeof sqlitePassages>

/** See PassageIndex. The tables must be there. */
export function sqlitePassages (db: Database) {
  const nextFirst = db.prepare<[], number>('SELECT coalesce(max(first + passages), 1) FROM trainings').pluck()
  const begun = db.prepare(`
    INSERT INTO trainings (agent, source, state, selected, language, first, passages)
    VALUES (:agent, :source, 'staged', :selected, :language, :first, :passages)`)
  const isSelected = db.prepare<[number], number>("SELECT selected FROM trainings WHERE source = ? AND state = 'live'").pluck()
  const find = db.prepare<[number], TrainingRow>('SELECT id, agent, source, first, passages FROM trainings WHERE id = ?')
  const insert = db.prepare('INSERT INTO passage_groups (first, training, passages, data) VALUES (?, ?, ?, ?)')
  const index = db.prepare('INSERT INTO passage_index (rowid, words) VALUES (?, ?)')
  const unindex = db.prepare("INSERT INTO passage_index (passage_index, rowid, words) VALUES ('delete', ?, ?)")
  const count = db.prepare('UPDATE trainings SET words = words + ? WHERE id = ?')
  const hideSource = db.prepare("UPDATE trainings SET state = 'removed' WHERE source = ? AND state = 'live'")
  const hideStaged = db.prepare("UPDATE trainings SET state = 'removed' WHERE source = ? AND state = 'staged'")
  const abandonAll = db.prepare("UPDATE trainings SET state = 'removed' WHERE state = 'staged'")
  const live = db.prepare<[number], number>("SELECT id FROM trainings WHERE source = ? AND state = 'live'").pluck()
  const hide = db.prepare("UPDATE trainings SET state = 'removed' WHERE id = ? AND source = ? AND state = 'staged'")
  const show = db.prepare("UPDATE trainings SET state = 'live' WHERE id = ? AND state = 'staged'")
  const choose = db.prepare("UPDATE trainings SET selected = ? WHERE source = ? AND state IN ('live', 'staged')")
  const nextRemoved = db.prepare<[], TrainingRow>("SELECT id, agent, source, first, passages FROM trainings WHERE state = 'removed' LIMIT 1")
  // Backwards: FTS5 puts off what goes forwards until the commit, where no clock could stop it.
  const lastGroup = db.prepare<[number, number], { first: number, data: string }>(
    'SELECT first, data FROM passage_groups WHERE first BETWEEN ? AND ? ORDER BY first DESC LIMIT 1')
  const written = db.prepare<[number], number>(`
    SELECT (coalesce((SELECT g.first + g.passages FROM passage_groups g WHERE g.first >= t.first AND g.first < t.first + t.passages
      ORDER BY g.first DESC LIMIT 1), t.first) - t.first) * 1.0 / max(passages, 1)
    FROM trainings t WHERE source = ? AND state = 'staged' ORDER BY id DESC LIMIT 1`).pluck()
  const dropGroup = db.prepare('DELETE FROM passage_groups WHERE first = ?')
  const dropVectors = db.prepare('DELETE FROM passage_vectors WHERE first = ?')
  const dropTraining = db.prepare('DELETE FROM trainings WHERE id = ?')
  const merge = db.prepare("INSERT INTO passage_index (passage_index, rank) VALUES ('merge', ?)")
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  const merges = db.prepare<[number], number>(`
    SELECT (SELECT coalesce(sum(passages), 0) FROM trainings WHERE state = 'removed') * ? > (SELECT coalesce(sum(passages), 0) FROM trainings)`).pluck()
  const learnt = db.prepare<[number], Learnt>(`
    SELECT count(*) AS sources, coalesce(sum(passages), 0) AS passages, coalesce(sum(words), 0) AS words
    FROM trainings WHERE agent = ? AND state = 'live'`)

  /** Starts a training that will have so many passages. It is not found before `publish`, and `abandon` drops it. */
  function begin ({ agent, source, language, selected }: Training, passages: number): number {
    const was = isSelected.get(source) ?? 1
    const chosen = selected === undefined ? was : Number(selected)
    const { lastInsertRowid } = begun.run({ agent, source, language, selected: chosen, first: nextFirst.get()!, passages })
    return Number(lastInsertRowid)
  }

  /** Adds passages to a staged training, the first of them being number `ordinal` of the source, from 0. */
  function add (training: number, passages: Entry[], ordinal: number): void {
    const { agent, first } = find.get(training)!
    let total = 0
    for (let at = 0; at < passages.length; at += GROUP) {
      const id = first + ordinal + at
      const group = passages.slice(at, at + GROUP).map(({ length, end: _end, ...passage }, i): Kept => {
        index.run(id + i, indexed(agent, passage.words))
        total += length
        return passage
      })
      insert.run(id, training, group.length, inOverflow(JSON.stringify(group)))
    }
    count.run(total, training)
    merge.run(MERGED_PAGES)
  }

  /** From now on this training answers for its source, and what was trained before is hidden. */
  function publish (training: number): void {
    hideSource.run(find.get(training)!.source)
    show.run(training)
  }

  /** Takes a few passages of what was removed out of the index and the file. False: there is none left. */
  function cleanSome (): boolean {
    const training = nextRemoved.get()
    if (training === undefined) return false
    const group = lastGroup.get(training.first, training.first + training.passages - 1)
    if (group === undefined) return dropTraining.run(training.id).changes > 0
    const passages = JSON.parse(group.data) as Kept[]
    for (let i = passages.length - 1; i >= 0; i--) unindex.run(group.first + i, indexed(training.agent, passages[i]!.words))
    dropVectors.run(group.first)
    return dropGroup.run(group.first).changes > 0
  }

  return {
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
      hideSource.run(source)
      hideStaged.run(source)
    },

    /** The training that answers for a source. */
    live: (source: number): number | undefined => live.get(source),

    /** How much of a staged training of a source is written, from 0 to 1; 0 without one. Passages are added in order. */
    written: (source: number): number => written.get(source) ?? 0,

    /** Drops a training of a source that will not be published, unless it is gone: its number may be another's by then. */
    discard (training: number, source: number): void {
      hide.run(training, source)
    },

    /** Drops every training that was begun and not published: those of a process that died. */
    abandon (): void {
      abandonAll.run()
    },

    /** Lets an agent use a source, or not, without training it again. */
    select (source: number, selected: boolean): void {
      choose.run(Number(selected), source)
    },

    /** Whether it pays to put the index together before what was removed is wiped. */
    paysToMerge: (): boolean => merges.get(PAYS_ONE_OF) === 1,

    /** Puts the index together, a step of a few milliseconds; `first` begins with all there is now. Whether there is more to do. */
    merge (first: boolean): boolean {
      const before = changes.get()!
      merge.run(first ? -MERGED_PAGES : MERGED_PAGES)
      // As SQLite says it: fewer than two changes, nothing was left to do.
      return changes.get()! - before >= 2
    },

    /** Wipes passages that were removed until `enough` says so, at least a few. Whether more remain; the few that go at once take 4 to 12 ms. */
    clean (enough: () => boolean): boolean {
      while (cleanSome()) {
        if (enough()) return true
      }
      return false
    },

    /** How much an agent has learnt, exactly as it is now. */
    learnt: (agent: number): Learnt => learnt.get(agent)!
  }
}
