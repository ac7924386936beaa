import type { Command } from 'commander'
import { systemClock } from '../../platform/clock.ts'
import { keyCopies } from '../../platform/storage/key-copies.ts'
import { command, group, print, withStores, type CommonOptions, type Surroundings } from '../common.ts'

/** `secrets renew`: for when agenthall.key is lost; `secrets copied`: that there is a copy of it elsewhere. */
export function secretsCommand (around: Surroundings): Command {
  const secrets = group('secrets', 'the key that seals what others entrust to us', 'secrets copied /mnt/usb/agenthall.key', 'secrets renew')
  secrets.addCommand(
    command(
      'copied',
      'look whether a file in another place is a copy of agenthall.key, and remember that there is one',
      'secrets copied /mnt/usb/agenthall.key'
    ).argument('<file>', 'the copy').action(async (file: string, options: CommonOptions) => {
      await withStores(around, options, async ({ db }) => await keyCopies({ db, clock: systemClock() }).seen(file))
      print(around, options, { copied: true }, () => `${file} is a copy of agenthall.key.`)
    })
  )
  secrets.addCommand(
    command(
      'renew',
      'make a new agenthall.key, where the old one is lost; what it sealed has to be entered anew',
      'secrets renew'
    ).action(async (options: CommonOptions) => {
      await withStores(around, options, async ({ db, vault }) => await db.atomically(function * () { vault.renew() }))
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
