import type { Neighbours } from '../neighbours/contract.ts'
import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

/** Tells when what is remembered of the tables may not be so any more. Whoever remembers it forgets it then. */
export interface Changes<K extends string | number | void = void> {
  /** Something of it changes, inside the transaction of the change: counts once that is committed. */
  moved (key: K): Work<void>
  /** A number that moves whenever any of it may have changed, here or in another process. */
  generation (): number
}

/**
 * The changes of one kind, called `topic` among neighbours. `onMoved` hears of each that was committed, here or by a
 * neighbour; what programs changed that are none moves the database's own generation alone.
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
