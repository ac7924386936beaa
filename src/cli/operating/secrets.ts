import type { Command } from 'commander'
import { command, group, print, withStores, type CommonOptions, type Surroundings } from '../common.ts'

/** `secrets renew`: for when agenthall.key is lost. */
export function secretsCommand (around: Surroundings): Command {
  const secrets = group('secrets', 'the key that seals what others entrust to us', 'secrets renew')
  secrets.addCommand(
    command(
      'renew',
      'make a new agenthall.key, where the old one is lost; what it sealed has to be entered anew',
      'secrets renew'
    ).action(async (options: CommonOptions) => {
      await withStores(around, options, async ({ db, vault }) => await db.atomically(() => vault.renew()))
      print(
        around,
        options,
        { renewed: true },
        () =>
          'A new agenthall.key is made. Restart a server that runs; enter keys of model providers, credentials of ticketing providers and the address of the team chat anew, and give webhooks new secrets.'
      )
    })
  )
  return secrets
}
