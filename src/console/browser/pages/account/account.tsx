import { useState } from 'preact/hooks'
import patch from 'schema:sign-in#UserPatch'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { load, may, me } from '../../session.ts'
import { LANGUAGES, fill, language, shownBytes, shownNumber, speak, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { leaveTeam } from '../../ui/leaving.ts'
import { Card, Page } from '../../ui/page.tsx'
import { PERMISSIONS } from '../../ui/permissions.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'

/**
 * What belongs to whoever is signed in: name, e-mail address, password, passkeys, sessions, language; and what the
 * account may use.
 */
export default function Account () {
  const { account, nav } = texts.value
  return (
    <Page title={nav.account}>
      <Profile />
      <Password />
      <Passkeys />
      <Sessions />
      <Card title={account.language}>
        <select
          aria-label={account.language}
          value={language.value}
          onChange={(event) => { speak(event.currentTarget.value) }}
        >
          {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code}>{name}</option>)}
        </select>
      </Card>
      <Plan />
      {isGuest() && <Leave />}
    </Page>
  )
}

/** Whether there may be a team to leave: nobody leaves the own account that they own. */
const isGuest = () => me.value!.account.id !== me.value!.user.id || !PERMISSIONS.every(may)

function Leave () {
  const { team } = texts.value
  const leave = useAction(leaveTeam)
  return (
    <Card title={fill(team.leaveTitle, { account: me.value!.account.name })}>
      <p class='quiet'>{team.leaveText}</p>
      {leave.error && <Failure error={leave.error} />}
      <div class='actions'><Button busy={leave.isBusy} onClick={() => { leave.run() }}>{team.leave}</Button></div>
    </Card>
  )
}

function Profile () {
  const { account, ui } = texts.value
  const { user } = me.value!
  const [name, setName] = useState(user.name)
  const [email, setEmail] = useState(user.email ?? '')
  const [password, setPassword] = useState('')
  const isMoved = email !== (user.email ?? '')
  const save = useAction(async () => {
    await api.patch('/me', {
      ...(name !== user.name && { name }), ...(isMoved && { email, current_password: password })
    })
    setPassword('')
    await load()
    toast(ui.saved)
  })
  return (
    <Card title={account.profile}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <Field label={account.name} error={save.errorAt('name')}>
          <input
            required
            autocomplete='name'
            value={name}
            maxLength={schemaAt(patch, 'name').maxLength}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label={account.email} hint={account.emailHint} error={save.errorAt('email')}>
          <input
            type='email'
            required
            autocomplete='username'
            value={email}
            maxLength={254}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </Field>
        {isMoved && (
          <Field label={account.currentPassword} error={save.errorAt('current_password')}>
            <input
              type='password'
              required
              autocomplete='current-password'
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          </Field>
        )}
        {save.error && save.error.details.length === 0 && <Failure error={save.error} />}
        <div class='actions'>
          <Button kind='main' type='submit' busy={save.isBusy} disabled={name === user.name && !isMoved}>
            {ui.save}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** What the account may use, and how much of it is used. */
function Plan () {
  const { account } = texts.value
  const { limits, usage, features } = me.value!
  const unlimited = (value: number, shown: (value: number) => string) => value === 0 ? account.noLimit : shown(value)
  return (
    <Card title={fill(account.plan, { account: me.value!.account.name })}>
      <dl class='known'>
        <dt>{account.agents}</dt>
        <dd>
          {limits.max_agents === 0
            ? shownNumber(usage.agents)
            : fill(account.of, { used: shownNumber(usage.agents), all: shownNumber(limits.max_agents) })}
        </dd>
        <dt>{account.trained}</dt>
        <dd>
          {shownBytes(usage.training_bytes)} (
          {fill(account.perAgent, { size: shownBytes(limits.max_training_usage_bytes) })})
        </dd>
        <dt>{account.stored}</dt>
        <dd>
          {fill(account.of, {
            used: shownBytes(usage.stored_bytes), all: unlimited(limits.max_stored_bytes, shownBytes)
          })}
        </dd>
        <dt>{account.requests}</dt>
        <dd>
          {unlimited(limits.requests_per_minute, (value) => fill(account.perMinute, { value: shownNumber(value) }))}
        </dd>
        <dt>{account.features}</dt>
        <dd>
          {(Object.keys(features) as Array<keyof typeof features>)
            .filter((one) => features[one])
            .map((one) => account.featureNames[one])
            .join(', ') || texts.value.ui.none}
        </dd>
      </dl>
    </Card>
  )
}
