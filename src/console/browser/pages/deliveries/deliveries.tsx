import { useState } from 'preact/hooks'
import type { Delivery } from '../../../../../schema/webhooks.ts'
import { api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import { query } from '../../router.ts'
import { shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { More } from '../../ui/more.tsx'
import { Badge, Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

const STATES = ['waiting', 'sent', 'dead'] as const
const TONES = { waiting: 'accent', sent: 'good', dead: 'bad' } as const

/** Everything that leaves the house: mails, tickets, webhooks; what failed and why, and sending it anew. */
export default function Deliveries () {
  const { deliveries, ui } = texts.value
  const [state, setState] = useState('')
  const about = query.value.get('about') ?? ''
  const list = useListing<Delivery>('/deliveries', { state, about })
  const replay = useAction(async (id: number) => {
    await api.post(`/deliveries/${id}/replay`)
    toast(deliveries.replayed)
    await list.reload()
  })
  return (
    <Page title={deliveries.title} wide>
      <p class='quiet'>{deliveries.about}</p>
      <div class='row'>
        <select aria-label={deliveries.state} value={state} onChange={(event) => setState(event.currentTarget.value)}>
          <option value=''>{deliveries.anyState}</option>
          {STATES.map((one) => <option key={one} value={one}>{deliveries.states[one]}</option>)}
        </select>
        <Button onClick={() => { list.reload() }}>{deliveries.refresh}</Button>
        {about && <a href='#/deliveries'>{ui.all}</a>}
      </div>
      {replay.error && <Failure error={replay.error} />}
      <Loaded from={list.first} lines={6}>
        {() =>
          list.items.length === 0
            ? <Empty title={deliveries.empty} text={deliveries.emptyText} />
            : (
              <div class='card table' tabIndex={0} role='region' aria-label={deliveries.title}>
                <table>
                  <thead>
                    <tr>
                      <th>{deliveries.what}</th>
                      <th>{deliveries.state}</th>
                      <th>{deliveries.attempts}</th>
                      <th>{deliveries.when}</th>
                      <th>{deliveries.why}</th>
                      <th><span class='hidden'>{deliveries.replay}</span></th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.items.map((one) => (
                      <Row key={one.id} delivery={one} busy={replay.isBusy} onReplay={() => { replay.run(one.id) }} />
                    ))}
                  </tbody>
                </table>
              </div>
              )}
      </Loaded>
      <More more={list.more} />
    </Page>
  )
}

function Row ({ delivery, busy, onReplay }: { delivery: Delivery, busy: boolean, onReplay: () => void }) {
  const { deliveries } = texts.value
  const {
    channel, type, to, about, state, attempts, next_attempt_at: next, settled_at: settled, created_at: created, error
  } = delivery
  const canReplay = state === 'dead' || (state === 'sent' && channel === 'webhook')
  return (
    <tr>
      <td>
        {channel}
        {type && ` · ${type}`}
        <br />
        <span class='quiet code'>{to ?? about}</span>
      </td>
      <td><Badge tone={TONES[state]}>{deliveries.states[state]}</Badge></td>
      <td class='number'>{attempts}</td>
      <td>
        {shownTime(settled ?? next ?? created)}
        {state === 'waiting' && next && (
          <>
            <br />
            <span class='quiet'>{deliveries.next}</span>
          </>
        )}
      </td>
      <td class='long'>{error?.message}</td>
      <td>{canReplay && <Button busy={busy} onClick={onReplay}>{deliveries.replay}</Button>}</td>
    </tr>
  )
}
