import { useCallback, useMemo } from 'preact/hooks'
import type { Agent } from '../../../schema/agents.ts'
import type { Member } from '../../../schema/team.ts'
import { api, type Answer } from './api.ts'
import { useResource, useResourceOf } from './resource.ts'
import { may, me } from './session.ts'
import { texts } from './texts/index.ts'

const NOBODY: Answer<Member[]> = { data: [], message: '', etag: undefined, rest: {} }

/** No agents are known yet; always the same. */
const NONE: Agent[] = []

/** What users of the account are called, as far as whoever is signed in may know it. */
export function useNames (): (user: number) => string {
  const mayKnow = may('SEND_INVITE')
  const { data } = useResourceOf(
    async () => (mayKnow ? await api.get<Member[]>('/members') : NOBODY), `members:${mayKnow}`
  )
  const names = useMemo(() => new Map(data?.map(({ user }) => [user.id, user.name])), [data])
  const { ui } = texts.value
  return (user) => user === me.value?.user.id ? ui.you : names.get(user) ?? ui.colleague
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
