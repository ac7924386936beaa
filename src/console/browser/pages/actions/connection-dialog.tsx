import { useState } from 'preact/hooks'
import draft from 'schema:actions#ConnectionDraft'
import type { Connection, ConnectionAuth, ConnectionKind } from '../../../../../schema/actions.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'

const AUTHS = schemaAt(draft, 'auth').enum as ConnectionAuth[]
const NAMED: readonly ConnectionAuth[] = ['header', 'basic', 'oauth_client']

/** The form values. */
function formOf (connection: Connection | undefined) {
  return {
    name: connection?.name ?? '',
    kind: connection?.kind ?? 'http' as ConnectionKind,
    base_url: connection?.base_url ?? '',
    auth: connection?.auth ?? 'bearer' as ConnectionAuth,
    auth_name: connection?.auth_name ?? '',
    token_url: connection?.token_url ?? '',
    secret: ''
  }
}

/** The request body made from them. */
function draftOf ({ auth, auth_name: name, token_url: token, secret, ...rest }: ReturnType<typeof formOf>) {
  return {
    ...rest,
    auth,
    ...(NAMED.includes(auth) && { auth_name: name }),
    ...(auth === 'oauth_client' && { token_url: token }),
    ...(secret && auth !== 'none' && { secret })
  }
}

/** Creates or replaces a connection; its secret stays if none is typed. */
export function ConnectionDialog ({ connection, onClose, onSaved }: {
  connection: Connection | undefined, onClose: () => void, onSaved: () => Promise<void>
}) {
  const { acts } = texts.value
  const [form, setForm] = useState(() => formOf(connection))
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change })
  const save = useAction(async () => {
    const body = draftOf(form)
    await (connection ? api.put(`/connections/${connection.id}`, body) : api.post('/connections', body))
    onClose()
    await onSaved()
  })
  const given = (field: 'name' | 'base_url' | 'auth_name' | 'token_url' | 'secret') => ({
    autocomplete: 'off',
    value: form[field],
    maxLength: schemaAt(draft, field).maxLength,
    onInput: (event: { currentTarget: { value: string } }) => set({ [field]: event.currentTarget.value })
  })
  const line = (field: 'name' | 'base_url' | 'auth_name' | 'token_url' | 'secret', label: string, hint?: string) => (
    <Field label={label} hint={hint} error={save.errorAt(field)}>
      {field === 'secret' ? <input type='password' {...given(field)} /> : <input {...given(field)} />}
    </Field>
  )
  return (
    <FormDialog title={connection?.name ?? acts.addConnection} action={save} onClose={onClose}>
      {line('name', acts.name)}
      <Field label={acts.kind} error={save.errorAt('kind')}>
        <select value={form.kind} onChange={(event) => set({ kind: event.currentTarget.value as ConnectionKind })}>
          {(['http', 'mcp'] as const).map((one) => <option key={one} value={one}>{acts.kinds[one]}</option>)}
        </select>
      </Field>
      {line('base_url', acts.address, acts.addressHint)}
      <Field label={acts.auth} error={save.errorAt('auth')}>
        <select value={form.auth} onChange={(event) => set({ auth: event.currentTarget.value as ConnectionAuth })}>
          {AUTHS.map((one) => <option key={one} value={one}>{acts.auths[one]}</option>)}
        </select>
      </Field>
      {NAMED.includes(form.auth) && line('auth_name', acts.authName)}
      {form.auth === 'oauth_client' && line('token_url', acts.tokenUrl)}
      {form.auth !== 'none' && line('secret', acts.secret, connection?.has_secret ? acts.secretKept : acts.secretHint)}
      {save.errorAt('allowed_hosts') && <p class='error'>{save.errorAt('allowed_hosts')}</p>}
    </FormDialog>
  )
}
