import { BookOpen, CircleUser, ChevronDown, LogOut } from 'lucide-preact'
import { api } from '../api.ts'
import { CHOICES, duty, setDuty } from '../calling/duty.ts'
import { linkTo } from '../router.ts'
import { may, me, signOut } from '../session.ts'
import { LANGUAGES, language, speak, texts } from '../texts/index.ts'
import { useAction } from '../ui/action.ts'
import { Menu, MenuItem } from '../ui/button.tsx'
import { initialsOf } from './face.tsx'
import { choose, look, LOOKS, type Look } from './look.ts'
import { sentenceOf } from '../ui/states.tsx'
import { capacityIn } from './capacity.ts'

/** The user menu at the bottom: profile, availability, language and colour scheme of the console, and signing out. */
export function OwnMenu () {
  const { app, nav, inbox } = texts.value
  const { user } = me.value!
  const presence = duty.value && inbox.present[duty.value.is_on_duty ? 'there' : 'away']
  return (
    <div class='foot'>
      <Menu class='own' shown={<Who />} title={[user.name, presence].filter(Boolean).join(', ')} isStaying>
        {may('REPLY_CONVERSATION') && <Presence />}
        <Accounts />
        <label class='field'><span>{texts.value.account.language}</span>
          <select value={language.value} onChange={(event) => { speak(event.currentTarget.value) }}>
            {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code}>{name}</option>)}
          </select>
        </label>
        <label class='field'><span>{app.look}</span>
          <select value={look.value} onChange={(event) => choose(event.currentTarget.value as Look)}>
            {LOOKS.map((one) => <option key={one} value={one}>{app.looks[one]}</option>)}
          </select>
        </label>
        <a class='menu-item' href={linkTo('/account')}><CircleUser size={16} aria-hidden='true' />{nav.account}</a>
        <a class='menu-item' href='/docs'><BookOpen size={16} aria-hidden='true' />{app.docs}</a>
        <MenuItem icon={LogOut} onClick={() => { signOut() }}>{app.signOut}</MenuItem>
      </Menu>
    </div>
  )
}

/** Who is signed in, and whether visitors are passed on to them. */
function Who () {
  const { inbox } = texts.value
  const { user, account, accounts } = me.value!
  const beside = accounts.length > 1 ? account.name : user.email
  const isThere = duty.value?.is_on_duty
  return (
    <>
      <span class='own-face' aria-hidden='true'>
        {initialsOf(user.name)}{isThere && <span class='dot good' />}
      </span>
      <span class='own-name' dir='auto'>
        <strong class='cut'>{user.name}</strong>
        <span class='cut quiet'>{duty.value ? inbox.present[isThere ? 'there' : 'away'] : beside}</span>
      </span>
      <ChevronDown size={16} aria-hidden='true' />
    </>
  )
}

/** Whether the user is available to visitors, and for how many at once. */
function Presence () {
  const { inbox } = texts.value
  const set = useAction(async (change: Parameters<typeof setDuty>[0]) => await setDuty(change))
  if (!duty.value) return null
  const { on, capacity, is_open: isOpen } = duty.value
  return (
    <div class='own-presence' role='group' aria-label={inbox.duty}>
      {(Object.keys(CHOICES) as Array<keyof typeof CHOICES>).map((choice) => (
        <MenuItem
          key={choice} aria-pressed={on === CHOICES[choice]} onClick={() => { set.run({ on: CHOICES[choice] }) }}
        >
          <span class={choice === 'off' ? 'dot' : 'dot good'} aria-hidden='true' />{inbox.duties[choice]}
        </MenuItem>
      ))}
      <label class='field'><span>{inbox.capacity}</span>
        <input
          inputMode='numeric' maxLength={3} placeholder='∞' value={capacity ?? ''}
          onChange={({ currentTarget: field }) => {
            const wanted = capacityIn(field.value)
            if (wanted === undefined) field.value = String(capacity ?? '')
            else if (wanted !== capacity) set.run({ capacity: wanted })
          }}
        />
      </label>
      {!isOpen && <p class='hint'>{inbox.outsideHours}</p>}
      {set.error && <p class='error' role='alert'>{sentenceOf(set.error)}</p>}
    </div>
  )
}

/** The account the user acts for, if there are several. */
function Accounts () {
  const { app } = texts.value
  const { accounts, account } = me.value!
  if (accounts.length < 2) return null
  return (
    <label class='field accounts'><span>{app.account}</span>
      <select value={account.id} onChange={(event) => { switchTo(Number(event.currentTarget.value)) }}>
        {accounts.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
    </label>
  )
}

/** Everything on the page belongs to one account, so all of it is reloaded. */
async function switchTo (account: number) {
  await api.put('/me/account', { account })
  location.hash = '/'
  location.reload()
}
