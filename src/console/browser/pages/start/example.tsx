import { Bot, CircleCheck } from 'lucide-preact'
import type { Action, Connection } from '../../../../../schema/actions.ts'
import type { Agent } from '../../../../../schema/agents.ts'
import { EXAMPLE_SHOP } from '../../../../actions/example/address.ts'
import { api, type Answer } from '../../api.ts'
import { useResourceOf } from '../../resource.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import type { Pages } from '../../ui/pager.tsx'
import { Failure } from '../../ui/states.tsx'

/**
 * An example of an agent that uses actions, in a demo shop that every installation includes. Offered while there is no
 * real connection, and removed again completely.
 */
export function Example ({ agent }: { agent: Agent }) {
  const { start } = texts.value
  const standing = useResourceOf(async () => await look(agent), `example of ${agent.id}`)
  const connect = useAction(async () => {
    try {
      await connectExample(agent)
    } catch (error) {
      // A partial example would be useless and in the way.
      await removeExample()
      throw error
    } finally {
      await standing.reload()
    }
  })
  const remove = useAction(async () => {
    await removeExample()
    await standing.reload()
  })
  if (!standing.data?.isOffered) return null
  const { isThere, actor } = standing.data
  const error = connect.error ?? remove.error
  return (
    <div class='card step'>
      {isThere ? <CircleCheck class='good' aria-label={start.done} /> : <Bot class='quiet' aria-hidden='true' />}
      <div class='grow'>
        <h2>{start.example}</h2>
        <p class='quiet'>{isThere ? start.exampleDone : start.exampleText}</p>
        {error && <Failure error={error} />}
      </div>
      {isThere
        ? (
          <>
            {actor && <LinkButton to={`/agents/${actor.id}`}>{start.exampleSee}</LinkButton>}
            <Button busy={remove.isBusy} onClick={() => { remove.run() }}>{start.exampleRemove}</Button>
          </>
          )
        : <Button busy={connect.isBusy} onClick={() => { connect.run() }}>{start.exampleVerb}</Button>}
    </div>
  )
}

/** `actor`: the agent that uses it, not necessarily the one that the steps follow. */
interface Standing { isOffered: boolean, isThere: boolean, actor: Agent | undefined }

async function look (followed: Agent): Promise<Answer<Standing>> {
  const { data: connections } = await api.get<Connection[]>('/connections')
  const shops = connections.filter(isExample).map(({ id }) => id)
  const isThere = shops.length > 0
  const shown = (actor?: Agent) => (
    { data: { isOffered: isThere || connections.length === 0, isThere, actor }, message: '', etag: undefined, rest: {} }
  )
  if (!isThere) return shown()
  const [actions, { data: last }, agents] = await Promise.all([
    api.get<Action[]>('/actions'), api.get<Agent>(`/agents/${followed.id}`), api.get<Agent[]>('/agents', { limit: 100 })
  ])
  const own = new Set(actions.data.filter(({ connection }) => shops.includes(connection)).map(({ id }) => id))
  return shown([last, ...agents.data].find(({ behavior }) => behavior.actionIds.some((id) => own.has(id))))
}

const isExample = ({ base_url: url }: Connection) => url === EXAMPLE_SHOP

/** The agent's actions there: look up an order, and cancel it. */
function drafts () {
  const { start } = texts.value
  const number = { name: 'number', in: 'path', type: 'string', pattern: '\\d{4}', description: start.exampleNumber }
  return [
    {
      name: 'example_track_order',
      title: start.exampleTracking,
      button: start.exampleTrack,
      when: 'The visitor asks where an order is.',
      effect: 'read',
      method: 'GET',
      path: '/orders/{number}',
      parameters: [number],
      result: { pick: ['/status', '/eta'] }
    },
    {
      name: 'example_cancel_order',
      title: start.exampleCancelling,
      button: start.exampleCancel,
      when: 'The visitor wants to cancel an order.',
      effect: 'write',
      method: 'POST',
      path: '/orders/{number}/cancel',
      parameters: [number],
      result: { pick: ['/status'] },
      confirm: 'visitor',
      lookup: '/requests/{key}'
    }
  ]
}

async function connectExample ({ id, behavior: { actionIds } }: Agent) {
  // The secret identifies the shop: each account has its own.
  const secret = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('')
  const { data: { id: connection } } = await api.post<Connection>('/connections', {
    name: texts.value.start.exampleName, base_url: EXAMPLE_SHOP, auth: 'bearer', secret
  })
  const made: number[] = []
  for (const draft of drafts()) {
    made.push((await api.post<Action>('/actions', { connection, enabled: true, as_form: true, ...draft })).data.id)
  }
  await api.put(`/agents/${id}`, { behavior: { actionIds: [...actionIds, ...made] } })
}

/** Removes it from every agent that has it, even if incomplete. */
async function removeExample () {
  const connections = (await api.get<Connection[]>('/connections')).data.filter(isExample).map(({ id }) => id)
  const actions = (await api.get<Action[]>('/actions')).data.filter((one) => connections.includes(one.connection))
  const gone = new Set(actions.map(({ id }) => id))
  for (let page = 1, pages = 1; page <= pages && gone.size > 0; page++) {
    const { data, rest } = await api.get<Agent[]>('/agents', { limit: 100, page })
    pages = Math.ceil((rest.pagination as Pages).total / 100)
    for (const { id, behavior: { actionIds } } of data) {
      if (!actionIds.some((one) => gone.has(one))) continue
      await api.put(`/agents/${id}`, { behavior: { actionIds: actionIds.filter((one) => !gone.has(one)) } })
    }
  }
  for (const id of gone) await api.delete(`/actions/${id}`)
  for (const id of connections) await api.delete(`/connections/${id}`)
}
