import path from 'node:path'
import type { Command } from 'commander'
import { Value } from '@sinclair/typebox/value'
import { UserRecord, type User } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import { TIERS, type Tier } from '../../schema/plans.ts'
import { linkTo, type KeyRow } from '../access/index.ts'
import { Refusal, invalid, shortened } from '../platform/errors.ts'
import { commandLine } from '../platform/process/command-line.ts'
import type { Stores } from '../stores.ts'
import {
  addressFor, command, configOf, group, idFrom, inLine, onCommandLine, print, table, withStores, type CommonOptions,
  type CliIo
} from './common.ts'
import { untilRemoved } from './working.ts'
import { isUsable } from './keys.ts'

/** `users create | list | update | link | delete`. */
export function usersCommand (io: CliIo): Command {
  const users = group('users', 'people who own agents', 'users list', 'users create --name Ada')

  users.addCommand(command('create', 'make a user and its first key, shown only this once',
    'users create --name "Ada Lovelace" --email ada@example.com --tier pro')
    .requiredOption('--name <name>', 'what to call the user')
    .option('--email <address>', 'the user\'s e-mail address, which no other user may have')
    .option('--tier <tier>', `${TIERS.join(', ')} (default: free; enterprise for the very first user)`)
    .action(async (options: CommonOptions & { name: string, email?: string, tier?: string }) => {
      const { name, email = null } = options
      const tier = options.tier === undefined ? undefined : tierFrom(options.tier)
      if (!Value.Check(UserRecord.properties.name, name)) {
        throw invalid({ field: 'name', message: '--name must be 1 to 200 characters.' })
      }
      if (email !== null && !new RegExp(UserRecord.properties.email.pattern!).test(email)) {
        throw invalid({ field: 'email', message: '--email is not an e-mail address.' })
      }
      const made = await withStores(
        io, options, ({ access }) => access.createUser({ name, email, ...(tier && { tier }) }), { begin: true }
      )
      if (made.user.id === 1) {
        io.note(`This is a new installation, in ${path.resolve(configOf(io, options).DATA)}.`)
      }
      print(
        io,
        options,
        made,
        () =>
          `User ${made.user.id} (${inLine(made.user.name)}) on the ${made.user.tier} tier.\nAPI key, shown only now: ${made.key}`
      )
    }))

  users.addCommand(
    command(
      'list', 'all users, and whether they have a key that works', 'users list', 'users list --tier free --search ada'
    )
      .option('--tier <tier>', `only those on a tier: ${TIERS.join(', ')}`)
      .option('--search <text>', 'only those with this in their name or e-mail address')
      .action(async (options: CommonOptions & { tier?: string, search?: string }) => {
        const tier = options.tier === undefined ? undefined : tierFrom(options.tier)
        const [all, keys] = await withStores(
          io, options, async ({ access }) => [await access.users(), await access.allKeys()] as const
        )
        const chosen = all.filter((user) => (tier === undefined || user.tier === tier) && isNamed(user, options.search))
        print(io, options, chosen, () => listed(chosen, keys))
      })
  )

  users.addCommand(command('update', 'move a user to another tier', 'users update 2 --tier pro')
    .argument('<id>', 'the user\'s number')
    .requiredOption('--tier <tier>', TIERS.join(', '))
    .action(async (id: string, options: CommonOptions & { tier: string }) => {
      const tier = tierFrom(options.tier)
      const user =
        (await withStores(io, options, async (stores) => {
          const account = idFrom(id, 'users')
          return await onCommandLine(
            stores, account, 'updateAccount', 'account', async () => await stores.access.setTier(account, tier)
          )
        })) ?? nobody(id)
      print(io, options, { user }, () => `User ${user.id} (${inLine(user.name)}) is on the ${user.tier} tier.`)
    }))

  users.addCommand(
    command(
      'link', 'make a link to choose a password and sign in; single use, valid for 30 minutes',
      'users link "Ada Lovelace"', 'users link ada@example.com', 'users link 2'
    )
      .argument('<name>', "the user's name, e-mail address or number")
      .action(async (name: string, options: CommonOptions) => {
        const { user, link } = await withStores(io, options, async ({ access, signIn }) => {
          const user = called(name, await access.users())
          return { user, link: (await signIn.makeLink(user.id)) ?? nobody(name) }
        })
        const { token, expires_at: expires } = link
        const address = linkTo(addressFor(io, options), token)
        print(
          io,
          options,
          { user: user.id, link: address, expires_at: expires },
          () =>
            `User ${user.id} (${inLine(user.name)}) can choose a password here, once, within 30 minutes:\n${address}`
        )
      })
  )

  users.addCommand(command('delete', 'delete a user and its keys, and with --agents its agents and all that they know',
    'users delete 2', 'users delete 2 --agents')
    .argument('<id>', 'the user\'s number')
    .option('--agents', 'also when the user has agents, which are deleted too')
    .action(async (id: string, options: CommonOptions & { agents?: boolean }) => {
      const user = idFrom(id, 'users')
      const agents = await withStores(io, options, async (stores) => {
        const agents = await remove(stores, user, options.agents ?? false)
        await untilRemoved(io, options, stores, user)
        return agents
      })
      print(
        io,
        options,
        { id: user, agents },
        () =>
          `User ${user} is deleted${agents.length ? `, with ${agents.length === 1 ? 'one agent' : `${agents.length} agents`}` : ''}.`
      )
    }))

  return users
}

