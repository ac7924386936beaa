import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import { api, isRefused, type Refused } from '../../api.ts'
import { MISSED, onHappened, withEvents, type Happened } from '../../live.ts'
import { me } from '../../session.ts'
import { fits, groupsOf, newer, type Filter, type Group } from './conversations.ts'

const PART = 50
/** Page size and maximum number of waiting conversations read. */
const PART_WAITING = 100
const MOST_WAITING = 1000

interface Part { group: Group, ids: string[], cursor: string | null }
interface State {
  key: string, parts: Part[], known: Map<string, Conversation>, error: Refused | undefined, isRead: boolean
}

const empty = (key: string): State => ({ key, parts: [], known: new Map(), error: undefined, isRead: false })

function withAll (known: Map<string, Conversation>, told: readonly Conversation[]): Map<string, Conversation> {
  const next = new Map(known)
  for (const one of told) next.set(one.id, newer(next.get(one.id), one))
  return next
}

/** The conversations that match a filter, section by section, kept up to date from events. */
export function useList (filter: Filter) {
  const key = JSON.stringify(filter)
  const [state, setState] = useState(empty(key))
  const current = useRef(filter)
  current.current = filter
  const reads = useRef(0)

  async function fetchPart (group: Group, cursor?: string) {
    const { view: _view, search, ...more } = filter
    const limit = group.name === 'queue' ? PART_WAITING : PART
    const query = { ...group.query, ...more, search: search || undefined, limit, cursor }
    const { data: all, rest } = await api.get<Conversation[]>('/conversations', query)
    // Colleagues' conversations are requested together with the user's own.
    const data = all.filter((one) => fits(group, filter, one, own()))
    return { data, cursor: (rest.next_cursor ?? null) as string | null }
  }

  /** The first page; for waiting ones all pages, since the longest waiting may be on the last. */
  async function fetchFirst (group: Group) {
    let { data, cursor } = await fetchPart(group)
    while (group.name === 'queue' && cursor !== null && data.length < MOST_WAITING) {
      const next = await fetchPart(group, cursor)
      data = [...data, ...next.data]
      cursor = next.cursor
    }
    return { data, cursor }
  }

  async function read () {
    const mine = ++reads.current
    try {
      const { answer: read, since } = await withEvents(() => Promise.all(
        groupsOf(filter, own()).map(async (group) => ({ group, ...await fetchFirst(group) }))
      ))
      if (current.current !== filter || mine !== reads.current) return
      const parts = read.map(({ group, data, cursor }) => ({ group, cursor, ids: data.map(({ id }) => id) }))
      const known = withAll(new Map(), read.flatMap(({ data }) => data))
      const now: State = { key, parts, known, error: undefined, isRead: true }
      setState(since.reduce((before, event) => heard(before, filter, event), now))
    } catch (error) {
      if (!isRefused(error)) throw error
      if (current.current === filter) setState((before) => ({ ...(before.key === key ? before : empty(key)), error }))
    }
  }

  async function more (name: Group['name']) {
    const part = state.parts.find(({ group }) => group.name === name)
    if (!part?.cursor) return
    const { data, cursor } = await fetchPart(part.group, part.cursor)
    setState((before) =>
      before.key !== key
        ? before
        : {
            ...before,
            known: withAll(before.known, data),
            parts: before.parts.map((one) =>
              one.group.name === name
                ? { ...one, cursor, ids: [...new Set([...one.ids, ...data.map(({ id }) => id)])] }
                : one
            )
          }
    )
  }

  useEffect(() => { read() }, [key])
  useEffect(() => onHappened((event) => {
    if (event.type === MISSED.type) read()
    else setState((before) => (before.key === key ? heard(before, filter, event) : before))
  }), [key])

  const shown = state.key === key ? state : empty(key)
  return { ...shown, read, more }
}

const own = () => me.value!.user.id

/** The list after an event. */
function heard (before: State, filter: Filter, { type, id, conversation }: Happened): State {
  if (type === 'conversation.deleted' && id) return without(before, id)
  return conversation ? told(before, filter, conversation as Conversation) : before
}

/** The list once a conversation is known to be in this state. */
function told (before: State, filter: Filter, conversation: Conversation): State {
  const known = new Map(before.known).set(conversation.id, newer(before.known.get(conversation.id), conversation))
  const now = known.get(conversation.id)!
  const parts = before.parts.map((part) => {
    const isHere = part.ids.includes(now.id)
    const belongs = fits(part.group, filter, now, own())
    if (isHere && !belongs) return { ...part, ids: part.ids.filter((id) => id !== now.id) }
    // Only the server can tell whether it matches the search.
    return !isHere && belongs && !filter.search ? { ...part, ids: [...part.ids, now.id] } : part
  })
  return { ...before, known, parts }
}

function without (before: State, id: string): State {
  return { ...before, parts: before.parts.map((part) => ({ ...part, ids: part.ids.filter((one) => one !== id) })) }
}
