import type { Id } from '../../../schema/common.ts'
import type { Secrets } from '../../platform/storage/secrets.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import { mapped, type Work } from '../../platform/storage/work.ts'
import { TRAINING_COLUMNS, type TrainingRow } from '../groups.ts'
import { openGroup } from '../passage.ts'
import { isKnown, type Language } from '../words/languages.ts'
import { asksForSomething, isQuestion, isTopic, lastOf } from './topic.ts'

/** Sources that are looked into, and groups of each: more would hold others up. */
const MOST_SOURCES = 24
const MOST_GROUPS = 2
const MOST_TOPICS = 3

/** Opening questions for visitors, in the words of what an agent has learnt in a language. */
export type Topics = (agent: Id, language: string) => Work<string[]>

/** Reads it; inside a transaction. Where a passage is damaged, it is passed over. */
export function sqliteTopics (db: Statements, secrets: Secrets): Topics {
  const some = db.objects<[Id, string, number], TrainingRow>(
    `SELECT ${TRAINING_COLUMNS} FROM trainings
    WHERE agent = ? AND state = 'live' AND selected = 1 AND language = ? ORDER BY first LIMIT ?`
  )
  const groups = db.objects<[Id, number], { first: Id, data: Buffer | string }>(
    'SELECT first, data FROM passage_groups WHERE training = ? ORDER BY first LIMIT ?'
  )

  function * headings ({ id, secret }: TrainingRow): Work<string[]> {
    const seal = secret === null ? undefined : yield * secrets.seal(secret)
    const some = yield * groups.all(id, MOST_GROUPS)
    try {
      return some
        .flatMap(({ first, data }) => openGroup(seal, first, data))
        .flatMap(({ heading }) => heading ?? [])
    } catch {
      return []
    }
  }

  return function * (agent, language) {
    const found = yield * mapped(yield * some.all(agent, language, MOST_SOURCES), headings)
    return topicsOf(found, isKnown(language) ? language : null)
  }
}

/**
 * Up to three topics of the headings of each source, outermost first (`Returns › How long do I have?`): questions
 * before others, of as many sources as there are, and none without a word to look for. Pure.
 */
export function topicsOf (sources: readonly string[][], language: Language | null = null): string[] {
  const lasts = sources.map((headings) => headings.map(lastOf))
  const questions = lasts.map((all) => all.filter(isQuestion))
  const others = lasts.map((all) => all.filter(isTopic))
  const found = new Map<string, string>()
  for (const topic of [...inTurn(questions), ...inTurn(others)]) {
    if (found.size === MOST_TOPICS) break
    if (!found.has(topic.toLowerCase()) && asksForSomething(topic, language)) found.set(topic.toLowerCase(), topic)
  }
  return [...found.values()]
}

/** The first of each, then the second of each, and so on. */
function inTurn<T> (lists: readonly T[][]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_one, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}
