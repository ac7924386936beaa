import type { Command } from 'commander'
import { authorOf } from '../agents.ts'
import { command, print, table, withStores, type CommonOptions, type CliIo } from '../common.ts'

/** `agents keys`: the keys that identify agents, their sources and their test questions in files and the API. */
export function ownKeysCommand (io: CliIo): Command {
  return command(
    'keys', 'the keys by which files and programs know agents, their sources and test questions', 'agents keys', 'agents keys --agent support'
  )
    .option('--user <id>', 'whose; optional if there is only one user')
    .option('--agent <key>', 'only this agent, by its key')
    .action(async (options: CommonOptions & { user?: string, agent?: string }) => {
      const all = await withStores(io, options, async (stores) => {
        const { owner } = await authorOf(stores, options.user)
        return stores.configAsCode.listed(owner)
      })
      const { agent: only } = options
      const found = all.flatMap(({ kind, key, id, agent }) =>
        only === undefined || (kind === 'agent' ? key : agent) === only ? [{ kind, key, agent, id }] : [])
      print(io, options, found, () => table(found, only === undefined ? 'There are no agents yet.' : `No agent has the key ${only}.`))
    })
}
