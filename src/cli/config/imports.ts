import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import type { Import, ImportSummary } from '../../../schema/imports.ts'
import { summaryOf } from '../../imports/index.ts'
import { Refusal } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import type { Stores } from '../../stores.ts'
import { actorOf, authorOf } from '../agents.ts'
import {
  command, group, idFrom, inLine, onCommandLine, print, table, withStores, type CommonOptions, type CliIo
} from '../common.ts'

interface OfUser extends CommonOptions { user?: string }
type OnImport<T> = (stores: Stores, owner: Id, id: Id) => Promise<T | undefined>

/** `imports list | show | apply | delete`: imports uploaded in the console or by the API. */
export function importsCommand (io: CliIo): Command {
  const imports = group(
    'imports', 'uploaded exports of other products; "import" reads files on this machine', 'imports list', 'imports apply 1'
  )
  imports.addCommand(ofUser(command('list', 'all imports, newest first', 'imports list'))
    .action(async (options: OfUser) => {
      const all = await withStores(io, options, async (stores) => {
        const { owner } = await authorOf(stores, options.user)
        return (await stores.imports.store.list(owner)).map(summaryOf)
      })
      print(io, options, all, () => table(all.map(rowOf), 'Nothing was uploaded yet.'))
    }))
  const show = command('show', 'what an import would create, or has created', 'imports show 1', 'imports show 1 --json')
  imports.addCommand(ofOne(io, show, async (stores, owner, id) => await stores.imports.shown(owner, id), inWords))
  const apply = command(
    'apply', 'create agents from an import; they answer nobody until set to Active', 'imports apply 1', 'imports apply 1 --agent 3'
  )
    .option('--agent <id>', 'the agent that all of it goes into')
    .option('--new', 'create new agents, even if an earlier import of the same did')
  imports.addCommand(ofOne(io, apply, applied(apply), inWords))
  const remove = command('delete', 'delete an import with its files and report; what it created stays', 'imports delete 1')
  imports.addCommand(ofOne(io, remove, async (stores, owner, id) => {
    const isThere = await onCommandLine(stores, owner, 'deleteImport', `imports/${id}`, async () =>
      await stores.imports.store.remove(owner, id))
    return isThere ? { id, deleted: true } : undefined
  }, (_done, id) => `Import ${id} is deleted. What it created stays.`))
  return imports
}

const ofUser = (sub: Command) => sub.option('--user <id>', 'whose imports; optional if there is only one user')

/** Applies one as the server would: all of it, or nothing. */
const applied = (sub: Command): OnImport<Import> => async (stores, owner, id) => {
  const { agent, new: isNew = false } = sub.opts<{ agent?: string, new?: boolean }>()
  const named = agent === undefined ? undefined : idFrom(agent, 'agents')
  const into = isNew ? null : named
  const { actor } = await actorOf(stores, String(owner))
  return await onCommandLine(stores, owner, 'applyImport', `imports/${id}/apply`, async () =>
    await stores.imports.apply(owner, actor, id, into))
}

function ofOne<T> (io: CliIo, sub: Command, work: OnImport<T>, words: (done: T, id: Id) => string): Command {
  return ofUser(sub).argument('<import>', 'the number of the import').action(async (given: string, options: OfUser) => {
    const id = idFrom(given, 'imports')
    const done = await withStores(io, options, async (stores) => {
      const { owner } = await authorOf(stores, options.user)
      return await work(stores, owner, id)
    })
    if (done === undefined) {
      throw new Refusal('not_found', `There is no import ${id}; "${commandLine('imports list')}" lists them.`)
    }
    print(io, options, done, () => words(done, id))
  })
}

const rowOf = ({ id, kind, state, files, agents, counts, error, created_at: created }: ImportSummary) => ({
  id,
  kind,
  state,
  files: files.join(', ').slice(0, 60),
  agents: agents.join(', ') || null,
  'not carried': counts?.not_carried,
  created,
  error: error?.code
})

function inWords ({ id, kind, state, error, counts, plan, report, agents }: Import): string {
  const lines = [`Import ${id}: ${kind ?? 'unknown'}, ${state}`]
  if (error) lines.push(error.message)
  if (counts) {
    lines.push(`carried ${counts.carried}, carried and changed ${counts.changed}, not carried ${counts.not_carried}, ignored ${counts.ignored}`)
  }
  for (const { name, agent, source_count: sources, question_count: questions } of plan?.agents ?? []) {
    lines.push(`${inLine(name)}${agent === null ? '' : ` (agent ${agent})`}: sources ${sources}, test questions ${questions}`)
  }
  for (const { at, why } of report.filter(({ outcome }) => outcome === 'not_carried')) {
    lines.push(`  not carried: ${inLine(at)}${why === null ? '' : `: ${inLine(why)}`}`)
  }
  if (agents.length > 0) lines.push(`Agents: ${agents.join(', ')}`)
  return lines.join('\n')
}
