import type { Id } from '../../../schema/common.ts'
import type { KnowledgeGaps } from '../../../schema/feeds.ts'
import { localTime, type BusinessStore } from '../../business/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { onceEach } from '../../platform/lazily.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { mapped } from '../../platform/storage/work.ts'
import type { FreshnessStore } from '../store.ts'

const DAY_MS = 86_400_000
/** When the report is published: Monday at eight, in the time zone of the business. */
const [DAY, MINUTES] = ['monday', 8 * 60] as const
/** Agents processed per commit. */
const AGENTS = 100
/** Kind of the jobs that report an agent's gaps; their subject is the agent. */
const TELL = 'knowledge.gaps'

/** Milliseconds until it is next Monday, eight o'clock, in a time zone; at eight exactly, a week. */
export function untilReport (zone: string, micros: number): number {
  const from = Math.floor(micros / 1000)
  for (let at = from; ;) {
    // From full hour to full hour: zones are half an hour apart, and some clocks are changed by half an hour.
    at += (60 - localTime(zone, at * 1000).minutes % 60) * 60_000 - at % 60_000
    const { day, minutes } = localTime(zone, at * 1000)
    if (day === DAY && minutes === MINUTES) return at - from
  }
}

/**
 * Reports once a week what each agent was asked and did not know, in the time zone of its business: to webhooks and the
 * team's chat if subscribed. A week without gaps is not reported.
 */
export function tellWeekly ({ db, store, clock, worker, business, gaps }: Pick<Kernel, 'clock' | 'worker'> & {
  db: Pick<Database, 'read'>
  store: FreshnessStore
  business: Pick<BusinessStore, 'of'>
  gaps: (owner: Id, agent: Id) => Promise<KnowledgeGaps | undefined>
}) {
  // Jobs already queued stay as they are; agents already reported are queued again by the next day.
  worker.every('knowledge.weekly', DAY_MS, async (signal) => {
    for (let after = 0; ;) {
      const agents = await store.agentsAfter(after, AGENTS)
      signal.throwIfAborted()
      const untilIn = onceEach((zone: string) => untilReport(zone, clock.micros()))
      const zones = await db.read(() => mapped(agents, ({ owner }) => business.of(owner)))
      await store.askReports(agents.map(({ id, owner }, at) => (
        { kind: TELL, subject: id, owner, inMs: untilIn(zones[at]!.time_zone), unlessAsked: true }
      )))
      if (agents.length < AGENTS) return
      after = agents.at(-1)!.id
    }
  })
  worker.handle(TELL, {
    async run ({ owner, subject }) {
      const found = await gaps(owner, subject)
      if (found && found.unknown + found.questions.length > 0) await store.tellGaps(owner, subject)
      return { done: true }
    }
  })
}
