import { useState } from 'preact/hooks'
import change from 'schema:sign-in#PasswordChange'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** Changes the password. */
export function Password () {
  const { account, signIn } = texts.value
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useAction(async () => {
    await api.put('/me/password', { current_password: current, password })
    setCurrent('')
    setPassword('')
    toast(account.passwordChanged)
  })
  const { minLength, maxLength } = schemaAt(change, 'password')
  return (
    <Card title={account.password}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <Field label={account.currentPassword} error={save.errorAt('current_password')}>
          <input
            type='password'
            required
            autocomplete='current-password'
            value={current}
            onInput={(event) => setCurrent(event.currentTarget.value)}
          />
        </Field>
        <Field label={signIn.newPassword} hint={signIn.newPasswordHint} error={save.errorAt('password')}>
          <input
            type='password'
            required
            minLength={minLength}
            maxLength={maxLength}
            autocomplete='new-password'
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        {save.error && save.error.details.length === 0 && <Failure error={save.error} />}
        <div class='actions'><Button type='submit' busy={save.isBusy}>{account.changePassword}</Button></div>
      </form>
    </Card>
  )
}
