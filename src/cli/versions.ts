import type { Command } from 'commander'
import { settingsIn, type AgentRecord, type AgentSettings } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { FieldChange } from '../../schema/versions.ts'
import { diffOf, replaced } from '../agents/index.ts'
import { junitOf, publishGate } from '../checks/index.ts'
import { Refusal, invalid, shortened } from '../platform/errors.ts'
import { commandLine } from '../platform/process/command-line.ts'
import type { Stores } from '../stores.ts'
import { authorOf, found, writeNew } from './agents.ts'
import {
  command, idFrom, inLine, onCommandLine, plain, print, table, withStores, type CommonOptions, type CliIo
} from './common.ts'

/** Maximum versions listed. */
const MOST_LISTED = 1000
/** Longest wait on a command line, in milliseconds. */
const LONGEST_MS = 24 * 3_600_000

/** `agents versions | diff | check | publish | rollback`. */
export const versionCommands = [listCommand, diffCommand, checkCommand, publishCommand, rollbackCommand]

function listCommand (io: CliIo): Command {
  return command('versions', 'versions that visitors were answered with, newest first', 'agents versions 1')
    .argument('<id>', "the agent's number")
    .action(async (id: string, options: CommonOptions) => {
      const all = await withStores(io, options, async (stores) => {
        const { owner, kept } = await found(stores, id)
        return (await stores.agents.versions(owner, kept.agent.id, Number.MAX_SAFE_INTEGER, MOST_LISTED))!
      })
      print(io, options, all, () => table(all.map(({ number, state, published_at: at, published_by: by, note }) => (
        { number, state, published: at, by: by?.name ?? by?.id, note }
      )), 'There are no versions.'))
    })
}

function diffCommand (io: CliIo): Command {
  return command(
    'diff', 'what differs in the draft, field by field', 'agents diff 1', 'agents diff 1 --from 3 --to live'
  )
    .argument('<id>', "the agent's number")
    .option('--from <version>', 'a version\'s number, live or draft', 'live')
    .option('--to <version>', 'a version\'s number, live or draft', 'draft')
    .action(async (id: string, options: CommonOptions & { from: string, to: string }) => {
      const changes = await withStores(io, options, async (stores) => {
        const { owner, kept: { agent } } = await found(stores, id)
        return diffOf(
          await settingsOf(stores, owner, agent, options.from), await settingsOf(stores, owner, agent, options.to)
        )
      })
      print(io, options, { from: options.from, to: options.to, changes }, () =>
        changes.length === 0 ? 'No differences.' : changes.map(inWords).join('\n'))
    })
}

async function settingsOf ({ agents }: Stores, owner: Id, agent: AgentRecord, which: string): Promise<AgentSettings> {
  if (which === 'draft') return settingsIn(agent)
  if (which === 'live') return settingsIn((await agents.live(owner, agent.id))!)
  if (!/^[1-9]\d{0,15}$/.test(which)) {
    throw invalid({ field: 'version', message: `${inLine(which)} must be a version's number, live or draft.` })
  }
  return (await agents.version(owner, agent.id, Number(which)))?.settings ?? noVersion(agent.id, which)
}

/** A change as lines: removed ones after a minus, added ones after a plus. */
function inWords ({ field, from, to, lines }: FieldChange): string {
  const marks = { same: ' ', removed: '-', added: '+' }
  const shown = lines
    ? lines.map(({ is, text }) => `${marks[is]} ${text}`)
    : [...(from === undefined ? [] : [`- ${JSON.stringify(from)}`]), ...(to === undefined ? [] : [`+ ${JSON.stringify(to)}`])]
  return plain([field, ...shown.map((line) => `  ${line}`)].join('\n'))
}

function publishCommand (io: CliIo): Command {
  return command('publish', "answer visitors with the agent's draft from now on",
    'agents publish 1', 'agents publish 1 --note "Shorter answers"',
    'agents publish 1 --force --reason "The question is outdated"')
    .argument('<id>', "the agent's number")
    .option('--note <text>', 'what was changed, and why')
    .option('--force', 'publish even if test questions fail; needs --reason')
    .option('--reason <text>', 'why it is published anyway')
    .action(async (id: string, options: CommonOptions & { note?: string, force?: boolean, reason?: string }) => {
      const { note, force = false, reason = '' } = options
      if (force && reason.trim() === '') {
        throw invalid({ field: 'reason', message: '--force needs --reason: say why it is published anyway.' })
      }
      const version = await withStores(io, options, async (stores) => {
        const { owner, kept: { agent } } = await found(stores, id)
        const { checks, agents } = stores
        const gate = publishGate({ store: checks.store, agents, asks: checks, patienceMs: LONGEST_MS })
        const publish = async () => {
          const asked = await gate(owner, agent.id, force)
          const publishing = { note, drafts: [asked?.draft], reason: asked?.hasFailed ? reason : null }
          return (await agents.publish(owner, agent.id, publishing))!.answer
        }
        return await onCommandLine(stores, owner, 'publishAgent', `agents/${agent.id}/publish`, publish)
      })
      print(io, options, version, () => `Visitors are answered with version ${version.number} of agent ${id}.`)
    })
}

