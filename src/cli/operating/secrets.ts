import type { Command } from 'commander'
import { systemClock } from '../../platform/clock.ts'
import { keyCopies } from '../../platform/storage/key-copies.ts'
import { command, group, print, withStores, type CommonOptions, type CliIo } from '../common.ts'

/** `secrets renew`: for when agenthall.key is lost; `secrets copied`: confirms that a copy of it exists elsewhere. */
export function secretsCommand (io: CliIo): Command {
  const secrets = group('secrets', 'the key that seals stored secrets', 'secrets copied /mnt/usb/agenthall.key', 'secrets renew')
  secrets.addCommand(
    command(
      'copied',
      'check that a file elsewhere is a copy of agenthall.key, and record that there is one',
      'secrets copied /mnt/usb/agenthall.key'
    ).argument('<file>', 'the copy').action(async (file: string, options: CommonOptions) => {
      await withStores(io, options, async ({ db }) => await keyCopies({ db, clock: systemClock() }).seen(file))
      print(io, options, { copied: true }, () => `${file} is a copy of agenthall.key.`)
    })
  )
  secrets.addCommand(
    command(
      'renew',
      'make a new agenthall.key if the old one is lost; what it sealed has to be entered again',
      'secrets renew'
    ).action(async (options: CommonOptions) => {
      await withStores(io, options, async ({ db, vault }) => await db.atomically(function * () { vault.renew() }))
      print(
        io,
        options,
        { renewed: true },
        () =>
          'A new agenthall.key is made. Restart a server that runs; enter keys of model providers, credentials of ticketing providers and the address of the team chat again, and give webhooks new secrets.'
      )
    })
  )
  return secrets
}
