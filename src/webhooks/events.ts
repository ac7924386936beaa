import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import { EVENT_TYPES, type EventType } from '../../schema/webhooks.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { DomainEvent } from '../platform/work/event-bus.ts'
import type { Dispatch, DispatchPayload } from '../platform/work/outbox.ts'
import { isOneOf } from '../../schema/typed.ts'

/*
 * From domain events to payloads. An entry of the outbox only contains ids; the objects are looked up when it is sent,
 * so that nothing deleted meanwhile is sent, and no content is stored twice.
 */

/** The outbox channel of events. */
export const WEBHOOK = 'webhook'

/** The ids of an event's objects, and its reason. */
export interface Refs {
  conversation?: string
  message?: string
  ticket?: string
  source?: Id
  run?: Id
  feed?: Id
  import?: Id
  /** The agent whose report it is. */
  gaps?: Id
  /** The number of a version of the agent. */
  version?: number
  reason?: string
  sources?: readonly Id[]
  questions_affected?: readonly Id[]
}

/** An event's entry in the outbox. */
export interface EventPayload extends DispatchPayload {
  type: string, to: string, event: string, webhook: Id, at: string, agent: Id | null, refs: Refs
}

/** A webhook that may receive an event. */
export interface Wanting { id: Id, events: readonly EventType[] }

/** The deliveries of a domain event, to the webhooks subscribed to it. */
export function eventsFor (
  { owner, type, agent, data }: DomainEvent, webhooks: readonly Wanting[], clock: Clock
): Dispatch[] {
  const wanting = webhooks.filter(({ events }) => isOneOf(events, type))
  if (wanting.length === 0) return []
  const refs = refsOf(data)
  const event = newEvent()
  const at = timestamp(clock.micros())
  // Deleting an object deletes its pending deliveries, but not the one about its deletion.
  const about = type === 'conversation.deleted' ? undefined : aboutOf(refs)
  return wanting.map(({ id }) =>
    dispatch(owner, about, { type, to: `webhooks/${id}`, event, webhook: id, at, agent, refs })
  )
}

/** Whether anything of this type can be sent at all. */
export function isEvent (type: string): boolean {
  return isOneOf(EVENT_TYPES, type)
}

/** A test event without contents. */
export function testEvent (owner: Id, webhook: Id, clock: Clock): Dispatch {
  const payload = {
    type: 'webhook.test',
    to: `webhooks/${webhook}`,
    event: newEvent(),
    webhook,
    at: timestamp(clock.micros()),
    agent: null,
    refs: {}
  }
  return dispatch(owner, undefined, payload)
}

const newEvent = () => `evt_${randomBytes(16).toString('base64url')}`

function dispatch (owner: Id, about: string | undefined, payload: EventPayload): Dispatch {
  return { owner, channel: WEBHOOK, key: `${payload.event}/${payload.webhook}`, about: about ?? payload.to, payload }
}

function aboutOf ({ conversation, ticket }: Refs): string | undefined {
  if (conversation !== undefined) return `conversations/${conversation}`
  return ticket === undefined ? undefined : `tickets/${ticket}`
}

const REFS = [
  'conversation', 'message', 'ticket', 'source', 'run', 'feed', 'import', 'gaps', 'version', 'reason', 'sources', 'questions_affected'
]

/** The ids in a domain event, whatever else it contains. */
function refsOf (data: object): Refs {
  const refs: Record<string, unknown> = {}
  for (const name of REFS) {
    const found = (data as Record<string, unknown>)[name]
    const id = typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as { id?: unknown }).id : found
    if (id !== undefined && id !== null) refs[name] = id
  }
  return refs as Refs
}
