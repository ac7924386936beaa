import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { CircleCheck } from 'lucide-preact'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Conversation } from '../../../../../schema/conversations.ts'
import type { KnowledgeSource } from '../../../../../schema/knowledge.ts'
import type { LanguageModel } from '../../../../../schema/models.ts'
import type { WidgetKey } from '../../../../../schema/widget.ts'
import { api, type Answer } from '../../api.ts'
import { useResourceOf } from '../../resource.ts'
import { linkTo, replace } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import type { Pages } from '../../ui/pager.tsx'
import { Loaded } from '../../ui/states.tsx'
import { settingsOf } from '../editor/merge.ts'
import { Preview } from '../editor/preview.tsx'
import { Example } from './example.tsx'

/** What already exists for the agent that the steps follow. */
interface Standing {
  agent: Agent | undefined,
  trained: number,
  isSiteNamed: boolean,
  isOnSite: boolean
  /** Whether a model answers for the agent; undefined if the reader may not see that. */
  hasModel: boolean | undefined
}

/** An account with more agents is past its first steps. */
const MOST_AGENTS = 100
/** The number of agents compared in detail if their lists are equal. */
const MOST_COMPARED = 3

/** How far an agent is, as far as the list of agents shows it. One that was switched off comes last. */
function progress ({ status, knowledge_sources_total: sources, conversations }: Agent): number {
  return (status === 'Active' ? 4 : 0) + (sources > 0 ? 2 : 0) + (conversations > 0 ? 1 : 0)
}

/** Agents that may be the furthest, the one last changed first. */
function ahead (agents: readonly Agent[]): Agent[] {
  const most = Math.max(...agents.map(progress))
  return agents
    .filter((one) => progress(one) === most)
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at))
    .slice(0, MOST_COMPARED)
}

const doneBy = ({ trained, isSiteNamed, isOnSite }: Standing) =>
  [trained > 0, isSiteNamed, isOnSite].filter(Boolean).length

/** The steps follow the agent that is furthest; of several, the one last worked on. */
async function look (): Promise<Answer<Standing>> {
  const shown = (data: Standing) => ({ data, message: '', etag: undefined, rest: {} })
  const [agents, models] = await Promise.all([
    api.get<Agent[]>('/agents', { limit: MOST_AGENTS }),
    may('CONFIGURE_BUSINESS') ? api.get<LanguageModel[]>('/language_models') : undefined
  ])
  const [first, ...others] = await Promise.all(
    ahead(agents.data).map(async (agent) => await standingOf(agent, models?.data))
  )
  if (!first) return shown({ agent: undefined, trained: 0, isSiteNamed: false, isOnSite: false, hasModel: undefined })
  return shown(others.reduce((best, one) => doneBy(one) > doneBy(best) ? one : best, first))
}

async function standingOf (agent: Agent, models: LanguageModel[] | undefined): Promise<Standing> {
  const mayRead = may('REPLY_CONVERSATION') || may('VIEW_ANALYTICS')
  const [sources, keys, talks] = await Promise.all([
    api.get<KnowledgeSource[]>(`/agents/${agent.id}/knowledge_sources`, { limit: 1, training_status: 'Success' }),
    api.get<WidgetKey[]>(`/agents/${agent.id}/widget_keys`),
    mayRead ? api.get<Conversation[]>(`/agents/${agent.id}/conversations`, { limit: 100 }) : undefined
  ])
  const hasModel = models?.some(({ used }) => used.includes(agent.model.response_model))
  const isSiteNamed = keys.data.some(({ origins }) => origins.length > 0)
  // Conversations in the preview do not come from a site.
  const isOnSite = isSiteNamed && (!talks || talks.data.some(({ channel, page }) => channel === 'widget' && page !== null))
  return { agent, trained: (sources.rest.pagination as Pages).total, isSiteNamed, isOnSite, hasModel }
}

