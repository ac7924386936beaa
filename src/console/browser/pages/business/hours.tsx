import { useState } from 'preact/hooks'
import { DAYS } from '../../../../../schema/business.ts'
import patch from 'schema:business#BusinessPatch'
import type { Business, BusinessPatch } from '../../../../../schema/business.ts'
import { api } from '../../api.ts'
import { changes, schemaAt } from '../../forms.ts'
import { useResource, type Resource } from '../../resource.ts'
import { labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { ClosedDays } from './closed-days.tsx'
import { Targets } from './targets.tsx'
import { WeeklyMail } from './weekly-mail.tsx'
import { TeamChat } from './team-chat.tsx'
import { Week } from './week.tsx'

const NOTICES = ['waiting', 'taken', 'returned', 'ticket', 'closed'] as const

/** When people are available, and what visitors are shown. */
export function Hours () {
  const business = useResource<Business>('/business')
  return (
    <Loaded from={business} lines={8}>
      {() => (
        <>
          <Form business={business} />
          <TeamChat business={business} />
        </>
      )}
    </Loaded>
  )
}

type Settings = Pick<
  Business,
  'name' | 'address' | 'time_zone' | 'hours' | 'closed_on' | 'notices' | 'targets' | 'asks_satisfaction' | 'gaps_mail'
>
const settingsOf = (from: Business): Settings => ({
  name: from.name,
  address: from.address,
  time_zone: from.time_zone,
  hours: from.hours,
  closed_on: from.closed_on,
  notices: from.notices,
  targets: from.targets,
  asks_satisfaction: from.asks_satisfaction,
  gaps_mail: from.gaps_mail
})

function Form ({ business }: { business: Resource<Business> }) {
  const { business: words, ui } = texts.value
  const kept = settingsOf(business.data!)
  const [settings, setSettings] = useState(kept)
  const changed = changes(kept, settings) as BusinessPatch
  const isChanged = Object.keys(changed).length > 0
  const save = useAction(async () => {
    const { data } = await api.put<Business>('/business', changed)
    business.set(data)
    setSettings(settingsOf(data))
    toast(ui.saved)
  })
  useUnsaved(isChanged)

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.run()
      }}
    >
      <Card
        title={words.hours}
        actions={
          <Badge tone={business.data!.is_open ? 'good' : 'plain'}>
            {business.data!.is_open ? words.openNow : words.closedNow}
          </Badge>
        }
      >
        <Field label={words.ownName} hint={words.ownNameHint} error={save.errorAt('name')}>
          <input
            dir='auto'
            autocomplete='organization'
            maxLength={schemaAt(patch, 'name').maxLength}
            value={settings.name}
            onInput={(event) => setSettings({ ...settings, name: event.currentTarget.value })}
          />
        </Field>
        <Field label={words.ownAddress} hint={words.ownAddressHint} error={save.errorAt('address')}>
          <textarea
            class='short'
            dir='auto'
            autocomplete='street-address'
            maxLength={schemaAt(patch, 'address').maxLength}
            value={settings.address}
            onInput={(event) => setSettings({ ...settings, address: event.currentTarget.value })}
          />
        </Field>
        <Field label={words.timeZone} error={save.errorAt('time_zone')}>
          <input
            required
            list='zones'
            value={settings.time_zone}
            onInput={(event) => setSettings({ ...settings, time_zone: event.currentTarget.value })}
          />
        </Field>
        <datalist id='zones'>
          {Intl.supportedValuesOf('timeZone').map((zone) => <option key={zone} value={zone} />)}
        </datalist>
        <Week hours={settings.hours} onChange={(hours) => setSettings({ ...settings, hours })} />
        <ClosedDays days={settings.closed_on} onChange={(days) => setSettings({ ...settings, closed_on: days })} />
      </Card>
      <Targets
        targets={settings.targets} asks={settings.asks_satisfaction}
        onChange={(targets) => setSettings({ ...settings, targets })}
        onAsks={(asks) => setSettings({ ...settings, asks_satisfaction: asks })}
        errorAt={save.errorAt}
      />
      <WeeklyMail
        language={settings.gaps_mail}
        onChange={(language) => setSettings({ ...settings, gaps_mail: language })}
      />
      <Card title={words.notices}>
        <p class='quiet'>{words.noticesText}</p>
        {NOTICES.map((one) => (
          <Field key={one} label={words.noticeOf[one]} error={save.errorAt(`notices.${one}`)}>
            <textarea
              class='short'
              value={settings.notices[one]}
              maxLength={schemaAt(patch, `notices.${one}`).maxLength}
              placeholder={words.builtIn}
              onInput={(event) =>
                setSettings({ ...settings, notices: { ...settings.notices, [one]: event.currentTarget.value } })}
            />
          </Field>
        ))}
      </Card>
      {save.error && save.error.details.length === 0 && <Failure error={save.error} />}
      {save.error?.details.map(({ field, message }) => {
        const day = DAYS.find((one) => field === `hours.${one}`)
        return day && <p key={field} class='error' role='alert'>{labelled(words.days[day], message)}</p>
      })}
      <div class='actions save'>
        <Button kind='main' type='submit' busy={save.isBusy} disabled={!isChanged}>{ui.save}</Button>
        {isChanged && <span class='hint'>{ui.unsaved}</span>}
      </div>
    </form>
  )
}
