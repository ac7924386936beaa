import { Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Call, CallCard } from '../../../../../schema/actions.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'

/** Calls in a conversation that await confirmation. `moved`: changes when the conversation does. */
export function WaitingCalls ({ id, moved }: { id: string, moved: string }) {
  const { acts } = texts.value
  const list = useResource<Call[]>('/calls', { conversation: id, state: 'asked' })
  useEffect(() => { list.reload() }, [moved])
  const waiting = list.data ?? []
  if (waiting.length === 0) return null
  return (
    <section class='stack'>
      <h3>{acts.waiting}</h3>
      {waiting.map((call) => (
        <One key={call.id} conversation={id} call={call} onDone={async () => await list.reload()} />
      ))}
    </section>
  )
}

/** A call as it would be made: exactly what is shown here is confirmed. */
function One ({ conversation, call, onDone }: { conversation: string, call: Call, onDone: () => Promise<void> }) {
  const { acts } = texts.value
  const at = `/conversations/${conversation}/calls/${call.id}`
  const card = useResource<CallCard>(at)
  const decide = useAction(async (what: 'confirm' | 'refuse') => {
    await api.post(`${at}/${what}`, { digest: card.data!.digest })
    await onDone()
  })
  return (
    <div class='card stack'>
      <strong dir='auto'>{call.title}</strong>
      <dl class='known'>
        {card.data?.arguments.map(({ name, description, value }) => (
          <Fragment key={name}>
            <dt>{description || name}</dt>
            <dd dir='auto'>{value}</dd>
          </Fragment>
        ))}
      </dl>
      <p class='quiet'>{acts.confirms[call.confirm]}</p>
      {(decide.error ?? card.error) && <Failure error={(decide.error ?? card.error)!} />}
      <div class='actions'>
        <Button disabled={!card.data} busy={decide.isBusy} onClick={() => { decide.run('refuse') }}>{acts.refuse}</Button>
        <Button kind='main' disabled={!card.data} busy={decide.isBusy} onClick={() => { decide.run('confirm') }}>
          {acts.doIt}
        </Button>
      </div>
    </div>
  )
}
