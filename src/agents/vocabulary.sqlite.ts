import type { Term, Vocabulary, VocabularyRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import { vocabularies } from '../../schema/sqlite/agents.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { invalid, type FieldError } from '../platform/errors.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Work } from '../platform/storage/work.ts'

/** The entity tag of an agent's vocabulary for If-Match: its agent and version. */
export interface KeptVocabulary extends Vocabulary { id: Id, version: number }

/** Stores the vocabularies of agents. An agent that is missing, or somebody else's, is `undefined`. */
export interface VocabularyStore {
  /** The vocabulary of an agent's business; without terms if there is none. */
  vocabulary (owner: Id, agent: Id): Promise<KeptVocabulary | undefined>
  /** Replaces all terms, unless `check` throws. */
  replaceVocabulary (
    owner: Id, agent: Id, terms: readonly Term[], check: (kept: KeptVocabulary) => void
  ): Promise<KeptVocabulary | undefined>
}

/** Vocabularies in SQLite. `isThere`: whether the owner has the agent. */
export function sqliteVocabularies (
  db: Database, clock: Clock,
  isThere: (owner: Id, agent: Id) => Work<boolean>
): VocabularyStore {
  const rows = rowsOf(vocabularies)
  const kept = db.rows<[Id], unknown[]>(`select ${rows.columns} from vocabularies where agent_id = ?`)
  const replace = db.objects(
    `insert into vocabularies (${rows.columns}) values (${rows.placeholders}) on conflict (agent_id) do update set ${rows.updates}`
  )

  function * of (agent: Id): Work<KeptVocabulary> {
    const row = yield * kept.get(agent)
    return row ? shown(rows.record(row)) : { id: agent, terms: [], version: 0, updated_at: null }
  }

  return {
    vocabulary: async (owner, agent) => db.read(function * () {
      return (yield * isThere(owner, agent)) ? (yield * of(agent)) : undefined
    }),
    replaceVocabulary: (owner, agent, terms, check) => db.atomically(function * () {
      if (!(yield * isThere(owner, agent))) return undefined
      const before = yield * of(agent)
      check(before)
      const next = tidied(terms)
      if (JSON.stringify(next) === JSON.stringify(before.terms)) return before
      const record = { agent, terms: next, version: before.version + 1, updated_at: timestamp(clock.micros()) }
      yield * replace.run(rows.values(record))
      return shown(record)
    })
  }
}

const shown = ({ agent, ...kept }: VocabularyRecord): KeptVocabulary => ({ id: agent, ...kept })

/** Terms trimmed and without duplicate meanings. Refuses duplicate terms. */
export function tidied (terms: readonly Term[]): Term[] {
  const known = new Map<string, number>()
  const wrong: FieldError[] = []
  const all = terms.map(({ term, means }, at) => {
    const name = tidy(term)
    const first = known.get(sameAs(name))
    if (first !== undefined) {
      const field = `terms[${at}].term`
      wrong.push({ field, message: `${field} is the same term as terms[${first}]: put its meanings there.` })
    } else known.set(sameAs(name), at)
    const others = new Map(means.toReversed().map((one) => [sameAs(tidy(one)), tidy(one)]))
    others.delete(sameAs(name))
    if (others.size === 0) {
      const field = `terms[${at}].means`
      wrong.push({ field, message: `${field} must hold at least one word that is not the term itself.` })
    }
    return { term: name, means: [...others.values()].reverse() }
  })
  if (wrong.length > 0) throw invalid(...wrong)
  return all
}

const tidy = (text: string) => text.trim().replaceAll(/\s+/g, ' ')
const sameAs = (text: string) => text.normalize('NFKC').toLowerCase()
