import { Value } from '@sinclair/typebox/value'
import type { Id } from '../../schema/common.ts'
import { SourceDraft } from '../../schema/knowledge.ts'
import type { InlineSources } from '../agents/index.ts'
import { invalid } from '../platform/errors.ts'
import { draftErrors, newSource } from './draft.ts'
import type { Knowledge } from './open.ts'
import type { NewSource } from './store.ts'

/**
 * The knowledge sources that come with a new agent. What was listed can be sent back, so a source as answers show it counts as
 * a draft of the same text, addresses or Drive file; one made from an upload cannot be made again and is passed over.
 */
export function inlineSources ({ store, blobs }: Pick<Knowledge, 'store' | 'blobs'>): InlineSources {
  return async (given) => {
    const drafts = given.map(asDraft).filter((draft) => draft !== undefined)
    const errors = drafts.flatMap(({ draft, at }) => draftErrors(draft, at))
    if (errors.length) throw invalid(...errors.slice(0, 20))
    const sources: NewSource[] = []
    const discard = async () => { for (const { text } of sources) if (text) await blobs.discard(text.blob) }
    try {
      for (const { draft } of drafts) sources.push(await newSource(blobs, draft))
    } catch (error) {
      await discard()
      throw error
    }
    return { add: (owner: Id, agent: Id) => { store.addInside(owner, agent, sources) }, discard }
  }
}

function asDraft (given: unknown, i: number): { draft: SourceDraft, at: string } | undefined {
  const at = `knowledge_sources[${i}]`
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid({ field: at, message: `${at} must be an object.` })
  const source = given as Record<string, unknown>
  const shown = 'id' in source && 'training_status' in source
  const draft: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(source)) {
    // Of a listed source only what makes it is taken, and not the other agent's folder.
    if (!shown || (name in SourceDraft.properties && name !== 'agent_knowledge_folder' && value !== null && !(Array.isArray(value) && value.length === 0))) draft[name] = value
  }
  // A page of a site comes again with its site.
  if (shown && typeof source.parent_knowledge_source === 'number') return undefined
  if (shown && !('plain_text' in draft || 'urls' in draft || 'google_drive_file_id' in draft)) return undefined
  const [error] = Value.Errors(SourceDraft, draft)
  if (error) {
    const field = at + error.path.replace(/\/(\d+)/g, '[$1]').replace(/\//g, '.')
    throw invalid({ field, message: `${field} is not valid: ${error.message.toLowerCase()}.` })
  }
  return { draft: draft as SourceDraft, at }
}
