import { useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Version, VersionSummary } from '../../../../../schema/versions.ts'
import { api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import type { PageProps } from '../page.ts'
import type { Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm, Dialog } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/field.tsx'
import { More } from '../../ui/more.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { AgentPage } from '../agent/frame.tsx'
import { Changes } from './changes.tsx'

/** Published versions, and a way to restore them. */
export default function Versions ({ params: { id = '' } }: PageProps) {
  return (
    <AgentPage id={id} wide>
      {(agent, from) => (
        <>
          <WhenLive agent={agent} from={from} />
          <List key={`${agent.live_version} ${agent.draft_etag}`} agent={agent} from={from} />
        </>
      )}
    </AgentPage>
  )
}

/** Whether changes go live immediately. */
function WhenLive ({ agent: { id, publish_on_save: isAtOnce, has_unpublished: waits }, from }: {
  agent: Agent, from: Resource<Agent>
}) {
  const { versions } = texts.value
  const change = useAction(async (next: boolean) => {
    const question = { title: versions.atOnceTitle, text: versions.atOnceText, verb: versions.publish }
    if (next && waits && !await confirm(question)) return
    const { data, etag } = await api.put<Agent>(`/agents/${id}`, { publish_on_save: next })
    from.set(data, etag)
    toast(texts.value.ui.saved)
  })
  return (
    <Card>
      <Switch
        label={versions.atOnce}
        hint={versions.atOnceHint}
        checked={isAtOnce}
        disabled={!may('MANAGE_AGENTS')}
        onChange={(next) => { change.run(next) }}
      />
      {change.error && <Failure error={change.error} />}
    </Card>
  )
}

function List ({ agent, from }: { agent: Agent, from: Resource<Agent> }) {
  const { versions } = texts.value
  const list = useListing<VersionSummary>(`/agents/${agent.id}/versions`)
  const [compared, setCompared] = useState<number>()
  return (
    <Card title={versions.title}>
      <Loaded from={list.first} lines={5}>
        {() => (
          <ul class='list'>
            {list.items.map((one) => (
              <Row key={one.number} agent={agent} from={from} version={one} onCompare={() => setCompared(one.number)} />
            ))}
          </ul>
        )}
      </Loaded>
      <More more={list.more} />
      {compared !== undefined && (
        <Dialog wide title={fill(versions.comparing, { n: compared })} onClose={() => setCompared(undefined)}>
          <Changes agent={agent.id} from={compared} to='draft' />
        </Dialog>
      )}
    </Card>
  )
}

/** Makes a version the draft, or the live version. */
function useWayBack ({ id }: Agent, from: Resource<Agent>, number: number) {
  async function told (version: Version, text: string) {
    await from.reload()
    const { gone_sources: { length: n } } = version
    toast(n > 0 ? `${text} ${fill(texts.value.versions.gone, { n })}` : text)
  }
  const restore = useAction(async () => {
    const { data } = await api.post<Version>(`/agents/${id}/versions/${number}/restore`)
    await told(data, fill(texts.value.versions.restored, { n: number }))
  })
  const again = useAction(async () => {
    const { versions } = texts.value
    const question = {
      title: fill(versions.againTitle, { n: number }), text: versions.againText, verb: versions.publish
    }
    if (!await confirm(question)) return
    const { data } = await api.post<Version>(`/agents/${id}/versions/${number}/publish`, {})
    await told(data, fill(versions.published, { n: data.number }))
  })
  return { restore, again }
}

function Row ({ agent, from, version, onCompare }: {
  agent: Agent, from: Resource<Agent>, version: VersionSummary, onCompare: () => void
}) {
  const { versions } = texts.value
  const { number, state, note, published_at: at, published_by: by, copy_of: of, force_reason: reason } = version
  const { restore, again } = useWayBack(agent, from, number)
  const mayManage = may('MANAGE_AGENTS')
  const error = restore.error ?? again.error
  const tone = ({ live: 'good', draft: 'accent', previous: 'plain' } as const)[state]
  return (
    <li class='version-row'>
      <div class='grow'>
        <p>
          <strong>{fill(versions.numbered, { n: number })}</strong> <Badge tone={tone}>{versions.states[state]}</Badge>
          {of !== null && <span class='quiet'> {fill(versions.copyOf, { n: of })}</span>}
        </p>
        <p class='quiet'>{shownTime(at)}{by && ` · ${by.name ?? texts.value.audit.gone}`}</p>
        {note && <p dir='auto'>{note}</p>}
        {reason && <p class='quiet' dir='auto'>{fill(versions.forced, { reason })}</p>}
        {error && <Failure error={error} />}
      </div>
      <div class='actions'>
        <Button onClick={onCompare}>{versions.compare}</Button>
        {mayManage && <Button busy={restore.isBusy} onClick={() => { restore.run() }}>{versions.restore}</Button>}
        {mayManage && state !== 'live' && (
          <Button busy={again.isBusy} onClick={() => { again.run() }}>{versions.again}</Button>
        )}
      </div>
    </li>
  )
}
