import type { Session } from '../../../../../schema/sign-in.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'

/** Where one is signed in; each session can be ended. */
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
                  <p class='cut' dir='auto'>{browser || account.unknownBrowser}</p>
                  <p class='quiet'>{fill(account.used, { time: shownAgo(used) })}</p>
                </div>
                {isCurrent
                  ? <Badge tone='good'>{account.current}</Badge>
                  : <Button busy={end.isBusy} onClick={() => { end.run(`/me/sessions/${id}`) }}>{account.end}</Button>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
