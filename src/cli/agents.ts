import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { TSchema } from '@sinclair/typebox'
import { PERMISSIONS } from '../../schema/access.ts'
import { AgentDraft, AgentPatch, type AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import { changed, displayName, newAgent, type AgentWithSources } from '../agents/index.ts'
import type { Actor } from '../config-as-code/index.ts'
import { errorCode, invalid, Refusal } from '../platform/errors.ts'
import { compileValidator } from '../platform/http/validation.ts'
import { commandLine } from '../platform/process/command-line.ts'
import { PortableAgent, exportAgent, importAgent, settingsOf } from '../sources/index.ts'
import type { Stores } from '../stores.ts'
import {
  command, configOf, group, idFrom, inLine, onCommandLine, print, table, withStores, type CommonOptions,
  type CliIo
} from './common.ts'
import { untilRemoved } from './working.ts'
import { ownProperty } from '../platform/objects.ts'

interface FieldOptions extends CommonOptions {
  name?: string, prompt?: string, description?: string, status?: string, set?: string[], from?: string
}

/** `agents list | show | create | update | delete | export | import`, and the commands for versions. */
export function agentsCommand (io: CliIo, more: Array<(io: CliIo) => Command>): Command {
  const agents = group(
    'agents', 'agents of any user', 'agents list',
    'agents create --name "Support Agent" --prompt "You are a helpful support agent."'
  )
  for (const made of [
    listCommand, showCommand, createCommand, updateCommand, deleteCommand, exportCommand, importCommand,
    ...more
  ]) { agents.addCommand(made(io)) }
  return agents
}

function listCommand (io: CliIo): Command {
  return command('list', 'all agents', 'agents list', 'agents list --user 1 --status Active --search orders')
    .option('--user <id>', 'only this user\'s')
    .option('--status <status>', 'only those that are Active or Inactive')
    .option('--type <type>', 'only those of a type, such as "Sales Agent"')
    .option('--category <category>', 'only those of a category, such as "Assistant"')
    .option('--search <text>', 'only those with this in their name or description')
    .action(async (
      options: CommonOptions & { user?: string, status?: string, type?: string, category?: string, search?: string }
    ) => {
      const { status, type, category, search } = options
      if (status !== undefined && !['Active', 'Inactive'].includes(status)) {
        throw invalid({ field: 'status', message: '--status must be Active or Inactive.' })
      }
      const filter = {
        ...(status && { status }),
        ...(type && { agent_type: type }),
        ...(category && { agent_category: category }),
        ...(search && { search })
      }
      const found = await withStores(io, options, async (stores) => {
        const owners =
          options.user === undefined
            ? (await stores.access.users()).map(({ id }) => id)
            : [idFrom(options.user, 'users')]
        const all: AgentWithSources[] = []
        for (const owner of owners) all.push(...await stores.agents.page(owner, filter, 0, Number.MAX_SAFE_INTEGER))
        return all.sort((a, b) => a.agent.id - b.agent.id)
      })
      print(io, options, found.map(outline), () => table(found.map(outline), 'No agents found.'))
    })
}

function showCommand (io: CliIo): Command {
  return command('show', 'an agent with all its settings', 'agents show 1', 'agents show 1 --json')
    .argument('<id>', 'the agent\'s number')
    .action(async (id: string, options: CommonOptions) => {
      const kept = await withStores(io, options, async (stores) => (await found(stores, id)).kept)
      print(
        io,
        options,
        { ...outline(kept), ...settingsOf(kept.agent) },
        () => `${table([outline(kept)], '')}\n\n${JSON.stringify(settingsOf(kept.agent), null, 2)}`
      )
    })
}

function createCommand (io: CliIo): Command {
  return withFields(command('create', 'make an agent',
    'agents create --name "Support Agent" --prompt "You are a helpful support agent."',
    'agents create --user 2 --from agent.json --set model.temperature=0.2'))
    .option('--user <id>', 'whose agent it is; optional if there is only one user')
    .action(async (options: FieldOptions & { user?: string }) => {
      const draft = checked<AgentDraft>(AgentDraft, fieldsFrom(options))
      const kept = await withStores(io, options, async (stores) => {
        const { owner, author } = await authorOf(stores, options.user)
        const agent = newAgent(draft, defaultsOf(io, options), author)
        return (await onCommandLine(
          stores, owner, 'createAgent', 'agents', async () => await stores.agents.create(owner, agent)
        )).answer
      })
      print(
        io,
        options,
        outline(kept),
        () => `Agent ${kept.agent.id} (${inLine(kept.agent.name)}) of user ${kept.agent.owner}.`
      )
    })
}

function updateCommand (io: CliIo): Command {
  return withFields(
    command(
      'update', 'change an agent; what is not named stays', 'agents update 1 --status Inactive',
      'agents update 1 --set model.temperature=0.2 --set "appearance.welcomeMessage=Hello!"'
    )
  )
    .argument('<id>', "the agent's number")
    .action(async (id: string, options: FieldOptions) => {
      const fields = fieldsFrom(options)
      if (Object.keys(fields).length === 0) {
        throw invalid({
          field: 'set', message: 'Say what to change: --name, --description, --prompt, --status, --set or --from.'
        })
      }
      const patch = checked<AgentPatch>(AgentPatch, fields)
      const kept = await withStores(io, options, async (stores) => {
        const {
          owner, kept: { agent }
        } = await found(stores, id)
        const { author } = await authorOf(stores, String(owner))
        const update = async () =>
          await stores.agents.update(owner, agent.id, (current) => changed(current, patch, author) as AgentRecord)
        return (await onCommandLine(stores, owner, 'updateAgent', `agents/${agent.id}`, update)) ?? missing(id)
      })
      print(io, options, outline(kept), () => `Agent ${kept.agent.id} (${inLine(kept.agent.name)}) is changed.`)
    })
}

function deleteCommand (io: CliIo): Command {
  return command('delete', 'delete an agent and all that it knows', 'agents delete 1')
    .argument('<id>', 'the agent\'s number')
    .action(async (id: string, options: CommonOptions) => {
      const { agent } = await withStores(io, options, async (stores) => {
        const { owner, kept } = await found(stores, id)
        const remove = async () => await stores.agents.delete(owner, kept.agent.id, () => {})
        if (!await onCommandLine(stores, owner, 'deleteAgent', `agents/${id}`, remove)) missing(id)
        await untilRemoved(io, options, stores, owner)
        return kept
      })
      print(io, options, { id: agent.id }, () => `Agent ${agent.id} (${inLine(agent.name)}) is deleted.`)
    })
}

function exportCommand (io: CliIo): Command {
  return command(
    'export', 'write an agent with its settings, folders, texts and files into one file',
    'agents export 1 agent.json', 'agents export 1 > agent.json'
  )
    .argument('<id>', "the agent's number")
    .argument('[file]', 'the file to write; printed without one')
    .option('--force', 'replace the file if it exists')
    .action(async (id: string, file: string | undefined, options: CommonOptions & { force?: boolean }) => {
      const portable = await withStores(io, options, async (stores) => {
        const { owner, kept } = await found(stores, id)
        return (await exportAgent({ ...stores.knowledge, agents: stores.agents }, owner, kept.agent.id)) ?? missing(id)
      })
      const text = JSON.stringify(portable, null, 2)
      if (file === undefined) return io.out(text)
      writeNew(file, text, options.force ?? false)
      const sources = portable.sources.length
      print(
        io,
        options,
        { file, sources },
        () => `Agent ${id} is in ${file}, with ${sources === 1 ? 'one source' : `${sources} sources`}.`
      )
    })
}

function importCommand (io: CliIo): Command {
  return command('import', 'make an agent from a file that "agents export" wrote; the server trains what it knows',
    'agents import agent.json', 'agents import --user 2 agent.json')
    .argument('<file>', 'the file')
    .option('--user <id>', 'whose agent it becomes; optional if there is only one user')
    .action(async (file: string, options: CommonOptions & { user?: string }) => {
      const portable = checked<PortableAgent>(PortableAgent, readJson(file))
      const kept = await withStores(io, options, async (stores) => {
        const { owner, author } = await authorOf(stores, options.user)
        const agent = newAgent(portable.agent as AgentDraft, defaultsOf(io, options), author)
        return await onCommandLine(stores, owner, 'createAgent', 'agents', async () =>
          await importAgent({ ...stores.knowledge, agents: stores.agents }, owner, agent, portable))
      })
      print(
        io,
        options,
        outline(kept),
        () =>
          `Agent ${kept.agent.id} (${inLine(kept.agent.name)}) of user ${kept.agent.owner}, with ${kept.total === 1 ? 'one source' : `${kept.total} sources`} to be trained.`
      )
    })
}

function withFields (made: Command): Command {
  return made
    .option('--name <name>', 'what to call the agent')
    .option('--prompt <text>', 'its system prompt')
    .option('--description <text>', 'what it is for')
    .option('--status <status>', 'Active or Inactive')
    .option(
      '--set <field=value>',
      'any other field, such as model.temperature=0.2; may be given several times',
      (one: string, all: string[] = []) => [...all, one]
    )
    .option('--from <file>', 'fields from a JSON file, as the API takes them; - reads standard input')
}

/** The fields given by options, on top of those of a file. */
function fieldsFrom ({ name, prompt, description, status, set = [], from }: FieldOptions): Record<string, unknown> {
  const fields: Record<string, unknown> = from === undefined ? {} : readJson(from) as Record<string, unknown>
  Object.assign(
    fields,
    name !== undefined && { name },
    prompt !== undefined && { systemPrompt: prompt },
    description !== undefined && { description },
    status !== undefined && { status }
  )
  for (const text of set) {
    const [, path, value] = /^([A-Za-z_.]+)=(.*)$/s.exec(text) ?? []
    if (path === undefined || value === undefined) {
      throw invalid({
        field: 'set', message: `--set ${inLine(text)} must be a field and its value, such as model.temperature=0.2.`
      })
    }
    const steps = path.split('.')
    const last = steps.pop()!
    let at = fields
    for (const step of steps) at = (ownProperty(at, step) ?? (at[step] = {})) as Record<string, unknown>
    at[last] = valueOf(value)
  }
  return fields
}

/** `0.2`, `true`, `null` and `["a"]` as JSON; anything else is text. */
function valueOf (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function readJson (file: string): unknown {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below, as for anything that is not an object.
  }
  throw invalid({ field: 'file', message: `${file} does not hold a JSON object.` })
}

/** Writes a file that does not exist yet, unless it may be overwritten. */
export function writeNew (file: string, text: string, force: boolean) {
  try {
    writeFileSync(file, text + '\n', { flag: force ? 'w' : 'wx', mode: 0o600 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new Refusal('conflict', `${file} already exists. Choose another name, or use --force to replace it.`)
  }
}

/** Validates as the API would, with the same messages. */
export function checked<T> (schema: TSchema, value: unknown): T {
  const { value: right, error } = compileValidator({ schema, httpPart: 'body', method: 'POST', url: '' })(value) as {
    value?: T, error?: Error
  }
  if (error) throw error
  return right!
}

/**
 * The owner of the new agent: the named user, or the only one there is. The operator may set everything that the tier
 * allows.
 */
export async function authorOf ({ access, tickets }: Stores, named: string | undefined) {
  const users = await access.users()
  const user = named === undefined ? users[0] : users.find(({ id }) => id === idFrom(named, 'users'))
  if (!user) {
    throw new Refusal(
      'not_found',
      `There is no user${named === undefined ? '' : ` ${named}`}; "${commandLine('users list')}" lists them.`
    )
  }
  if (named === undefined && users.length > 1) {
    throw invalid({
      field: 'user', message: `Use --user to say whose agent it is; "${commandLine('users list')}" lists them.`
    })
  }
  const ticketing = [...(await tickets.providers.names(user.id)).keys()]
  return { owner: user.id, author: { tier: user.tier, permissions: PERMISSIONS, ticketing } }
}

/** The author of changes by files and imports. */
export async function actorOf (stores: Stores, named: string | undefined): Promise<{ owner: Id, actor: Actor }> {
  const { owner, author } = await authorOf(stores, named)
  const actions = (await stores.actions.actions.list(owner)).map(({ id }) => id)
  return { owner, actor: { author: { ...author, actions }, user: null, by: 'command_line', key: null } }
}

/** The model of an agent that names none. */
export function defaultsOf (io: CliIo, options: CommonOptions) {
  const { RESPONSE_MODEL: model, DISPLAY_MODEL: shown } = configOf(io, options)
  return { response_model: model, display_model: shown || displayName(model) }
}

/** An agent by its number, of any account. */
export async function found ({ agents }: Stores, text: string): Promise<{ owner: Id, kept: AgentWithSources }> {
  const id = idFrom(text, 'agents')
  const owner = await agents.ownerOf(id) ?? missing(text)
  return { owner, kept: await agents.get(owner, id) ?? missing(text) }
}

function missing (id: string): never {
  throw new Refusal('not_found', `There is no agent ${id}; "${commandLine('agents list')}" lists them.`)
}

/** An agent as shown to a person, with the API's field names. */
function outline ({ agent, total }: AgentWithSources) {
  const { id, owner, name, status, agentType: type, total_training_usage_bytes: bytes, updated_at: updated } = agent
  return { id, owner, name, status, type, sources: total, bytes, updated }
}
