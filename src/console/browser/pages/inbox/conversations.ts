import type { Conversation, Priority } from '../../../../../schema/conversations.ts'

/** Which conversations a list shows: the tabs of the inbox. */
export const VIEWS = ['waiting', 'mine', 'agent', 'all', 'closed'] as const
export type View = typeof VIEWS[number]
export interface Filter {
  view: View
  search: string
  agent?: number | undefined
  tag?: string | undefined
  priority?: Priority | undefined
  assignee?: number | undefined
}

/** A section of the list: its query, and what belongs to it. `whose`: of those assigned to people. */
export interface Group {
  name: 'queue' | 'mine' | 'person' | 'agent' | 'closed'
  query: Record<string, string | number>
  whose?: 'mine' | 'others'
}

const QUEUE: Group = { name: 'queue', query: { handled_by: 'queue' } }
const OTHERS: Group = { name: 'person', query: { handled_by: 'person', status: 'open' }, whose: 'others' }
const AGENT: Group = { name: 'agent', query: { handled_by: 'agent', status: 'open' } }
const CLOSED: Group = { name: 'closed', query: { status: 'closed' } }

/** The sections of a view, from top to bottom: those waiting for a person come first. A search includes closed ones. */
export function groupsOf ({ view, search }: Filter, me: number): Group[] {
  const mine: Group = { name: 'mine', query: { handled_by: 'person', status: 'open', person: me }, whose: 'mine' }
  return {
    waiting: [QUEUE],
    mine: [mine],
    agent: [AGENT],
    closed: [CLOSED],
    all: [QUEUE, mine, OTHERS, AGENT, ...(search === '' ? [] : [CLOSED])]
  }[view]
}

/** Whether a conversation belongs to a section of a list. */
export function fits (
  { query: { handled_by: by, status }, whose }: Group, { agent, tag, priority, assignee }: Filter, one: Conversation,
  me: number
): boolean {
  return (
    (by === undefined || one.handled_by === by) &&
    (status === undefined || one.status === status) &&
    (whose === undefined || (whose === 'mine') === (one.person === me)) &&
    (agent === undefined || one.agent === agent) &&
    (tag === undefined || one.tags.includes(tag)) &&
    (priority === undefined || one.priority === priority) &&
    (assignee === undefined || one.assignee === assignee)
  )
}

const timeOf = ({ last_message_at: last, created_at: created }: Conversation) => last ?? created
const RANKS = { urgent: 0, high: 1, usual: 2, low: 3, snoozed: 4 }
const rankOf = ({ snoozed_until: until, priority }: Conversation) =>
  RANKS[until === null ? priority ?? 'usual' : 'snoozed']

/**
 * Work order: urgent ones first and snoozed ones last; within these, the longest waiting first, else the newest first.
 */
export function inOrder (group: Group, all: readonly Conversation[]): Conversation[] {
  const sign = group.name === 'queue' ? 1 : -1
  return all.toSorted((a, b) => rankOf(a) - rankOf(b) || sign * timeOf(a).localeCompare(timeOf(b)))
}

/** The ids of each section of a list, as they stood when the pointer came over it; undefined while it is elsewhere. */
export type Held = ReadonlyMap<Group['name'], readonly string[]> | undefined

/**
 * The sections of a list that is pointed at: each row stays where it stood until the pointer leaves, so that nothing
 * moves under it. `waiting`: how many rows are new meanwhile, in the list or among those who wait for a person.
 */
export function standing (
  held: Held, now: ReadonlyMap<Group['name'], readonly Conversation[]>
): { shown: ReadonlyMap<Group['name'], readonly Conversation[]>, waiting: number } {
  if (!held) return { shown: now, waiting: 0 }
  const all = new Map([...now.values()].flat().map((one) => [one.id, one]))
  const stood = new Set([...held.values()].flat())
  const isNew = (name: Group['name'], id: string) =>
    !stood.has(id) || (name === 'queue' && !held.get(name)?.includes(id))
  return {
    shown: new Map([...held].map(([name, ids]) => [name, ids.flatMap((id) => all.get(id) ?? [])])),
    waiting: [...now].flatMap(([name, rows]) => rows.filter(({ id }) => isNew(name, id))).length
  }
}

/** The later of two states of a conversation: answers and events may arrive out of order. */
export function newer (known: Conversation | undefined, told: Conversation): Conversation {
  return known && known.updated_at > told.updated_at ? known : told
}
