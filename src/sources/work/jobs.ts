import { hasOwnText } from '../../../schema/knowledge.ts'
import type { JobRequest } from '../../platform/work/jobs.ts'
import type { SourceRow } from '../life/step.ts'

/**
 * The job that trains a source. What has to be fetched first waits for others; a text or a file that is here is not
 * queued behind it.
 */
export function training (
  { id, owner, type, file_blob: file }: Pick<SourceRow, 'id' | 'owner' | 'type' | 'file_blob'>, inMs = 0
): JobRequest {
  return {
    kind: 'train',
    subject: id,
    owner,
    inMs,
    lane: hasOwnText({ type, file_blob: file }) || file !== null ? 'here' : 'outside'
  }
}

/** The job that embeds what a source was trained on, by a service. */
export function embedding ({ id, owner }: Pick<SourceRow, 'id' | 'owner'>): JobRequest {
  return { kind: 'embed', subject: id, owner, lane: 'outside' }
}
