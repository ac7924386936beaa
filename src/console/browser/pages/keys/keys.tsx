import { useState } from 'preact/hooks'
import { Plus } from 'lucide-preact'
import type { ApiKey } from '../../../../../schema/access.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, shownAgo, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Badge, Card, Page } from '../../ui/page.tsx'
import { PERMISSIONS } from '../../ui/permissions.tsx'
import { Empty, Failure, Loaded } from '../../ui/states.tsx'
import { NewKey } from './new-key.tsx'

/** The signed-in user's API keys for this account. */
export default function Keys () {
  const { keys, nav } = texts.value
  const list = useResource<ApiKey[]>('/api_keys')
  const [isNew, setNew] = useState(false)
  const revoke = useAction(async ({ id, name }: ApiKey) => {
    if (!await confirm({ title: fill(keys.revokeTitle, { name }), text: keys.revokeText, verb: keys.revoke })) return
    await api.delete(`/api_keys/${id}`)
    await list.reload()
  })
  return (
    <Page
      title={nav.keys}
      actions={
        <Button kind='main' icon={Plus} onClick={() => setNew(true)}>{keys.make}</Button>
      }
    >
      <p class='quiet'>{keys.about}</p>
      {revoke.error && <Failure error={revoke.error} />}
      <Loaded from={list}>
        {(all) =>
          all.length === 0
            ? <Empty title={keys.empty} text={keys.emptyText} />
            : (
              <Card>
                <ul class='list'>
                  {all.map((key) => (
                    <li key={key.id} class='entry'>
                      <div class='grow'>
                        <strong dir='auto'>{key.name}</strong> {whoseOf(key)}
                        <p class='quiet'>{permissionsOf(key)}</p>
                        <p class='quiet'>{timesOf(key)}</p>
                      </div>
                      <Button
                        busy={revoke.isBusy}
                        onClick={() => { revoke.run(key) }}
                        aria-label={fill(keys.revokeOf, { name: key.name })}
                      >
                        {keys.revoke}
                      </Button>
                    </li>
                  ))}
                </ul>
              </Card>
              )}
      </Loaded>
      {isNew && <NewKey onClose={() => setNew(false)} onMade={() => { list.reload() }} />}
    </Page>
  )
}

/** How a key is identified: an assistant's by its host, since its token changes every hour. */
const whoseOf = ({ client, hint }: ApiKey) => client === null
  ? <code>{hint}</code>
  : <Badge>{fill(texts.value.keys.assistant.listed, { host: new URL(client).host })}</Badge>

function permissionsOf ({ permissions }: ApiKey): string {
  const { keys, team } = texts.value
  return permissions.length === PERMISSIONS.length
    ? keys.everything
    : permissions.map((one) => team.may[one]).join(', ')
}

function timesOf ({ created_at: created, last_used_at: used, expires_at: expires }: ApiKey): string {
  const { keys } = texts.value
  const parts = [
    fill(keys.made, { time: shownTime(created) }), used ? fill(keys.used, { time: shownAgo(used) }) : keys.neverUsed
  ]
  return [...parts, ...(expires ? [fill(keys.expires, { time: shownTime(expires) })] : [])].join(' · ')
}
