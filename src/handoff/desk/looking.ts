import type { Id } from '../../../schema/common.ts'
import type { Looking } from '../../../schema/handoff.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'

/** Which members have which conversations open: sent to watchers of the account, and held only in memory. */
export interface Lookers {
  /** A member looks, types or leaves; returns who else has it open. */
  say (owner: Id, conversation: string, user: Id, state: Looking['state']): Looking[]
  /** For watchers of an account: each call of the result returns what is new since the last call. */
  watch (owner: Id): () => Looking[]
}

/** Milliseconds for which it is valid, unless repeated. */
export const LOOKS_MS = 45_000
/** Sent to other processes, with who looks at what. */
const LOOKING = 'looking'
/** Most members at conversations, and events remembered for watchers, who are woken at once. */
const MOST_LOOKERS = 5000
const REMEMBERED = 200

/** See Lookers. `wake`: wakes those who watch an account. */
export function openLookers (
  clock: Pick<Clock, 'monotonic'>, neighbours: Pick<Neighbours, 'tell' | 'hear'>, wake: (owner: Id) => void
): Lookers {
  /** By conversation and member, the latest at the end. */
  const here = new Map<string, { owner: Id, until: number, looking: Looking }>()
  let recent: Array<{ n: number, owner: Id, looking: Looking }> = []
  let n = 0

  /** Expired entries come first. */
  function clear () {
    for (const [key, { until }] of here) {
      if (until > clock.monotonic() && here.size <= MOST_LOOKERS) return
      here.delete(key)
    }
  }

  function heard (owner: Id, looking: Looking) {
    const key = `${owner} ${looking.id} ${looking.user}`
    here.delete(key)
    if (looking.state !== 'away') here.set(key, { owner, until: clock.monotonic() + LOOKS_MS, looking })
    clear()
    recent = [...recent.slice(1 - REMEMBERED), { n: ++n, owner, looking }]
    wake(owner)
  }
  neighbours.hear(LOOKING, (said) => {
    const { owner, ...looking } = said as unknown as Looking & { owner: Id }
    heard(owner, looking)
  })

  return {
    say (owner, id, user, state) {
      heard(owner, { id, user, state })
      neighbours.tell(LOOKING, { owner, id, user, state })
      return [...here.values()]
        .filter((one) => one.owner === owner && one.looking.id === id && one.looking.user !== user)
        .map((one) => one.looking)
    },
    watch (owner) {
      let told = n
      return () => {
        const said = recent.filter((one) => one.owner === owner && one.n > told).map(({ looking }) => looking)
        told = n
        return said
      }
    }
  }
}
