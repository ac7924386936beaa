import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Menu, Search, X } from 'lucide-preact'
import { OwnMenu } from './own/menu.tsx'
import { paletteKeys } from './keys.ts'
import { openPalette } from './palette/palette.tsx'
import type { Page } from './pages/page.ts'
import { PAGES } from './pages.ts'
import { linkTo, match, path } from './router.ts'
import { may } from './session.ts'
import { MARK, short } from './ui/tab.ts'
import { fill, texts } from './texts/index.ts'
import { unread } from './calling/unread.ts'
import { waiting } from './calling/waiting.ts'

/**
 * The frame of every page: the menu, with the user menu at its bottom. On a phone a bar at the bottom holds the most
 * used pages, and the menu opens over the page; while a conversation is open there is no bar.
 */
export function Shell ({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const { app } = texts.value
  const isTalking = path.value.startsWith('/inbox/')
  useEffect(() => setOpen(false), [path.value])
  return (
    <div class={['shell', path.value.startsWith('/inbox') && 'narrow', isTalking && 'talking'].filter(Boolean).join(' ')}>
      <a class='skip' href='#main' onClick={toContent}>{app.skip}</a>
      <nav class='bar' aria-label={app.places}>
        {barOf().map((page) => <Place key={page.path} page={page} isOpen={isOpen} />)}
        <button
          type='button' class='place' aria-expanded={isOpen} aria-controls='menu' onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <X size={20} aria-hidden='true' /> : <Menu size={20} aria-hidden='true' />}{app.menu}
        </button>
      </nav>
      <nav
        id='menu'
        class={isOpen ? 'menu open' : 'menu'}
        aria-label={app.menu}
        onKeyDown={(event) => { if (event.key === 'Escape') setOpen(false) }}
      >
        <Brand />
        <Jump />
        <Entries />
        <OwnMenu />
      </nav>
      <main id='main' tabIndex={-1}>{children}</main>
    </div>
  )
}

/** The name of the product, with its logo. */
export function Brand () {
  return (
    <strong class='brand'>
      <svg viewBox='0 0 20 20' width='20' height='20' aria-hidden='true'><path fill='currentColor' d={MARK} /></svg>
      <span>{texts.value.app.name}</span>
    </strong>
  )
}

/** Opens the palette, for users who do not know the shortcut. */
function Jump () {
  const { ui } = texts.value
  return (
    <button type='button' class='jump' onClick={openPalette} aria-keyshortcuts='Control+K Meta+K'>
      <Search size={16} aria-hidden='true' /><span class='name'>{ui.search}</span>
      <kbd aria-hidden='true'>{paletteKeys()}</kbd>
    </button>
  )
}

/** Pages that the phone's bar may hold, most used first, and how many it shows beside the menu. */
const FIRST_PLACES = ['/inbox', '/agents', '/figures', '/tickets', '/reviews', '/suggestions', '/', '/team']
const MOST_PLACES = 3

const isMine = ({ permissions }: Page) => !permissions || permissions.some(may)

function barOf (): Page[] {
  return FIRST_PLACES.flatMap((to) => PAGES.find(({ path }) => path === to) ?? []).filter(isMine).slice(0, MOST_PLACES)
}

const isHere = (to: string) => match(to, path.value) !== undefined || (to !== '/' && path.value.startsWith(`${to}/`))

/** An item of the phone's bar, with the number of conversations that need attention. */
function Place ({ page: { path: to, nav }, isOpen }: { page: Page, isOpen: boolean }) {
  const Icon = nav!.icon
  return (
    <a class='place' href={linkTo(to)} aria-current={isHere(to) && !isOpen ? 'page' : undefined}>
      <Icon size={20} aria-hidden='true' />{texts.value.nav[nav!.text]}
      {nav!.count && nav!.count.value > 0 && (
        <span class='badge accent count' role='img' aria-label={calls()}>{short(nav!.count.value)}</span>
      )}
    </a>
  )
}

/** The address after the # is used for routing, so the link only moves the focus. */
function toContent (event: Event) {
  event.preventDefault()
  document.getElementById('main')!.focus()
}

/** The pages in three groups: daily work, improving agents, and the account's own. */
function Entries () {
  const { menu } = texts.value
  const shown = PAGES.filter((page) => page.nav && !page.nav.isOwn && isMine(page))
  return (
    <>
      {(Object.keys(menu) as Array<keyof typeof menu>).map((group) => {
        const own = shown.filter(({ nav }) => nav!.group === group)
        return own.length > 0 && (
          <section key={group}>
            <h2 id={`menu-${group}`}>{menu[group]}</h2>
            <ul aria-labelledby={`menu-${group}`}>{own.map((page) => <Entry key={page.path} page={page} />)}</ul>
          </section>
        )
      })}
    </>
  )
}

function Entry ({ page: { path: to, nav } }: { page: Page }) {
  const Icon = nav!.icon
  return (
    <li>
      <a href={linkTo(to)} aria-current={isHere(to) ? 'page' : undefined}>
        <Icon size={16} aria-hidden='true' /><span class='name'>{texts.value.nav[nav!.text]}</span>
        {nav!.count && nav!.count.value > 0 && <Calling count={nav!.count.value} />}
      </a>
    </li>
  )
}

/** The conversations that need the signed-in user, in words. */
function calls (): string {
  const { app } = texts.value
  return [
    ...(waiting.value > 0 ? [fill(app.waiting, { count: waiting.value })] : []),
    ...(unread.value.size > 0 ? [fill(app.unread, { count: unread.value.size })] : [])
  ].join(', ')
}

/** The number of conversations that need attention, next to the page where they can be handled. */
function Calling ({ count }: { count: number }) {
  return (
    <span class='badge accent count'>
      <span aria-hidden='true'>{short(count)}</span>
      <span class='hidden' role='status'>{calls()}</span>
    </span>
  )
}
