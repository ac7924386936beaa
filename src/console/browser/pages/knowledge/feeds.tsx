import { useEffect, useState } from 'preact/hooks'
import type { Feed, StaleSource } from '../../../../../schema/feeds.ts'
import { failureSaid } from '../../asking/sentences.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, labelled, shownAgo, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { FeedDialog, RemoveFeed } from './feed-dialog.tsx'
import { Found, Waiting } from './findings.tsx'

const TONES = { idle: 'good', looking: 'accent', paused: 'plain', broken: 'bad' } as const

const AGAIN_MS = 2000

/** Whether a sync is running, or about to. */
const isUnderWay = ({ state, next_at: next }: Feed) =>
  state === 'looking' || (next !== null && Date.parse(next) <= Date.now())

/** The feeds from which an agent's knowledge is kept up to date. */
export function Feeds ({ id, onChanged }: { id: string, onChanged: () => void }) {
  const { feeds } = texts.value
  const route = `/agents/${id}/feeds`
  const list = useResource<Feed[]>(route)
  const [open, setOpen] = useState<Feed | 'new'>()
  // Until the requested sync is done.
  useEffect(() => {
    if (!list.data?.some(isUnderWay)) return undefined
    const timer = setTimeout(() => { list.reload() }, AGAIN_MS)
    return () => clearTimeout(timer)
  }, [list.data])
  const reload = async () => {
    await list.reload()
    onChanged()
  }
  return (
    <Card title={feeds.title} actions={<Button onClick={() => setOpen('new')}>{feeds.add}</Button>}>
      <p class='quiet'>{feeds.about}</p>
      <Loaded from={list}>
        {(all) => all.length > 0 && (
          <ul class='list'>{all.map((one) => (
            <Entry key={one.id} route={route} feed={one} onEdit={() => setOpen(one)} onDone={reload} />
          ))}
          </ul>
        )}
      </Loaded>
      {open && (
        <FeedDialog
          route={route}
          feed={open === 'new' ? undefined : open}
          onClose={() => setOpen(undefined)}
          onSaved={reload}
        />
      )}
    </Card>
  )
}

function Entry ({ route, feed, onEdit, onDone }: {
  route: string, feed: Feed, onEdit: () => void, onDone: () => Promise<void>
}) {
  const { feeds, business, ui } = texts.value
  const { name, state, awaiting_removal: waiting } = feed
  const at = `${route}/${feed.id}`
  const [isRemoving, setRemoving] = useState(false)
  const look = useAction(async () => {
    await api.post(`${at}/look`)
    toast(fill(feeds.lookingAt, { name }))
    await onDone()
  })
  const pause = useAction(async (paused: boolean) => {
    await api.patch(at, { paused })
    await onDone()
  })
  const approve = useAction(async () => {
    const n = shownNumber(waiting)
    if (!await confirm({ title: fill(feeds.approveTitle, { n }), text: feeds.approveText, verb: feeds.approve })) return
    await api.post(`${at}/approve_removal`)
    await onDone()
  })
  const failure = look.error ?? pause.error ?? approve.error
  const of = (label: string) => ({ 'aria-label': labelled(label, name) })
  return (
    <li class='entry'>
      <Standing feed={feed} />
      <div class='actions'>
        {waiting > 0 && (
          <Button kind='main' busy={approve.isBusy} onClick={() => { approve.run() }} {...of(feeds.approve)}>
            {feeds.approve}
          </Button>
        )}
        {state !== 'paused' && (
          <Button busy={look.isBusy} onClick={() => { look.run() }} {...of(feeds.look)}>{feeds.look}</Button>
        )}
        <Button
          busy={pause.isBusy}
          onClick={() => { pause.run(state !== 'paused') }}
          {...of(state === 'paused' ? feeds.goOn : feeds.pause)}
        >
          {state === 'paused' ? feeds.goOn : feeds.pause}
        </Button>
        <Button onClick={onEdit} aria-label={fill(business.changeOf, { name })}>{ui.edit}</Button>
        <Button onClick={() => setRemoving(true)} aria-label={fill(business.removeOf, { name })}>
          {business.remove}
        </Button>
      </div>
      {failure && <Failure error={failure} />}
      {isRemoving && <RemoveFeed route={route} feed={feed} onClose={() => setRemoving(false)} onRemoved={onDone} />}
    </li>
  )
}

/** A feed, and how its last sync went. */
function Standing ({ feed }: { feed: Feed }) {
  const { feeds } = texts.value
  const { agent, name, kind, state, error, last, sources, awaiting_removal: waiting } = feed
  return (
    <div class='grow'>
      <strong class='long' dir='auto'>{name}</strong>{' '}
      <Badge tone={TONES[state]}>{feeds.states[state]}</Badge>
      <p class='quiet'>{feeds.kinds[kind]} · {fill(feeds.sources, { n: shownNumber(sources) })}
        {last && <> · {fill(feeds.looked, { ago: shownAgo(last.at) })}</>}
      </p>
      {last && (
        <p class='quiet'>{fill(feeds.found, {
          new: shownNumber(last.new), changed: shownNumber(last.changed), gone: shownNumber(last.gone)
        })}{last.failed > 0 && <>, {fill(feeds.unread, { failed: shownNumber(last.failed) })}</>}
        </p>
      )}
      {last && <Found agent={agent} last={last} />}
      {waiting > 0 && <p>{fill(feeds.waiting, { n: shownNumber(waiting) })}</p>}
      {waiting > 0 && last && <Waiting agent={agent} last={last} />}
      {error && <p class='error'>{failureSaid(error)}</p>}
    </div>
  )
}

/** Sources that may be outdated, if there are any: most cited first. */
export function StaleSources ({ id }: { id: string }) {
  const { feeds } = texts.value
  const list = useResource<StaleSource[]>(`/agents/${id}/knowledge/stale`)
  const stale = (list.data ?? []).toSorted((a, b) => b.cited - a.cited)
  if (stale.length === 0) return null
  const nameOf = (source: number | null) => stale.find((one) => one.id === source)?.title ?? `#${source}`
  return (
    <Card title={feeds.stale}>
      <p class='quiet'>{feeds.staleText}</p>
      <ul class='list'>
        {stale.slice(0, 50).map((one) => (
          <li key={one.id} class='entry'>
            <div class='grow'>
              <strong class='long' dir='auto'>{one.title}</strong>{' '}
              <Badge tone={one.stale === 'unchecked' ? 'plain' : 'bad'}>{feeds.reasons[one.stale]}</Badge>
              {one.contradicts !== null && <p>{fill(feeds.contradicts, { name: nameOf(one.contradicts) })}</p>}
              <p class='quiet'>
                {one.checked_at !== null && <>{fill(feeds.looked, { ago: shownAgo(one.checked_at) })} · </>}
                {fill(feeds.cited, { n: shownNumber(one.cited) })}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}
