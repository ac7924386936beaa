import type { Neighbours } from '../neighbours/contract.ts'
import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

/** Reports when caches of the tables may be stale. They are dropped then. */
export interface Changes<K extends string | number | void = void> {
  /** Something changes, inside the transaction of the change: takes effect once that is committed. */
  moved (key: K): Work<void>
  /** A number that changes whenever any of it may have changed, here or in another process. */
  generation (): number
}

/**
 * The changes of one kind, named `topic` between neighbours. `onMoved` is called for each committed change, here or by
 * a neighbour; changes by programs that are not neighbours only move the database's own generation.
 */
export function changesOf<K extends string | number | void = void> (
  db: Pick<Database, 'afterwards' | 'generation'>, neighbours: Pick<Neighbours, 'tell' | 'hear'>, topic: string,
  onMoved: (key: K) => void = () => {}
): Changes<K> {
  let changes = 0
  function moved (key: K) {
    changes++
    onMoved(key)
  }
  neighbours.hear(topic, (key) => moved(key as K))
  return {
    moved: (key) => db.afterwards(() => {
      moved(key)
      neighbours.tell(topic, key ?? null)
    }),
    generation: () => db.generation() + changes * 2 ** 32
  }
}
