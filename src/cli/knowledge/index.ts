import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import { SourceType, type KnowledgeSourceRecord, type Progress } from '../../../schema/knowledge.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import { command, configOf, group, idFrom, onCommandLine, print, withStores, type CliIo } from '../common.ts'
import { followTraining } from '../training.ts'
import { addCommand } from './add.ts'
import { agentOf, folderOf, listed, outline, report, type AgentOptions, type OfAgent } from './common.ts'
import { watchCommand } from './feeds.ts'
import { foldersCommand } from './folders.ts'

const STATES: readonly Progress[] = ['Pending', 'Processing', 'Success', 'Failed']
const TYPES: readonly SourceType[] = SourceType.enum as SourceType[]
/** The same maximum of passages as an HTTP response. */
const MOST_FOUND = 50

/** `knowledge add | list | search | remove | retrain | folders | watch`. */
export function knowledgeCommand (io: CliIo): Command {
  const knowledge = group(
    'knowledge', 'what an agent knows', 'knowledge add --agent 1 manual.pdf',
    'knowledge search --agent 1 "How long can I return something?"'
  )
  const ofAgent = (name: string, description: string, ...examples: string[]) =>
    command(name, description, ...examples).requiredOption('--agent <id>', 'which agent')

  knowledge.addCommand(addCommand(io, ofAgent))
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
        const sources = await withStores(io, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          const filter = {
            ...(status && { status }), ...(folder && { folder: await folderOf(stores, owner, agent, folder) })
          }
          const { items } = (await stores.knowledge.store.list(owner, agent, filter, 0, Number.MAX_SAFE_INTEGER))!
          return items.filter((source) => type === undefined || source.type === type)
        })
        print(io, options, sources.map(outline), () => listed(sources))
      })
  )

  knowledge.addCommand(removeCommand(io, ofAgent))
  knowledge.addCommand(retrainCommand(io, ofAgent))
  knowledge.addCommand(foldersCommand(io, ofAgent))
  knowledge.addCommand(watchCommand(io, ofAgent))

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
        const found = await withStores(io, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          return await stores.knowledge.search(owner, agent, words.join(' '), limit)
        })
        print(
          io,
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

function removeCommand (io: CliIo, ofAgent: OfAgent): Command {
  return ofAgent(
    'remove', 'remove sources for good, with their text, passages and files', 'knowledge remove --agent 1 7',
    'knowledge remove --agent 1 7 8 9'
  )
    .argument('<source...>', "the sources' numbers")
    .action(async (given: string[], options: AgentOptions) => {
      const ids = given.map((text) => sourceFrom(text))
      await withStores(io, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        for (const id of ids) if (!(await stores.knowledge.store.get(owner, agent, id))) noSource(id, agent)
        for (const id of ids) {
          await onCommandLine(
            stores, owner, 'deleteKnowledgeSource', `agents/${agent}/knowledge_sources/${id}`,
            async () => await stores.knowledge.store.remove(owner, agent, id)
          )
        }
      })
      print(
        io,
        options,
        ids.map((id) => ({ id })),
        () => (ids.length === 1 ? `Source ${ids[0]} is removed.` : `${ids.length} sources are removed.`)
      )
    })
}

function retrainCommand (io: CliIo, ofAgent: OfAgent): Command {
  return ofAgent('retrain', 'read sources again, addresses and Drive files too, and wait until they are trained',
    'knowledge retrain --agent 1 7', 'knowledge retrain --agent 1 --failed')
    .argument('[source...]', 'the sources\' numbers')
    .option('--failed', 'all that ended Failed')
    .action(async (given: string[], options: AgentOptions & { failed?: boolean }) => {
      if ((given.length > 0) === (options.failed ?? false)) {
        throw invalid({ field: 'source', message: 'Give either the numbers of sources or --failed.' })
      }
      const sources = await withStores(io, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        const { store } = stores.knowledge
        const ids = options.failed
          ? (await store.list(owner, agent, { training_status: 'Failed' }, 0, Number.MAX_SAFE_INTEGER))!.items.map(
              ({ id }) => id
            )
          : given.map(sourceFrom)
        for (const id of ids) if (!await store.get(owner, agent, id)) noSource(id, agent)
        const again: KnowledgeSourceRecord[] = []
        for (const id of ids) {
          const retrained = await onCommandLine(
            stores, owner, 'trainKnowledgeSource', `agents/${agent}/knowledge_sources/${id}`,
            async () => await store.retrain(owner, agent, id)
          )
          again.push((retrained ?? noSource(id, agent)).answer)
        }
        return await followTraining({
          io, stores, directory: configOf(io, options).DATA, owner, agent, sources: again
        })
      })
      report(io, options, sources)
    })
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

function isOneOf<T extends string> (all: readonly T[], text: string): text is T {
  return all.includes(text as T)
}
