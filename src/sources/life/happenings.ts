import type { Happening } from '../../platform/work/announcements.ts'
import type { LifeStep, SourceRow } from './step.ts'

declare module '../../platform/work/announcements.ts' {
  interface Happenings {
    'source.trained': { source: SourceRow }
    'source.failed': { source: SourceRow }
    /** The same of a source that a feed has brought. */
    'source.freshened': { source: SourceRow }
  }
}

/**
 * What a step in the life of a source announces: that it came to an end. Pages of a site, and files of a folder, say
 * nothing: there may be thousands. Those of a feed tell each other features alone; the feed tells of all of them.
 */
export function happeningsOf ({ source, next, isRemoved }: LifeStep): Happening[] {
  const { training_status: status } = next
  if (isRemoved || source.parent_knowledge_source !== null || status === source.training_status) return []
  const about = { owner: source.owner, agent: source.agent, data: { source: { ...source, ...next } } }
  if (source.feed !== null) return status === 'Success' ? [{ ...about, type: 'source.freshened' }] : []
  if (status === 'Success') return [{ ...about, type: 'source.trained' }]
  return status === 'Failed' ? [{ ...about, type: 'source.failed' }] : []
}
