import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import type { Import, ImportSummary } from '../../../schema/imports.ts'
import { summaryOf } from '../../imports/index.ts'
import { Refusal } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import type { Stores } from '../../stores.ts'
import { actorOf, authorOf } from '../agents.ts'
import {
  command, group, idFrom, inLine, onCommandLine, print, table, withStores, type CommonOptions, type Surroundings
} from '../common.ts'

interface OfUser extends CommonOptions { user?: string }
type OnImport<T> = (stores: Stores, owner: Id, id: Id) => Promise<T | undefined>

/** `imports list | show | apply | delete`: what was uploaded in the console or by the interface. */
export function importsCommand (around: Surroundings): Command {
  const imports = group(
    'imports', 'exports of other products that were uploaded; "import" reads files from here', 'imports list', 'imports apply 1'
  )
  imports.addCommand(ofUser(command('list', 'all imports, newest first', 'imports list'))
    .action(async (options: OfUser) => {
      const all = await withStores(around, options, async (stores) => {
        const { owner } = await authorOf(stores, options.user)
        return (await stores.imports.store.list(owner)).map(summaryOf)
      })
      print(around, options, all, () => table(all.map(rowOf), 'Nothing was uploaded yet.'))
    }))
  const show = command('show', 'what would be made of an import, or was', 'imports show 1', 'imports show 1 --json')
  imports.addCommand(ofOne(around, show, async (stores, owner, id) => await stores.imports.shown(owner, id), inWords))
  const apply = command(
    'apply', 'make agents of an import; they answer nobody until they are set Active', 'imports apply 1', 'imports apply 1 --agent 3'
  )
    .option('--agent <id>', 'the agent that all of it goes into')
    .option('--new', 'make new agents, even where an earlier import of the same made some')
  imports.addCommand(ofOne(around, apply, applied(apply), inWords))
  const remove = command('delete', 'delete an import with its files and report; what was made stays', 'imports delete 1')
  imports.addCommand(ofOne(around, remove, async (stores, owner, id) => {
    const isThere = await onCommandLine(stores, owner, 'deleteImport', `imports/${id}`, async () =>
      await stores.imports.store.remove(owner, id))
    return isThere ? { id, deleted: true } : undefined
  }, (_done, id) => `Import ${id} is deleted. What was made of it stays.`))
  return imports
}

const ofUser = (sub: Command) => sub.option('--user <id>', 'whose imports; may be left out where there is one user')

/** Applies one as a server that is asked to does: all of it, or nothing. */
const applied = (sub: Command): OnImport<Import> => async (stores, owner, id) => {
  const { agent, new: isNew = false } = sub.opts<{ agent?: string, new?: boolean }>()
  const named = agent === undefined ? undefined : idFrom(agent, 'agents')
  const into = isNew ? null : named
  const { actor } = await actorOf(stores, String(owner))
  return await onCommandLine(stores, owner, 'applyImport', `imports/${id}/apply`, async () =>
    await stores.imports.apply(owner, actor, id, into))
}

function ofOne<T> (around: Surroundings, sub: Command, work: OnImport<T>, words: (done: T, id: Id) => string): Command {
  return ofUser(sub).argument('<import>', 'the number of the import').action(async (given: string, options: OfUser) => {
    const id = idFrom(given, 'imports')
    const done = await withStores(around, options, async (stores) => {
      const { owner } = await authorOf(stores, options.user)
      return await work(stores, owner, id)
    })
    if (done === undefined) {
      throw new Refusal('not_found', `There is no import ${id}; "${commandLine('imports list')}" shows which there are.`)
    }
    print(around, options, done, () => words(done, id))
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
