import type { Command } from 'commander'
import { FEED_KINDS, type FeedKind } from '../../../schema/feed-kinds.ts'
import type { Id } from '../../../schema/common.ts'
import { invalid } from '../../platform/errors.ts'
import type { Stores } from '../../stores.ts'
import { command, onCommandLine, print, withStores, type CliIo } from '../common.ts'
import { addedFeed, agentOf, feedFrom, noFeed, type AgentOptions } from './common.ts'
import { keysOf } from '../../../schema/typed.ts'

type Change = (store: Stores['feeds']['store'], owner: Id, agent: Id, feed: Id) => Promise<unknown>

/** A command that changes a feed: its name, its effect, its action in the audit log, and its message. */
const CHANGES: ReadonlyArray<[name: string, about: string, action: string, change: Change, said: string]> = [
  ['approve', 'remove here what is gone there, after looking once more', 'approveFeedRemoval',
    async (store, owner, agent, feed) => await store.approveRemoval(owner, agent, feed), 'is looked at once more, and what is still gone is removed'],
  ['pause', 'do not look at a feed until it is resumed', 'updateFeed',
    async (store, owner, agent, feed) => await store.change(owner, agent, feed, { paused: true }), 'is paused'],
  ['resume', 'look at a feed again', 'updateFeed',
    async (store, owner, agent, feed) => await store.change(owner, agent, feed, { paused: false }), 'is looked at again'],
  ['remove', 'remove a feed; its sources stay', 'deleteFeed',
    async (store, owner, agent, feed) => await store.remove(owner, agent, feed, 'kept') || undefined, 'is removed; its sources stay']
]

/** `feeds approve | pause | resume | remove`. */
export function feedChangeCommands (io: CliIo): Command[] {
  return CHANGES.map(([name, about, action, change, said]) =>
    command(name, about, `feeds ${name} --agent 1 3`)
      .requiredOption('--agent <id>', 'which agent')
      .argument('<feed>', "the feed's number")
      .action(async (given: string, options: AgentOptions) => {
        const id = feedFrom(given)
        const done = await withStores(io, options, async (stores) => {
          const { owner, agent } = await agentOf(stores, options)
          const at = `agents/${agent}/feeds/${id}`
          const found = await onCommandLine(stores, owner, action, name === 'approve' ? `${at}/approve_removal` : at, async () =>
            await change(stores.feeds.store, owner, agent, id))
          if (found === undefined) throw noFeed(agent, id)
          return await stores.feeds.store.get(owner, agent, id)
        })
        print(io, options, done ?? { id, removed: true }, () => `Feed ${id} ${said}.`)
      }))
}

interface AddOptions extends AgentOptions { name?: string, set: string[], every: string, secretEnv?: string }

/** `feeds add`: creates a feed of any kind; the server checks it. */
export function feedAddCommand (io: CliIo): Command {
  const collected = (one: string, all: string[]) => [...all, one]
  return command(
    'add', `make a feed: ${Object.keys(FEED_KINDS).join(', ')}; the server looks at it at once`,
    'feeds add --agent 1 sitemap --set url=https://shop.example.com/sitemap.xml',
    'NOTION_KEY=… feeds add --agent 1 notion --secret-env NOTION_KEY'
  )
    .requiredOption('--agent <id>', 'which agent')
    .argument('<kind>', 'what it is')
    .option('--name <name>', 'its name (default: its kind)')
    .option('--set <name=value>', 'a setting of its kind; may be given several times', collected, [])
    .option('--secret-env <name>', 'the environment variable that holds its secret')
    .option('--every <time>', 'how often to look, 15m to 30d', '6h')
    .action(async (kind: string, options: AddOptions) => {
      const draft = {
        name: options.name ?? kind,
        kind: kindOf(kind),
        every: options.every,
        config: told(options.set),
        ...(options.secretEnv !== undefined && { secret: secretIn(io, options.secretEnv) })
      }
      const feed = await withStores(io, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        return await addedFeed(stores, owner, agent, draft)
      })
      print(io, options, feed, () => `Feed ${feed.id} (${feed.kind}) is made; a running server looks at it at once.`)
    })
}

function kindOf (kind: string): FeedKind {
  const found = keysOf(FEED_KINDS).find((one) => one === kind)
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

function secretIn ({ env }: CliIo, name: string): string {
  const secret = env[name]
  if (!secret) throw invalid({ field: 'secret', message: `The environment variable ${name} is not set.` })
  return secret
}
