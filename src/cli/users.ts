import type { Command } from 'commander'
import { Value } from '@sinclair/typebox/value'
import { UserRecord } from '../../schema/access.ts'
import { TIERS, type Tier } from '../../schema/plans.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { command, group, idFrom, print, table, withStores, type CommonOptions, type Surroundings } from './common.ts'

/** `users create`, `users list`, `users update`. */
export function usersCommand (around: Surroundings): Command {
  const users = group('users', 'people who own agents')

  users.addCommand(command('create', 'make a user and its first key, which is shown this once')
    .requiredOption('--name <name>', 'what to call the user')
    .option('--email <address>', 'the user\'s e-mail address')
    .option('--tier <tier>', `${TIERS.join(', ')} (default: free; enterprise for the very first user)`)
    .action(async (options: CommonOptions & { name: string, email?: string, tier?: string }) => {
      const { name, email = null } = options
      const tier = options.tier === undefined ? undefined : tierFrom(options.tier)
      if (!Value.Check(UserRecord.properties.name, name)) throw invalid({ field: 'name', message: '--name must be 1 to 200 characters.' })
      if (email !== null && !new RegExp(UserRecord.properties.email.pattern!).test(email)) throw invalid({ field: 'email', message: '--email is not an e-mail address.' })
      const made = await withStores(around, options, ({ access }) => access.createUser({ name, email, ...(tier && { tier }) }), { begin: true })
      print(around, options, made, () => `User ${made.user.id} (${made.user.name}) on the ${made.user.tier} tier.\nAPI key, shown only now: ${made.key}`)
    }))

  users.addCommand(command('list', 'all users').action(async (options: CommonOptions) => {
    const all = await withStores(around, options, ({ access }) => access.users())
    print(around, options, all, () => table(all.map(({ id, name, email, tier, created_at: created }) => ({ id, name, email, tier, created })), 'There are no users yet.'))
  }))

  users.addCommand(command('update', 'move a user to another tier')
    .argument('<id>', 'the user\'s number')
    .requiredOption('--tier <tier>', TIERS.join(', '))
    .action(async (id: string, options: CommonOptions & { tier: string }) => {
      const tier = tierFrom(options.tier)
      const user = await withStores(around, options, ({ access }) => access.setTier(idFrom(id, 'users'), tier))
      if (!user) throw new Refusal('not_found', `There is no user ${id}; "users list" shows who there is.`)
      print(around, options, { user }, () => `User ${user.id} (${user.name}) is on the ${user.tier} tier.`)
    }))

  return users
}

function tierFrom (text: string): Tier {
  const tier = TIERS.find((one) => one === text)
  if (!tier) throw invalid({ field: 'tier', message: `--tier must be ${TIERS.join(', ')}.` })
  return tier
}
