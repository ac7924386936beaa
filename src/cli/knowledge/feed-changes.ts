import type { Command } from 'commander'
import { FEED_KINDS, type FeedKind } from '../../../schema/feed-kinds.ts'
import type { Id } from '../../../schema/common.ts'
import { invalid } from '../../platform/errors.ts'
import type { Stores } from '../../stores.ts'
import { command, onCommandLine, print, withStores, type Surroundings } from '../common.ts'
import { addedFeed, agentOf, feedFrom, noFeed, type AgentOptions } from './common.ts'

type Change = (store: Stores['feeds']['store'], owner: Id, agent: Id, feed: Id) => Promise<unknown>

/** What a feed is changed with: the command, what it does, its action in the audit log, and what is said. */
const CHANGES: ReadonlyArray<[name: string, about: string, action: string, change: Change, said: string]> = [
  ['approve', 'let what is gone there be removed here; it is looked at once more first', 'approveFeedRemoval',
    async (store, owner, agent, feed) => await store.approveRemoval(owner, agent, feed), 'is looked at once more, and what is still gone is removed'],
  ['pause', 'do not look at a feed until it is resumed', 'updateFeed',
    async (store, owner, agent, feed) => await store.change(owner, agent, feed, { paused: true }), 'is paused'],
  ['resume', 'look at a feed again', 'updateFeed',
    async (store, owner, agent, feed) => await store.change(owner, agent, feed, { paused: false }), 'is looked at again'],
  ['remove', 'remove a feed; its sources stay', 'deleteFeed',
    async (store, owner, agent, feed) => await store.remove(owner, agent, feed, 'kept') || undefined, 'is removed; its sources stay']
]

/** `feeds approve | pause | resume | remove`. */
export function feedChangeCommands (around: Surroundings): Command[] {
  return CHANGES.map(([name, about, action, change, said]) =>
    command(name, about, `feeds ${name} --agent 1 3`)
      .requiredOption('--agent <id>', 'which agent')
      .argument('<feed>', "the feed's number")
      .action(async (given: string, options: AgentOptions) => {
        const id = feedFrom(given)
        const done = await withStores(around, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          const at = `agents/${agent}/feeds/${id}`
          const found = await onCommandLine(stores, owner, action, name === 'approve' ? `${at}/approve_removal` : at, async () =>
            await change(stores.feeds.store, owner, agent, id))
          if (found === undefined) throw noFeed(agent, id)
          return await stores.feeds.store.get(owner, agent, id)
        })
        print(around, options, done ?? { id, removed: true }, () => `Feed ${id} ${said}.`)
      }))
}

interface AddOptions extends AgentOptions { name?: string, set: string[], every: string, secretEnv?: string }

/** `feeds add`: makes a feed of any kind; the server looks at it. */
export function feedAddCommand (around: Surroundings): Command {
  const collected = (one: string, all: string[]) => [...all, one]
  return command(
    'add', `make a feed: ${Object.keys(FEED_KINDS).join(', ')}; the server looks at it at once`,
    'feeds add --agent 1 sitemap --set url=https://shop.example.com/sitemap.xml',
    'NOTION_KEY=… feeds add --agent 1 notion --secret-env NOTION_KEY'
  )
    .requiredOption('--agent <id>', 'which agent')
    .argument('<kind>', 'what it is')
    .option('--name <name>', 'what to call it; its kind unless said')
    .option('--set <name=value>', 'what its kind is told, once for each', collected, [])
    .option('--secret-env <name>', 'the variable of the environment that holds its secret')
    .option('--every <time>', 'how often it is looked at, 15m to 30d', '6h')
    .action(async (kind: string, options: AddOptions) => {
      const draft = {
        name: options.name ?? kind,
        kind: kindOf(kind),
        every: options.every,
        config: told(options.set),
        ...(options.secretEnv !== undefined && { secret: secretIn(around, options.secretEnv) })
      }
      const feed = await withStores(around, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        return await addedFeed(stores, owner, agent, draft)
      })
      print(around, options, feed, () => `Feed ${feed.id} (${feed.kind}) is made; a running server looks at it at once.`)
    })
}

function kindOf (kind: string): FeedKind {
  const found = (Object.keys(FEED_KINDS) as FeedKind[]).find((one) => one === kind)
  if (!found) throw invalid({ field: 'kind', message: `The kind must be one of ${Object.keys(FEED_KINDS).join(', ')}.` })
  return found
}

function told (set: readonly string[]): Record<string, string> {
  return Object.fromEntries(set.map((one) => {
    const at = one.indexOf('=')
    if (at < 1) throw invalid({ field: 'set', message: `--set takes name=value, not ${one}.` })
    return [one.slice(0, at), one.slice(at + 1)]
  }))
}

function secretIn ({ env }: Surroundings, name: string): string {
  const secret = env[name]
  if (!secret) throw invalid({ field: 'secret', message: `The environment has no ${name}.` })
  return secret
}
