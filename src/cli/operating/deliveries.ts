import type { Command } from 'commander'
import { Refusal, invalid } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import type { Delivery, DeliveryState } from '../../../schema/webhooks.ts'
import type { Stores } from '../../stores.ts'
import { command, group, idFrom, print, table, withStores, type CommonOptions, type CliIo } from '../common.ts'

const STATES: readonly string[] = ['waiting', 'sent', 'dead'] satisfies DeliveryState[]
const SHOWN = 100

/** `deliveries list`, `deliveries replay`: outgoing messages of all accounts. */
export function deliveriesCommand (io: CliIo): Command {
  const deliveries = group(
    'deliveries', 'outgoing mail, tickets and webhooks', 'deliveries list --state dead',
    'deliveries replay 12'
  )

  deliveries.addCommand(
    command(
      'list', 'deliveries waiting, sent or given up, newest first', 'deliveries list',
      'deliveries list --state dead --user 1'
    )
      .option('--user <id>', "only this account's")
      .option('--state <state>', STATES.join(', '))
      .action(async (options: CommonOptions & { user?: string, state?: string }) => {
        const { state } = options
        if (state !== undefined && !STATES.includes(state)) {
          throw invalid({ field: 'state', message: `--state must be one of ${STATES.join(', ')}.` })
        }
        const user = options.user === undefined ? undefined : idFrom(options.user, 'users')
        const filter = state === undefined ? {} : { state: state as DeliveryState }
        const all = await withStores(io, options, async (stores) =>
          (
            await Promise.all(
              (await ownersIn(stores))
                .filter((owner) => user === undefined || owner === user)
                .map(async (owner) =>
                  (await stores.deliveries.list(owner, filter, undefined, SHOWN)).items.map((one) => ({
                    user: owner, ...one
                  }))
                )
            )
          ).flat()
        )
        const newest = all.sort((a, b) => b.id - a.id).slice(0, SHOWN)
        print(io, options, newest, () => table(newest.map(rowOf), 'Nothing was sent, and nothing is waiting.'))
      })
  )

  deliveries.addCommand(command('replay', 'send one again that was given up', 'deliveries replay 12')
    .argument('<delivery>', 'its number')
    .action(async (number: string, options: CommonOptions) => {
      const id = idFrom(number, 'deliveries')
      const begun = await withStores(io, options, async (stores) => {
        for (const owner of await ownersIn(stores)) {
          const found = await stores.deliveries.replay(owner, id)
          if (found) return found.answer
        }
        throw new Refusal(
          'not_found', `There is no delivery ${id}; "${commandLine('deliveries list')}" lists them.`
        )
      })
      print(io, options, begun, () => `Delivery ${id} is queued again; a running server sends it.`)
    }))

  return deliveries
}

const ownersIn = async ({ access }: Stores) => (await access.users()).map(({ id }) => id)

function rowOf ({
  id, user, channel, type, to, state, attempts, next_attempt_at: next, error, created_at: created
}: Delivery & { user: number }) {
  return { id, user, channel, type, to, state, attempts, next, error: error?.message ?? null, created }
}
