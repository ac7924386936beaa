import { Value } from '@sinclair/typebox/value'
import { feedKind, type FeedKind } from '../../schema/feed-kinds.ts'
import { FEED_CONFIGS, type FeedConfig, type FeedDraft, type FeedPatch, type FeedRecord } from '../../schema/feeds.ts'
import { readAddress } from '../platform/net/address.ts'
import { invalid, Refusal, shortened, type FieldError } from '../platform/errors.ts'
import { minutesOf } from './rules.ts'

/** Feeds that an agent may have. */
const MOST_FEEDS = 50
const EVERY = '6h'

/** Says why something cannot be read at an address, or undefined. */
export type CheckAddress = (what: string, address: string) => string | undefined

/** The settings of a feed, except its secret. */
type DecidedFeed = Pick<FeedRecord, 'name' | 'kind' | 'config' | 'every' | 'interval' | 'folder'>

/** What deciding about a feed depends on. */
export interface FeedChecks {
  address: CheckAddress
  /** Folders that the operator allows to be watched. */
  isAllowed: (path: string) => boolean
}

/** Refuses with `limit_reached` if an agent already has too many feeds. */
export function demandRoom (count: number) {
  if (count < MOST_FEEDS) return
  throw new Refusal('limit_reached', `An agent may have ${MOST_FEEDS} feeds. Remove one that is not needed.`)
}

/** A new feed, as requested. Refuses with VALIDATION_ERROR what does not go with its kind. */
export function decideFeed (draft: FeedDraft, hasSecret: boolean, checks: FeedChecks): DecidedFeed {
  const { name, kind, config = {}, every = EVERY, folder = null, secret } = draft
  const interval = minutesOf(every)
  const faults = configFaults(kind, config, checks)
  const wanted = feedKind(kind).secret
  if (interval === undefined) faults.push({ field: 'every', message: 'every must be from 15m to 30d, such as 6h.' })
  if (wanted?.isRequired && secret === undefined && !hasSecret) {
    faults.push({ field: 'secret', message: `secret is needed: ${lowered(wanted.description)}.` })
  }
  if (!wanted && secret !== undefined) faults.push({ field: 'secret', message: `A feed of the kind ${kind} takes no secret.` })
  if (faults.length > 0) throw invalid(...faults)
  return { name, kind, config, every, interval: interval!, folder }
}

function configFaults (kind: FeedKind, config: FeedConfig, { address, isAllowed }: FeedChecks): FieldError[] {
  const { fields } = feedKind(kind)
  const faults = new Map<string, string>()
  for (const name of Object.keys(config)) {
    if (fields.some((one) => one.name === name)) continue
    faults.set(name, `config.${shortened(name)} is not known to ${kind}; it takes ${fields.map((one) => one.name).join(', ') || 'none'}.`)
  }
  for (const { name, isRequired, description, example } of fields) {
    const value = config[name]
    if (value === undefined) {
      if (isRequired) faults.set(name, `config.${name} is needed: ${lowered(description)}.`)
    } else if (!Value.Check(FEED_CONFIGS[kind].properties[name]!, value)) {
      faults.set(name, `config.${name} cannot be used. Expected: ${lowered(description)}, such as ${example}.`)
    } else if (name === 'url') {
      const fault = address('config.url', value)
      if (fault) faults.set(name, fault)
    } else if (kind === 'folder' && !isAllowed(value)) {
      faults.set(name, 'config.path is not in a folder that may be watched. Ask the operator to add it to AGENTHALL_FOLDERS.')
    }
  }
  return [...faults].map(([name, message]) => ({ field: `config.${shortened(name)}`, message }))
}

/**
 * A feed after a change. Refuses as `decideFeed` does, and if a stored secret would be sent to a place that it was not
 * entered for: permission to set an address must not reveal the secret.
 */
export function changedFeed (kept: FeedRecord, patch: FeedPatch, checks: FeedChecks): DecidedFeed {
  const { paused: _paused, ...given } = patch
  const { kind, name, every, folder } = { ...kept, ...given }
  const told = Object.entries({ ...kept.config, ...patch.config })
  const config = Object.fromEntries(told.filter((entry): entry is [string, string] => entry[1] !== null))
  const secret = patch.secret === undefined ? {} : { secret: patch.secret }
  const next = decideFeed({ kind, name, config, every, folder, ...secret }, kept.secret !== null, checks)
  const [before, after] = [kept.config, next.config].map((one) => hostOf(one['url']))
  if (kept.secret !== null && patch.secret === undefined && before !== after) {
    throw invalid({ field: 'secret', message: `Enter the secret again: it was not entered for ${after}.` })
  }
  // The interval that has grown stays unless something relevant to it changes.
  return next.every === kept.every ? { ...next, interval: kept.interval } : next
}

const hostOf = (address: string | undefined) => (address !== undefined && readAddress(address)?.host) || ''

const lowered = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1)
