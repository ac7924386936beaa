import type { DomainEvent } from '../../platform/work/event-bus.ts'
import type { LifeStep, SourceRow } from './step.ts'

declare module '../../platform/work/event-bus.ts' {
  interface DomainEvents {
    'source.trained': { source: SourceRow }
    'source.failed': { source: SourceRow }
    /** The same of a source that a feed has brought. */
    'source.freshened': { source: SourceRow }
  }
}

/**
 * The domain event of a step in a source's life cycle: that it ended. Pages of a site, and files of a folder, announce
 * nothing: there may be thousands. Those of a feed only inform other features; the feed reports on all of them.
 */
export function domainEventsOf ({ source, next, isRemoved }: LifeStep): DomainEvent[] {
  const { training_status: status } = next
  if (isRemoved || source.parent_knowledge_source !== null || status === source.training_status) return []
  const about = { owner: source.owner, agent: source.agent, data: { source: { ...source, ...next } } }
  if (source.feed !== null) return status === 'Success' ? [{ ...about, type: 'source.freshened' }] : []
  if (status === 'Success') return [{ ...about, type: 'source.trained' }]
  return status === 'Failed' ? [{ ...about, type: 'source.failed' }] : []
}