function checkCommand (io: CliIo): Command {
  return command('check', "ask an agent's test questions; exits with 1 if a blocking one does not pass",
    'agents check 1', 'agents check 1 --draft --junit checks.xml')
    .argument('<id>', "the agent's number")
    .option('--draft', 'ask the draft, not what is live')
    .option('--junit <file>', 'write the results as JUnit XML; an older file is replaced')
    .action(async (id: string, options: CommonOptions & { draft?: boolean, junit?: string }) => {
      const run = await withStores(io, options, async (stores) => {
        const { owner, kept: { agent } } = await found(stores, id)
        const { checks } = stores
        const asked = { of: options.draft ? 'draft' as const : 'live' as const }
        const begun = (await checks.ask(owner, agent.id, asked, { cause: 'asked', runsItself: true }))!.answer
        await checks.conduct(owner, begun.id, new AbortController().signal)
        return (await checks.store.run(owner, agent.id, begun.id))!
      })
      if (options.junit !== undefined) writeNew(options.junit, junitOf(run).trimEnd(), true)
      const rows = run.results.map(({ question, verdict, text, why }) => (
        { question, verdict, text: shortened(text), why: why.map(({ message }) => message).join(' ') || undefined }
      ))
      print(io, options, run, () => table(rows, 'There are no test questions to ask.'))
      const failed = run.results.filter(({ verdict, blocking }) => verdict !== 'pass' && blocking).length
      if (failed > 0) {
        throw new Refusal('questions_failed', `${failed} of ${run.total} blocking test questions did not pass.`)
      }
    })
}

function rollbackCommand (io: CliIo): Command {
  return command('rollback', 'answer visitors with an earlier version again, at once',
    'agents rollback 1', 'agents rollback 1 3 --note "Version 4 was too long-winded"')
    .argument('<id>', "the agent's number")
    .argument('[version]', "the version's number; without it the one before the live one")
    .option('--note <text>', 'why')
    .action(async (id: string, number: string | undefined, options: CommonOptions & { note?: string }) => {
      const { version, gone } = await withStores(io, options, async (stores) => {
        const { owner, kept: { agent } } = await found(stores, id)
        const wanted = number === undefined
          ? await before(stores, owner, agent)
          : idFrom(number, 'versions', `as "${commandLine(`agents versions ${id}`)}" shows it`)
        const { author } = await authorOf(stores, String(owner))
        const change = (current: AgentRecord, settings: AgentSettings) => replaced(current, settings, author)
        const publish = async () =>
          (await stores.agents.publishVersion(owner, agent.id, wanted, { note: options.note, change }) ??
            noVersion(agent.id, String(wanted))).answer
        const version = await onCommandLine(
          stores, owner, 'publishVersion', `agents/${agent.id}/versions/${wanted}/publish`, publish
        )
        return { version, gone: version.gone_sources.length }
      })
      print(io, options, version, () =>
        `Visitors are answered with version ${version.number} of agent ${id}, which holds what version ${version.copy_of} holds.` +
        (gone > 0 ? ` ${gone === 1 ? 'One source' : `${gone} sources`} that it knew then ${gone === 1 ? 'is' : 'are'} gone.` : ''))
    })
}

/** The number of the previously live version. */
async function before ({ agents }: Stores, owner: Id, { id, live_version: live }: AgentRecord): Promise<number> {
  const all = (await agents.versions(owner, id, live, MOST_LISTED))!
  return all.find(({ state }) => state === 'previous')?.number ?? noVersion(id, `before ${live}`)
}

function noVersion (agent: Id, which: string): never {
  throw new Refusal(
    'not_found', `There is no version ${which} of agent ${agent}; "${commandLine(`agents versions ${agent}`)}" lists them.`
  )
}