/** Deletes a user and lists the agents that are deleted with them. */
async function remove ({ access, agents, privacy }: Stores, user: Id, withAgents: boolean): Promise<Id[]> {
  if (!await access.user(user)) nobody(String(user))
  const { agents: count } = await agents.usage(user)
  if (count > 0 && !withAgents) {
    throw new Refusal(
      'conflict',
      `User ${user} has ${count === 1 ? 'an agent' : `${count} agents`}, which would be deleted too. Use --agents to delete them.`
    )
  }
  const gone = await agents.page(user, {}, 0, count)
  await privacy.deletion.user(user)
  return gone.map(({ agent }) => agent.id)
}

function isNamed ({ name, email }: User, search = ''): boolean {
  return `${name}\n${email ?? ''}`.toLowerCase().includes(search.toLowerCase())
}

/** The users as rows, with instructions if one cannot sign in: a key is shown once and never again. */
function listed (users: User[], keys: KeyRow[]): string {
  const rows = users.map(({ id, name, email, tier, created_at: created }) => {
    const usable = keys.filter((key) => key.user === id && isUsable(key))
    const used = usable.map((key) => key.last_used_at).filter((at) => at !== null).sort().at(-1)
    return { id, name, email, tier, keys: usable.length, 'last used': used, created }
  })
  const unused = rows.filter((row) => row['last used'] === undefined)
  const hints = unused.map(
    ({ id, keys }) =>
      `User ${id} ${keys ? 'has never used a key' : 'has no key that works'}. If it is lost, "${commandLine(`keys create --user ${id}`)}" makes another: a key is shown only once.`
  )
  return [table(rows, 'No users found.'), ...(hints.length ? ['', ...hints.slice(0, HINTS)] : [])].join('\n')
}

/** Maximum users for whom instructions for a lost key are shown; they are the same for all. */
const HINTS = 3

/** The one user that a text identifies: by number, by e-mail address, or by a unique name. */
export function called (text: string, users: User[]): User {
  const wanted = text.trim().toLowerCase()
  const exact = users.find(({ id, email }) => String(id) === wanted || email?.toLowerCase() === wanted)
  const named = users.filter(({ name }) => name.trim().toLowerCase() === wanted)
  if (!exact && named.length > 1) {
    throw new Refusal(
      'conflict',
      `${named.length} users are called ${shortened(text)}. Give the number of one: ${named.map(({ id }) => id).join(', ')}.`
    )
  }
  return exact ?? named[0] ?? nobody(shortened(text))
}

function nobody (id: string): never {
  throw new Refusal('not_found', `There is no user ${id}; "${commandLine('users list')}" lists them.`)
}

function tierFrom (text: string): Tier {
  const tier = TIERS.find((one) => one === text)
  if (!tier) throw invalid({ field: 'tier', message: `--tier must be ${TIERS.join(', ')}.` })
  return tier
}
