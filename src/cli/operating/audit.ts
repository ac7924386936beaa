import type { Command } from 'commander'
import type { AuditEvent } from '../../../schema/audit.ts'
import type { Id } from '../../../schema/common.ts'
import { faultSentence } from '../../audit/index.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Stores } from '../../stores.ts'
import { command, group, idFrom, print, table, withStores, type CommonOptions, type CliIo } from '../common.ts'

const SHOWN = 100

/** `audit list`, `audit verify`: what was done in each account, and whether its log is unaltered. */
export function auditCommand (io: CliIo): Command {
  const audit = group(
    'audit', 'what was done in each account, and by whom', 'audit list --user 1', 'audit verify'
  )

  audit.addCommand(
    command('list', 'what was done, newest first', 'audit list --user 1', 'audit list --user 1 --target agents/3')
      .option('--user <id>', "only this account's")
      .option('--target <path>', 'only what was done to this, such as agents/3')
      .action(async (options: CommonOptions & { user?: string, target?: string }) => {
        const filter = options.target === undefined ? {} : { target: options.target }
        const found = await withStores(io, options, async (stores) => {
          const accounts = await accountsOf(stores, options.user)
          const lists = await Promise.all(accounts.map(async (account) =>
            (await stores.audit.list(account, filter, undefined, SHOWN)).items.map((event) => ({ account, ...event }))))
          return lists.flat().sort((a, b) => b.id - a.id).slice(0, SHOWN)
        })
        print(io, options, found, () => table(found.map(rowOf), 'The audit log has no such events.'))
      })
  )

  audit.addCommand(
    command(
      'verify', 'compare each event with the hash of the one before; exits with 1 if one does not match',
      'audit verify', 'audit verify --user 1'
    )
      .option('--user <id>', "only this account's")
      .action(async (options: CommonOptions & { user?: string }) => {
        const reports = await withStores(io, options, async (stores) => {
          const accounts = await accountsOf(stores, options.user)
          return await Promise.all(
            accounts.map(async (account) => {
              const { fault, ...report } = await stores.audit.verify(account)
              return { account, ...report, ...(fault && { fault: faultSentence(fault) }) }
            })
          )
        })
        print(io, options, reports, () => table(reports.map(({ account, events, first, head, fault }) => ({
          account, events, first, 'last hash': head, result: fault ?? 'intact'
        })), 'There are no accounts.'))
        const broken = reports.filter(({ fault }) => fault !== undefined).map(({ account }) => account)
        if (broken.length > 0) {
          throw new Refusal(
            'conflict',
            `The audit log of account ${broken.join(', ')} has been altered. Compare it with an earlier backup.`
          )
        }
      })
  )

  return audit
}

function rowOf ({ id, account, at, user, by, action, target, fields }: AuditEvent & { account: Id }) {
  const who = user ? `${user.name ?? 'somebody who is gone'} (${user.id})` : 'the command line'
  return { id, account, at, by: by === 'key' ? `${who}, by a key` : who, action, target, fields: fields.join() || null }
}

async function accountsOf ({ access }: Stores, user: string | undefined): Promise<Id[]> {
  return user === undefined ? (await access.users()).map(({ id }) => id) : [idFrom(user, 'users')]
}
