import { useEffect } from 'preact/hooks'
import { CircleCheck, Circle } from 'lucide-preact'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Conversation } from '../../../../../schema/conversations.ts'
import type { KnowledgeSource } from '../../../../../schema/knowledge.ts'
import type { WidgetKey } from '../../../../../schema/widget.ts'
import { api, type Answer } from '../../api.ts'
import { useResourceOf } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import type { Pages } from '../../ui/pager.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Example } from './example.tsx'

/** What is there already, of the newest agent. */
interface Standing { agent: Agent | undefined, trained: number, isSiteNamed: boolean, isOnSite: boolean }

/** Steps on the newest agent: what was made last is what is being set up. */
async function look (): Promise<Answer<Standing>> {
  const shown = (data: Standing) => ({ data, message: '', etag: undefined, rest: {} })
  const { rest } = await api.get<Agent[]>('/agents', { limit: 1 })
  const { total } = rest.pagination as Pages
  const agent = total > 0 ? (await api.get<Agent[]>('/agents', { limit: 1, page: total })).data[0] : undefined
  if (!agent) return shown({ agent, trained: 0, isSiteNamed: false, isOnSite: false })
  const mayRead = may('REPLY_CONVERSATION') || may('VIEW_ANALYTICS')
  const [sources, keys, talks] = await Promise.all([
    api.get<KnowledgeSource[]>(`/agents/${agent.id}/knowledge_sources`, { limit: 1, training_status: 'Success' }),
    api.get<WidgetKey[]>(`/agents/${agent.id}/widget_keys`),
    mayRead ? api.get<Conversation[]>(`/agents/${agent.id}/conversations`, { limit: 100 }) : undefined
  ])
  const isSiteNamed = keys.data.some(({ origins }) => origins.length > 0)
  const isOnSite = isSiteNamed && (!talks || talks.data.some(({ channel }) => channel === 'widget'))
  return shown({ agent, trained: (sources.rest.pagination as Pages).total, isSiteNamed, isOnSite })
}

/** The way from nothing to an agent on a site; what is there is ticked off. */
export default function Start () {
  const { start } = texts.value
  const standing = useResourceOf(look, 'start')
  useEffect(() => {
    const again = () => { if (document.visibilityState === 'visible') standing.reload() }
    document.addEventListener('visibilitychange', again)
    return () => document.removeEventListener('visibilitychange', again)
  }, [])
  return (
    <Page title={start.title}>
      <p class='quiet'>{start.intro}</p>
      <Loaded from={standing} lines={8}>{(found) => <Steps {...found} />}</Loaded>
    </Page>
  )
}

interface Step { title: string, text: string, verb: string, to: string, isDone: boolean, mayDo: boolean }

function stepsOf ({ agent, trained, isSiteNamed, isOnSite }: Standing): Step[] {
  const { start } = texts.value
  const at = agent ? `/agents/${agent.id}` : '/agents'
  const isTried = agent !== undefined && agent.conversations > 0
  const notYet = isSiteNamed ? start.siteNamed : start.siteText
  return [
    {
      title: start.make,
      text: agent ? fill(start.makeDone, { name: agent.name }) : start.makeText,
      verb: start.makeVerb,
      to: '/agents?new',
      isDone: agent !== undefined,
      mayDo: may('MANAGE_AGENTS')
    },
    {
      title: start.teach,
      text: trained > 0 ? fill(start.teachDone, { n: shownNumber(trained) }) : start.teachText,
      verb: start.teachVerb,
      to: `${at}/knowledge`,
      isDone: trained > 0,
      mayDo: may('MANAGE_KNOWLEDGE_BASE')
    },
    {
      title: start.attempt,
      text: isTried ? fill(start.attemptDone, { n: shownNumber(agent.conversations) }) : start.attemptText,
      verb: start.attemptVerb,
      to: `${at}/try`,
      isDone: isTried,
      mayDo: may('REPLY_CONVERSATION') || may('MANAGE_AGENTS')
    },
    {
      title: start.site,
      text: isOnSite ? start.siteDone : notYet,
      verb: start.siteVerb,
      to: `${at}/site`,
      isDone: isOnSite,
      mayDo: may('MANAGE_AGENTS') || may('MANAGE_AGENT_SETTINGS')
    }
  ]
}

function Steps (standing: Standing) {
  const { start } = texts.value
  const steps = stepsOf(standing)
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <>
      <ol class='plain steps'>
        {steps.map(({ title, text, verb, to, isDone, mayDo }, i) => (
          <li
            key={title}
            class={i === next ? 'card step next' : 'card step'}
            aria-current={i === next ? 'step' : undefined}
          >
            {isDone
              ? <CircleCheck class='good' aria-label={start.done} />
              : <Circle class='quiet' aria-label={start.open} />}
            <div class='grow'>
              <h2>{i + 1}. {title}</h2>
              <p class='quiet'>{text}</p>
            </div>
            {mayDo && (i === 0 || standing.agent) && (!isDone || i > 0) && (
              <LinkButton kind={i === next ? 'main' : 'plain'} to={to}>{verb}</LinkButton>
            )}
          </li>
        ))}
      </ol>
      {standing.agent && may('MANAGE_AGENTS') && may('CONFIGURE_BUSINESS') && <Example agent={standing.agent} />}
      {next === -1 && <p>{start.all} <LinkButton to='/agents'>{start.toAgents}</LinkButton></p>}
    </>
  )
}
