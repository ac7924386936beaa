import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Job } from '../platform/work/jobs.ts'
import { found } from './life/create.ts'
import { concernsFamily, decide, ENDS } from './life/life.ts'
import type { SourceEvent } from './contract.ts'
import type { Needs, SourceRows } from './rows.ts'
import type { DecisionContext } from './life/step.ts'
import type { TrainingStore } from './store.ts'
import type { Work } from '../platform/storage/work.ts'

/** Events after which there is less than before, or as much: they are written also when the disk is nearly full. */
const FREES: ReadonlySet<string> = new Set(['failed', 'postponed', 'listed'])

/** What a decision about this source depends on. */
export function * aroundOf (
  { clock, embeds }: Needs, rows: SourceRows, source: KnowledgeSourceRecord, event: SourceEvent
): Work<DecisionContext> {
  return {
    now: clock.micros(),
    children: concernsFamily(event) ? (yield * rows.children(source.id)) : [],
    folders: event.kind === 'changed' && event.change.folder !== undefined ? (yield * rows.folders(source.agent)) : [],
    embeds
  }
}

/** The training store in SQLite: load, decide, write. */
export function trainingStore (needs: Needs, rows: SourceRows): TrainingStore {
  const { db, clock, jobs } = needs

  /** The source of a job that is still wanted. */
  function * wanted (job: Job, id = job.subject): Work<KnowledgeSourceRecord | undefined> {
    return (yield * jobs.isCurrent(job)) ? (yield * rows.record(id)) : undefined
  }

  return {
    begin: (job) => db.atomically(function * () {
      const source = yield * wanted(job)
      const event = { kind: 'begun' } as const
      if (source) yield * rows.applyTo(decide(source, event, yield * aroundOf(needs, rows, source, event)) ?? [])
      else yield * jobs.finish(job)
      return source && (yield * rows.source(source.id))
    }),

    sourceOf: async (job) => db.read(() => rows.record(job.subject)),
    end: (job) => db.atomically(function * () { yield * jobs.finish(job) }),

    happened: (job, event) => db.atomically(function * () {
      const source = yield * wanted(job)
      const steps = source && decide(source, event, yield * aroundOf(needs, rows, source, event))
      if (!steps) return false
      // Before what it asks for next, of which there can be one.
      if (ENDS.has(event.kind)) yield * jobs.finish(job)
      yield * rows.applyTo(steps)
      return true
    }, { frees: FREES.has(event.kind) }),

    visits: async (source) => rows.visits.of(source),

    keepChild: (job, child) => db.atomically(function * () {
      const parent = yield * wanted(job)
      if (!parent) return 'unwanted'
      const choice = yield * rows.visits.choiceOf(parent.id, child.key)
      if (choice === 'removed') return 'removed'
      const known = yield * rows.child(parent, child.key)
      const event = { kind: 'seen', child } as const
      if (known) yield * rows.applyTo(decide(known, event, yield * aroundOf(needs, rows, known, event)) ?? [])
      else yield * rows.bear(parent.owner, parent.agent, [found(parent, child, clock.micros(), choice === 'deselected')])
      return 'kept'
    })
  }
}
