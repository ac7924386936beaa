import type { Command } from 'commander'
import { PERMISSIONS, type User } from '../../schema/access.ts'
import { ROLES, type Role } from '../../schema/team.ts'
import { linkTo } from '../access/index.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { nearest } from '../platform/http/validation.ts'
import { commandLine } from '../platform/process/command-line.ts'
import type { Stores } from '../stores.ts'
import { mayInvite } from '../team/index.ts'
import {
  addressFor, command, group, idFrom, inLine, onCommandLine, print, table, withStores, type CommonOptions,
  type CliIo
} from './common.ts'
import { called } from './users.ts'
import { keysOf } from '../../schema/typed.ts'

const ROLE_NAMES = keysOf(ROLES)

/** `members list | invite | remove`. */
export function membersCommand (io: CliIo): Command {
  const members = group(
    'members', 'people who act for an account', 'members list --account 1', 'members invite --account 1 --role expert'
  )

  members.addCommand(
    command('list', 'who acts for an account', 'members list', 'members list --account ada@example.com')
      .option(
        '--account <name>',
        'name, e-mail address or number of the user it was made for (default: the only one there is)'
      )
      .action(async (options: CommonOptions & { account?: string }) => {
        const all = await withStores(
          io,
          options,
          async (stores) => await stores.team.members((await accountFrom(stores, options.account)).id)
        )
        print(io, options, all, () =>
          table(
            all.map(({ id, user, role, permissions, created_at: since }) => ({
              id,
              user: user.id,
              name: user.name,
              email: user.email,
              role,
              permissions: permissions.length === PERMISSIONS.length ? 'all' : permissions.join(),
              since
            })),
            'Nobody acts for this account.'
          )
        )
      })
  )

  members.addCommand(
    command(
      'invite',
      'make a link to join; single use, valid for seven days',
      'members invite --account 1 --email bob@example.com --role expert'
    )
      .option(
        '--account <name>',
        'name, e-mail address or number of the user it was made for (default: the only one there is)'
      )
      .option('--email <address>', 'whom it is for')
      .requiredOption('--role <role>', ROLE_NAMES.join(', '))
      .action(async (options: CommonOptions & { account?: string, email?: string, role: string }) => {
        const role = roleFrom(options.role)
        const { account, made } = await withStores(io, options, async (stores) => {
          const account = await accountFrom(stores, options.account)
          const inviter = (await stores.team.members(account.id)).find((member) => mayInvite(member, ROLES[role]))
          if (!inviter) throw new Refusal('conflict', `Nobody in this account may invite and has all permissions of the role ${role}.`)
          return {
            account,
            made: (
              await onCommandLine(stores, account.id, 'createInvitation', 'invitations', async () =>
                await stores.team.invite(account.id, inviter.user.id, {
                  email: options.email ?? null, permissions: [...ROLES[role]]
                }))
            ).answer
          }
        })
        const link = linkTo(addressFor(io, options), made.token)
        print(
          io,
          options,
          { ...made.invitation, link, mailed: made.mailed },
          () =>
            `Opening this within seven days joins ${inLine(account.name)} as ${role}; it works once:\n${link}\n${made.mailed ? 'The server mails it too.' : 'Hand it over yourself: nothing was mailed.'}`
        )
      })
  )

  members.addCommand(
    command(
      'remove',
      'end a membership, with its keys and sessions, from the next request on',
      'members remove 3 --account 1'
    )
      .argument('<id>', 'the member\'s number, as "members list" shows it')
      .option(
        '--account <name>',
        'name, e-mail address or number of the user it was made for (default: the only one there is)'
      )
      .action(async (text: string, options: CommonOptions & { account?: string }) => {
        const id = idFrom(text, 'members')
        const isGone = await withStores(
          io,
          options,
          async (stores) => {
            const account = await accountFrom(stores, options.account)
            return await onCommandLine(stores, account.id, 'removeMember', `members/${id}`, async () =>
              await stores.team.remove(account.id, id, { user: null, permissions: PERMISSIONS }))
          }
        )
        if (!isGone) {
          throw new Refusal(
            'not_found',
            `There is no member ${id} in this account; "${commandLine('members list')}" lists them.`
          )
        }
        print(io, options, { id, removed: true }, () => `Member ${id} is removed.`)
      })
  )

  return members
}

/** The named account, or the only one that has members. */
async function accountFrom ({ access, team }: Pick<Stores, 'access' | 'team'>, name: string | undefined): Promise<User> {
  const users = await access.users()
  if (name !== undefined) return called(name, users)
  const accounts: User[] = []
  for (const user of users) if ((await team.members(user.id)).length > 0) accounts.push(user)
  const [only, ...others] = accounts
  if (!only || others.length > 0) {
    throw new Refusal(
      'conflict',
      `There are ${accounts.length} accounts. Say which with --account; "${commandLine('users list')}" shows them.`
    )
  }
  return only
}

function roleFrom (text: string): Role {
  const role = ROLE_NAMES.find((one) => one === text)
  if (!role) {
    throw invalid({
      field: 'role', message: `--role must be ${ROLE_NAMES.join(', ')}${nearest(text, ROLE_NAMES) || '.'}`
    })
  }
  return role
}
