import { useState } from 'preact/hooks'
import consent from 'schema:assistants#AssistantConsent'
import type { Permission } from '../../../../../schema/access.ts'
import type { AllowedAssistant, AskingAssistant } from '../../../../../schema/assistants.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { useResourceOf } from '../../resource.ts'
import { me } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'

const USUAL_DAYS = 30
const DAYS = [1, USUAL_DAYS, schemaAt(consent, 'days').maximum!]

/** An assistant that requests access: who it is, what it may do, and buttons to allow or deny. */
export default function Assistant () {
  // Passed on unchanged: duplicate parameters must stay visible.
  const [query] = useState(() => location.hash.split('?').slice(1).join('?'))
  const { assistant } = texts.value.keys
  const asking = useResourceOf(() => api.post<AskingAssistant>('/assistants/look', { query }), query)
  // The user did not write the invalid address and cannot fix it.
  const isUnread = (asking.error?.details.length ?? 0) > 0
  if (isUnread) return <Page title={assistant.title}><p role='alert'>{texts.value.refusals.assistant_unknown}</p></Page>
  return (
    <Page title={assistant.title}>
      <Loaded from={asking}>
        {(found) => found.problem === null
          ? <Question asking={found} query={query} />
          : (
            <Card>
              <p role='alert'>{fill(assistant.problem, { name: found.name, why: found.problem })}</p>
              <div class='actions'>
                <Button onClick={() => location.replace(found.refuse_at)}>
                  {fill(assistant.back, { host: returnsTo(found) })}
                </Button>
              </div>
            </Card>
            )}
      </Loaded>
    </Page>
  )
}

const returnsTo = ({ returns_to: host }: AskingAssistant) => host ?? texts.value.keys.assistant.thisComputer

function Question ({ asking, query }: { asking: AskingAssistant, query: string }) {
  const { assistant } = texts.value.keys
  const [permissions, setPermissions] = useState<Permission[]>(asking.asked)
  const [days, setDays] = useState(USUAL_DAYS)
  const allow = useAction(async () => {
    const { data } = await api.post<AllowedAssistant>('/assistants', { query, permissions, days })
    location.replace(data.redirect_to)
  })
  return (
    <Card>
      <h2 dir='auto'>{fill(assistant.asks, { name: asking.name })}</h2>
      <dl class='known'>
        <dt>{assistant.host}</dt><dd>{asking.host}</dd>
        <dt>{assistant.returns}</dt><dd>{returnsTo(asking)}</dd>
        <dt>{assistant.account}</dt><dd dir='auto'>{me.value!.account.name}</dd>
      </dl>
      <p class='notice'>{assistant.care}</p>
      <Allowed offered={asking.offered} chosen={permissions} onChange={setPermissions} />
      <Field label={assistant.days} hint={assistant.daysHint}>
        <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {DAYS.map((count) => <option key={count} value={count}>{shownDays(count)}</option>)}
        </select>
      </Field>
      {allow.error && <Failure error={allow.error} />}
      <div class='actions'>
        <Button onClick={() => location.replace(asking.refuse_at)}>{assistant.refuse}</Button>
        <Button kind='main' busy={allow.isBusy} disabled={permissions.length === 0} onClick={() => { allow.run() }}>
          {assistant.allow}
        </Button>
      </div>
    </Card>
  )
}

function shownDays (count: number): string {
  const { assistant } = texts.value.keys
  return count === 1 ? assistant.day : fill(assistant.forDays, { count })
}

/** What an assistant may do: no more than the user who grants access. */
function Allowed ({ offered, chosen, onChange }: {
  offered: readonly Permission[], chosen: readonly Permission[], onChange: (chosen: Permission[]) => void
}) {
  const { assistant } = texts.value.keys
  const may: Partial<Record<Permission, string>> = assistant.may
  return (
    <fieldset class='choices'>
      <legend>{assistant.allowed}</legend>
      <p class='hint'>{assistant.always}</p>
      {offered.map((one) => (
        <label key={one} class='row'>
          <input
            type='checkbox'
            checked={chosen.includes(one)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(offered.filter((other) => (other === one ? checked : chosen.includes(other))))}
          />
          {may[one]}
        </label>
      ))}
    </fieldset>
  )
}
