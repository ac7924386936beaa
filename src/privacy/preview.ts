import type { Id } from '../../schema/common.ts'
import type { Removed } from '../../schema/privacy.ts'
import type { Counted, Counter } from '../personal-data/contract.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { NOTHING, plus } from './retention.ts'

/** Counts what an agent has that has been inactive since a time, in slices that do not block others. */
export function counting (db: Database, counters: readonly Counter[]) {
  return async (agent: Id, since: string): Promise<Removed> => {
    let all = NOTHING
    for (const counter of counters) {
      for (let behind: number | null = 0; behind !== null; await nextTurn()) {
        const { number, ...more }: Counted = (await db.read(() => counter.get({ agent, since, behind: behind! })))!
        all = plus(all, more)
        behind = number
      }
    }
    return all
  }
}
