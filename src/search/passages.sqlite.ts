import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { openGroup, sealGroup, type Kept, type Passage } from './passage.ts'
import { entries, indexed } from './impact.ts'
import type { Entry } from './impact.ts'
import type { Language } from './words/languages.ts'

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
/** Passages kept, and sealed, together: fewer cost more each, more take longer to wipe and to show. */
const GROUP = 8
/** Trainings of which the secrets are destroyed in one go, and groups that are sealed in one. */
const SECRETS_AT_ONCE = 50
const GROUPS_AT_ONCE = 8
/** Pages of the index put together in one go: 3 to 6 ms. As much goes with each slice that is added, so that the index stays in few pieces. */
const MERGED_PAGES = 32

/** How much an agent has learnt, hidden sources included. */
export interface Learnt { sources: number, passages: number, words: number }

interface TrainingRow { id: number, agent: number, source: number, first: number, passages: number, secret: number | null, words_secret: number | null }

/** A group's words are sealed apart from its passages, which may be opened by nobody any more when the words are taken out of the index. */
interface GroupRow { first: number, words: Buffer | null, data: string | null }

/**
 * The passages of all agents and their index in SQLite, for writing. Every method runs inside the caller's transaction, is synchronous and short, except
 * that `add`, `replace` and `clean` take as long as what they are handed: hand it over in slices.
 */
export type PassageIndex = ReturnType<typeof sqlitePassages>

