import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useRef, useErrorBoundary, useState } from 'preact/hooks'
import { isReachable } from './api.ts'
import { onceBack } from './asking/back.ts'
import { watch } from './live.ts'
import { PAGES } from './pages.ts'
import type { Page, PageProps } from './pages/page.ts'
import { linkTo, match, path } from './router.ts'
import { isSignInWanted, load, may, me } from './session.ts'
import { Shell } from './shell.tsx'
import { SignInForm, SignInPage } from './sign-in.tsx'
import { fill, texts } from './texts/index.ts'
import { Button } from './ui/button.tsx'
import { Confirmation, Dialog } from './ui/dialog.tsx'
import { countInTab } from './ui/tab.ts'
import { Empty, Failure, Skeleton } from './ui/states.tsx'
import { Toasts } from './ui/toast.tsx'
import { Palette } from './palette/palette.tsx'
import { followDuty } from './calling/duty.ts'
import { callPerson } from './calling/call.ts'
import { followUnread } from './calling/unread.ts'
import { countMine } from './calling/mine.ts'
import { countWaiting } from './calling/waiting.ts'

const AGAIN_MS = 3000

/** The whole app: users who are not signed in see the sign-in, others the page that the address names. */
export function App () {
  const who = me.value
  const isSignedIn = Boolean(who)
  useEffect(countInTab, [])
  useEffect(() => {
    if (!isSignedIn || !may('REPLY_CONVERSATION')) return
    const ends = [countWaiting(), countMine(), followUnread(), followDuty(), callPerson(), watch()]
    return () => { for (const end of ends) end() }
  }, [isSignedIn])
  const link = match('/link/:token', path.value)
  const page = link || !who ? <SignInPage token={link?.token} /> : <Shell><Outlet /><Palette /></Shell>
  return (
    <>
      {!isReachable.value && <Offline />}
      {who === undefined ? <Waiting /> : page}
      {isSignInWanted.value && (
        <Dialog title={texts.value.signIn.title}>
          <p>{texts.value.signIn.sessionOver}</p>
          <SignInForm email={who?.user.email ?? ''} />
        </Dialog>
      )}
      <Confirmation />
      <Toasts />
    </>
  )
}

/** Says that the server cannot be reached; what is as high as the window leaves it its height. */
function Offline () {
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    const { style } = document.documentElement
    style.setProperty('--told', `${line.current!.offsetHeight}px`)
    return () => { style.removeProperty('--told') }
  }, [])
  return <p ref={line} class='offline' role='status'>{texts.value.app.offline}</p>
}

/** The server could not be reached when the page was opened: retries until it answers. */
function Waiting () {
  useEffect(() => {
    const timer = setInterval(() => { load().catch(() => { /* Again in a moment. */ }) }, AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  return <main class='alone'><Skeleton lines={4} /></main>
}

/** The page that the address names. */
function Outlet () {
  for (const page of PAGES) {
    const params = match(page.path, path.value)
    if (params) return <Loaded key={page.keep ?? path.value} page={page} params={params} />
  }
  return (
    <Empty title={texts.value.app.unknownPage} text=''>
      <a class='button' href={linkTo('/')}>{texts.value.app.home}</a>
    </Empty>
  )
}

const loaded = new Map<Page, ComponentType<PageProps>>()

const RELOADED = 'agenthall:reloaded'
const SOON_MS = 60_000

/** Whether the page was not reloaded a moment ago: one reload helps, or none does. */
function isFirstReload (): boolean {
  try {
    const isFirst = Date.now() - Number(sessionStorage.getItem(RELOADED)) > SOON_MS
    sessionStorage.setItem(RELOADED, String(Date.now()))
    return isFirst
  } catch {
    return false
  }
}

/** A page, once its code is loaded. Errors in it do not spread beyond it. */
function Loaded ({ page, params }: { page: Page, params: Record<string, string> }) {
  const [View, setView] = useState<ComponentType<PageProps> | undefined>(() => loaded.get(page))
  const [isAway, setAway] = useState(false)
  const [isGone, setGone] = useState(false)
  const [error] = useErrorBoundary((caught) => { console.error(caught) })

  async function fetchCode () {
    setAway(false)
    try {
      const { default: found } = await page.load()
      loaded.set(page, found)
      setView(() => found)
    } catch {
      // The server is there, and this code is not: it is newer than what is open here.
      const isThere = await fetch('/readyz', { cache: 'no-store' }).then(({ ok }) => ok, () => false)
      if (!isThere) setAway(true)
      else if (isFirstReload()) location.reload()
      else setGone(true)
    }
  }

  useEffect(() => { if (!View) fetchCode() }, [page])
  useEffect(() => isAway ? onceBack(() => { fetchCode() }) : undefined, [isAway])
  if (page.permissions && !page.permissions.some(may)) {
    return <Empty title='' text={fill(texts.value.app.noPermission, { account: me.value!.account.name })} />
  }
  if (error || isGone) {
    return (
      <Empty title={texts.value.app.failed} text=''>
        <Button onClick={() => location.reload()}>{texts.value.app.reload}</Button>
      </Empty>
    )
  }
  if (isAway) {
    return (
      <Failure
        error={Object.assign(new Error(''), { status: 0, code: '', details: [], fields: {} })}
        retry={() => { fetchCode() }}
      />
    )
  }
  return View ? <View params={params} /> : <Skeleton lines={6} />
}
