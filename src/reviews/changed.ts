import type { Id } from '../../schema/common.ts'
import { dayOf, type Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Job } from '../platform/work/jobs.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { ReviewStore } from './store.ts'

/** The kind of the job that finds answers citing a changed source; its subject is the source. */
const SOURCE_CHANGED = 'reviews.source'
/** Milliseconds without a change of it before it looks. */
export const QUIET_MS = 60_000
/** Limits: days of answers, conversations, messages of each, and answers recorded. */
const DAYS = 30
const MOST_CONVERSATIONS = 200
const MOST_MESSAGES = 100
const MOST_NOTED = 20
const DAY_MICROS = 24 * 3_600_000_000

/** Records answers whose source has changed since, some time after it did. */
export function reviewChanged ({
  db, clock, jobs, eventBus, worker, conversations: { store }, reviews
}: Pick<Kernel, 'db' | 'clock' | 'jobs' | 'eventBus' | 'worker'> & {
  conversations: Pick<Conversations, 'store'>
  reviews: Pick<ReviewStore, 'note'>
}) {
  // A source never cited, such as a new one, needs no search.
  const named = db.column<[Id, number, Id], number>(
    "select 1 from figures where agent_id = ? and day >= ? and name = 'source' and key = ? limit 1"
  )

  eventBus.on(['source.trained', 'source.freshened'], function * ({ owner, agent, data }) {
    if (agent === null) return
    const { id } = data.source
    if ((yield * named.get(agent, dayOf(clock.micros()) - DAYS, id)) === undefined) return
    const payload = { agent, at: timestamp(clock.micros()) }
    yield * jobs.ask({ kind: SOURCE_CHANGED, subject: id, owner, payload, inMs: QUIET_MS })
  })

  worker.handle(SOURCE_CHANGED, {
    async run ({ owner, subject: source, payload }: Job) {
      const { agent, at } = payload as { agent: Id, at: string }
      const since = timestamp(clock.micros() - DAYS * DAY_MICROS)
      const { items } = await store.list(owner, { agent, since }, undefined, MOST_CONVERSATIONS)
      let noted = 0
      for (const { id, channel } of items) {
        if (noted >= MOST_NOTED) break
        if (channel === 'console') continue
        const messages = await store.messages(owner, id, {}, MOST_MESSAGES) ?? []
        const seqs = messages
          .filter((one) => one.created_at < at && one.citations.some((citation) => citation.source === source))
          .map(({ seq }) => seq)
        if (seqs.length > 0) await reviews.note(owner, id, seqs.slice(0, MOST_NOTED - noted))
        noted += seqs.length
        // Decrypting messages takes time.
        await nextTurn()
      }
      return { done: true }
    }
  })
}
