import type { LiveCheck } from '../../../schema/going-live.ts'
import { liveChecks } from '../../going-live/index.ts'
import { liveFacts } from '../../live-facts.ts'
import { systemClock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import { configOf, idFrom, table, withStores, type CommonOptions, type CliIo } from '../common.ts'

/** Whether an account can go live, by the rules of `GET /v1/going_live`: the oldest account unless said. */
export async function liveIn (
  io: CliIo, options: CommonOptions & { account?: string }
): Promise<LiveCheck[]> {
  const config = configOf(io, options)
  return await withStores(io, options, async (stores) => {
    const users = await stores.access.users()
    const asked = options.account === undefined ? users[0]?.id : idFrom(options.account, 'account')
    const account = users.find(({ id }) => id === asked)
    if (!account) throw new Refusal('not_found', 'There is no such account.')
    return liveChecks(await liveFacts({ config, stores, clock: systemClock() })(account.id, null))
  })
}

/** The same as lines of a table. */
export function liveTable (checks: LiveCheck[]): string {
  return table(
    checks.map(({ check, ok, message, step }) => ({
      check, result: ok ? 'ok' : 'TO DO', finding: message, next: step
    })), ''
  )
}
