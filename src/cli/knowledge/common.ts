import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import type { Feed, FeedDraft } from '../../../schema/feeds.ts'
import type { KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import { invalid, Refusal, shortened } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import type { Stores } from '../../stores.ts'
import { idFrom, onCommandLine, print, table, type CommonOptions, type CliIo } from '../common.ts'

/** Options of every command about an agent's knowledge. */
export interface AgentOptions extends CommonOptions { agent: string }

/** Begins a command about one agent's knowledge. */
export type OfAgent = (name: string, description: string, ...examples: string[]) => Command

/** The named agent and its owner; `not_found` when it does not exist. */
export async function agentOf ({ agents }: Stores, options: AgentOptions): Promise<{ owner: Id, agent: Id }> {
  const agent = idFrom(options.agent, '--agent', `as "${commandLine('agents list')}" shows it`)
  const owner = await agents.ownerOf(agent)
  if (owner === undefined) {
    throw new Refusal('not_found', `There is no agent ${agent}; "${commandLine('agents list')}" lists them.`)
  }
  return { owner, agent }
}

/** The number of a feed, as it was given. */
export const feedFrom = (given: string): Id => idFrom(given, 'feed', `as "${commandLine('feeds list')}" shows it`)

/** The refusal of a feed that an agent does not have. */
export const noFeed = (agent: Id, feed: Id) =>
  new Refusal('not_found', `Agent ${agent} has no feed ${feed}; "${commandLine('feeds list')}" shows which it has.`)

/** Creates a feed, and records it in the audit log. */
export async function addedFeed (stores: Stores, owner: Id, agent: Id, draft: FeedDraft): Promise<Feed> {
  const add = async () => await stores.feeds.store.add(owner, agent, draft)
  return (await onCommandLine(stores, owner, 'createFeed', `agents/${agent}/feeds`, add))!.answer
}

/** The folder with this number or name; VALIDATION_ERROR lists the existing ones. */
export async function folderOf ({ knowledge }: Stores, owner: Id, agent: Id, wanted: string): Promise<Id> {
  const folders = (await knowledge.store.folders(owner, agent))!
  const found = folders.find(({ id, name }) => String(id) === wanted || name === wanted)
  if (!found) {
    throw invalid({
      field: 'folder',
      message: `The agent has no folder ${wanted}; it has ${folders.map(({ id, name }) => `${name} (${id})`).join(', ')}.`
    })
  }
  return found.id
}

/** Prints the state of sources; refuses when one has failed, so that scripts notice. */
export function report (io: CliIo, options: CommonOptions, sources: KnowledgeSourceRecord[]) {
  const failed = sources.filter(({ status }) => status === 'Failed').length
  print(io, options, sources.map(outline), () => listed(sources))
  if (failed) throw new Refusal('conflict', `${failed} of ${sources.length} ended Failed.`)
}

const OUTLINE = [
  'id', 'title', 'type', 'urls', 'status', 'training_status', 'error', 'metadata', 'is_selected',
  'agent_knowledge_folder', 'parent_knowledge_source', 'total_training_usage_bytes'
] as const

/** A source as shown to a person, with the API's field names. */
export function outline (source: KnowledgeSourceRecord) {
  return Object.fromEntries(OUTLINE.map((name) => [name, source[name]]))
}

/** A table of sources for people. */
export function listed (sources: KnowledgeSourceRecord[]): string {
  return table(
    sources.map(({ id, title, type, status, error, is_selected: selected, total_training_usage_bytes: bytes }) => ({
      id,
      title: shortened(title, 40),
      type,
      status,
      error: error?.code,
      selected: selected ? 'yes' : 'no',
      bytes
    })),
    'The agent has no sources yet.'
  )
}
