import { useState } from 'preact/hooks'
import draft from 'schema:access#ApiKeyDraft'
import type { NewApiKey, Permission } from '../../../../../schema/access.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { PermissionChoice } from '../../ui/permissions.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Failure } from '../../ui/states.tsx'

/** Creates a key; its secret is shown only once. */
export function NewKey ({ onClose, onMade }: { onClose: () => void, onMade: () => void }) {
  const { keys, ui } = texts.value
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<Permission[]>([])
  const [until, setUntil] = useState('')
  const [made, setMade] = useState<NewApiKey>()
  const make = useAction(async () => {
    const expires = until ? new Date(`${until}T23:59:59`).toISOString() : null
    setMade((await api.post<NewApiKey>('/api_keys', { name, permissions, expires_at: expires })).data)
    onMade()
  })
  if (made) {
    return (
      <Dialog title={keys.ready} onClose={onClose}>
        <Secret label={keys.secret} value={made.key} hint={keys.secretHint} />
        <footer><Button kind='main' onClick={onClose}>{ui.close}</Button></footer>
      </Dialog>
    )
  }
  return (
    <Dialog title={keys.make} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          make.run()
        }}
      >
        <Field label={keys.name} hint={keys.nameHint} error={make.errorAt('name')}>
          <input
            required
            value={name}
            maxLength={schemaAt(draft, 'name').maxLength}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <PermissionChoice chosen={permissions} onChange={setPermissions} />
        <Field label={keys.until} hint={keys.untilHint} error={make.errorAt('expires_at')}>
          <input type='date' value={until} onChange={(event) => setUntil(event.currentTarget.value)} />
        </Field>
        {make.error && <Failure error={make.error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={make.isBusy} disabled={permissions.length === 0}>{keys.make}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
