import type { Database } from 'better-sqlite3'
import type { Term } from '../../../schema/agents.ts'
import { OwnPhrases } from './phrases.ts'

/** Phrases of all agents kept in memory, as each language has them; the agent asked longest ago is forgotten first. */
const MOST = 200_000

/**
 * The vocabularies of agents as a search uses them. They are read when they have changed, step by step, so that what is
 * set counts for the next question.
 */
export function sqliteOwnWords (db: Database, { most = MOST } = {}) {
  const versionOf = db.prepare<[number], number>('SELECT version FROM vocabularies WHERE agent_id = ?').pluck()
  const termsOf = db.prepare<[number], string>('SELECT terms FROM vocabularies WHERE agent_id = ?').pluck()
  const agents = new Map<number, { version: number, own: OwnPhrases }>()

  function forgetSome (): void {
    let sum = 0
    for (const [agent, { own }] of [...agents].reverse()) {
      sum += own.size
      if (sum > most) agents.delete(agent)
    }
  }

  return {
    /** What words mean in an agent's business; undefined where nobody said. */
    * of (agent: number): Generator<undefined, OwnPhrases | undefined> {
      const version = versionOf.get(agent)
      const known = agents.get(agent)
      agents.delete(agent)
      if (version === undefined) return undefined
      if (known?.version === version) {
        agents.set(agent, known)
        return known.own
      }
      const terms = JSON.parse(termsOf.get(agent)!) as Term[]
      const own = yield * OwnPhrases.of(terms)
      if (terms.length === 0) return undefined
      agents.set(agent, { version, own })
      forgetSome()
      return own
    }
  }
}
