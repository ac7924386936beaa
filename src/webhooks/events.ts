import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import { EVENT_TYPES, type EventType } from '../../schema/webhooks.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Happening } from '../platform/work/announcements.ts'
import type { Dispatch, DispatchPayload } from '../platform/work/outbox.ts'

/*
 * From what happened to what is sent. An entry of the outbox names things; what they are is looked up when it is sent,
 * so that nothing is sent of what was deleted meanwhile, and no word lies about a second time.
 */

/** How events leave. */
export const WEBHOOK = 'webhook'

/** The things that an event is about, by their ids, and why it happened. */
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

/** What an entry of the outbox keeps of an event. */
export interface EventPayload extends DispatchPayload {
  type: string, to: string, event: string, webhook: Id, at: string, agent: Id | null, refs: Refs
}

/** A webhook that may want an event. */
export interface Wanting { id: Id, events: readonly EventType[] }

/** What is sent of something that happened, to those that want it. */
export function eventsFor (
  { owner, type, agent, data }: Happening, webhooks: readonly Wanting[], clock: Clock
): Dispatch[] {
  const wanting = webhooks.filter(({ events }) => (events as readonly string[]).includes(type))
  if (wanting.length === 0) return []
  const refs = refsOf(data)
  const event = newEvent()
  const at = timestamp(clock.micros())
  // What is deleted takes along what is still to be told of it, but not that it was deleted.
  const about = type === 'conversation.deleted' ? undefined : aboutOf(refs)
  return wanting.map(({ id }) =>
    dispatch(owner, about, { type, to: `webhooks/${id}`, event, webhook: id, at, agent, refs })
  )
}

/** Whether anything of this type can be sent at all. */
export function isEvent (type: string): boolean {
  return (EVENT_TYPES as readonly string[]).includes(type)
}

/** An event that says nothing. */
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

/** The ids in what is told of something, however much of it is told. */
function refsOf (data: object): Refs {
  const refs: Record<string, unknown> = {}
  for (const name of REFS) {
    const found = (data as Record<string, unknown>)[name]
    const id = typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as { id?: unknown }).id : found
    if (id !== undefined && id !== null) refs[name] = id
  }
  return refs as Refs
}
