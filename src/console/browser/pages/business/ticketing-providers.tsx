import { useState } from 'preact/hooks'
import draft from 'schema:tickets#TicketingProviderDraft'
import type {
  ProviderCredentials, ProviderSettings, TicketingKind, TicketingProvider
} from '../../../../../schema/tickets.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useRemoval } from './removal.ts'

/** What each system needs to be reached, and to be signed in to. */
const NEEDS: Record<
  TicketingKind,
  { settings: Array<keyof ProviderSettings>, credentials: Array<keyof ProviderCredentials> }
> = {
  webhook: { settings: ['url'], credentials: ['signing_secret'] },
  zendesk: { settings: ['url'], credentials: ['email', 'token', 'signing_secret'] },
  freshdesk: { settings: ['url'], credentials: ['token'] },
  jira: { settings: ['url', 'service_desk', 'request_type'], credentials: ['email', 'token', 'signing_secret'] },
  github: { settings: ['repository', 'url'], credentials: ['token', 'signing_secret'] },
  linear: { settings: ['team'], credentials: ['token', 'signing_secret'] },
  hubspot: { settings: ['pipeline', 'stage'], credentials: ['token', 'signing_secret'] }
}
const KINDS = Object.keys(NEEDS) as TicketingKind[]

/** The systems that tickets are opened in. */
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
                    {business.systems[one.kind]}
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
  const [kind, setKind] = useState<TicketingKind>(provider?.kind ?? 'zendesk')
  const [name, setName] = useState(provider?.name ?? '')
  const [settings, setSettings] = useState<ProviderSettings>(provider?.settings ?? {})
  const [credentials, setCredentials] = useState<ProviderCredentials>({})
  const needs = NEEDS[kind]
  const save = useAction(async () => {
    // What is emptied is taken away of a system that is there.
    const isSaid = (one: keyof ProviderSettings) => Boolean(settings[one]) || Boolean(provider?.settings[one])
    const own = Object.fromEntries(needs.settings.filter(isSaid).map((one) => [one, settings[one] || null]))
    const secrets = Object.fromEntries(
      needs.credentials.flatMap((one) => (credentials[one] ? [[one, credentials[one]]] : []))
    )
    const body = { name, settings: own, ...(Object.keys(secrets).length > 0 && { credentials: secrets }) }
    await (provider
      ? api.patch(`/ticketing_providers/${provider.id}`, body)
      : api.post('/ticketing_providers', { ...body, kind }))
    await onSaved()
    onClose()
  })
  const bind = (one: keyof ProviderCredentials) => ({
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
            onChange={(event) => setKind(event.currentTarget.value as TicketingKind)}
          >
            {KINDS.map((one) => <option key={one} value={one}>{business.systems[one]}</option>)}
          </select>
        </Field>
        <Field label={business.name} error={save.errorAt('name')}>
          <input
            required
            value={name}
            maxLength={schemaAt(draft, 'name').maxLength}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        {needs.settings.map((one) => (
          <Field
            key={one}
            {...(kind === 'github' && one === 'url' ? business.enterprise : { label: business.settings[one] })}
            error={save.errorAt(`settings.${one}`)}
          >
            <input
              value={settings[one] ?? ''}
              maxLength={schemaAt(draft, `settings.${one}`).maxLength}
              onInput={(event) => setSettings({ ...settings, [one]: event.currentTarget.value })}
            />
          </Field>
        ))}
        {provider && <p class='hint'>{business.credentialsKept}</p>}
        {needs.credentials.map((one) => (
          <Field key={one} label={business.credentials[one]} error={save.errorAt(`credentials.${one}`)}>
            {one === 'email' ? <input type='email' {...bind(one)} /> : <input type='password' {...bind(one)} />}
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