/** The steps from nothing to an agent on a site; completed ones are ticked off. */
export default function Start () {
  const { start } = texts.value
  const standing = useResourceOf(look, 'start')
  useEffect(() => {
    // Members who only answer visitors have nothing to set up.
    if (!may('MANAGE_AGENTS') && !may('MANAGE_KNOWLEDGE_BASE') && may('REPLY_CONVERSATION')) replace('/inbox')
  }, [])
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

interface Step {
  title: string,
  text: string,
  verb: string,
  to: string,
  isDone: boolean,
  mayDo: boolean
  /** The step in which answers can be tried. */
  isTrying?: boolean
}

function stepsOf ({ agent, trained, isSiteNamed, isOnSite }: Standing): Step[] {
  const { start } = texts.value
  const at = agent ? `/agents/${agent.id}` : '/agents'
  const isTried = agent !== undefined && agent.conversations > 0
  const notYet = isSiteNamed ? start.siteNamed : start.siteText
  return [
    {
      title: start.make,
      text: agent ? fill(start.makeDone, { name: agent.name.replace(/\.$/, '') }) : start.makeText,
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
      isTrying: true,
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
  const { start, bring } = texts.value
  const steps = stepsOf(standing)
  const next = steps.findIndex(({ isDone }) => !isDone)
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <>
      <p class='quiet row' role='status'>
        <progress max={steps.length} value={done} aria-hidden='true' />
        {fill(start.progress, { done, all: steps.length })}
      </p>
      {next === -1 && <p>{start.all} <LinkButton to='/agents'>{start.toAgents}</LinkButton></p>}
      <Beside agent={standing.agent}>
        <ol class='plain card steps'>
          {steps.map((step, i) => (
            <Row
              key={step.title}
              step={step}
              number={i + 1}
              isNext={i === next}
              canBegin={i === 0 || standing.agent !== undefined}
            >
              {step.isTrying && i === next && standing.hasModel === false && <Quoting name={standing.agent!.name} />}
            </Row>
          ))}
        </ol>
      </Beside>
      {standing.agent && may('MANAGE_AGENTS') && may('CONFIGURE_BUSINESS') && <Example agent={standing.agent} />}
      {!standing.agent && may('MANAGE_AGENTS') && (
        <><p class='quiet'>{bring.intro}</p><p><LinkButton to='/imports'>{bring.title}</LinkButton></p></>
      )}
    </>
  )
}

/** Width from which a widget fits beside the steps. */
const WIDE = '(min-width: 1100px)'

/** The steps, and beside them the widget as visitors will see it, once there is an agent and where there is room. */
function Beside ({ agent, children }: { agent: Agent | undefined, children: ComponentChildren }) {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches)
  useEffect(() => {
    const wide = matchMedia(WIDE)
    const follow = () => setWide(wide.matches)
    wide.addEventListener('change', follow)
    return () => wide.removeEventListener('change', follow)
  }, [])
  const isShown = isWide && agent !== undefined && may('MANAGE_AGENTS')
  const settings = useMemo(() => agent && settingsOf(agent), [agent])
  return (
    <div class={isShown ? 'beside' : 'stack'}>
      {children}
      {isShown && <Preview id={agent.id} settings={settings!} text={texts.value.start.widget} />}
    </div>
  )
}

/** One step: its state, and the next action. Only the current one is highlighted. */
function Row ({ step: { title, text, verb, to, isDone, mayDo }, number, isNext, canBegin, children }: {
  step: Step, number: number, isNext: boolean, canBegin: boolean, children: ComponentChildren
}) {
  const { start } = texts.value
  return (
    <li class={isNext ? 'step next' : 'step'} aria-current={isNext ? 'step' : undefined}>
      {isDone
        ? <CircleCheck class='good' aria-label={start.done} />
        : <span class='step-number' role='img' aria-label={start.open}><span aria-hidden='true'>{number}</span></span>}
      <div class='grow'>
        <h2>{title}</h2>
        <p class='quiet'>{text}</p>
        {children}
      </div>
      {mayDo && canBegin && (!isDone || number > 1) && (
        <LinkButton kind={kindOf(isDone, isNext)} to={to}>{verb}</LinkButton>
      )}
    </li>
  )
}

function kindOf (isDone: boolean, isNext: boolean) {
  if (isNext) return 'main'
  return isDone ? 'quiet' : 'plain'
}

/** A note that an agent answers without a model, with a link to connect one. */
function Quoting ({ name }: { name: string }) {
  const { start } = texts.value
  return (
    <p class='notice'>
      <strong>{start.noModel}</strong> {fill(start.quoting, { name })}{' '}
      <a href={linkTo('/business/models')}>{start.connect}</a>
    </p>
  )
}
