import type { Clock } from '../clock.ts'
import type { Neighbours } from './contract.ts'

/** How often each process repeats all its facts, and for how long the others believe them. */
const SAY_MS = 5000
const BELIEVED_MS = 20_000

/** Facts that are true in this process or in another, by name: who is present, which consoles are open. */
interface Together {
  /** It is true in this process from now on. */
  enter (name: string): void
  /** It is no longer true. */
  leave (name: string): void
  /** Whether it is true in another process. */
  isElsewhere (name: string): boolean
}

/**
 * What each process knows about itself and hears from its neighbours. `onChange` is called with what becomes true, and
 * what no longer is, in another process.
 */
export function together (
  neighbours: Pick<Neighbours, 'isAlone' | 'tell' | 'hear' | 'onBeat'>, topic: string,
  { clock, onChange }: {
    clock: Pick<Clock, 'monotonic'>, onChange?: (name: string, isTrue: boolean) => void
  }
): Together {
  const own = new Set<string>()
  /** Until when it counts, per process and name. */
  const others = new Map<string, Map<string, number>>()
  const now = () => clock.monotonic()

  function isElsewhere (name: string): boolean {
    for (const names of others.values()) if ((names.get(name) ?? 0) > now()) return true
    return false
  }

  /** Each name with how long it still counts. */
  function believe (process: string, said: Array<[string, number]>) {
    const names = others.get(process) ?? new Map<string, number>()
    others.set(process, names)
    for (const [name, forMs] of said) {
      const was = isElsewhere(name)
      if (forMs > 0) names.set(name, now() + forMs)
      else names.delete(name)
      if (was !== isElsewhere(name)) onChange?.(name, !was)
    }
  }

  const say = (said: Array<[string, number]>) => neighbours.tell(topic, said)
  neighbours.hear(topic, (said, process) => believe(process, said as Array<[string, number]>))
  let said = now()
  neighbours.onBeat(() => {
    if (now() - said < SAY_MS) return
    said = now()
    if (own.size > 0) say([...own].map((name) => [name, BELIEVED_MS]))
    for (const names of others.values()) expire(names)
  })

  /** Facts that nobody revokes, since their process is gone, expire. */
  function expire (names: Map<string, number>) {
    for (const [name, until] of names) {
      if (until > now()) continue
      names.delete(name)
      if (!isElsewhere(name)) onChange?.(name, false)
    }
  }

  return {
    enter (name) {
      own.add(name)
      say([[name, BELIEVED_MS]])
    },
    leave (name) {
      own.delete(name)
      say([[name, 0]])
    },
    isElsewhere
  }
}
