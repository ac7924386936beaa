import path from 'node:path'
import type { Command } from 'commander'
import type { Feed } from '../../../schema/feeds.ts'
import { Refusal, shortened } from '../../platform/errors.ts'
import {
  command, configOf, group, onCommandLine, print, table, withStores, type CliIo
} from '../common.ts'
import { untilDone } from '../working.ts'
import { addedFeed, agentOf, feedFrom, noFeed, type AgentOptions, type OfAgent } from './common.ts'
import { feedAddCommand, feedChangeCommands } from './feed-changes.ts'

/** `knowledge watch`: creates a feed of a folder, and waits for its first check. */
export function watchCommand (io: CliIo, ofAgent: OfAgent): Command {
  return ofAgent(
    'watch', 'learn from a folder and keep up with its changes; AGENTHALL_FOLDERS says which may be watched',
    'knowledge watch --agent 1 /srv/docs', 'knowledge watch --agent 1 --every 1h /srv/docs'
  )
    .argument('<folder>', 'the folder')
    .option('--every <time>', 'how often to look, beside changes seen at once, 15m to 30d', '6h')
    .action(async (folder: string, options: AgentOptions & { every: string }) => {
      const place = path.resolve(folder)
      const feed = await withStores(io, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        const draft = {
          name: path.basename(place) || place, kind: 'folder' as const, config: { path: place }, every: options.every
        }
        const { id } = await addedFeed(stores, owner, agent, draft)
        await untilDone({ io, stores, directory: configOf(io, options).DATA }, async () =>
          isLooked(await stores.feeds.store.get(owner, agent, id)))
        return (await stores.feeds.store.get(owner, agent, id))!
      })
      print(io, options, feed, () => listed([feed]))
      refuseBroken([feed])
    })
}

/** `feeds list | look | add | approve | pause | resume | remove`. */
export function feedsCommand (io: CliIo): Command {
  const feeds = group('feeds', 'what agents learn from and keep up with', 'feeds list --agent 1')
  feeds.addCommand(
    command('list', "an agent's feeds and their state", 'feeds list --agent 1')
      .requiredOption('--agent <id>', 'which agent')
      .action(async (options: AgentOptions) => {
        const all = await withStores(io, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          return (await stores.feeds.store.list(owner, agent))!
        })
        print(io, options, all, () => listed(all))
      })
  )
  feeds.addCommand(
    command('look', 'look at a feed now, and wait for the result', 'feeds look --agent 1 3')
      .requiredOption('--agent <id>', 'which agent')
      .argument('<feed>', "the feed's number")
      .action(async (given: string, options: AgentOptions) => {
        const id = feedFrom(given)
        const feed = await withStores(io, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          const { store } = stores.feeds
          const before = await store.get(owner, agent, id)
          if (!before) throw noFeed(agent, id)
          const asked = await onCommandLine(
            stores, owner, 'lookAtFeed', `agents/${agent}/feeds/${id}`, async () => await store.look(owner, agent, id)
          )
          await untilDone({ io, stores, directory: configOf(io, options).DATA }, async () => {
            const now = await store.get(owner, agent, id)
            return isLooked(now) && now?.next_at !== asked?.next_at
          })
          return (await store.get(owner, agent, id))!
        })
        print(io, options, feed, () => listed([feed]))
        refuseBroken([feed])
      })
  )
  for (const more of [feedAddCommand(io), ...feedChangeCommands(io)]) feeds.addCommand(more)
  return feeds
}

/** Whether a check has ended, successfully or not; a deleted feed counts as ended. */
function isLooked (feed: Feed | undefined): boolean {
  return feed === undefined || (feed.state !== 'looking' && (feed.last !== null || feed.error !== null))
}

/** Refuses if one could not be checked, so that scripts notice. */
function refuseBroken (feeds: Feed[]) {
  const [broken] = feeds.filter(({ error }) => error !== null)
  if (broken?.error) throw new Refusal('conflict', broken.error.message)
}

function listed (feeds: Feed[]): string {
  return table(
    feeds.map(({ id, name, kind, state, sources, last, next_at: next, error }) => ({
      id,
      name: shortened(name, 40),
      kind,
      state,
      sources,
      new: last?.new,
      changed: last?.changed,
      gone: last?.gone,
      looked: last?.at,
      next,
      error: error?.code
    })),
    'The agent has no feeds yet.'
  )
}
