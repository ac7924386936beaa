import type { ComponentChildren } from 'preact'
import type { Agent } from '../../../../../schema/agents.ts'
import { useResource, type Resource } from '../../resource.ts'
import { linkTo, path } from '../../router.ts'
import { may } from '../../session.ts'
import { texts } from '../../texts/index.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { currentInView } from '../../ui/tab.ts'
import { WorseBanner } from '../questions/banner.tsx'
import { PublishBar } from '../versions/publish.tsx'

/**
 * The frame of every page of an agent: its name and links to its other pages. `children` renders the page once the
 * agent is loaded.
 */
export function AgentPage ({
  id, actions, wide = false, children
}: {
  id: string
  actions?: ComponentChildren
  wide?: boolean
  children: (agent: Agent, from: Resource<Agent>) => ComponentChildren
}) {
  const agent = useResource<Agent>(`/agents/${id}`)
  const { agent: say } = texts.value
  // An invalid id is treated as not found.
  if (agent.error?.status === 404 || !/^\d+$/.test(id)) {
    return (
      <Page title={say.gone}>
        <Empty title={say.gone} text={say.goneText}><LinkButton to='/agents'>{say.back}</LinkButton></Empty>
      </Page>
    )
  }
  return (
    <Page title={agent.data?.name ?? ''} actions={actions} width={wide ? 'wide' : 'wide slim'}>
      <Parts id={id} />
      {agent.data && <PublishBar agent={agent.data} from={agent} />}
      {agent.data && <WorseBanner agent={agent.data.id} />}
      {agent.error && !agent.data && <Failure error={agent.error} retry={() => { agent.reload() }} />}
      {agent.data ? children(agent.data, agent) : !agent.error && <Skeleton lines={8} />}
    </Page>
  )
}

function Parts ({ id }: { id: string }) {
  const { agent: say } = texts.value
  const isSpeaking = may('REPLY_CONVERSATION') || may('MANAGE_AGENTS')
  const parts: Array<[to: string, name: string]> = [
    [`/agents/${id}`, say.settings],
    [`/agents/${id}/knowledge`, say.knowledge],
    [`/agents/${id}/words`, say.words],
    [`/agents/${id}/rules`, say.rules],
    ...isSpeaking ? [[`/agents/${id}/try`, say.attempt] as [string, string]] : [],
    [`/agents/${id}/questions`, say.questions],
    [`/agents/${id}/versions`, say.versions],
    [`/agents/${id}/site`, say.site]
  ]
  return (
    <nav class='tabs' aria-label={say.parts} ref={currentInView}>
      {parts.map(([to, name]) => (
        <a key={to} href={linkTo(to)} aria-current={path.value === to ? 'page' : undefined}>{name}</a>
      ))}
    </nav>
  )
}
