import { useState } from 'preact/hooks'
import draft from 'schema:webhooks#WebhookDraft'
import type { EventType, NewWebhook, Webhook } from '../../../../../schema/webhooks.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, Switch } from '../../ui/field.tsx'

const EVENTS = schemaAt(draft, 'events').items!.enum as EventType[]

/** Creates or edits a webhook. */
export function WebhookDialog ({ webhook, onClose, onSaved }: {
  webhook: Webhook | undefined, onClose: () => void, onSaved: (made?: NewWebhook) => Promise<void>
}) {
  const { business } = texts.value
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<EventType[]>(webhook?.events ?? [])
  const [isActive, setActive] = useState(webhook?.is_active ?? true)
  const save = useAction(async () => {
    const body = { url, description, events, is_active: isActive }
    const made = webhook
      ? await api.patch(`/webhooks/${webhook.id}`, body).then(() => undefined)
      : (await api.post<NewWebhook>('/webhooks', body)).data
    onClose()
    await onSaved(made)
  })
  return (
    <FormDialog
      title={webhook ? webhook.description || webhook.url : business.addWebhook}
      action={save}
      disabled={events.length === 0}
      onClose={onClose}
    >
      <Field label={business.url} error={save.errorAt('url')}>
        <input
          type='url'
          required
          value={url}
          maxLength={schemaAt(draft, 'url').maxLength}
          placeholder='https://'
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </Field>
      <Field label={business.name} error={save.errorAt('description')}>
        <input
          value={description}
          maxLength={schemaAt(draft, 'description').maxLength}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </Field>
      <fieldset class='choices'>
        <legend>{business.toldOf}</legend>
        {EVENTS.map((one) => (
          <label key={one} class='row'>
            <input
              type='checkbox'
              checked={events.includes(one)}
              onChange={({ currentTarget: { checked } }) =>
                setEvents(EVENTS.filter((other) => (other === one ? checked : events.includes(other))))}
            />
            {business.events[one]}
          </label>
        ))}
      </fieldset>
      <Switch label={business.active} checked={isActive} onChange={setActive} />
    </FormDialog>
  )
}
