import { createReadStream, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { Value } from '@sinclair/typebox/value'
import type { Command } from 'commander'
import type { Id } from '../../schema/common.ts'
import {
  FolderRecord, SourceDraft, SourceType, type KnowledgeSourceRecord, type Progress
} from '../../schema/knowledge.ts'
import { discardAll, newSource, stageStream, type NewSource } from '../sources/index.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { commandLine } from '../platform/process/command-line.ts'
import type { Stores } from '../stores.ts'
import {
  command, configOf, group, idFrom, print, table, withStores, type CommonOptions, type Surroundings
} from './common.ts'
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

/** `knowledge add | list | search | remove | retrain | folders`. */
export function knowledgeCommand (around: Surroundings): Command {
  const knowledge = group(
    'knowledge', 'what an agent knows', 'knowledge add --agent 1 manual.pdf',
    'knowledge search --agent 1 "How long can I return something?"'
  )
  const ofAgent = (name: string, description: string, ...examples: string[]) =>
    command(name, description, ...examples).requiredOption('--agent <id>', 'which agent')

  knowledge.addCommand(
    ofAgent(
      'add',
      'add files, addresses, a text or a Google Drive file, and wait until they are trained',
      'knowledge add --agent 1 manual.pdf faq.csv',
      'knowledge add --agent 1 docs/ --folder Manuals',
      'knowledge add --agent 1 --url https://example.com/help --depth 2 --count 100',
      'knowledge add --agent 1 --title Returns --text "Within 30 days."'
    )
      .argument('[file...]', 'files to add; of a directory, all files in it but hidden ones')
      .option(
        '--url <address>',
        'an address to read; may be given several times',
        (url, urls: string[]) => [...urls, url],
        []
      )
      .option('--depth <n>', 'how many links away from the address pages are read')
      .option('--count <n>', 'how many pages are read at most')
      .option('--refresh-hours <n>', 'look again after so many hours')
      .option('--text <text>', 'the text itself')
      .option('--drive <id>', 'id of a Google Drive file or folder')
      .option('--title <title>', 'what to call it')
      .option('--folder <folder>', 'number or name of the folder to put it into')
      .action(async (named: string[], options: AddOptions) => {
        const files = named.flatMap(filesIn)
        if (named.length && files.length === 0) {
          throw invalid({ field: 'file', message: `There are no files in ${named.join(', ')}.` })
        }
        const sources = await withStores(around, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          const added = await add(stores, owner, agent, files, options)
          return await followTraining({
            around, stores, directory: configOf(around, options).DATA, owner, agent, sources: added
          })
        })
        report(around, options, sources)
      })
  )

  knowledge.addCommand(
    ofAgent(
      'list', "an agent's sources", 'knowledge list --agent 1',
      'knowledge list --agent 1 --status Failed --folder Manuals'
    )
      .option('--status <status>', 'only those that are Pending, Processing, Success or Failed')
      .option('--type <type>', `only those of a type: ${TYPES.join(', ')}`)
      .option('--folder <folder>', 'only those in a folder, by its number or name')
      .action(async (options: AgentOptions & { status?: string, type?: string, folder?: string }) => {
        const { status, type, folder } = options
        if (status !== undefined && !isOneOf(STATES, status)) {
          throw invalid({ field: 'status', message: `--status must be one of ${STATES.join(', ')}.` })
        }
        if (type !== undefined && !isOneOf(TYPES, type)) {
          throw invalid({ field: 'type', message: `--type must be one of ${TYPES.join(', ')}.` })
        }
        const sources = await withStores(around, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          const filter = {
            ...(status && { status }), ...(folder && { folder: await folderOf(stores, owner, agent, folder) })
          }
          const { items } = (await stores.knowledge.store.list(owner, agent, filter, 0, Number.MAX_SAFE_INTEGER))!
          return items.filter((source) => type === undefined || source.type === type)
        })
        print(around, options, sources.map(outline), () => listed(sources))
      })
  )

  knowledge.addCommand(removeCommand(around, ofAgent))
  knowledge.addCommand(retrainCommand(around, ofAgent))
  knowledge.addCommand(foldersCommand(around, ofAgent))

  knowledge.addCommand(
    ofAgent(
      'search',
      'the passages that answer a query best',
      'knowledge search --agent 1 "How long can I return something?"'
    )
      .argument('<query...>', 'what to look for')
      .option('--limit <n>', 'how many passages at most', '10')
      .action(async (words: string[], options: AgentOptions & { limit: string }) => {
        const limit = Math.min(idFrom(options.limit, '--limit', `from 1 to ${MOST_FOUND}`), MOST_FOUND)
        const found = await withStores(around, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          return await stores.knowledge.search(owner, agent, words.join(' '), limit)
        })
        print(
          around,
          options,
          found,
          () =>
            found
              .map(({ source, title, url, page, row, heading, text, score }) => {
                const place = [url, page && `page ${page}`, row && `row ${row}`, heading].filter(Boolean).join(', ')
                return `${title} (source ${source}${place && `, ${place}`}), score ${score.toFixed(2)}\n${text.replace(/^/gm, '  ')}`
              })
              .join('\n\n') || 'Nothing was found.'
        )
      })
  )

  return knowledge
}

