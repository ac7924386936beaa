import { useState } from 'preact/hooks'
import type { Delivery, Webhook } from '../../../../../schema/webhooks.ts'
import { failureSaid } from '../../asking/sentences.ts'
import { api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import { useResource } from '../../resource.ts'
import { linkTo, query } from '../../router.ts'
import { shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { More } from '../../ui/more.tsx'
import { Badge, Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

const STATES = ['waiting', 'sent', 'dead'] as const
const TONES = { waiting: 'accent', sent: 'good', dead: 'bad' } as const

/** All outgoing messages: mails, tickets, webhooks; what failed and why, and resending it. */
export default function Deliveries () {
  const { deliveries, ui } = texts.value
  const [state, setState] = useState('')
  const about = query.value.get('about') ?? ''
  const list = useListing<Delivery>('/deliveries', { state, about })
  const webhooks = useResource<Webhook[]>('/webhooks').data ?? []
  const replay = useAction(async (id: number) => {
    await api.post(`/deliveries/${id}/replay`)
    toast(deliveries.replayed)
    await list.reload()
  })
  return (
    <Page title={deliveries.title} width='wide'>
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
              <div class='card table as-list' tabIndex={0} role='region' aria-label={deliveries.title}>
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
                      <Row
                        key={one.id}
                        delivery={one}
                        webhooks={webhooks}
                        busy={replay.isBusy}
                        onReplay={() => { replay.run(one.id) }}
                      />
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

/** The page of what a delivery belongs to, if there is one. */
function pageOf ({ about }: Delivery): string | undefined {
  const [kind, id] = about.split('/')
  if (kind === 'tickets') return linkTo(`/tickets/${id}`)
  return kind === 'conversations' ? linkTo(`/inbox/${id}`) : undefined
}

/** What is sent, how and where to, as text. */
function wordsOf ({ channel, type, to }: Delivery, webhooks: Webhook[]): { what: string, where: string } {
  const { business: { events }, deliveries: { channels, to: sides, types } } = texts.value
  const named: Record<string, string> = { ...events, ...types }
  const kind = channel.replace(/^.*_/, '') as keyof typeof channels
  const place = sides[to as keyof typeof sides] ?? webhooks.find(({ id }) => to === `webhooks/${id}`)?.url
  return { what: named[type ?? ''] ?? channels[kind], where: [channels[kind], place].filter(Boolean).join(' · ') }
}

function Row ({ delivery, webhooks, busy, onReplay }: {
  delivery: Delivery, webhooks: Webhook[], busy: boolean, onReplay: () => void
}) {
  const { deliveries } = texts.value
  const {
    channel, state, attempts, next_attempt_at: next, settled_at: settled, created_at: created, error
  } = delivery
  const { what, where } = wordsOf(delivery, webhooks)
  const page = pageOf(delivery)
  const canReplay = state === 'dead' || (state === 'sent' && channel === 'webhook')
  return (
    <tr>
      <td class='long'>
        {page ? <a href={page}>{what}</a> : what}
        <br />
        <span class='quiet'>{where}</span>
      </td>
      <td><Badge tone={TONES[state]}>{deliveries.states[state]}</Badge></td>
      <td class='number'>{attempts}</td>
      <td class='when'>
        {shownTime(settled ?? next ?? created)}
        {state === 'waiting' && next && (
          <>
            <br />
            <span class='quiet'>{deliveries.next}</span>
          </>
        )}
      </td>
      <td class='long'>{error && failureSaid(error)}</td>
      <td>{canReplay && <Button busy={busy} onClick={onReplay}>{deliveries.replay}</Button>}</td>
    </tr>
  )
}
