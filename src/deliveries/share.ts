import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Clock } from '../platform/clock.ts'
import { slidingWindow } from '../platform/work/sliding-window.ts'
import type { Sender } from '../platform/work/outbox.ts'
import { ifAny, type Work } from '../platform/storage/work.ts'

const DAY_MS = 86_400_000
/** What is held is looked at no more often, however soon there is room. */
const LOOK_MS = 10 * 60_000
/** Accounts that are remembered; beyond, those that have been quiet longest are forgotten. */
const REMEMBERED = 20_000

/** What the share needs. `limits`: mails that an account of each tier sends in 24 hours; 0 is no limit. */
interface MailShareNeeds { clock: Clock, tierOf: (owner: Id) => Work<Tier>, limits: Record<Tier, number> }

/**
 * Gives each account its share of the mail that goes out, by whichever of these senders: whoever has a key writes what
 * they like, to whom they like, in the name of this server. What is too much waits until there is room.
 */
export function mailShare ({ clock, tierOf, limits }: MailShareNeeds): (sender: Sender) => Sender {
  const day = slidingWindow({ clock, most: REMEMBERED, windowMs: DAY_MS })
  return (sender) => ({
    ...sender,
    * heldMs (entry) {
      const held = (yield * ifAny(sender.heldMs?.(entry))) ?? 0
      // What was tried before was let through then.
      if (held > 0 || entry.attempts > 0) return held
      const limit = limits[yield * tierOf(entry.owner)]
      if (limit === 0) return 0
      const { allowed, freesMs } = day.take(entry.owner, limit)
      return allowed ? 0 : Math.max(freesMs, LOOK_MS)
    }
  })
}