type OfAgent = (name: string, description: string, ...examples: string[]) => Command

function removeCommand (around: Surroundings, ofAgent: OfAgent): Command {
  return ofAgent(
    'remove', 'remove sources: their text, passages and files go for good', 'knowledge remove --agent 1 7',
    'knowledge remove --agent 1 7 8 9'
  )
    .argument('<source...>', "the sources' numbers")
    .action(async (given: string[], options: AgentOptions) => {
      const ids = given.map((text) => sourceFrom(text))
      await withStores(around, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        for (const id of ids) if (!(await stores.knowledge.store.get(owner, agent, id))) noSource(id, agent)
        for (const id of ids) await stores.knowledge.store.remove(owner, agent, id)
      })
      print(
        around,
        options,
        ids.map((id) => ({ id })),
        () => (ids.length === 1 ? `Source ${ids[0]} is removed.` : `${ids.length} sources are removed.`)
      )
    })
}

function retrainCommand (around: Surroundings, ofAgent: OfAgent): Command {
  return ofAgent('retrain', 'read sources anew, addresses and Drive files too, and wait until they are trained',
    'knowledge retrain --agent 1 7', 'knowledge retrain --agent 1 --failed')
    .argument('[source...]', 'the sources\' numbers')
    .option('--failed', 'all that ended Failed')
    .action(async (given: string[], options: AgentOptions & { failed?: boolean }) => {
      if ((given.length > 0) === (options.failed ?? false)) {
        throw invalid({ field: 'source', message: 'Give either the numbers of sources or --failed.' })
      }
      const sources = await withStores(around, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        const { store } = stores.knowledge
        const ids = options.failed
          ? (await store.list(owner, agent, { training_status: 'Failed' }, 0, Number.MAX_SAFE_INTEGER))!.items.map(
              ({ id }) => id
            )
          : given.map(sourceFrom)
        for (const id of ids) if (!await store.get(owner, agent, id)) noSource(id, agent)
        const again: KnowledgeSourceRecord[] = []
        for (const id of ids) again.push((await store.retrain(owner, agent, id) ?? noSource(id, agent)).answer)
        return await followTraining({
          around, stores, directory: configOf(around, options).DATA, owner, agent, sources: again
        })
      })
      report(around, options, sources)
    })
}

function foldersCommand (around: Surroundings, ofAgent: OfAgent): Command {
  return ofAgent(
    'folders', "an agent's folders; with an option, adds, renames or removes one", 'knowledge folders --agent 1',
    'knowledge folders --agent 1 --add Manuals', 'knowledge folders --agent 1 --add Old --in Manuals',
    'knowledge folders --agent 1 --rename Old --to Archive', 'knowledge folders --agent 1 --remove Archive'
  )
    .option('--add <name>', 'make a folder')
    .option('--in <folder>', 'where it is made; in the root folder without it')
    .option('--rename <folder>', 'give a folder another name')
    .option('--to <name>', 'the other name')
    .option('--remove <folder>', 'remove a folder; what is in it moves to the folder it is in')
    .action(async (options: AgentOptions & FolderOptions) => {
      const folders = await withStores(around, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        await changeFolders(stores, owner, agent, options)
        return (await stores.knowledge.store.folders(owner, agent))!
      })
      print(around, options, folders, () =>
        table(
          folders.map(({ id, name, parent }) => ({ id, name, in: parent })), ''
        )
      )
    })
}

interface FolderOptions { add?: string, in?: string, rename?: string, to?: string, remove?: string }

async function changeFolders (
  stores: Stores, owner: Id, agent: Id, { add: name, in: parent, rename, to, remove }: FolderOptions
) {
  const { store } = stores.knowledge
  const at = async (folder: string) => await folderOf(stores, owner, agent, folder)
  if ([name, rename, remove].filter((one) => one !== undefined).length > 1) {
    throw invalid({ field: 'add', message: 'Give one of --add, --rename, --remove.' })
  }
  if ((rename === undefined) !== (to === undefined)) {
    throw invalid({ field: 'to', message: '--rename and --to go together.' })
  }
  if (parent !== undefined && name === undefined) throw invalid({ field: 'in', message: '--in goes with --add.' })
  for (const given of [name, to]) {
    if (given !== undefined && !Value.Check(FolderRecord.properties.name, given)) {
      throw invalid({ field: 'name', message: "A folder's name must be 1 to 200 characters." })
    }
  }
  if (name !== undefined) await store.addFolder(owner, agent, name, parent === undefined ? undefined : await at(parent))
  if (rename !== undefined && to !== undefined) await store.updateFolder(owner, agent, await at(rename), { name: to })
  if (remove !== undefined) await store.removeFolder(owner, agent, await at(remove))
}

