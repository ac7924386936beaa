import type { Command } from 'commander'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import { microsOf, systemClock, timestamp } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { nearest } from '../platform/http/validation.ts'
import { commandLine } from '../platform/process/command-line.ts'
import type { KeyRow } from '../access/index.ts'
import {
  command, group, idFrom, onCommandLine, print, table, withStores, type CommonOptions, type CliIo
} from './common.ts'
import { isOneOf } from '../../schema/typed.ts'

const UNITS: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }

/** `keys create`, `keys list`, `keys revoke`. */
export function keysCommand (io: CliIo): Command {
  const keys = group('keys', 'API keys of any user', 'keys list', 'keys create --user 1')

  keys.addCommand(command(
    'create', 'make a key, shown only this once',
    'keys create --user 1 --name "Deploy script" --permissions MANAGE_AGENTS --expires 90d'
  )
    .requiredOption('--user <id>', 'whose key it is')
    .option('--name <name>', 'what to call the key', 'API key')
    .option('--permissions <list>', `comma separated; all by default: ${PERMISSIONS.join(', ')}`)
    .option('--expires <when>', 'a time from now, such as 12h or 90d, or a date; never by default')
    .action(async (options: CommonOptions & { user: string, name: string, permissions?: string, expires?: string }) => {
      const user = idFrom(options.user, 'users')
      const draft = {
        name: nameFrom(options.name),
        permissions: permissionsFrom(options.permissions),
        expires_at: options.expires === undefined ? null : expiryFrom(options.expires)
      }
      const { id, key } = await withStores(io, options, async (stores) => {
        const { access } = stores
        if (!(await access.user(user))) {
          throw new Refusal('not_found', `There is no user ${user}; "${commandLine('users list')}" lists them.`)
        }
        const create = async () => await access.createKey(user, () => draft)
        return (await onCommandLine(stores, user, 'createApiKey', 'api_keys', create)).answer
      })
      print(io, options, { id, key }, () => `Key ${id} of user ${user}.\nAPI key, shown only now: ${key}`)
    }))

  keys.addCommand(command('list', 'all keys, revoked ones too', 'keys list', 'keys list --user 1 --usable')
    .option('--user <id>', 'only this user\'s')
    .option('--usable', 'only those that are neither revoked nor expired')
    .action(async (options: CommonOptions & { user?: string, usable?: boolean }) => {
      const user = options.user === undefined ? undefined : idFrom(options.user, 'users')
      const all = (await withStores(io, options, ({ access }) => access.allKeys())).filter(
        (key) => (user === undefined || key.user === user) && (!options.usable || isUsable(key))
      )
      print(io, options, all, () => table(all.map((key) => ({
        id: key.id,
        user: key.user,
        name: key.name,
        client: key.client,
        key: key.hint,
        permissions: key.permissions.length === PERMISSIONS.length ? 'all' : key.permissions.join(),
        'last used': key.last_used_at,
        expires: key.expires_at,
        revoked: key.revoked_at
      })), 'There are no keys yet.'))
    }))

  keys.addCommand(command('revoke', 'revoke a key, from its next request on', 'keys revoke 2')
    .argument('<id>', 'the key\'s number, as "keys list" shows it')
    .action(async (text: string, options: CommonOptions) => {
      const id = idFrom(text, 'keys')
      const revoked = await withStores(io, options, async (stores) => {
        const key = (await stores.access.allKeys()).find((one) => one.id === id)
        return key && await onCommandLine(
          stores, key.account, 'revokeApiKey', `api_keys/${id}`, async () => await stores.access.revokeAnyKey(id)
        )
      })
      if (!revoked) {
        throw new Refusal(
          'not_found',
          `There is no key ${id} that could be revoked; "${commandLine('keys list')}" lists them.`
        )
      }
      print(io, options, { id, revoked }, () => `Key ${id} is revoked.`)
    }))

  return keys
}

/** Whether a request with this key is accepted. */
export function isUsable ({ revoked_at: revoked, expires_at: expires }: KeyRow): boolean {
  return revoked === null && (expires === null || expires > timestamp(systemClock().micros()))
}

function nameFrom (text: string): string {
  if (!text.trim() || text.length > 200) {
    throw invalid({ field: 'name', message: '--name must be 1 to 200 characters.' })
  }
  return text
}

function permissionsFrom (text: string | undefined): Permission[] {
  if (text === undefined) return [...PERMISSIONS]
  const names = new Set(text.split(',').map((name) => name.trim()).filter(Boolean))
  for (const name of names) {
    if (!isOneOf(PERMISSIONS, name)) {
      throw invalid({ field: 'permissions', message: `${name} is not a permission${nearest(name, [...PERMISSIONS])}` })
    }
  }
  if (names.size === 0) throw invalid({ field: 'permissions', message: '--permissions needs at least one.' })
  return PERMISSIONS.filter((permission) => names.has(permission))
}

function expiryFrom (text: string): string {
  const now = systemClock().micros()
  const [, amount, unit] = /^(\d{1,5})([mhdwy])$/.exec(text) ?? []
  const micros = unit ? now + Number(amount) * UNITS[unit]! * 1_000_000 : microsOf(text)
  if (micros === undefined || micros <= now) {
    throw invalid({
      field: 'expires', message: '--expires must be a time from now, such as 12h or 90d, or a day or time in the future, such as 2030-12-31 or 2030-12-31T12:00Z.'
    })
  }
  return timestamp(micros)
}
