import { useEffect, useState } from 'preact/hooks'
import patch from 'schema:sign-in#UserPatch'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { load, may, me } from '../../session.ts'
import { LANGUAGES, fill, language, shownBytes, shownNumber, speak, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { leaveTeam } from '../../own/leaving.ts'
import { Card, Page } from '../../ui/page.tsx'
import { PERMISSIONS } from '../../ui/permissions.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'

/**
 * The signed-in user's settings: name, e-mail address, password, passkeys, sessions, language; and the account's
 * limits.
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

/** Whether there may be a team to leave: nobody can leave an account they own. */
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

/** The account's limits, and how much of each is used. */
function Plan () {
  const { account } = texts.value
  useEffect(() => { load().catch(() => {}) }, [])
  const { limits, usage, features } = me.value!
  // A limit of 0 is none.
  const usedOf = (used: number, all: number, shown: (value: number) => string) =>
    all === 0 ? shown(used) : fill(account.of, { used: shown(used), all: shown(all) })
  return (
    <Card title={account.plan}>
      <dl class='known'>
        <dt>{account.agents}</dt>
        <dd>{usedOf(usage.agents, limits.max_agents, shownNumber)}</dd>
        <dt>{account.trained}</dt>
        <dd>
          {shownBytes(usage.training_bytes)} (
          {fill(account.perAgent, { size: shownBytes(limits.max_training_usage_bytes) })})
        </dd>
        <dt>{account.stored}</dt>
        <dd>{usedOf(usage.stored_bytes, limits.max_stored_bytes, shownBytes)}</dd>
        <dt>{account.requests}</dt>
        <dd>
          {limits.requests_per_minute === 0
            ? account.noLimit
            : fill(account.perMinute, { value: shownNumber(limits.requests_per_minute) })}
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
