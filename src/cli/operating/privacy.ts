import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { exportOf, previewSentence } from '../../privacy/index.ts'
import type { Stores } from '../../stores.ts'
import {
  command, group, idFrom, onCommandLine, print, table, withStores, type CommonOptions, type CliIo
} from '../common.ts'

const ALL = 1000

/** `privacy preview | receipts | export | erase`. */
export function privacyCommand (io: CliIo): Command {
  const privacy = group(
    'privacy', 'how long conversations are kept, and what is stored about visitors', 'privacy preview 1',
    'privacy erase vis_…'
  )

  privacy.addCommand(
    command('preview', 'what retention would remove from an agent', 'privacy preview 1', 'privacy preview 1 --days 90')
      .argument('<agent>', "the agent's number")
      .option('--days <number>', 'as if this many days were set')
      .action(async (agent: string, options: CommonOptions & { days?: string }) => {
        const days = options.days === undefined ? undefined : idFrom(options.days, 'days', 'from 1')
        const found = await withStores(io, options, async ({ agents, privacy: { store } }) => {
          const id = idFrom(agent, 'agents')
          const owner = await agents.ownerOf(id)
          return owner === undefined ? undefined : await store.preview(owner, id, days)
        })
        if (!found) throw new Refusal('not_found', `There is no agent ${agent}.`)
        print(io, options, found, () => previewSentence(found.days, found.removed))
      })
  )

  privacy.addCommand(
    command('receipts', 'what was removed, newest first', 'privacy receipts', 'privacy receipts --user 1')
      .option('--user <id>', "only this user's")
      .action(async (options: CommonOptions & { user?: string }) => {
        const found = await withStores(io, options, async ({ access, privacy: { store } }) => {
          const owners =
            options.user === undefined ? (await access.users()).map(({ id }) => id) : [idFrom(options.user, 'users')]
          return (
            await Promise.all(owners.map(async (owner) => (await store.receipts(owner, undefined, ALL)).items))
          ).flat()
        })
        const rows = found.map(
          ({ id, kind, agent, visitor, removed, created_at: at, finished_at: done, backups_until: until }) => ({
            id, kind, agent, visitor, ...removed, begun: at, done, 'backups until': until
          })
        )
        print(io, options, found, () => table(rows, 'Nothing was removed yet.'))
      })
  )

  privacy.addCommand(
    command('export', 'everything about a visitor, as one JSON file', 'privacy export vis_… --to ada.json')
      .argument('<visitor>', "the visitor's id")
      .requiredOption('--to <file>', 'the file to write; it must not exist yet')
      .action(async (visitor: string, options: CommonOptions & { to: string }) => {
        await withStores(io, options, async (stores) => {
          const owner = await ownerOf(stores, visitor)
          await onCommandLine(stores, owner, 'exportVisitor', `visitors/${visitor}/export`, async () => {
            const pieces = await exportOf(stores.privacy.exporting, owner, visitor) ?? noVisitor(visitor)
            await pipeline(Readable.from(pieces), createWriteStream(options.to, { flags: 'wx', mode: 0o600 }))
            return true
          })
        })
        print(io, options, { file: options.to }, () => `Everything about ${visitor} is in ${options.to}.`)
      })
  )

  privacy.addCommand(
    command('erase', 'erase a visitor, and everything that was said with them', 'privacy erase vis_… --yes')
      .argument('<visitor>', "the visitor's id")
      .option('--yes', 'confirm; this cannot be undone')
      .action(async (visitor: string, options: CommonOptions & { yes?: boolean }) => {
        if (!options.yes) {
          throw invalid({ field: 'yes', message: 'This cannot be undone. Use --yes to confirm.' })
        }
        const receipt = await withStores(
          io,
          options,
          async (stores) => {
            const owner = await ownerOf(stores, visitor)
            const erase = async () => await stores.privacy.store.erase(owner, visitor)
            return (await onCommandLine(stores, owner, 'eraseVisitor', `visitors/${visitor}`, erase)) ?? noVisitor(visitor)
          }
        )
        const {
          removed: { conversations, messages, attachments }, copies
        } = receipt
        const others = copies.map(({ system, reference }) => `${system}${reference === null ? '' : ` (${reference})`}`)
        print(io, options, receipt, () =>
          [
            `${visitor} is erased, with ${conversations} conversations, ${messages} messages and ${attachments} files. Receipt ${receipt.id}.`,
            ...(others.length ? [`Copies may still be with: ${others.join(', ')}.`] : [])
          ].join('\n')
        )
      })
  )

  return privacy
}

async function ownerOf ({ privacy: { store } }: Stores, visitor: string): Promise<Id> {
  return await store.ownerOf(visitor) ?? noVisitor(visitor)
}

function noVisitor (visitor: string): never {
  throw new Refusal('not_found', `There is no visitor ${visitor}.`)
}
