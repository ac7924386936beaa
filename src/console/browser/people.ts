import { computed } from '@preact/signals'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { Agent } from '../../../schema/agents.ts'
import type { Conversation, VisitorName } from '../../../schema/conversations.ts'
import type { Colleague } from '../../../schema/team.ts'
import { calledBy, type Called } from '../../platform/visitor-name.ts'
import { api } from './api.ts'
import { asked, useResource } from './resource.ts'
import { me } from './session.ts'
import { fill, languageNamed, texts } from './texts/index.ts'

/** Used while no agents are known; always the same array. */
const NONE: Agent[] = []

/** Names of the account's members, as shown to each other. */
export function useNames (): (user: number) => string {
  const { data } = useResource<Colleague[]>('/colleagues')
  const names = useMemo(() => new Map(data?.map(({ user, name }) => [user, name])), [data])
  const { ui } = texts.value
  return useCallback((user) => user === me.value?.user.id ? ui.you : names.get(user) ?? ui.colleague, [names, ui])
}

const readVisitors = async (ids: string[]) =>
  namesIn((await api.get<VisitorName[]>('/visitors/names', { ids: ids.join(',') })).data)

const namesIn = (found: readonly VisitorName[]) => new Map(found.map((one) => [one.id, one]))

/** Names of visitors, as far as known. */
const visitors = asked(readVisitors)

/** Takes over visitors' names learnt from any response. */
export function learnVisitors (found: readonly VisitorName[]) {
  visitors.learn(namesIn(found))
}

/** A visitor's display name: their name, else where they seem to be; undefined if neither is known. */
export const visitorCalled = (visitor: Called | undefined) =>
  visitor && calledBy(visitor, texts.value.inbox.visitorFrom)

const knownVisitor = (id: string | null): Called | undefined =>
  id === null ? undefined : visitors.known.value.get(id)

/** A visitor's display name, requested now: for callers outside of any list. */
export async function askVisitor (id: string | null): Promise<Called | undefined> {
  if (id !== null) await readVisitors([id]).then(visitors.learn, () => { /* Falls back on what is known. */ })
  return knownVisitor(id)
}

/** The same, requested if unknown. */
export function useVisitor (id: string | null): Called | undefined {
  useEffect(() => { if (id !== null) visitors.want(id) }, [id])
  return useMemo(() => computed(() => knownVisitor(id)), [id]).value
}

/**
 * A short label for a conversation's visitor: their name, else what is known about them. Never what they have said, and
 * never an id.
 */
export function calledIn (
  { channel, page, language }: Pick<Conversation, 'channel' | 'page' | 'language'>, visitor: Called | undefined
): string {
  const { inbox } = texts.value
  const name = visitorCalled(visitor)
  if (name !== undefined) return name
  if (channel === 'console') return inbox.trial
  if (page) return fill(inbox.visitorOn, { page: placeOf(page.url) })
  const words = language && languageNamed(language)
  return words ? fill(inbox.visitorSpeaks, { language: words }) : inbox.roles.visitor
}

/** A page as people call it: its path on the site, or the site for its front page. */
function placeOf (url: string): string {
  try {
    const { hostname, pathname } = new URL(url)
    return pathname === '/' ? hostname : decodeURIComponent(pathname)
  } catch {
    return url
  }
}

/** All agents of the account, for choosing one by name. */
export function useAgents () {
  const { data: found } = useResource<Agent[]>('/agents')
  const { ui } = texts.value
  const data = found ?? NONE
  const isKnown = found !== undefined
  const names = useMemo(() => new Map(data.map(({ id, name }) => [id, name])), [data])
  // Stable until a name changes, so that components re-render only then.
  const nameOf = useCallback((id: number) => names.get(id) ?? (isKnown ? ui.agentGone : ''), [names, isKnown, ui])
  /** The name of the model that wrote an answer, as configured in its agent. */
  const modelOf = useCallback((id: number, model: string) => {
    const chosen = data.find((agent) => agent.id === id)?.model
    return chosen?.response_model === model ? chosen.display_model || model : model
  }, [data])
  return { agents: data, nameOf, modelOf }
}
