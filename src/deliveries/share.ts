import type { Id } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { tiersIn } from '../plans/index.ts'
import { slidingWindow } from '../platform/work/sliding-window.ts'
import type { Sender } from '../platform/work/outbox.ts'
import { flatMapped, ifAny, type Work } from '../platform/storage/work.ts'

const DAY_MS = 86_400_000
/** Minimum interval at which held mail is checked, however soon there is room. */
const LOOK_MS = 10 * 60_000
/** Maximum accounts in memory; beyond, the least recently active are dropped. */
const REMEMBERED = 20_000

/** Gives the sender of mails in a channel the share of each account. */
export type MailShare = (channel: string, sender: Sender) => Sender

/**
 * Gives each account its share of outgoing mail, over all these channels and servers: anyone with a key can write
 * anything to anyone in the name of this server. Mail beyond the share waits until there is room.
 */
export function mailShare ({ db, clock, config: { MAIL_LIMITS: limits } }: Kernel): MailShare {
  const tierOf = tiersIn(db)
  const channels = new Set<string>()
  // What a server has sent itself still counts for it if it was deleted since.
  const day = slidingWindow({ clock, most: REMEMBERED, windowMs: DAY_MS })
  const look = slidingWindow({ clock, most: REMEMBERED, windowMs: LOOK_MS })
  const newest = db.rows<[Id, string, number], [settled: number | null]>(`
    select settled_at from outbox indexed by outbox_by_channel
    where owner_id = ? and channel = ? and attempts > 0 order by id desc limit ?`)

  /** Milliseconds until there is room again, given what all servers have sent; 0 if there is room. */
  function * fullMs (owner: Id, limit: number): Work<number> {
    const [now, since] = [clock.micros(), clock.micros() - DAY_MS * 1000]
    const sent = yield * flatMapped(channels, (channel) => newest.all(owner, channel, limit))
    const times = sent.map(([settled]) => settled ?? now).filter((time) => time > since).sort((a, b) => b - a)
    return times.length < limit ? 0 : (times[limit - 1]! - since) / 1000
  }

  return (channel, sender) => {
    channels.add(channel)
    return {
      ...sender,
      * heldMs (entry) {
        const held = (yield * ifAny(sender.heldMs?.(entry))) ?? 0
        // What was tried before was let through then.
        if (held > 0 || entry.attempts > 0) return held
        const { owner } = entry
        const limit = limits[yield * tierOf(owner)]
        if (limit === 0) return 0
        // Otherwise each of ten thousand waiting ones would be counted again.
        if (look.used(owner) > 0) return LOOK_MS
        const fullForMs = day.used(owner) < limit ? yield * fullMs(owner, limit) : day.take(owner, limit).freesMs
        // What is not committed has not been sent, and nobody was told to wait.
        const isFull = fullForMs > 0
        yield * db.afterwards(() => { isFull ? look.take(owner, 1) : day.take(owner, limit) })
        return isFull ? Math.max(fullForMs, LOOK_MS) : 0
      }
    }
  }
}
