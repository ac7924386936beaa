import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import { exportOfConversation } from '../../privacy/index.ts'
import type { Stores } from '../../stores.ts'
import {
  command, group, idFrom, inLine, onCommandLine, print, table, withStores, type CommonOptions, type CliIo
} from '../common.ts'

const STATUSES: readonly string[] = ['open', 'waiting', 'closed']
const SHOWN = 100
const LISTED_AT_ONCE = 100

/** `conversations list | show | export | delete`: conversations of all accounts. */
export function conversationsCommand (io: CliIo): Command {
  const conversations = group(
    'conversations', 'conversations with agents', 'conversations list', 'conversations show conv_…'
  )

  conversations.addCommand(command(
    'list', 'the newest 100', 'conversations list', 'conversations list --agent 1 --status waiting'
  )
    .option('--agent <id>', 'only this agent\'s')
    .option('--status <status>', STATUSES.join(', '))
    .action(async (options: CommonOptions & { agent?: string, status?: string }) => {
      const { status } = options
      const agent = options.agent === undefined ? undefined : idFrom(options.agent, 'agents')
      if (status !== undefined && !STATUSES.includes(status)) {
        throw invalid({ field: 'status', message: `--status must be one of ${STATUSES.join(', ')}.` })
      }
      const filter = { ...(agent !== undefined && { agent }), ...(status !== undefined && { status }) }
      const all = await withStores(io, options, async ({ access, conversations: { store } }) => {
        const owners = (await access.users()).map(({ id }) => id)
        return (
          await Promise.all(owners.map(async (owner) => (await store.list(owner, filter, undefined, SHOWN)).items))
        ).flat()
      })
      const newest = all.sort((a, b) => a.created_at < b.created_at ? 1 : -1).slice(0, SHOWN)
      print(io, options, newest.map(shown), () => table(newest.map(rowOf), 'There are no conversations.'))
    }))

  conversations.addCommand(command('show', 'one, with everything that was said', 'conversations show conv_…')
    .argument('<conversation>', 'its id')
    .action(async (id: string, options: CommonOptions) => {
      const found = await withStores(io, options, async (stores) => {
        const conversation = await find(stores, id)
        return { ...shown(conversation), said: await saidIn(stores, conversation) }
      })
      print(io, options, found, () => [
        `${found.id}, agent ${found.agent}, ${found.status}, handled by ${found.handled_by}`,
        ...found.said.map(({ created_at: at, role, text }) => `\n${at} ${role}:\n${text}`)
      ].join('\n'))
    }))

  conversations.addCommand(command(
    'export', 'one as a JSON file, with files, notes and tickets', 'conversations export conv_… --to talk.json'
  )
    .argument('<conversation>', 'its id')
    .requiredOption('--to <file>', 'the file to write; it must not exist yet')
    .action(async (id: string, options: CommonOptions & { to: string }) => {
      await withStores(io, options, async (stores) => {
        const { owner } = await find(stores, id)
        const pieces = await exportOfConversation(stores.privacy.exporting, owner, id) ?? none(id)
        await pipeline(Readable.from(pieces), createWriteStream(options.to, { flags: 'wx', mode: 0o600 }))
      })
      print(io, options, { file: options.to }, () => `Everything of ${inLine(id)} is in ${options.to}.`)
    }))

  conversations.addCommand(command(
    'delete', 'delete one, with everything that was said in it', 'conversations delete conv_… --yes'
  )
    .argument('<conversation>', 'its id')
    .option('--yes', 'confirm; this cannot be undone')
    .action(async (id: string, options: CommonOptions & { yes?: boolean }) => {
      if (!options.yes) throw invalid({ field: 'yes', message: 'This cannot be undone. Use --yes to confirm.' })
      await withStores(io, options, async (stores) => {
        const { owner } = await find(stores, id)
        await onCommandLine(stores, owner, 'deleteConversation', `conversations/${id}`, async () =>
          await stores.conversations.talk.remove(owner, id, () => {}))
      })
      print(io, options, { id }, () => `${inLine(id)} is deleted.`)
    }))

  return conversations
}

/** The conversation, of any account. Refuses with `not_found`. */
async function find ({ access, conversations: { store } }: Stores, id: string): Promise<ConversationRecord> {
  for (const { id: owner } of await access.users()) {
    const found = await store.get(owner, id)
    if (found) return found
  }
  return none(id)
}

function none (id: string): never {
  throw new Refusal(
    'not_found', `There is no conversation ${inLine(id)}; "${commandLine('conversations list')}" lists them.`
  )
}

async function saidIn ({ conversations: { store } }: Stores, { owner, id }: { owner: Id, id: string }) {
  const said: MessageRecord[] = []
  for (let more = LISTED_AT_ONCE; more === LISTED_AT_ONCE;) {
    const part = await store.messages(owner, id, { after: said.at(-1)?.seq ?? 0 }, LISTED_AT_ONCE) ?? []
    said.push(...part)
    more = part.length
  }
  return said.map(({ attempts: _attempts, ...message }) => message)
}

const shown = ({ revision: _revision, ...conversation }: ConversationRecord) => conversation

function rowOf (conversation: ConversationRecord) {
  const { id, owner, agent, status, handled_by: by, messages, last_message_at: last, subject } = conversation
  return { id, user: owner, agent, status, 'handled by': by, messages, last, subject }
}
