import { Value } from '@sinclair/typebox/value'
import { SourceDraft } from '../../../schema/knowledge.ts'
import type { CreateWithSources } from '../../agents/index.ts'
import { invalid } from '../../platform/errors.ts'
import { draftErrors, newSource } from './draft.ts'
import { inTurns } from '../../platform/work/slices.ts'
import type { Knowledge } from '../open.ts'
import { discardAll } from '../stage.ts'
import type { NewSource } from '../contract.ts'

/** Texts that are written down at the same time. */
const TOGETHER = 64

/**
 * Makes an agent with the knowledge sources of its draft. What was listed can be sent back, so a source as answers show
 * it counts as a draft of the same text, addresses or Drive file; one made from an upload cannot be made again and is
 * passed over.
 */
export function createWithSources ({ store, blobs }: Pick<Knowledge, 'store' | 'blobs'>): CreateWithSources {
  return async (owner, agent, given, caller, once) => {
    const drafts = await inTurns(each(Array.isArray(given) ? given : [], asDraft))
    if (drafts.length) caller.mayAdd()
    const errors = (await inTurns(each(drafts, ({ draft, at }) => draftErrors(draft, at)))).flat()
    if (errors.length) throw invalid(...errors.slice(0, 20))
    const sources: NewSource[] = []
    try {
      // Several at a time, so that one commit holds many of them.
      for (let at = 0; at < drafts.length; at += TOGETHER) {
        const staged = await Promise.allSettled(
          drafts.slice(at, at + TOGETHER).map(({ draft }) => newSource(blobs, draft))
        )
        for (const one of staged) if (one.status === 'fulfilled') sources.push(one.value)
        for (const one of staged) if (one.status === 'rejected') throw one.reason
      }
      caller.commits()
      const outcome = await store.addAgent(owner, agent, sources, once)
      if (outcome.replayed) await discardAll(blobs, sources)
      return outcome
    } catch (error) {
      await discardAll(blobs, sources)
      throw error
    }
  }
}

/** What is made of each of a list, where anything is. */
function * each<A, B> (list: readonly A[], make: (one: A, i: number) => B | undefined): Generator<void, B[]> {
  const made: B[] = []
  for (const [i, one] of list.entries()) {
    const of = make(one, i)
    if (of !== undefined) made.push(of)
    yield
  }
  return made
}

/** A draft where there is one; anything else in the list was assigned by a server and is passed over. */
function asDraft (given: unknown, i: number): { draft: SourceDraft, at: string } | undefined {
  const at = `knowledge_sources[${i}]`
  if (
    typeof given !== 'object' ||
    given === null ||
    !MAKES.some((name) => isThere((given as Record<string, unknown>)[name]))
  ) { return undefined }
  const listed = 'id' in given && 'training_status' in given
  // A page of a site comes again with its site.
  if (listed && 'parent_knowledge_source' in given && given.parent_knowledge_source !== null) return undefined
  // Of a listed source only what makes it is taken, and not the other agent's folder.
  const draft = Object.fromEntries(Object.entries(given).filter(([name, value]) =>
    !listed || (Object.hasOwn(SourceDraft.properties, name) && name !== 'agent_knowledge_folder' && isThere(value))))
  const [error] = Value.Errors(SourceDraft, draft)
  if (!error) return { draft: draft as SourceDraft, at }
  const field = at + error.path.replace(/\/(\d+)/g, '[$1]').replace(/\//g, '.')
  throw invalid({
    field, message: `${field} is not valid: ${error.message[0]!.toLowerCase()}${error.message.slice(1)}.`
  })
}

const MAKES = ['plain_text', 'faq', 'urls', 'google_drive_file_id']

function isThere (value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
