import { useState } from 'preact/hooks'
import record from 'schema:tickets#TicketingProviderRecord'
import forms from 'src:tickets/providers/schemas#PROVIDER_FORMS'
import type {
  ConsoleLanguage, ProviderCredentials, ProviderLabel, ProviderSettings, TicketingProvider
} from '../../../../../schema/tickets.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { useResource } from '../../resource.ts'
import { fill, language, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useRemoval } from './removal.ts'

/** The system that is offered first. */
const USUAL = 'zendesk'

/** A label in the language of the console. */
const read = (label: ProviderLabel) =>
  typeof label === 'string' ? label : label[language.value as ConsoleLanguage]

function systemOf (kind: string): string {
  const form = forms.find(({ name }) => name === kind)
  return form ? read(form.label) : kind
}

/** The ticketing systems. */
export function TicketingProviders () {
  const { business, ui } = texts.value
  const list = useResource<TicketingProvider[]>('/ticketing_providers')
  const [open, setOpen] = useState<TicketingProvider | 'new'>()
  const remove = useRemoval('/ticketing_providers', business.removeTicketingText, list.reload)
  return (
    <Card
      title={business.ticketing}
      actions={
        <Button kind='main' onClick={() => setOpen('new')}>{business.addTicketing}</Button>
      }
    >
      <p class='quiet'>{business.ticketingText}</p>
      {remove.error && <Failure error={remove.error} />}
      <Loaded from={list}>
        {(all) => (
          <ul class='list'>
            {all.map((one) => (
              <li key={one.id} class='entry'>
                <div class='grow'>
                  <strong dir='auto'>{one.name}</strong>
                  <p class='quiet'>
                    {systemOf(one.kind)}
                    {one.settings.url && ` · ${one.settings.url}`}
                  </p>
                  <Secret
                    label={business.inbound}
                    value={`${location.origin}${one.inbound_path}`}
                    hint={business.inboundHint}
                  />
                </div>
                <Button onClick={() => setOpen(one)} aria-label={fill(business.changeOf, { name: one.name })}>
                  {ui.edit}
                </Button>
                <Button
                  busy={remove.isBusy}
                  onClick={() => { remove.run(one) }}
                  aria-label={fill(business.removeOf, { name: one.name })}
                >
                  {business.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {open && (
        <ProviderDialog
          provider={open === 'new' ? undefined : open}
          onClose={() => setOpen(undefined)}
          onSaved={async () => await list.reload()}
        />
      )}
    </Card>
  )
}

function ProviderDialog ({
  provider, onClose, onSaved
}: {
  provider: TicketingProvider | undefined, onClose: () => void, onSaved: () => Promise<void>
}) {
  const { business, ui } = texts.value
  const [kind, setKind] = useState(provider?.kind ?? USUAL)
  const [name, setName] = useState(provider?.name ?? '')
  const [settings, setSettings] = useState<ProviderSettings>(provider?.settings ?? {})
  const [credentials, setCredentials] = useState<ProviderCredentials>({})
  const form = forms.find(({ name }) => name === kind) ?? { settings: [], credentials: [] }
  const save = useAction(async () => {
    // Emptied fields are removed from an existing system.
    const isSaid = (one: string) => Boolean(settings[one]) || Boolean(provider?.settings[one])
    const own = Object.fromEntries(
      form.settings.flatMap(({ name }) => (isSaid(name) ? [[name, settings[name] || null]] : []))
    )
    const secrets = Object.fromEntries(
      form.credentials.flatMap(({ name }) => (credentials[name] ? [[name, credentials[name]]] : []))
    )
    const body = { name, settings: own, ...(Object.keys(secrets).length > 0 && { credentials: secrets }) }
    await (provider
      ? api.patch(`/ticketing_providers/${provider.id}`, body)
      : api.post('/ticketing_providers', { ...body, kind }))
    await onSaved()
    onClose()
  })
  const bind = (one: string) => ({
    autocomplete: 'off' as const,
    value: credentials[one] ?? '',
    onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
      setCredentials({ ...credentials, [one]: value })
  })
  return (
    <Dialog title={provider?.name ?? business.addTicketing} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <Field label={business.system}>
          <select
            value={kind}
            disabled={provider !== undefined}
            onChange={(event) => setKind(event.currentTarget.value)}
          >
            {forms.map((one) => <option key={one.name} value={one.name}>{read(one.label)}</option>)}
          </select>
        </Field>
        <Field label={business.name} error={save.errorAt('name')}>
          <input
            required
            value={name}
            maxLength={schemaAt(record, 'name').maxLength}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        {form.settings.map((one) => (
          <Field
            key={one.name}
            label={read(one.label)}
            {...(one.hint && { hint: read(one.hint) })}
            error={save.errorAt(`settings.${one.name}`)}
          >
            <input
              value={settings[one.name] ?? ''}
              maxLength={one.maxLength}
              onInput={(event) => setSettings({ ...settings, [one.name]: event.currentTarget.value })}
            />
          </Field>
        ))}
        {provider && <p class='hint'>{business.credentialsKept}</p>}
        {form.credentials.map((one) => (
          <Field key={one.name} label={read(one.label)} error={save.errorAt(`credentials.${one.name}`)}>
            {one.input === 'email'
              ? <input type='email' {...bind(one.name)} />
              : <input type='password' {...bind(one.name)} />}
          </Field>
        ))}
        {save.error && <Failure error={save.error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={save.isBusy}>{ui.save}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
