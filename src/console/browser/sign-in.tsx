import { useState } from 'preact/hooks'
import { KeyRound } from 'lucide-preact'
import type { OpenedLink } from '../../../schema/sign-in.ts'
import { api, type Refused } from './api.ts'
import { askForPasskey, hasPasskeys } from './passkeys.ts'
import { linkTo, replace } from './router.ts'
import { useResourceOf } from './resource.ts'
import { signedIn } from './session.ts'
import { Brand } from './shell.tsx'
import { fill, texts } from './texts/index.ts'
import { useAction, type Action } from './ui/action.ts'
import { Button } from './ui/button.tsx'
import { Field } from './ui/field.tsx'
import { Loaded, sentenceOf } from './ui/states.tsx'

/** The page for users who are not signed in: the sign-in, or the form that a link leads to. */
export function SignInPage ({ token }: { token: string | undefined }) {
  const { signIn } = texts.value
  return (
    <main class='alone' id='main'>
      <div class='card'>
        <Brand />
        {token ? <LinkForm token={token} /> : <><h1>{signIn.title}</h1><SignInForm /><LostPassword /></>}
      </div>
    </main>
  )
}

/** Signing in with a password or a passkey. */
export function SignInForm ({ email: known = '' }: { email?: string }) {
  const { signIn } = texts.value
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const enter = useAction(async () => {
    await api.post('/session', { email, password })
    await signedIn()
  })
  const touch = useAction(async () => {
    if (await askForPasskey()) await signedIn()
  })
  const error = enter.error ?? touch.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        enter.run()
      }}
    >
      <Field label={signIn.email}>
        <input
          type='email'
          required
          autocomplete='username webauthn'
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <Field label={signIn.password}>
        <input
          type='password'
          required
          autocomplete='current-password'
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </Field>
      {error && <p class='error' role='alert'>{sentenceOf(error)}</p>}
      <div class='actions'>
        <Button kind='main' type='submit' busy={enter.isBusy}>{signIn.submit}</Button>
        {hasPasskeys() && (
          <Button icon={KeyRound} busy={touch.isBusy} onClick={() => { touch.run() }}>{signIn.passkey}</Button>
        )}
      </div>
    </form>
  )
}

/** Requests a link to set a new password. If the server sends no mail it says so, and who else can help. */
function NewLink () {
  const { signIn } = texts.value
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const ask = useAction(async () => {
    await api.post('/links/request', { email })
    setSent(true)
  })
  return (
    <form
      class='lost'
      onSubmit={(event) => {
        event.preventDefault()
        ask.run()
      }}
    >
      <Field label={signIn.email} error={ask.errorAt('email')}>
        <input
          type='email'
          required
          autocomplete='username'
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <Refusal of={ask} />
      <div class='actions'><Button type='submit' busy={ask.isBusy}>{signIn.mailLink}</Button></div>
      <p class='hint' role='status'>{isSent ? signIn.mailed : signIn.lost}</p>
    </form>
  )
}

/** What no field of a form is to blame for. */
function Refusal ({ of: { error } }: { of: Action<[]> }) {
  return error && error.details.length === 0 ? <p class='error' role='alert'>{sentenceOf(error)}</p> : null
}

/** The same, folded, for users who came to sign in. */
function LostPassword () {
  return (
    <details>
      <summary>{texts.value.signIn.forgotten}</summary>
      <NewLink />
    </details>
  )
}

/** What a link opens: the first password, a new one, or a team. */
function LinkForm ({ token }: { token: string }) {
  const { signIn } = texts.value
  const link = useResourceOf(async () => await api.post<OpenedLink>('/links/look', { token }), token)
  const refused = (error: Refused) => {
    if (error.status === 410) link.reload()
    throw error
  }
  if (link.error?.status === 410) {
    return (
      <div class='stack'>
        <h1>{signIn.expired}</h1>
        <p>{signIn.linkGone}</p>
        <NewLink />
        <a class='button quiet' href={linkTo('/')}>{signIn.toSignIn}</a>
      </div>
    )
  }
  return (
    <Loaded from={link}>
      {(opened) =>
        opened.kind === 'invitation'
          ? <InvitationForm token={token} opened={opened} refused={refused} />
          : <PasswordForm token={token} opened={opened} refused={refused} />}
    </Loaded>
  )
}

