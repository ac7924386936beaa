import type { Id } from '../../../schema/common.ts'
import type { VisitorHere } from '../../../schema/conversations.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { together } from '../../platform/neighbours/together.ts'

/** Which conversations their visitors have open; known to the serving processes, and not stored. */
export interface Presence {
  /** A visitor sees a conversation of an account, until the returned function is called. */
  enter (owner: Id, conversation: string): () => void
  isThere (owner: Id, conversation: string): boolean
  /** Called for every arriving visitor, in the process they connect to. */
  on (listener: (conversation: string) => void): void
  /** For watchers of an account: each call of the result returns who came and left since the last call. */
  watch (owner: Id): () => VisitorHere[]
}

const nameOf = (owner: Id, conversation: string) => `${owner} ${conversation}`

/** Most remembered for watchers, who are woken at once. */
const REMEMBERED = 200

/** Initially empty. `wake`: wakes watchers of an account. */
export function openPresence (
  clock: Pick<Clock, 'monotonic'>, neighbours: Neighbours, wake: (owner: Id) => void = () => {}
): Presence {
  const elsewhere = together(neighbours, 'presence', {
    clock,
    onChange (name, isHere) {
      const [owner, conversation] = name.split(' ') as [string, string]
      if (!there.has(conversation)) tell(Number(owner), conversation, isHere)
    }
  })
  const there = new Map<string, number>()
  const listeners: Array<(conversation: string) => void> = []
  let recent: Array<{ n: number, owner: Id, told: VisitorHere }> = []
  let n = 0

  function tell (owner: Id, id: string, isHere: boolean) {
    recent = [...recent.slice(1 - REMEMBERED), { n: ++n, owner, told: { id, is_here: isHere } }]
    wake(owner)
  }

  return {
    enter (owner, conversation) {
      const before = there.get(conversation) ?? 0
      there.set(conversation, before + 1)
      const name = nameOf(owner, conversation)
      for (const listener of listeners) listener(conversation)
      // A second tab, or closing one of two, changes nothing.
      if (before === 0) {
        elsewhere.enter(name)
        tell(owner, conversation, true)
      }
      return () => {
        const left = (there.get(conversation) ?? 0) - 1
        if (left > 0) there.set(conversation, left)
        else {
          there.delete(conversation)
          elsewhere.leave(name)
          if (!elsewhere.isElsewhere(name)) tell(owner, conversation, false)
        }
      }
    },
    isThere: (owner, conversation) => there.has(conversation) || elsewhere.isElsewhere(nameOf(owner, conversation)),
    on: (listener) => { listeners.push(listener) },
    watch (owner) {
      let heard = n
      return () => {
        const told = recent.filter((one) => one.owner === owner && one.n > heard).map((one) => one.told)
        heard = n
        return told
      }
    }
  }
}
