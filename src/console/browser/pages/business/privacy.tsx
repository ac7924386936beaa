import { useState } from 'preact/hooks'
import type { Business } from '../../../../../schema/business.ts'
import type { ReceiptRecord, RetentionPreview } from '../../../../../schema/privacy.ts'
import { api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import { useAgents } from '../../people.ts'
import { useResource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { privacyTexts } from '../../texts/privacy/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { More } from '../../ui/more.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { Visitors } from './visitors.tsx'

type Receipt = Omit<ReceiptRecord, 'owner'>

/** Retention periods, what was removed, who else receives which data, and the rights of visitors. */
export function Privacy () {
  const receipts = useListing<Receipt>('/privacy/receipts')
  return (
    <>
      <Retention />
      <Visitors onErased={async () => await receipts.reload()} />
      <Receipts receipts={receipts} />
      <DataHosts />
      <p><a href={linkTo('/audit')}>{texts.value.audit.link}</a></p>
    </>
  )
}

function Retention () {
  const { business } = texts.value
  const { agents } = useAgents()
  const [chosen, setChosen] = useState<number>()
  const [days, setDays] = useState('')
  const [told, setTold] = useState('')
  const agent = chosen ?? agents[0]?.id
  const preview = useAction(async () => {
    setTold('')
    const { data } = await api.get<RetentionPreview>(`/agents/${agent}/retention`, { days: days || undefined })
    setTold(previewSaid(data))
  })
  if (agent === undefined) return null
  return (
    <Card title={business.retention}>
      <p class='quiet'>{business.retentionText} <a href={linkTo(`/agents/${agent}`)}>{business.toAgent}</a></p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          preview.run()
        }}
      >
        <Field label={business.agent}>
          <select value={agent} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
        </Field>
        <Field label={business.daysKept} hint={business.daysHint} error={preview.errorAt('days')}>
          <input
            type='number'
            min={1}
            max={36_500}
            value={days}
            onInput={(event) => setDays(event.currentTarget.value)}
          />
        </Field>
        {preview.error && preview.error.details.length === 0 && <Failure error={preview.error} />}
        <div class='actions'>
          <Button type='submit' busy={preview.isBusy}>{business.preview}</Button>
          <p role='status'>{told}</p>
        </div>
      </form>
    </Card>
  )
}

/** What retention would remove, in the reader's language: the server says it in English. */
function previewSaid ({ data_retention_days: days, removed }: RetentionPreview): string {
  const { keeps, nothing, would } = privacyTexts()
  if (days === null) return keeps
  const { conversations, visitors, tickets } = removed
  if (conversations + visitors + tickets === 0) return nothing
  return fill(would, { what: fill(texts.value.business.removedOf, { ...removed }) })
}

function Receipts ({ receipts }: { receipts: ReturnType<typeof useListing<Receipt>> }) {
  const { business, ui } = texts.value
  return (
    <Card title={business.receipts}>
      <p class='quiet'>{business.receiptsText}</p>
      <Loaded from={receipts.first}>
        {() =>
          receipts.items.length === 0
            ? <p class='quiet'>{ui.none}</p>
            : (
              <ul class='list'>
                {receipts.items.map((one) => (
                  <li key={one.id} class='entry'>
                    <div class='grow'>
                      <p>
                        <strong>{business.removals[one.kind]}</strong>{' '}
                        <span class='quiet'>{shownTime(one.created_at)}</span>
                      </p>
                      <p>{fill(business.removedOf, { ...one.removed })}</p>
                      {one.backups_until && (
                        <p class='quiet'>{fill(business.backups, { time: shownTime(one.backups_until) })}</p>
                      )}
                      {one.copies.length > 0 && (
                        <details>
                          <summary>{fill(business.copies, { count: one.copies.length })}</summary>
                          <ul>
                            {one.copies.map((copy, i) => (
                              <li key={i}>{copy.system} {copy.reference} <span class='quiet'>{shownTime(copy.at)}</span></li>
                            ))}
                          </ul>
                        </details>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
              )}
      </Loaded>
      <More more={receipts.more} />
    </Card>
  )
}

function DataHosts () {
  const { business } = texts.value
  const settings = useResource<Business>('/business')
  return (
    <Card title={business.hosts}>
      <p class='quiet'>{business.hostsText}</p>
      <Loaded from={settings}>
        {({ data_hosts: hosts }) =>
          hosts.length === 0
            ? <p>{business.noHosts}</p>
            : (
              <ul class='list'>
                {hosts.map(({ host, purposes }) => (
                  <li key={host} class='entry'>
                    <div class='grow'>
                      <strong>{host}</strong>
                      <p class='quiet'>{purposes.map((one) => business.purposes[one]).join(', ')}</p>
                      <p>{purposes.map((one) => privacyTexts().sent[one]).join('; ')}</p>
                    </div>
                  </li>
                ))}
              </ul>
              )}
      </Loaded>
    </Card>
  )
}
