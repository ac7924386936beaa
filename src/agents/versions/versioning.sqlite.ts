import { deciding } from '../../platform/storage/facts.ts'
import { isDeepStrictEqual } from 'node:util'
import { settingsIn, type AgentRecord, type AgentSettings } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Version } from '../../../schema/versions.ts'
import { Refusal } from '../../platform/errors.ts'
import { actingUser } from '../../platform/storage/audit.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { EventBus } from '../../platform/work/event-bus.ts'
import { drafted, searchText, withProviderRenamed } from '../draft.ts'
import { draftTag } from '../show.ts'
import type { AgentWithSources } from '../store.ts'
import type { Replacing, VersionStore } from './store.ts'
import type { VersionRows } from './versions.sqlite.ts'

declare module '../../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** Another version of an agent went live; `id`: its number. */
    'agent.published': { version: { id: number } }
  }
}

interface VersioningParts {
  versions: VersionRows
  /** An agent's row. */
  find: (owner: Id, id: Id) => Work<AgentRecord | undefined>
  /** Writes it; `isDraftNew`: its draft is another than before. */
  write: (row: AgentRecord, isDraftNew: boolean) => Work<void>
  /** `most`: how many of its sources. */
  read: (owner: Id, id: Id, most?: number) => Work<AgentWithSources | undefined>
  eventBus: EventBus
}

/**
 * Changes of agents and the versions they result in, inside an open transaction. A row holds what is live, and the
 * draft if that differs.
 */
export function versioning ({ versions, find, write, read, eventBus }: VersioningParts) {
  /** The row with a draft, which may be the live settings. */
  function withDraft (row: AgentRecord, next: AgentRecord): AgentRecord {
    const settings = settingsIn(next)
    return {
      ...row,
      publish_on_save: next.publish_on_save,
      search_text: searchText(settings),
      draft: isDeepStrictEqual(settings, settingsIn(row)) ? null : settings
    }
  }

  /** The row once these settings are live, and their version. */
  function * withLive (
    row: AgentRecord, settings: AgentSettings,
    said: { note?: string | undefined, reason?: string | null | undefined, copyOf?: number } = {}
  ): Work<AgentRecord> {
    const number = yield * versions.keep(row.id, { settings, by: actingUser(), ...said })
    yield * eventBus.publish({
      owner: row.owner, agent: row.id, type: 'agent.published', data: { version: { id: number } }
    })
    return { ...row, ...settings, live_version: number }
  }

  return {
    found,

    * update (
      owner: Id, id: Id, change: (agent: AgentRecord) => AgentRecord, { isKept = false }: { isKept?: boolean } = {}
    ): Work<AgentWithSources | undefined> {
      const row = yield * find(owner, id)
      if (!row) return undefined
      const current = drafted(row)
      const next = yield * deciding(function * () { return change(current) })
      // Where agents are written in hundreds nobody looks at what they know.
      const shown = () => read(owner, id, isKept ? 0 : undefined)
      if (JSON.stringify(next) === JSON.stringify(current)) return yield * shown()
      yield * versions.begin(row)
      const saved = withDraft(row, next)
      const isLive = saved.draft !== null && next.publish_on_save && !isKept
      yield * write(isLive ? { ...yield * withLive(saved, saved.draft!), draft: null } : saved, true)
      return yield * shown()
    },

    * publish (row: AgentRecord, { note, drafts = [], reason }: Parameters<VersionStore['publish']>[2]): Work<Version> {
      demandDraft(row, drafts)
      if (row.draft === null) {
        throw nothingToPublish('This draft already answers visitors. Change something, then publish it.')
      }
      yield * versions.begin(row)
      const next = { ...yield * withLive(row, row.draft, { note, reason }), draft: null }
      yield * write(next, false)
      return (yield * versions.find(next, next.live_version))!
    },

    * publishVersion (
      row: AgentRecord, version: Version, { note, change }: Parameters<VersionStore['publishVersion']>[3]
    ): Work<Version> {
      const settings = settingsIn(yield * deciding(function * () { return change(row, version.settings) }))
      if (isDeepStrictEqual(settings, settingsIn(row))) {
        throw nothingToPublish('What this version holds already answers visitors.')
      }
      const live = yield * withLive(row, settings, { note, copyOf: version.number })
      const next = withDraft(live, row.draft === null ? live : drafted(row))
      yield * write(next, row.draft === null)
      return { ...(yield * versions.find(next, next.live_version))!, gone_sources: version.gone_sources }
    },

    * restore (owner: Id, id: Id, number: number, change: Replacing): Work<Version | undefined> {
      const { row, version } = yield * found(owner, id, number)
      if (!version) return undefined
      const next = withDraft(row, yield * deciding(function * () { return change(drafted(row), version.settings) }))
      if (isDeepStrictEqual(next.draft, row.draft)) return version
      if (row.draft !== null) yield * versions.keepDraft(id, row.draft, actingUser())
      yield * write(next, true)
      return version
    },

    * renameProvider (row: AgentRecord, from: string, to: string) {
      yield * versions.begin(row)
      const settings = withProviderRenamed(settingsIn(row), from, to)
      const isLive = isDeepStrictEqual(settings, settingsIn(row))
      const draft = row.draft && withProviderRenamed(row.draft, from, to)
      yield * write({ ...(isLive ? row : (yield * withLive(row, settings))), draft }, true)
    }
  }

  /** A version with the current agent; without one if it is deleted. */
  function * found (
    owner: Id, id: Id, number: number
  ): Work<{ row: AgentRecord, version: Version } | { row?: undefined, version?: undefined }> {
    const row = yield * find(owner, id)
    if (!row) return {}
    yield * versions.begin(row)
    const version = yield * versions.find(row, number)
    return version ? { row, version } : {}
  }
}

/** Refuses with `precondition_failed` if the draft is not the expected one. */
function demandDraft (row: AgentRecord, wanted: ReadonlyArray<string | undefined>) {
  if (wanted.every((draft) => draft === undefined || draft === draftTag(row))) return
  throw new Refusal(
    'precondition_failed', 'The draft has changed since you read it. Read the agent again, then publish what is there now.'
  )
}

const nothingToPublish = (message: string) => new Refusal('nothing_to_publish', message)
