import type { Id } from '../../../schema/common.ts'
import type { Looking } from '../../../schema/handoff.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'

/** Which members have which conversations open: told to those who watch the account, and kept nowhere but here. */
export interface Lookers {
  /** Somebody looks, types or goes away; the answer says who else has it open. */
  say (owner: Id, conversation: string, user: Id, state: Looking['state']): Looking[]
  /** For those who watch an account: each call of the answer gives what was said since the one before. */
  watch (owner: Id): () => Looking[]
}

/** Milliseconds for which it counts, unless it is said again. */
export const LOOKS_MS = 45_000
/** What is told to neighbours, with who looks at what. */
const LOOKING = 'looking'
/** Members at conversations at most, and what is remembered for watchers, who are woken at once. */
const MOST = 5000
const REMEMBERED = 200

/** See Lookers. `wake`: wakes those who watch an account. */
export function openLookers (
  clock: Pick<Clock, 'monotonic'>, neighbours: Pick<Neighbours, 'tell' | 'hear'>, wake: (owner: Id) => void
): Lookers {
  /** By conversation and member, what was said last at the end. */
  const here = new Map<string, { owner: Id, until: number, looking: Looking }>()
  let recent: Array<{ n: number, owner: Id, looking: Looking }> = []
  let n = 0

  /** Those whose time is over stand first. */
  function clear () {
    for (const [key, { until }] of here) {
      if (until > clock.monotonic() && here.size <= MOST) return
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
