import { useEffect, useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { ImportReason } from '../../../../../schema/import-reasons.ts'
import type { Import, ImportAgent, ImportItem } from '../../../../../schema/imports.ts'
import { addressOf, api } from '../../api.ts'
import { useResource, type Resource } from '../../resource.ts'
import { go, linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, language, shownNumber, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Loaded, sentenceOf } from '../../ui/states.tsx'
import { FIELDS } from '../editor/fields.ts'
import type { PageProps } from '../page.ts'
import { KIND_NAMES, StateBadge } from './bring.tsx'

const LOOK_MS = 700

type Reasons = Record<ImportReason, string>
const OTHERS: Record<string, () => Promise<Reasons>> = {
  de: async () => (await import('./reasons/de.ts')).reasons,
  es: async () => (await import('./reasons/es.ts')).reasons,
  fr: async () => (await import('./reasons/fr.ts')).reasons,
  pt: async () => (await import('./reasons/pt.ts')).reasons
}

/** An import: what it would create, the result of each part, and the button that runs it. */
export default function One ({ params }: PageProps) {
  const { bring } = texts.value
  const found = useResource<Import>(`/imports/${params.id}`)
  const isRead = found.data?.state === 'read'
  useEffect(() => {
    if (!isRead) return
    const timer = setInterval(() => { found.reload() }, LOOK_MS)
    return () => clearInterval(timer)
  }, [isRead])
  return (
    <Page title={found.data?.files.join(', ') ?? bring.title}>
      <p><a href={linkTo('/imports')}>{bring.back}</a></p>
      <Loaded from={found} lines={8}>{(one) => <Found one={one} from={found} />}</Loaded>
    </Page>
  )
}

function Found ({ one, from }: { one: Import, from: Resource<Import> }) {
  const { bring } = texts.value
  const { state, kind, error, plan, counts, report, id } = one
  return (
    <>
      <p class='row' role='status'>
        <StateBadge state={state} />
        {kind && <span>{KIND_NAMES[kind]}</span>}
        {state === 'read' && <span class='quiet'>{bring.reading}</span>}
        {error && <span>{language.value === 'en' ? error.message : bring.failed}</span>}
      </p>
      {plan && plan.agents.map((agent, i) => <Planned key={i} agent={agent} isApplied={state === 'applied'} />)}
      {plan && plan.agents.length === 0 && <p>{bring.nothing}</p>}
      {plan && plan.agents.length > 0 && <Apply one={one} from={from} />}
      {counts && <Report report={report} counts={counts} id={id} />}
      <Remove one={one} />
    </>
  )
}

/** Why things differ from the original, in the reader's language; undefined for English, which the server speaks. */
function useReasons (): Reasons | undefined {
  const [said, setSaid] = useState<{ language: string, reasons: Reasons }>()
  const chosen = language.value
  useEffect(() => {
    // Without them the server's words are still there.
    OTHERS[chosen]?.().then((reasons) => setSaid({ language: chosen, reasons }), () => undefined)
  }, [chosen])
  return said?.language === chosen ? said.reasons : undefined
}

/** A preview of an agent: figures, and its instructions and sources, which can be unfolded. */
function Planned ({ agent, isApplied }: { agent: ImportAgent, isApplied: boolean }) {
  const { bring } = texts.value
  const {
    name, agent: id, system_prompt: prompt, sources, source_count: count, question_count: questions, actions
  } = agent
  const there = isApplied ? bring.made : bring.changes
  return (
    <Card
      title={name}
      actions={id !== null && isApplied && <LinkButton kind='main' to={`/agents/${id}`}>{bring.toAgent}</LinkButton>}
    >
      <p class='quiet'>{id === null ? bring.isNew : there}</p>
      <p class='facts'>
        <span>{fill(bring.sources, { n: shownNumber(count) })}</span>
        <span>{fill(bring.questions, { n: shownNumber(questions) })}</span>
        <span>{fill(bring.actions, { n: shownNumber(actions.length) })}</span>
      </p>
      {actions.length > 0 && <p class='quiet'>{bring.actionsOff} <span dir='auto'>{actions.join(', ')}</span></p>}
      <details>
        <summary>{bring.prompt}</summary>
        <p class='read' dir='auto'>{prompt}</p>
      </details>
      {sources.length > 0 && (
        <details>
          <summary>{bring.sourceTitles}</summary>
          <ul>
            {sources.map(({ title, folder }, i) => <li key={i} dir='auto'>{[...folder, title].join(' / ')}</li>)}
            {count > sources.length && <li>…</li>}
          </ul>
        </details>
      )}
    </Card>
  )
}

/** The target of the import, and the button. */
function Apply ({ one, from }: { one: Import, from: Resource<Import> }) {
  const { bring } = texts.value
  const [into, setInto] = useState('')
  const agents = useResource<Agent[]>('/agents', { limit: 100 })
  const known = one.plan!.agents.some(({ agent }) => agent !== null)
  const apply = useAction(async () => {
    const agent = into === 'new' ? null : Number(into)
    const { data } = await api.post<Import>(`/imports/${one.id}/apply`, into === '' ? {} : { agent })
    from.set(data)
    if (data.agents.length === 1) go(`/agents/${data.agents[0]}`)
  })
  if (one.expires_at === null) return <p class='quiet'>{bring.expired}</p>
  return (
    <Card title={bring.apply}>
      {one.plan!.agents.length === 1 && (
        <Field label={bring.into} error={apply.errorAt('agent')}>
          <select value={into} onChange={(event) => setInto(event.currentTarget.value)}>
            <option value=''>{known ? bring.intoKnown : bring.intoNew}</option>
            {known && <option value='new'>{bring.intoNew}</option>}
            {(agents.data ?? []).map(({ id, name }, _i, all) => (
              <option key={id} value={String(id)}>{all.filter((one) => one.name === name).length > 1 ? `${name} (${id})` : name}</option>
            ))}
          </select>
        </Field>
      )}
      <p class='quiet'>{fill(bring.applyText, { day: shownTime(one.expires_at) })}</p>
      {apply.error && apply.error.details.length === 0 && <p class='error' role='alert'>{sentenceOf(apply.error)}</p>}
      <div class='actions'>
        <Button kind='main' busy={apply.isBusy} disabled={!may('MANAGE_AGENTS')} onClick={() => { apply.run() }}>
          {one.state === 'applied' ? bring.applyAgain : bring.applyVerb}
        </Button>
      </div>
    </Card>
  )
}

/** The result of each part; those that need attention first. */
function Report ({ report, counts, id }: { report: ImportItem[], counts: NonNullable<Import['counts']>, id: number }) {
  const { bring } = texts.value
  const said = useReasons()
  const order = ['not_carried', 'changed', 'carried', 'ignored'] as const
  return (
    <Card title={bring.report} actions={<a href={addressOf(`/imports/${id}/report`)} download>{bring.download}</a>}>
      {order.filter((outcome) => counts[outcome] > 0).map((outcome) => (
        <details key={outcome} open={outcome === 'not_carried'}>
          <summary>{bring.outcomes[outcome]} ({shownNumber(counts[outcome])})</summary>
          <ul class='plain changes'>
            {report.filter((item) => item.outcome === outcome).map((item) => (
              <Line key={item.at} item={item} said={said} />
            ))}
          </ul>
        </details>
      ))}
    </Card>
  )
}

function Line ({ item, said }: { item: ImportItem, said: Reasons | undefined }) {
  const { at, to, why, reason, value } = item
  const text = reason && said ? fill(said[reason.code], reason.values) : why
  return (
    <li>
      <p dir='auto'><strong class='long'>{at}</strong>{to && ` → ${called(to)}`}</p>
      {text && <p class='quiet' dir='auto'>{text}</p>}
      {value && <p class='read quiet' dir='auto'>{value}</p>}
    </li>
  )
}

/** What a field is called where it can be changed. */
function called (to: string): string {
  const { agent, fields, nav } = texts.value
  const label = FIELDS.find(({ path }) => path === to)?.label
  if (label) return fields[label]
  return { sources: agent.knowledge, questions: agent.questions, actions: nav.actions }[to] ?? to
}

function Remove ({ one: { id } }: { one: Import }) {
  const { bring } = texts.value
  const remove = useAction(async () => {
    await api.delete(`/imports/${id}`)
    go('/imports')
  })
  return (
    <div class='actions'>
      <Button busy={remove.isBusy} onClick={() => { remove.run() }}>{bring.remove}</Button>
      <span class='quiet'>{bring.removeText}</span>
      {remove.error && <span class='error' role='alert'>{sentenceOf(remove.error)}</span>}
    </div>
  )
}