interface Opened {
  token: string
  opened: OpenedLink
  /** Of a link that was used elsewhere meanwhile, the page says so and what to do; every refusal goes on. */
  refused: (error: Refused) => never
}

function PasswordForm ({ token, opened: { kind, email: known, name }, refused }: Opened) {
  const { signIn } = texts.value
  const [email, setEmail] = useState(known ?? '')
  const [own, setOwn] = useState(name ?? '')
  const [shop, setShop] = useState('')
  const [password, setPassword] = useState('')
  const isFirst = kind === 'setup'
  const use = useAction(async () => {
    const about = { ...(!known && { email }), ...(isFirst && { name: own }) }
    await api.post('/links/use', { token, password, ...about }).catch(refused)
    // It can be set later too, and users who join another's account do not set it.
    if (shop.trim()) await api.put('/business', { name: shop }).catch(() => {})
    await arrived()
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        use.run()
      }}
    >
      <h1>{isFirst ? signIn.setup : signIn.reset}</h1>
      {(name ?? known) && <p>{fill(signIn.linkFor, { name: name ?? known ?? '' })}</p>}
      {isFirst && <NameField value={own} error={use.errorAt('name')} onInput={setOwn} />}
      {isFirst && (
        <Field label={signIn.shop} hint={signIn.shopHint}>
          <input
            autocomplete='organization'
            maxLength={120}
            value={shop}
            onInput={(event) => setShop(event.currentTarget.value)}
          />
        </Field>
      )}
      <Field label={signIn.email} error={use.errorAt('email')}>
        <input
          type='email'
          required
          readOnly={known !== null}
          autocomplete='username'
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <Field label={signIn.newPassword} hint={signIn.newPasswordHint} error={use.errorAt('password')}>
        <input
          type='password'
          required
          minLength={12}
          autocomplete='new-password'
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </Field>
      <Refusal of={use} />
      <Button kind='main' type='submit' busy={use.isBusy}>{signIn.setPassword}</Button>
    </form>
  )
}

/** The user's name. */
function NameField ({ value, error, onInput }: {
  value: string, error: string | undefined, onInput: (value: string) => void
}) {
  const { signIn } = texts.value
  return (
    <Field label={signIn.name} hint={signIn.nameHint} error={error}>
      <input
        required
        maxLength={200}
        autocomplete='name'
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Field>
  )
}

function InvitationForm ({
  token, opened: { account, email: known, needs_password: isKnown }, refused
}: Opened) {
  const { signIn } = texts.value
  const team = { account: account ?? '' }
  const [email, setEmail] = useState(known ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const join = useAction(async () => {
    await api.post('/invitations/accept', { token, password, email, ...(!isKnown && { name }) }).catch(refused)
    await arrived()
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        join.run()
      }}
    >
      <h1>{fill(signIn.invitation, team)}</h1>
      <p>{isKnown ? signIn.ownPassword : fill(signIn.invitedAs, team)}</p>
      <Field label={signIn.email} error={join.errorAt('email')}>
        <input
          type='email'
          required
          autocomplete='username'
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      {!isKnown && <NameField value={name} error={join.errorAt('name')} onInput={setName} />}
      <Field
        label={isKnown ? signIn.password : signIn.newPassword}
        hint={isKnown ? undefined : signIn.newPasswordHint}
        error={join.errorAt('password')}
      >
        <input
          type='password'
          required
          autocomplete={isKnown ? 'current-password' : 'new-password'}
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </Field>
      <Refusal of={join} />
      <Button kind='main' type='submit' busy={join.isBusy}>{signIn.join}</Button>
    </form>
  )
}

/** The link has been used: its token must not stay in the address. */
async function arrived () {
  await signedIn(() => { replace('/') })
}