/** See PassageIndex. The tables must be there. */
export function sqlitePassages (db: Database, secrets: Secrets) {
  const nextFirst = db.prepare<[], number>('SELECT coalesce(max(first + passages), 1) FROM trainings').pluck()
  const begun = db.prepare(`
    INSERT INTO trainings (agent, source, state, selected, language, first, passages, secret, words_secret)
    VALUES (:agent, :source, 'staged', :selected, :language, :first, :passages, :secret, :wordsSecret)`)
  const isSelected = db.prepare<[number], number>("SELECT selected FROM trainings WHERE source = ? AND state = 'live'").pluck()
  const find = db.prepare<[number], TrainingRow>('SELECT id, agent, source, first, passages, secret, words_secret FROM trainings WHERE id = ?')
  const insert = db.prepare('INSERT INTO passage_groups (first, training, passages, data, words) VALUES (?, ?, ?, ?, ?)')
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
  const nextRemoved = db.prepare<[], TrainingRow>("SELECT id, agent, source, first, passages, secret, words_secret FROM trainings WHERE state = 'removed' LIMIT 1")
  // Backwards: FTS5 puts off what goes forwards until the commit, where no clock could stop it.
  const lastGroup = db.prepare<[number, number], GroupRow>(`
    SELECT first, words, CASE WHEN words IS NULL THEN data END AS data FROM passage_groups WHERE first BETWEEN ? AND ? ORDER BY first DESC LIMIT 1`)
  const secretsOfRemoved = db.prepare<[number], { id: number, secret: number }>(
    "SELECT id, secret FROM trainings WHERE state = 'removed' AND secret IS NOT NULL LIMIT ?")
  const withoutSecret = db.prepare('UPDATE trainings SET secret = NULL WHERE id = ?')
  const giveSecrets = db.prepare('UPDATE trainings SET secret = coalesce(secret, ?), words_secret = ? WHERE id = ?')
  const unsealed = db.prepare<[number], { first: number, training: number, data: string }>(`
    SELECT first, training, data FROM passage_groups WHERE words IS NULL AND training IN (SELECT id FROM trainings WHERE state <> 'removed') LIMIT ?`)
  const reseal = db.prepare('UPDATE passage_groups SET data = ?, words = ? WHERE first = ?')
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

  /** How a training's groups are kept: their passages and their words, sealed. */
  function sealsOf ({ secret, words_secret: wordsSecret }: Pick<TrainingRow, 'secret' | 'words_secret'>) {
    const [seal, wordsSeal] = [secrets.seal(secret!)!, secrets.seal(wordsSecret!)!]
    return (first: number, group: Array<Kept & { words: string }>): [data: Buffer, words: Buffer] =>
      [sealGroup(seal, first, group.map(keptOf)), wordsSeal.close(`words ${first}`, group.map(({ words }) => words).join('\n'))]
  }

  /** The words of a group, passage by passage; none where they are damaged, and stay in the index, where they lead nowhere. */
  function wordsIn ({ first, words, data }: GroupRow, { words_secret: secret }: TrainingRow): string[] {
    if (words === null) return (JSON.parse(data!) as Array<{ words: string }>).map(({ words }) => words)
    try {
      return secrets.seal(secret!)!.open(`words ${first}`, words).toString().split('\n')
    } catch {
      return []
    }
  }

  /** Starts a training that will have so many passages. It is not found before `publish`, and `abandon` drops it. */
  function begin ({ agent, source, language, selected }: Training, passages: number): number {
    const was = isSelected.get(source) ?? 1
    const chosen = selected === undefined ? was : Number(selected)
    const { lastInsertRowid } = begun.run({ agent, source, language, selected: chosen, first: nextFirst.get()!, passages, secret: secrets.create(), wordsSecret: secrets.create() })
    return Number(lastInsertRowid)
  }

  /** Adds passages to a staged training, the first of them being number `ordinal` of the source, from 0. */
  function add (training: number, passages: Entry[], ordinal: number): void {
    const { agent, first, ...row } = find.get(training)!
    const seals = sealsOf(row)
    let total = 0
    for (let at = 0; at < passages.length; at += GROUP) {
      const id = first + ordinal + at
      const group = passages.slice(at, at + GROUP)
      for (const [i, { words, length }] of group.entries()) {
        index.run(id + i, indexed(agent, words))
        total += length
      }
      insert.run(id, training, group.length, ...seals(id, group))
    }
    count.run(total, training)
    merge.run(MERGED_PAGES)
  }

  /** From now on this training answers for its source, and what was trained before is hidden. */
  function publish (training: number): void {
    hideSource.run(find.get(training)!.source)
    show.run(training)
  }

  function destroy (training: number, secret: number) {
    secrets.destroy(secret)
    withoutSecret.run(training)
  }

  function destroySome (): boolean {
    const doomed = secretsOfRemoved.all(SECRETS_AT_ONCE)
    for (const { id, secret } of doomed) destroy(id, secret)
    return doomed.length > 0
  }

  /** Takes a few passages of what was removed out of the index and the file. False: there is none left. */
  function cleanSome (): boolean {
    const training = nextRemoved.get()
    if (training === undefined) return false
    // Removed while others were being wiped.
    if (training.secret !== null) destroy(training.id, training.secret)
    const group = lastGroup.get(training.first, training.first + training.passages - 1)
    if (group === undefined) {
      if (training.words_secret !== null) secrets.destroy(training.words_secret)
      return dropTraining.run(training.id).changes > 0
    }
    const words = wordsIn(group, training)
    for (let i = words.length - 1; i >= 0; i--) unindex.run(group.first + i, indexed(training.agent, words[i]!))
    dropVectors.run(group.first)
    return dropGroup.run(group.first).changes > 0
  }

  return {
    begin,

    /** Destroys secrets of what was removed: its passages can be opened by nobody any more, long before the last of them is wiped. Whether there may be more. */
    destroySome,

    /** Seals groups that an older program kept open. Whether there may be more. */
    sealSome (): boolean {
      const some = unsealed.all(GROUPS_AT_ONCE)
      for (const { first, training, data } of some) {
        const { secret, words_secret: words } = find.get(training)!
        if (words === null) giveSecrets.run(secret === null ? secrets.create() : null, secrets.create(), training)
        reseal.run(...sealsOf(find.get(training)!)(first, JSON.parse(data)), first)
      }
      return some.length > 0
    },

    /** Whether an older program kept passages open. */
    hasUnsealed: (): boolean => unsealed.all(1).length > 0,
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

/** A passage without what only the index needs. */
function keptOf ({ text, start, heading, page, row, lastRow }: Kept): Kept {
  return { text, start, heading, page, row, lastRow }
}

/** Sources of which passages, words or vectors are damaged, of all that are kept sealed and answer; on any connection. Opens everything. */
export function damagedSources (raw: Database, secrets: Secrets): number[] {
  const trainings = raw.prepare<[], TrainingRow>("SELECT id, agent, source, first, passages, secret, words_secret FROM trainings WHERE state = 'live'")
  const groups = raw.prepare<[number, number], { first: number, passages: number, data: Buffer, words: Buffer | null, signs: Buffer | null, numbers: Buffer | null }>(`
    SELECT g.first, g.passages, g.data, g.words, v.signs, v.numbers FROM passage_groups g LEFT JOIN passage_vectors v ON v.first = g.first
    WHERE g.first BETWEEN ? AND ? AND g.words IS NOT NULL`)
  const isWhole = ({ first, passages, secret, words_secret: wordsSecret }: TrainingRow) => {
    try {
      for (const group of groups.iterate(first, first + passages - 1)) {
        const seal = secrets.seal(secret!)!
        openGroup(seal, group.first, group.data)
        secrets.seal(wordsSecret!)!.open(`words ${group.first}`, group.words!)
        if (group.signs) seal.open(`signs ${group.first}`, group.signs)
        if (group.numbers) seal.open(`numbers ${group.first}`, group.numbers)
      }
      return true
    } catch {
      return false
    }
  }
  return trainings.all().filter((training) => !isWhole(training)).map(({ source }) => source)
}
