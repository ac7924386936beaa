import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { BookOpen, LogOut, Menu, X } from 'lucide-preact'
import { api } from './api.ts'
import { PAGES } from './pages.ts'
import { linkTo, match, path } from './router.ts'
import { may, me, signOut } from './session.ts'
import { short } from './ui/tab.ts'
import { LANGUAGES, fill, language, speak, texts } from './texts/index.ts'
import { Button, IconButton } from './ui/button.tsx'
import { calling, unread } from './calling/unread.ts'
import { waiting } from './calling/waiting.ts'

/** What stands around every page: the menu, the account, and the way out. On a phone the menu opens over the page. */
export function Shell ({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const { app } = texts.value
  useEffect(() => setOpen(false), [path.value])
  return (
    <div class='shell'>
      <a class='skip' href='#main' onClick={toContent}>{app.skip}</a>
      <header class='bar'>
        <IconButton
          label={app.menu}
          icon={isOpen ? X : Menu}
          aria-expanded={isOpen}
          aria-controls='menu'
          onClick={() => setOpen(!isOpen)}
        />
        <strong>{app.name}</strong>
        {calling.value > 0 && (
          <a class='badge accent count' href={linkTo('/inbox')} aria-label={calls()}>{short(calling.value)}</a>
        )}
      </header>
      <nav
        id='menu'
        class={isOpen ? 'menu open' : 'menu'}
        aria-label={app.menu}
        onKeyDown={(event) => { if (event.key === 'Escape') setOpen(false) }}
      >
        <strong class='brand'>{app.name}</strong>
        <Entries />
        <Foot />
      </nav>
      <main id='main' tabIndex={-1}>{children}</main>
    </div>
  )
}

/** The address after the # is the page's, so that the link only moves the focus. */
function toContent (event: Event) {
  event.preventDefault()
  document.getElementById('main')!.focus()
}

function Entries () {
  const shown = PAGES.filter(({ nav, permissions }) => nav && (!permissions || permissions.some(may)))
  return (
    <ul>
      {shown.map(({ path: to, nav }) => {
        const Icon = nav!.icon
        const isHere = match(to, path.value) !== undefined || (to !== '/' && path.value.startsWith(`${to}/`))
        return (
          <li key={to}>
            <a href={linkTo(to)} aria-current={isHere ? 'page' : undefined}>
              <Icon size={16} aria-hidden='true' />{texts.value.nav[nav!.text]}
              {nav!.count && nav!.count.value > 0 && <Calling count={nav!.count.value} />}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

/** Which conversations call for whoever is signed in, in words. */
function calls (): string {
  const { app } = texts.value
  return [
    ...(waiting.value > 0 ? [fill(app.waiting, { count: waiting.value })] : []),
    ...(unread.value.size > 0 ? [fill(app.unread, { count: unread.value.size })] : [])
  ].join(', ')
}

/** How many call, beside the page where somebody can do something about it. */
function Calling ({ count }: { count: number }) {
  return (
    <span class='badge accent count'>
      <span aria-hidden='true'>{short(count)}</span>
      <span class='hidden' role='status'>{calls()}</span>
    </span>
  )
}

function Foot () {
  const { app } = texts.value
  const { accounts, account, user } = me.value!
  return (
    <div class='foot'>
      {accounts.length > 1 && (
        <label class='field'><span>{app.account}</span>
          <select value={account.id} onChange={(event) => { switchTo(Number(event.currentTarget.value)) }}>
            {accounts.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
        </label>
      )}
      <select aria-label='Language' value={language.value} onChange={(event) => { speak(event.currentTarget.value) }}>
        {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code}>{name}</option>)}
      </select>
      <a href='/docs'><BookOpen size={16} aria-hidden='true' />{app.docs}</a>
      <Button kind='quiet' icon={LogOut} onClick={() => { signOut() }}>{app.signOut}</Button>
      <span class='who'>{user.name}</span>
    </div>
  )
}

/** Everything on the page belongs to one account, so that it is all loaded anew. */
async function switchTo (account: number) {
  await api.put('/me/account', { account })
  location.hash = '/'
  location.reload()
}
