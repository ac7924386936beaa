import { createReadStream, statSync } from 'node:fs'
import path from 'node:path'
import { Value } from '@sinclair/typebox/value'
import type { Command } from 'commander'
import type { Id } from '../../schema/common.ts'
import { SourceDraft, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { discardAll, newSource, stageStream, type NewSource } from '../sources/index.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import type { Stores } from '../stores.ts'
import { command, configOf, group, idFrom, print, table, withStores, type CommonOptions, type Surroundings } from './common.ts'
import { followTraining } from './training.ts'

interface AgentOptions extends CommonOptions { agent: string }

interface AddOptions extends AgentOptions {
  url: string[]
  text?: string
  drive?: string
  title?: string
  folder?: string
  depth?: string
  count?: string
  refreshHours?: string
}

/** `knowledge add`, `knowledge list`, `knowledge search`. */
export function knowledgeCommand (around: Surroundings): Command {
  const knowledge = group('knowledge', 'what an agent knows')
  const ofAgent = (name: string, description: string) => command(name, description).requiredOption('--agent <id>', 'which agent')

  knowledge.addCommand(ofAgent('add', 'add files, addresses, a text or a Google Drive file, and wait until they are trained')
    .argument('[file...]', 'files to add')
    .option('--url <address>', 'an address to read; may be given several times', (url, urls: string[]) => [...urls, url], [])
    .option('--depth <n>', 'how many links away from the address pages are read')
    .option('--count <n>', 'how many pages are read at most')
    .option('--refresh-hours <n>', 'look again after so many hours')
    .option('--text <text>', 'the text itself')
    .option('--drive <id>', 'id of a Google Drive file or folder')
    .option('--title <title>', 'what to call it')
    .option('--folder <folder>', 'number or name of the folder to put it into')
    .action(async (files: string[], options: AddOptions) => {
      const sources = await withStores(around, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        const added = await add(stores, owner, agent, files, options)
        return await followTraining({ around, stores, directory: configOf(around, options).DATA, owner, agent, sources: added })
      })
      const failed = sources.filter(({ status }) => status === 'Failed').length
      print(around, options, sources.map(outline), () => listed(sources))
      if (failed) throw new Refusal('conflict', `${failed} of ${sources.length} ended Failed.`)
    }))

  knowledge.addCommand(ofAgent('list', 'an agent\'s sources').action(async (options: AgentOptions) => {
    const sources = await withStores(around, options, async (stores) => {
      const { owner, agent } = await agentOf(stores, options)
      return (await stores.knowledge.store.list(owner, agent, {}, 0, Number.MAX_SAFE_INTEGER))!.items
    })
    print(around, options, sources.map(outline), () => listed(sources))
  }))

  knowledge.addCommand(ofAgent('search', 'the passages that answer a query best')
    .argument('<query...>', 'what to look for')
    .option('--limit <n>', 'how many passages at most', '10')
    .action(async (words: string[], options: AgentOptions & { limit: string }) => {
      const limit = Math.min(idFrom(options.limit, '--limit', `from 1 to ${MOST_FOUND}`), MOST_FOUND)
      const found = await withStores(around, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        return await stores.knowledge.search(owner, agent, words.join(' '), limit)
      })
      print(around, options, found, () => found.map(({ source, title, url, page, row, heading, text, score }) => {
        const place = [url, page && `page ${page}`, row && `row ${row}`, heading].filter(Boolean).join(', ')
        return `${title} (source ${source}${place && `, ${place}`}), score ${score.toFixed(2)}\n${text.replace(/^/gm, '  ')}`
      }).join('\n\n') || 'Nothing was found.')
    }))

  return knowledge
}

/** As many passages as an answer over HTTP holds. */
const MOST_FOUND = 50

async function agentOf ({ agents }: Stores, options: AgentOptions): Promise<{ owner: Id, agent: Id }> {
  const agent = idFrom(options.agent, '--agent', 'as GET /v1/agents shows it')
  const owner = await agents.ownerOf(agent)
  if (owner === undefined) throw new Refusal('not_found', `There is no agent ${agent}.`)
  return { owner, agent }
}

