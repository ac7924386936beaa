import type { Conversation } from '../../../../../schema/conversations.ts'

/** Which conversations a list shows. */
export const VIEWS = ['current', 'waiting', 'person', 'agent', 'closed', 'all'] as const
export type View = typeof VIEWS[number]
export interface Filter { view: View, agent: number | undefined, search: string }

/** A part of the list: what is asked for, and what belongs to it. */
export interface Group { name: 'queue' | 'person' | 'agent' | 'rest', query: Record<string, string> }

const QUEUE: Group = { name: 'queue', query: { handled_by: 'queue' } }
const PERSON: Group = { name: 'person', query: { handled_by: 'person', status: 'open' } }
const AGENT: Group = { name: 'agent', query: { handled_by: 'agent', status: 'open' } }

/** The parts of a view, from top to bottom: whoever waits for a person stands first. */
export const GROUPS: Record<View, Group[]> = {
  current: [QUEUE, PERSON, AGENT],
  waiting: [QUEUE],
  person: [PERSON],
  agent: [AGENT],
  closed: [{ name: 'rest', query: { status: 'closed' } }],
  all: [{ name: 'rest', query: {} }]
}

/** Whether a conversation belongs to a part of a list. */
export function fits (
  { query: { handled_by: by, status } }: Group, { agent }: Filter, conversation: Conversation
): boolean {
  return (
    (by === undefined || conversation.handled_by === by) &&
    (status === undefined || conversation.status === status) &&
    (agent === undefined || conversation.agent === agent)
  )
}

const timeOf = ({ last_message_at: last, created_at: created }: Conversation) => last ?? created

/** In the order in which they are worked on: who waits longest first, else the newest first. */
export function inOrder (group: Group, all: readonly Conversation[]): Conversation[] {
  const sign = group.name === 'queue' ? 1 : -1
  return all.toSorted((a, b) => sign * timeOf(a).localeCompare(timeOf(b)))
}

/** The later of two states of a conversation: answers and events may overtake each other. */
export function newer (known: Conversation | undefined, told: Conversation): Conversation {
  return known && known.updated_at > told.updated_at ? known : told
}
