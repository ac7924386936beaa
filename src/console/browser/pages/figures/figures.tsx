import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Download } from 'lucide-preact'
import type { Analytics } from '../../../../../schema/people/analytics.ts'
import { addressOf } from '../../api.ts'
import { useAgents } from '../../people.ts'
import { useResource } from '../../resource.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { Four, Headline } from './four.tsx'
import { Parts } from './parts.tsx'
import { PlotWithTable } from './plot-with-table.tsx'
import { Totals } from './totals.tsx'
import { Usage } from './usage.tsx'

const RANGES = ['7', '30', '90', '365', 'custom'] as const
const DAY_MS = 86_400_000

/** The day that is the given number of days before another. */
const before = (day: string, days: number) => new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)

/** Analytics: sums, a plot and a table for each figure, and model usage. */
export default function Figures () {
  const { figures, nav } = texts.value
  const [range, setRange] = useState<string>('30')
  const [own, setOwn] = useState({ from: '', to: '' })
  const [agent, setAgent] = useState('')
  const { agents } = useAgents()
  // The server says which day is today: it counts days in UTC.
  const { data: now } = useResource<Analytics>('/analytics')
  const last = range === '30' || !now ? {} : { from: before(now.to, Number(range) - 1), to: now.to }
  const dates = range === 'custom' ? own : last
  const route = agent ? `/agents/${agent}/analytics` : '/analytics'
  const found = useResource<Analytics>(route, dates)

  function choose (wanted: string) {
    if (wanted === 'custom' && now && !own.from) setOwn({ from: now.from, to: now.to })
    setRange(wanted)
  }

  return (
    <Page
      title={nav.figures}
      width='wide'
      actions={
        <>
          <select aria-label={figures.agent} value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
            <option value=''>{figures.allAgents}</option>
            {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
          <select aria-label={figures.range} value={range} onChange={(event) => choose(event.currentTarget.value)}>
            {RANGES.map((one) => <option key={one} value={one}>{figures.ranges[one]}</option>)}
          </select>
          {range === 'custom' &&
            (['from', 'to'] as const).map((end) => (
              <input
                key={end}
                class='date'
                type='date'
                aria-label={figures[end]}
                value={own[end]}
                onChange={(event) => setOwn({ ...own, [end]: event.currentTarget.value })}
              />
            ))}
          <a class='button' href={addressOf(route, { ...dates, format: 'csv' })} download>
            <Download size={16} aria-hidden='true' />
            {figures.csv}
          </a>
        </>
      }
    >
      <Loaded from={found} lines={10}>
        {(analytics) => (
          <Sums now={analytics} route={route}>
            <Plots analytics={analytics} />
            <div class='columns'>
              <Sources analytics={analytics} />
              <Unknown analytics={analytics} />
              {analytics.rules.length > 0 && <Rules analytics={analytics} />}
            </div>
            <Parts query={{ ...dates, agent: agent || undefined }} />
            <Usage query={{ ...dates, agent: agent || undefined }} />
          </Sums>
        )}
      </Loaded>
    </Page>
  )
}

/**
 * The four key figures, compared with the same number of days before, and all others folded; then the rest of the page,
 * which would move if it came first.
 */
function Sums ({ now, route, children }: { now: Analytics, route: string, children: ComponentChildren }) {
  const { from, days, total } = now
  const then = useResource<Analytics>(route, { from: before(from, days.length), to: before(from, 1) })
  if (!then.data && !then.error) return <Skeleton lines={10} />
  return (
    <>
      <Headline now={now} />
      <Four now={now} then={then.data?.total} />
      <details>
        <summary>{texts.value.figures.allSums}</summary>
        <Totals total={total} />
      </details>
      {children}
    </>
  )
}

/** How conversations ended comes first; everything else is folded. */
function Plots ({ analytics: { days } }: { analytics: Analytics }) {
  const { figures } = texts.value
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <PlotWithTable
        isStacked title={figures.outcomes} days={days} lines={[
          { name: figures.resolved, of: ({ outcomes }) => outcomes.resolved_confirmed + outcomes.resolved_assumed },
          { name: figures.handedOff, of: ({ outcomes }) => outcomes.handed_off + outcomes.ticketed },
          { name: figures.unanswered, of: ({ outcomes }) => outcomes.unanswered },
          { name: figures.abandoned, of: ({ outcomes }) => outcomes.abandoned }
        ]}
      />
      <details class='more-plots' onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{figures.morePlots}</summary>
        {isOpen && <div class='stack'><MorePlots days={days} /></div>}
      </details>
    </>
  )
}

