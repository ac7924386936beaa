import type { Id } from '../../../schema/common.ts'
import type { KnowledgeGaps } from '../../../schema/feeds.ts'
import { localTime, type BusinessStore } from '../../business/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { onceEach } from '../../platform/lazily.ts'
import type { Worker } from '../../platform/work/worker.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { mapped } from '../../platform/storage/work.ts'
import type { FreshnessStore } from '../store.ts'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
/** When the report is told: Monday at eight, by the clocks of the business. */
const [DAY, MINUTES] = ['monday', 8 * 60] as const
/** Agents that are looked at with one commit. */
const AGENTS = 100
/** The kind of the jobs that tell of an agent's gaps; their subject is the agent. */
const TELL = 'knowledge.gaps'

/** Milliseconds until it is next Monday, eight o'clock, in a time zone; at eight exactly, a week. */
export function untilReport (zone: string, micros: number): number {
  const { minutes } = localTime(zone, micros)
  // To the next full hour first: zones are half an hour apart at times, and clocks are changed at full hours.
  const toHour = (60 - minutes % 60) * 60_000 - Math.floor(micros / 1000) % 60_000
  for (let ms = toHour; ms < 8 * DAY_MS; ms += HOUR_MS) {
    const { day, minutes: at } = localTime(zone, micros + ms * 1000)
    if (day === DAY && at === MINUTES) return ms
  }
  return 7 * DAY_MS
}

/**
 * Tells once a week what each agent was asked and did not know, in the time zone of its business: to webhooks and the
 * team's chat that want it. Nothing is told of a week in which everything was known.
 */
export function tellWeekly ({ db, store, clock, worker, business, gaps }: {
  db: Pick<Database, 'read'>
  store: FreshnessStore
  clock: Clock
  worker: Pick<Worker, 'every' | 'handle'>
  business: Pick<BusinessStore, 'of'>
  gaps: (owner: Id, agent: Id) => Promise<KnowledgeGaps | undefined>
}) {
  // What is asked for already stays as it is; whoever has told it is asked anew by the next day.
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
