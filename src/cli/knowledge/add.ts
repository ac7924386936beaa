import { createReadStream, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { Value } from '@sinclair/typebox/value'
import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import { SourceDraft, type KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { discardAll, newSource, stageStream, type NewSource } from '../../sources/index.ts'
import type { Stores } from '../../stores.ts'
import { configOf, onCommandLine, withStores, type CliIo } from '../common.ts'
import { followTraining } from '../training.ts'
import { agentOf, folderOf, report, type AgentOptions, type OfAgent } from './common.ts'

interface AddOptions extends AgentOptions {
  url: string[]
  text?: string
  drive?: string
  title?: string
  folder?: string
  depth?: string
  count?: string
  refreshHours?: string
  include?: string[]
  exclude?: string[]
}

/** `knowledge add`: adds files, addresses, a text or a Drive file, and waits until they are trained. */
export function addCommand (io: CliIo, ofAgent: OfAgent): Command {
  return ofAgent(
    'add',
    'add files, addresses, a text or a Google Drive file, and wait until they are trained',
    'knowledge add --agent 1 manual.pdf faq.csv',
    'knowledge add --agent 1 docs/ --folder Manuals',
    'knowledge add --agent 1 --url https://example.com/help --depth 2 --count 100',
    "knowledge add --agent 1 --url https://example.com --depth 2 --include '/help/*' --exclude '/help/archive/*'",
    'knowledge add --agent 1 --title Returns --text "Within 30 days."'
  )
    .argument('[file...]', 'files to add; for a directory, all its files but hidden ones')
    .option(
      '--url <address>',
      'an address to read; may be given several times',
      (url, urls: string[]) => [...urls, url],
      []
    )
    .option('--depth <n>', 'how many links away from the address pages are read')
    .option('--count <n>', 'how many pages are read at most')
    .option('--refresh-hours <n>', 'look again after this many hours')
    .option('--include <paths...>', "only pages whose path fits one of these are read: '/help/*'")
    .option('--exclude <paths...>', 'pages whose path fits one of these are not read')
    .option('--text <text>', 'the text itself')
    .option('--drive <id>', 'id of a Google Drive file or folder')
    .option('--title <title>', 'what to call it')
    .option('--folder <folder>', 'number or name of the folder to put it into')
    .action(async (named: string[], options: AddOptions) => {
      const files = named.flatMap(filesIn)
      if (named.length && files.length === 0) {
        throw invalid({ field: 'file', message: `There are no files in ${named.join(', ')}.` })
      }
      const sources = await withStores(io, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        const added = await onCommandLine(
          stores, owner, 'addKnowledgeSources', `agents/${agent}/knowledge_sources`,
          async () => await add(stores, owner, agent, files, options)
        )
        return await followTraining({
          io, stores, directory: configOf(io, options).DATA, owner, agent, sources: added
        })
      })
      report(io, options, sources)
    })
}

/**
 * The file itself; for a directory, all files below it, sorted by name, without hidden ones and without following
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

/** Error messages for invalid values of each field. */
const RULES: Record<string, string> = {
  plain_text: '--text must not be blank.',
  urls: '--url must be 1 to 500 different addresses that begin with http:// or https://.',
  google_drive_file_id: '--drive must be the id of a Google Drive file, as in its address.',
  title: '--title must be 1 to 500 characters.',
  depth: '--depth must be a number from 0 to 10.',
  count: '--count must be a number from 1 to 500.',
  refresh_hours: '--refresh-hours must be a number from 1 to 8760.',
  include: '--include must be at most 20 paths of up to 200 characters that begin with /, such as \'/help/*\'.',
  exclude: '--exclude must be at most 20 paths of up to 200 characters that begin with /, such as \'/blog/*\'.'
}

/** The draft that the options describe; undefined for files alone. */
function draftFrom (
  files: string[],
  { url, text, drive, title, depth, count, refreshHours: hours, include, exclude }: AddOptions
): SourceDraft | undefined {
  const kinds = [files.length > 0, url.length > 0, text !== undefined, drive !== undefined].filter(Boolean).length
  if (kinds !== 1) throw invalid({ field: 'file', message: 'Give one of: files, --url, --text, --drive.' })
  if (url.length === 0 && (depth ?? count ?? hours ?? include ?? exclude) !== undefined) {
    throw invalid({
      field: 'url', message: '--depth, --count, --refresh-hours, --include and --exclude go with --url.'
    })
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
    ...(hours !== undefined && { refresh_hours: Number(hours) }),
    ...(include && { include }),
    ...(exclude && { exclude })
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
