import { Type, type Static } from '@sinclair/typebox'
import { ASSIGNED, AgentDraft, VocabularyDraft } from '../../schema/agents.ts'
import { Id, closed, nullable, title } from '../../schema/common.ts'
import { SourceDraft, SourceType, type FolderRecord, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { AgentStore, AgentWithSources, NewAgent } from '../agents/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { discardAll, stageBytes, stageText } from './stage.ts'
import type { KnowledgeStore } from './store.ts'
import type { NewSource } from './contract.ts'

const PortableSource = Type.Object(
  {
    type: SourceType,
    title: title(500),
    /** A folder of this file. */
    folder: Id,
    is_selected: Type.Boolean(),
    plain_text: SourceDraft.properties.plain_text,
    urls: SourceDraft.properties.urls,
    crawl: Type.Optional(
      Type.Object({
        depth: Type.Integer(),
        count: Type.Integer(),
        refresh_hours: nullable(Type.Integer()),
        include: SourceDraft.properties.include,
        exclude: SourceDraft.properties.exclude
      }, closed)
    ),
    google_drive_file_id: SourceDraft.properties.google_drive_file_id,
    file_name: Type.Optional(Type.String()),
    /** The file's bytes in base64. */
    file: Type.Optional(Type.String())
  },
  closed
)

/**
 * An agent as a file that another installation makes an equal one of: its settings, its vocabulary, its folders, and
 * what makes its sources. Pages of a site and files of a Drive folder are not in it: they are read again.
 */
export const PortableAgent = Type.Object({
  format: Type.Literal('agenthall-agent'),
  version: Type.Literal(1),
  agent: Type.Omit(AgentDraft, ['knowledge_sources'], closed),
  vocabulary: Type.Optional(VocabularyDraft.properties.terms),
  folders: Type.Array(Type.Object({ id: Id, parent: nullable(Id), name: title(200) }, closed)),
  sources: Type.Array(PortableSource)
}, closed)
export type PortableAgent = Static<typeof PortableAgent>

/** What export and import work on. */
interface PortableParts { agents: AgentStore, store: KnowledgeStore, blobs: Blobs }

/** An agent's settings, as a draft of an equal one. */
export function settingsOf (agent: NewAgent): PortableAgent['agent'] {
  const names = Object.keys(AgentDraft.properties).filter((name) => !ASSIGNED.includes(name))
  return Object.fromEntries(names.map((name) => [name, agent[name as keyof NewAgent]])) as PortableAgent['agent']
}

/** Reads an agent with all that makes what it knows. Undefined when the owner has no such agent. */
export async function exportAgent (
  { agents, store, blobs }: PortableParts, owner: Id, id: Id
): Promise<PortableAgent | undefined> {
  const kept = await agents.get(owner, id)
  const folders = await store.folders(owner, id)
  const vocabulary = await agents.vocabulary(owner, id)
  const listed = await store.list(owner, id, {}, 0, Number.MAX_SAFE_INTEGER)
  if (!kept || !folders || !listed || !vocabulary) return undefined
  const sources: PortableAgent['sources'] = []
  for (const source of listed.items) {
    if (source.parent_knowledge_source === null) sources.push(await exported(blobs, source))
  }
  return {
    format: 'agenthall-agent',
    version: 1,
    agent: settingsOf(kept.agent),
    vocabulary: vocabulary.terms,
    folders: folders.map(({ id, parent, name }) => ({ id, parent, name })),
    sources
  }
}

async function exported (blobs: Blobs, source: KnowledgeSourceRecord): Promise<PortableAgent['sources'][number]> {
  const {
    type, title, agent_knowledge_folder: folder, is_selected: selected, urls, crawl, google_drive_file_id: drive
  } = source
  const common = { type, title, folder, is_selected: selected }
  if (source.file_blob !== null && source.file_path) {
    return { ...common, file_name: source.file_name, file: (await wholeOf(blobs, source.file_blob)).toString('base64') }
  }
  if (urls.length) return { ...common, urls, ...(crawl && { crawl }) }
  if (drive !== null) return { ...common, google_drive_file_id: drive }
  return { ...common, plain_text: source.text_blob === null ? '' : (await wholeOf(blobs, source.text_blob)).toString() }
}

async function wholeOf (blobs: Blobs, blob: Id): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of blobs.read(blob)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/**
 * Makes an agent of an owner from what `exportAgent` gave, and asks for the training of what it knows. All or nothing:
 * what was made goes again when something is refused. `agent`: its settings as decided for this owner.
 */
export async function importAgent (
  parts: PortableParts, owner: Id, agent: NewAgent, { vocabulary = [], folders, sources }: PortableAgent
): Promise<AgentWithSources> {
  const { agents, store } = parts
  const {
    agent: { id }
  } = (await agents.create(owner, agent)).answer
  try {
    await agents.replaceVocabulary(owner, id, vocabulary, () => {})
    const placed = await importFolders(store, owner, id, folders)
    for (const source of sources) await importSource(parts, owner, id, source, placed)
    return (await agents.get(owner, id))!
  } catch (error) {
    await agents.delete(owner, id, () => {})
    throw error
  }
}

/** Makes the folders, each after the one that it is in, and says where each is now. */
async function importFolders (
  store: KnowledgeStore, owner: Id, agent: Id, folders: PortableAgent['folders']
): Promise<Map<Id, Id>> {
  const [root] = (await store.folders(owner, agent))!
  const placed = new Map<Id, Id>()
  let waiting = folders
  while (waiting.length) {
    const ready = waiting.filter(({ parent }) => parent === null || placed.has(parent))
    if (ready.length === 0) {
      throw new Refusal('VALIDATION_ERROR', `The folder ${waiting[0]!.name} is in one that the file does not hold.`)
    }
    for (const folder of ready) placed.set(folder.id, await importFolder(store, owner, agent, folder, root!, placed))
    waiting = waiting.filter(({ id }) => !placed.has(id))
  }
  return placed
}

async function importFolder (
  store: KnowledgeStore,
  owner: Id,
  agent: Id,
  { name, parent }: PortableAgent['folders'][number],
  root: FolderRecord,
  placed: Map<Id, Id>
): Promise<Id> {
  if (parent !== null) return (await store.addFolder(owner, agent, name, placed.get(parent)))!.answer.id
  if (name !== root.name) await store.updateFolder(owner, agent, root.id, { name })
  return root.id
}

async function importSource (
  { store, blobs }: PortableParts, owner: Id, agent: Id, source: PortableAgent['sources'][number], placed: Map<Id, Id>
) {
  const {
    type, title, is_selected: selected, urls, crawl, google_drive_file_id: drive, plain_text: text, file,
    file_name: name = title
  } = source
  const folder = placed.get(source.folder)
  if (folder === undefined) {
    throw new Refusal('VALIDATION_ERROR', `The source ${title} is in a folder that the file does not hold.`)
  }
  const made: NewSource = {
    type,
    title,
    folder,
    is_selected: selected,
    ...(urls && { urls }),
    ...(crawl && { crawl: { include: [], exclude: [], ...crawl } }),
    ...(drive !== undefined && { google_drive_file_id: drive }),
    ...(text !== undefined && { text: await stageText(blobs, text) }),
    ...(file !== undefined && { file: await stageBytes(blobs, Buffer.from(file, 'base64'), name) })
  }
  try {
    await store.add(owner, agent, [made])
  } catch (error) {
    await discardAll(blobs, [made])
    throw error
  }
}
