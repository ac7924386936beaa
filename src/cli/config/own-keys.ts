import type { Command } from 'commander'
import { authorOf } from '../agents.ts'
import { command, print, table, withStores, type CommonOptions, type Surroundings } from '../common.ts'

/** `agents keys`: by which keys files and the interface know agents, their sources and their test questions. */
export function ownKeysCommand (around: Surroundings): Command {
  return command(
    'keys', 'by which keys files and programs know agents, their sources and test questions', 'agents keys', 'agents keys --agent support'
  )
    .option('--user <id>', 'whose; may be left out where there is one user')
    .option('--agent <key>', 'only this agent, by its key')
    .action(async (options: CommonOptions & { user?: string, agent?: string }) => {
      const all = await withStores(around, options, async (stores) => {
        const { owner } = await authorOf(stores, options.user)
        return stores.configAsCode.listed(owner)
      })
      const { agent: only } = options
      const found = all.flatMap(({ kind, key, id, agent }) =>
        only === undefined || (kind === 'agent' ? key : agent) === only ? [{ kind, key, agent, id }] : [])
      print(around, options, found, () => table(found, only === undefined ? 'There are no agents yet.' : `No agent has the key ${only}.`))
    })
}
