import type { ConfigDrift } from '../../schema/config.ts'
import type { AuditEvent } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import type { AuditStore } from '../audit/index.ts'
import type { Kept, Stamped } from './store.ts'

/** Maximum events searched for who changed something. */
const MOST_EVENTS = 1000
const PART = 200

/**
 * What was changed or deleted elsewhere since files were last applied, and by whom, as far as the audit log still
 * shows.
 */
export async function driftOf (
  audit: Pick<AuditStore, 'list'>, owner: Id, kept: readonly Kept[], standing: readonly Stamped[]
): Promise<ConfigDrift[]> {
  const now = new Map(standing.map((one) => [`${one.kind} ${one.id}`, one]))
  // Account settings that were never changed are stored nowhere, but were not removed.
  const stampOf = ({ kind, id }: Kept) => now.get(`${kind} ${id}`)?.stamp ?? (kind === 'business' ? '' : undefined)
  const moved = kept.filter((one) => one.file !== '' && stampOf(one) !== one.stamp)
  if (moved.length === 0) return []
  const since = moved.map(({ at }) => at).sort()[0]!
  const events = await eventsSince(audit, owner, since)
  return moved.map((one) => {
    const { kind, id, place, file, at } = one
    const target = targetOf(one, now.get(`${kind} ${id}`)?.parent ?? null)
    const about = events.filter((event) => event.at > at && target.test(event.target))
    const [newest] = about
    return {
      place,
      file,
      is: now.has(`${kind} ${id}`) ? 'changed' : 'deleted',
      who: newest?.user ?? null,
      at: newest?.at ?? null,
      fields: [...new Set(about.flatMap(({ fields }) => fields))]
    }
  })
}

/** The audit log targets of changes to an object. */
function targetOf ({ kind, id }: Kept, parent: Id | null): RegExp {
  const agent = parent ?? '\\d+'
  switch (kind) {
    case 'business': return /^business$/
    case 'agent': return new RegExp(`^agents/${id}(?:/vocabulary|/versions/\\d+/\\w+)?$`)
    case 'source': return new RegExp(`^agents/${agent}/knowledge_sources/${id}$`)
    case 'question': return new RegExp(`^agents/${agent}/questions/(?:${id}|import)$`)
    default: return new RegExp(`^${kind}s/${id}(?:/rotate)?$`)
  }
}

async function eventsSince (audit: Pick<AuditStore, 'list'>, owner: Id, since: string): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (let after: string | undefined; ;) {
    const { items, next } = await audit.list(owner, {}, after, PART)
    events.push(...items.filter(({ at }) => at > since))
    if (next === null || events.length >= MOST_EVENTS || items.length === 0 || items.at(-1)!.at <= since) return events
    after = next
  }
}