/** Adds what the command line names, all of it or nothing. */
async function add (stores: Stores, owner: Id, agent: Id, files: string[], options: AddOptions): Promise<KnowledgeSourceRecord[]> {
  const { blobs, store, fileLimit } = stores.knowledge
  const folder = options.folder === undefined ? undefined : await folderOf(stores, owner, agent, options.folder)
  const draft = draftFrom(files, options)
  for (const file of files) checkFile(file, fileLimit)
  const sources: NewSource[] = []
  try {
    if (draft) sources.push({ ...await newSource(blobs, draft), ...(folder && { folder }) })
    for (const file of files) {
      const name = path.basename(file)
      sources.push({ type: 'docs', title: options.title ?? name, file: await stageStream(blobs, createReadStream(file), name), ...(folder && { folder }) })
    }
    return (await store.add(owner, agent, sources))!.answer
  } catch (error) {
    await discardAll(blobs, sources)
    throw error
  }
}

/** What a person may write for each field, where it is not right. */
const RULES: Record<string, string> = {
  plain_text: '--text must not be blank.',
  urls: '--url must be 1 to 500 different addresses that begin with http:// or https://.',
  google_drive_file_id: '--drive must be the id of a Google Drive file, as it stands in its address.',
  title: '--title must be 1 to 500 characters.',
  depth: '--depth must be a number from 0 to 10.',
  count: '--count must be a number from 1 to 500.',
  refresh_hours: '--refresh-hours must be a number from 1 to 8760.'
}

/** The draft that the options describe; undefined for files alone. */
function draftFrom (files: string[], { url, text, drive, title, depth, count, refreshHours: hours }: AddOptions): SourceDraft | undefined {
  const kinds = [files.length > 0, url.length > 0, text !== undefined, drive !== undefined].filter(Boolean).length
  if (kinds !== 1) throw invalid({ field: 'file', message: 'Give one of: files, --url, --text, --drive.' })
  if (url.length === 0 && (depth ?? count ?? hours) !== undefined) throw invalid({ field: 'url', message: '--depth, --count and --refresh-hours go with --url.' })
  if (files.length > 1 && title !== undefined) throw invalid({ field: 'title', message: '--title goes with one file only; several files are titled by their names.' })
  const draft = {
    ...(url.length && { urls: url }),
    ...(text !== undefined && { plain_text: text }),
    ...(drive !== undefined && { google_drive_file_id: drive }),
    ...(title !== undefined && { title }),
    ...(depth !== undefined && { depth: Number(depth) }),
    ...(count !== undefined && { count: Number(count) }),
    ...(hours !== undefined && { refresh_hours: Number(hours) })
  }
  const wrong = Value.Errors(SourceDraft, draft).First()?.path.split('/')[1]
  if (wrong !== undefined) throw invalid({ field: wrong, message: RULES[wrong]! })
  return files.length ? undefined : draft
}

function checkFile (file: string, limit: number) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw invalid({ field: 'file', message: `There is no file ${file}.` })
  if (found.size > limit) throw new Refusal('payload_too_large', `${file} is larger than the ${limit / 2 ** 20} MiB that a file may have. Split it, or raise AGENTHALL_UPLOAD_MIB.`)
}

async function folderOf ({ knowledge }: Stores, owner: Id, agent: Id, wanted: string): Promise<Id> {
  const folders = (await knowledge.store.folders(owner, agent))!
  const found = folders.find(({ id, name }) => String(id) === wanted || name === wanted)
  if (!found) throw invalid({ field: 'folder', message: `The agent has no folder ${wanted}; it has ${folders.map(({ id, name }) => `${name} (${id})`).join(', ')}.` })
  return found.id
}

const OUTLINE = ['id', 'title', 'type', 'urls', 'status', 'training_status', 'error', 'metadata', 'is_selected', 'agent_knowledge_folder', 'parent_knowledge_source', 'total_training_usage_bytes'] as const

/** What a person sees of a source, in the interface's names. */
function outline (source: KnowledgeSourceRecord) {
  return Object.fromEntries(OUTLINE.map((name) => [name, source[name]]))
}

function listed (sources: KnowledgeSourceRecord[]): string {
  return table(sources.map(({ id, title, type, status, error, is_selected: selected, total_training_usage_bytes: bytes }) => ({
    id, title: title.length > 40 ? `${title.slice(0, 39).toWellFormed()}…` : title, type, status, error: error?.code, selected: selected ? 'yes' : 'no', bytes
  })), 'The agent has no sources yet.')
}
