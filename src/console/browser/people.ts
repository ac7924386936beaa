import { computed, signal } from '@preact/signals'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { Agent } from '../../../schema/agents.ts'
import type { VisitorName } from '../../../schema/conversations.ts'
import type { Colleague } from '../../../schema/team.ts'
import { api } from './api.ts'
import { useResource } from './resource.ts'
import { me } from './session.ts'
import { texts } from './texts/index.ts'

/** No agents are known yet; always the same. */
const NONE: Agent[] = []

/** What those are called who act for the account, to each other. */
export function useNames (): (user: number) => string {
  const { data } = useResource<Colleague[]>('/colleagues')
  const names = useMemo(() => new Map(data?.map(({ user, name }) => [user, name])), [data])
  const { ui } = texts.value
  return useCallback((user) => user === me.value?.user.id ? ui.you : names.get(user) ?? ui.colleague, [names, ui])
}

/** What visitors are called, as far as it was asked; null: nobody knows. */
const visitors = signal<ReadonlyMap<string, string | null>>(new Map())
/** Visitors that are to be asked for next, together. */
let wanted = new Set<string>()
const ASKED_AT_ONCE = 100

/** Asks what visitors are called: for all whom a page draws with one request, and for each once. */
function want (id: string) {
  if (visitors.value.has(id) || wanted.has(id)) return
  wanted.add(id)
  // They are asked for again when they are drawn anew.
  if (wanted.size === 1) setTimeout(() => { askNames().catch(() => {}) })
}

async function askNames () {
  const ids = [...wanted]
  wanted = new Set()
  for (let at = 0; at < ids.length; at += ASKED_AT_ONCE) {
    const part = ids.slice(at, at + ASKED_AT_ONCE)
    learnVisitors((await api.get<VisitorName[]>('/visitors/names', { ids: part.join(',') })).data)
  }
}

/** Takes over what visitors are called, from wherever it was learnt. */
export function learnVisitors (found: readonly VisitorName[]) {
  visitors.value = new Map([...visitors.value, ...found.map(({ id, name }) => [id, name] as const)])
}

/** What a visitor is called, as far as it is known here. */
export const visitorName = (id: string | null) => (id === null ? null : visitors.value.get(id)) ?? undefined

/** The same, asked for where it is not known. */
export function useVisitorName (id: string | null): string | undefined {
  useEffect(() => { if (id !== null) want(id) }, [id])
  return useMemo(() => computed(() => visitorName(id)), [id]).value
}

/** All agents of the account, to choose one by its name. */
export function useAgents () {
  const { data = NONE } = useResource<Agent[]>('/agents')
  const names = useMemo(() => new Map(data.map(({ id, name }) => [id, name])), [data])
  // The same until a name changes: what is drawn with it is drawn anew only then.
  const nameOf = useCallback((id: number) => names.get(id) ?? `#${id}`, [names])
  /** What the model that wrote an answer is called, as its agent has it. */
  const modelOf = useCallback((id: number, model: string) => {
    const chosen = data.find((agent) => agent.id === id)?.model
    return chosen?.response_model === model ? chosen.display_model || model : model
  }, [data])
  return { agents: data, nameOf, modelOf }
}
