import type { Session } from '../../../../../schema/sign-in.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, labelled, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'

/** What browsers call themselves, the most specific first: nearly all claim to be Chrome and Safari too. */
const BROWSERS: Array<[RegExp, string]> = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'], [/\bOPR\//, 'Opera'], [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'], [/\b(?:Headless)?(?:Chrome|CriOS)\//, 'Chrome'], [/\bSafari\//, 'Safari']
]
const SYSTEMS: Array<[RegExp, string]> = [
  [/\bWindows\b/, 'Windows'], [/\bAndroid\b/, 'Android'], [/\biPhone\b/, 'iPhone'], [/\biPad\b/, 'iPad'],
  [/\bMac OS X\b/, 'macOS'], [/\bCrOS\b/, 'ChromeOS'], [/\bLinux\b/, 'Linux']
]

/** A browser as people call it: Firefox on Windows. User agent strings are not readable. */
function browserIn (sent: string): string {
  const { account } = texts.value
  const named = (all: Array<[RegExp, string]>) => all.find(([form]) => form.test(sent))?.[1]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  return browser && system ? fill(account.browserOn, { browser, system }) : browser ?? system ?? account.unknownBrowser
}

/** Where the user is signed in; each session can be ended. */
export function Sessions () {
  const { account } = texts.value
  const list = useResource<Session[]>('/me/sessions')
  const end = useAction(async (route: string) => {
    await api.delete(route)
    await list.reload()
  })
  const hasOthers = list.data?.some(({ is_current: isCurrent }) => !isCurrent) ?? false
  return (
    <Card
      title={account.sessions}
      actions={
        hasOthers && <Button busy={end.isBusy} onClick={() => { end.run('/me/sessions') }}>{account.endOthers}</Button>
      }
    >
      {end.error && <Failure error={end.error} />}
      <Loaded from={list}>
        {(all) => (
          <ul class='list'>
            {all.map(({ id, browser, last_used_at: used, is_current: isCurrent }) => (
              <li key={id} class='entry'>
                <div class='grow'>
                  <p class='cut' dir='auto'>{browserIn(browser)}</p>
                  <p class='quiet'>{fill(account.used, { time: shownAgo(used) })}</p>
                </div>
                {isCurrent
                  ? <Badge tone='good'>{account.current}</Badge>
                  : (
                    <Button
                      busy={end.isBusy} onClick={() => { end.run(`/me/sessions/${id}`) }}
                      aria-label={labelled(account.end, browserIn(browser))}
                    >
                      {account.end}
                    </Button>
                    )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