/** Prints what became of sources; refuses when one has failed, so that a script notices. */
function report (around: Surroundings, options: CommonOptions, sources: KnowledgeSourceRecord[]) {
  const failed = sources.filter(({ status }) => status === 'Failed').length
  print(around, options, sources.map(outline), () => listed(sources))
  if (failed) throw new Refusal('conflict', `${failed} of ${sources.length} ended Failed.`)
}

function sourceFrom (text: string): Id {
  return idFrom(text, 'source', `as "${commandLine('knowledge list')}" shows it`)
}

function noSource (id: Id, agent: Id): never {
  throw new Refusal(
    'not_found',
    `Agent ${agent} has no source ${id}; "${commandLine(`knowledge list --agent ${agent}`)}" shows which it has.`
  )
}

/**
 * A file itself; of a directory all files below it, in order of their names, without hidden ones and without following
 * links.
 */
export function filesIn (named: string): string[] {
  if (!statSync(named, { throwIfNoEntry: false })?.isDirectory()) return [named]
  const found = readdirSync(named, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = found.flatMap((entry) => {
    const inside = path.join(named, entry.name)
    if (entry.isDirectory()) return filesIn(inside)
    return entry.isFile() ? [inside] : []
  })
  return files
}

const STATES: readonly Progress[] = ['Pending', 'Processing', 'Success', 'Failed']
const TYPES: readonly SourceType[] = SourceType.enum as SourceType[]

function isOneOf<T extends string> (all: readonly T[], text: string): text is T {
  return all.includes(text as T)
}

/** As many passages as an answer over HTTP holds. */
const MOST_FOUND = 50

async function agentOf ({ agents }: Stores, options: AgentOptions): Promise<{ owner: Id, agent: Id }> {
  const agent = idFrom(options.agent, '--agent', `as "${commandLine('agents list')}" shows it`)
  const owner = await agents.ownerOf(agent)
  if (owner === undefined) {
    throw new Refusal('not_found', `There is no agent ${agent}; "${commandLine('agents list')}" shows which there are.`)
  }
  return { owner, agent }
}

/** Adds what the command line names, all of it or nothing. */
async function add (
  stores: Stores, owner: Id, agent: Id, files: string[], options: AddOptions
): Promise<KnowledgeSourceRecord[]> {
  const { blobs, store, fileLimit } = stores.knowledge
  const folder = options.folder === undefined ? undefined : await folderOf(stores, owner, agent, options.folder)
  const draft = draftFrom(files, options)
  for (const file of files) checkFile(file, fileLimit)
  const sources: NewSource[] = []
  try {
    if (draft) sources.push({ ...(await newSource(blobs, draft)), ...(folder && { folder }) })
    for (const file of files) {
      const name = path.basename(file)
      sources.push({
        type: 'docs',
        title: options.title ?? name,
        file: await stageStream(blobs, createReadStream(file), name),
        ...(folder && { folder })
      })
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
function draftFrom (
  files: string[], { url, text, drive, title, depth, count, refreshHours: hours }: AddOptions
): SourceDraft | undefined {
  const kinds = [files.length > 0, url.length > 0, text !== undefined, drive !== undefined].filter(Boolean).length
  if (kinds !== 1) throw invalid({ field: 'file', message: 'Give one of: files, --url, --text, --drive.' })
  if (url.length === 0 && (depth ?? count ?? hours) !== undefined) {
    throw invalid({ field: 'url', message: '--depth, --count and --refresh-hours go with --url.' })
  }
  if (files.length > 1 && title !== undefined) {
    throw invalid({
      field: 'title', message: '--title goes with one file only; several files are titled by their names.'
    })
  }
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
  if (found.size > limit) {
    throw new Refusal(
      'payload_too_large',
      `${file} is larger than the ${limit / 2 ** 20} MiB that a file may have. Split it, or raise AGENTHALL_UPLOAD_MIB.`
    )
  }
}

async function folderOf ({ knowledge }: Stores, owner: Id, agent: Id, wanted: string): Promise<Id> {
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

const OUTLINE = [
  'id', 'title', 'type', 'urls', 'status', 'training_status', 'error', 'metadata', 'is_selected',
  'agent_knowledge_folder', 'parent_knowledge_source', 'total_training_usage_bytes'
] as const

/** What a person sees of a source, in the interface's names. */
function outline (source: KnowledgeSourceRecord) {
  return Object.fromEntries(OUTLINE.map((name) => [name, source[name]]))
}

function listed (sources: KnowledgeSourceRecord[]): string {
  return table(
    sources.map(({ id, title, type, status, error, is_selected: selected, total_training_usage_bytes: bytes }) => ({
      id,
      title: title.length > 40 ? `${title.slice(0, 39).toWellFormed()}…` : title,
      type,
      status,
      error: error?.code,
      selected: selected ? 'yes' : 'no',
      bytes
    })),
    'The agent has no sources yet.'
  )
}
