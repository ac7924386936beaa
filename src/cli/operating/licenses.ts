import type { Command } from 'commander'
import { thirdPartyLicenses } from '../../platform/process/assets.ts'
import { Refusal } from '../../platform/errors.ts'
import { command, type CliIo } from '../common.ts'

/** `licenses`: the licences of everything in the executable. */
export function licensesCommand (io: CliIo, licenses = thirdPartyLicenses): Command {
  return command('licenses', 'print the licences of everything inside', 'licenses | less').action(() => {
    const text = licenses()
    if (text === undefined) {
      throw new Refusal(
        'not_found',
        "Only the executable carries them all; run from source, each package's licence is in its own folder under node_modules."
      )
    }
    io.out(text.trimEnd())
  })
}