function MorePlots ({ days }: Pick<Analytics, 'days'>) {
  const { figures } = texts.value
  const seconds = (ms: number | undefined) => ms === undefined ? null : ms / 1000
  return (
    <>
      <PlotWithTable
        title={figures.conversations} days={days} lines={[
          { name: figures.begun, of: (day) => day.conversations },
          { name: figures.fromVisitors, of: (day) => day.messages.visitor },
          { name: figures.fromAgents, of: (day) => day.messages.agent },
          { name: figures.fromPeople, of: (day) => day.messages.person }
        ]}
      />
      <PlotWithTable
        title={figures.times} days={days} lines={[
          { name: figures.firstAnswer50, of: (day) => seconds(day.first_answer_ms?.p50) },
          { name: figures.firstAnswer95, of: (day) => seconds(day.first_answer_ms?.p95) },
          { name: figures.firstPerson50, of: (day) => seconds(day.first_person_ms?.p50) },
          { name: figures.firstPerson95, of: (day) => seconds(day.first_person_ms?.p95) }
        ]}
      />
      <PlotWithTable
        title={figures.quality} days={days} lines={[
          { name: figures.liked, of: (day) => day.feedback.up },
          { name: figures.disliked, of: (day) => day.feedback.down },
          { name: figures.unknown, of: (day) => day.unknown },
          { name: figures.reopened, of: (day) => day.reopened }
        ]}
      />
    </>
  )
}

function Sources ({ analytics: { top_sources: sources } }: { analytics: Analytics }) {
  const { figures, ui } = texts.value
  return (
    <Card title={figures.topSources}>
      {sources.length === 0
        ? <p class='quiet'>{ui.none}</p>
        : (
          <table>
            <thead>
              <tr>
                <th>{figures.source}</th>
                <th class='number'>{figures.answers}</th>
              </tr>
            </thead>
            <tbody>
              {sources.map(({ source, title, answers }) => (
                <tr key={source}>
                  <td class='long' dir='auto'>{title ?? figures.removed}</td>
                  <td class='number'>{shownNumber(answers)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          )}
    </Card>
  )
}

/** How often each guard rule was triggered. */
function Rules ({ analytics: { rules } }: { analytics: Analytics }) {
  const { rules: say } = texts.value
  return (
    <Card title={say.title}>
      <table>
        <thead>
          <tr>
            <th>{say.name}</th>
            <th class='number'>{say.times}</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ rule, did, times }) => (
            <tr key={did + rule}>
              <td class='long' dir='auto'>{fill(say.acted, { rule, did: say.did[did] })}</td>
              <td class='number'>{shownNumber(times)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Unknown ({ analytics: { top_unknown: unknown } }: { analytics: Analytics }) {
  const { figures, ui } = texts.value
  return (
    <Card title={figures.topUnknown}>
      {unknown.length === 0
        ? <p class='quiet'>{ui.none}</p>
        : (
          <table>
            <thead>
              <tr>
                <th>{figures.question}</th>
                <th class='number'>{figures.asked}</th>
              </tr>
            </thead>
            <tbody>
              {unknown.map(({ question, times }) => (
                <tr key={question}>
                  <td class='long' dir='auto'>{question}</td>
                  <td class='number'>{shownNumber(times)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          )}
    </Card>
  )
}
