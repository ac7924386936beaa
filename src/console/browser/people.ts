import { computed } from '@preact/signals'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { Agent } from '../../../schema/agents.ts'
import type { Conversation, VisitorName } from '../../../schema/conversations.ts'
import type { Colleague } from '../../../schema/team.ts'
import { api } from './api.ts'
import { asked, useResource } from './resource.ts'
import { me } from './session.ts'
import { fill, language as spoken, texts } from './texts/index.ts'

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
const visitors = asked(async (ids) => namesIn((await api.get<VisitorName[]>('/visitors/names', { ids: ids.join(',') })).data))

const namesIn = (found: readonly VisitorName[]) => new Map(found.map(({ id, name }) => [id, name]))

/** Takes over what visitors are called, from wherever it was learnt. */
export function learnVisitors (found: readonly VisitorName[]) {
  visitors.learn(namesIn(found))
}

/** What a visitor is called, as far as it is known here. */
export const visitorName = (id: string | null) => (id === null ? null : visitors.known.value.get(id)) ?? undefined

/** The same, asked for where it is not known. */
export function useVisitorName (id: string | null): string | undefined {
  useEffect(() => { if (id !== null) visitors.want(id) }, [id])
  return useMemo(() => computed(() => visitorName(id)), [id]).value
}

/**
 * Who is in a conversation, in a few words: their name, else what is known of them. Never what they have said, and
 * never an id.
 */
export function calledIn (
  { channel, page, language }: Pick<Conversation, 'channel' | 'page' | 'language'>, name: string | undefined
): string {
  const { inbox } = texts.value
  if (name !== undefined) return name
  if (channel === 'console') return inbox.trial
  if (page) return fill(inbox.visitorOn, { page: placeOf(page.url) })
  const words = language && new Intl.DisplayNames(spoken.value, { type: 'language' }).of(language)
  return words ? fill(inbox.visitorSpeaks, { language: words }) : inbox.roles.visitor
}

/** A page as one says it: its place on the site, or the site where it is its first page. */
function placeOf (url: string): string {
  try {
    const { hostname, pathname } = new URL(url)
    return pathname === '/' ? hostname : decodeURIComponent(pathname)
  } catch {
    return url
  }
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
