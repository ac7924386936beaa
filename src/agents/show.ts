import { hash } from 'node:crypto'
import type { Agent, AgentRecord } from '../../schema/agents.ts'
import type { KnowledgeSource, KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Plans } from '../plans/index.ts'
import { Refusal } from '../platform/errors.ts'
import { demandTag } from '../platform/http/resources/tags.ts'
import type { AgentWithSources } from './store.ts'

/** Turns records into responses, and computes their entity tags. */
export interface Shown {
  agent (kept: AgentWithSources, tier: Tier): Agent
  source (kept: KnowledgeSourceRecord, tier: Tier): KnowledgeSource
  /** The entity tag of an agent: contains its version, and changes with everything that its response shows. */
  tag (agent: Tagged, tier: Tier): string
  /** The entity tag of a source, computed in the same way. */
  sourceTag (source: KnowledgeSourceRecord, tier: Tier): string
  /** The entity tag of a list of `what`. */
  listTag (revision: number, tally: number, tier: Tier, what: string): string
}

/** What the entity tag of an agent is made of. */
export type Tagged = Pick<AgentRecord, 'id' | 'version' | 'revision' | 'conversations'>

/** `mediaUrl` returns the base URL of files, without a trailing slash; known only once the server listens. */
export function shownWith ({ plans, mediaUrl }: { plans: Plans, mediaUrl: () => string }): Shown {
  const settings = new Map<Tier, string>()
  const ceiling = (tier: Tier) => plans.limits(tier).max_training_usage_bytes

  // What a response shows besides the record: when a setting changes it, so must the tag.
  function setting (tier: Tier): string {
    const known = settings.get(tier)
    if (known) return known
    const made = hash(
      'sha256', JSON.stringify([mediaUrl(), plans.limits(tier), plans.features(tier)]), 'base64url'
    ).slice(0, 6)
    settings.set(tier, made)
    return made
  }

  function source (
    {
      agent: _agent, file_path: path, file_name: _name, file_blob: _file, text_blob: _text,
      change_blob: _change, version: _version, crawl,
      misses: _misses, is_gone: _gone, ...kept
    }: KnowledgeSourceRecord,
    tier: Tier
  ): KnowledgeSource {
    return {
      ...kept,
      depth: crawl?.depth ?? null,
      count: crawl?.count ?? null,
      refresh_hours: crawl?.refresh_hours ?? null,
      ...(crawl && { include: crawl.include ?? [], exclude: crawl.exclude ?? [] }),
      file: path && `${mediaUrl()}/${path}`,
      max_training_usage_bytes: ceiling(tier)
    }
  }

  return {
    source,
    agent: ({ agent, sources, total }, tier) => ({
      ...agent,
      has_unpublished: agent.draft !== null,
      draft_etag: draftTag(agent),
      knowledge_sources: sources.map((kept) => source(kept, tier)),
      knowledge_sources_total: total,
      max_training_usage_bytes: ceiling(tier)
    }),
    tag: ({ revision, conversations, ...agent }, tier) =>
      `${beginning(agent)}${revision.toString(36)}-${conversations.toString(36)}-${setting(tier)}"`,
    // Every change moves the time to the microsecond.
    sourceTag: ({ updated_at: updated, ...kept }, tier) =>
      `${beginning(kept)}${updated.replace(/\D/g, '')}-${setting(tier)}"`,
    listTag: (revision, tally, tier, what) =>
      `"${revision.toString(36)}-${tally.toString(36)}-${hash('sha256', setting(tier) + what, 'base64url').slice(0, 12)}"`
  }
}

/** Identifies an agent's draft: changes as soon as somebody edits it, but not through background work. */
export const draftTag = ({ id, version }: Versioned): string => `${id.toString(36)}-${version.toString(36)}`

/** Something that is changed by people and in the background. */
interface Versioned { id: number, version: number }

/** The common prefix of all entity tags of this version. */
function beginning (thing: Versioned): string {
  return `"${draftTag(thing)}-`
}

/**
 * Throws `precondition_failed` when the tags in If-Match name another version of the thing (`what`: "The agent") than
 * the current one. Background work, training above all, creates no new version: no edit can be lost by overwriting it.
 */
export function checkVersion (wanted: string[] | undefined, thing: Versioned, what: string) {
  demandTag(wanted, () => beginning(thing), what)
}

/** The same message whether the agent does not exist or is somebody else's. */
export const NO_AGENT = 'No such agent.'

/** Throws the refusal with that message. */
export function noAgent (): never {
  throw new Refusal('not_found', NO_AGENT)
}
