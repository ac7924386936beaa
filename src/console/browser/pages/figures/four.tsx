import type { ComponentChildren } from 'preact'
import type { Analytics, Figures } from '../../../../../schema/people/analytics.ts'
import { linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { figureTexts } from '../../texts/ongoing/index.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { shownSpan } from './totals.tsx'

/** A change from the days before, and whether it is an improvement. */
interface Change { text: string, tone: 'good' | 'bad' | 'quiet', isUp: boolean }

/** A summary in a sentence or two: who solved what, and what was not known. */
export function Headline ({ now: { total, top_unknown: unknown } }: { now: Analytics }) {
  const { figures } = texts.value
  const { solved, ended } = endsOf(total)
  const top = unknown.slice(0, MOST_TAUGHT)
  const times = top.reduce((sum, one) => sum + one.times, 0)
  const isTelling = times > 0 && times <= total.unknown
  if (ended === 0) return null
  return (
    <p class='headline'>
      <strong>{fill(figures.headline, { n: shownNumber(solved), all: shownNumber(ended) })}</strong>{' '}
      {isTelling && fill(figures.headlineUnknown, {
        n: shownNumber(top.length), share: percent(times / total.unknown)
      })}
      {!isTelling && total.unknown === 0 && `${figures.allKnown}.`}
    </p>
  )
}

/** The four key figures, each with its change from the days before and a sentence. */
export function Four ({ now, then }: { now: Analytics, then: Figures | undefined }) {
  const { figures } = texts.value
  const { total, days, top_unknown: unknown } = now
  const { solved, ended } = endsOf(total)
  const taught = Math.min(unknown.length, MOST_TAUGHT)
  return (
    <div class='totals four'>
      <Big
        name={figures.begun}
        value={shownNumber(total.conversations)}
        change={then && share(total.conversations, then.conversations, 'quiet')}
      >
        {then && fill(figures.beforeCount, { n: shownNumber(then.conversations), days: shownNumber(days.length) })}
      </Big>
      <Big
        name={figures.deflection}
        value={percent(total.deflection)}
        change={then && points(total.deflection, then.deflection)}
      >
        {ended === 0 ? figures.noneEnded : fill(figures.solvedOf, { n: shownNumber(solved), all: shownNumber(ended) })}
      </Big>
      <Big
        name={figures.unknown}
        value={shownNumber(total.unknown)}
        change={then && share(total.unknown, then.unknown, 'bad')}
      >
        {taught > 0 && may('MANAGE_KNOWLEDGE_BASE')
          ? <a href={linkTo('/suggestions')}>{fill(figures.teachThese, { n: shownNumber(taught) })}</a>
          : total.unknown === 0 && figures.allKnown}
      </Big>
      <Big
        name={figures.personTime}
        value={shownSpan(total.first_person_ms?.p50)}
        change={then && faster(total.first_person_ms?.p50, then.first_person_ms?.p50)}
      >
        {personsSaid(now)}
      </Big>
    </div>
  )
}

/** What is said of people's answers: of those that have ended, and of what goes on. */
function personsSaid ({ total: { first_person_ms: took }, open_handoffs: open }: Analytics): string {
  const { figures } = texts.value
  const openNow = open > 0 && fill(figureTexts().openNow, { n: shownNumber(open) })
  const ended = took && fill(figures.mostWithin, { time: shownSpan(took.p95) })
  return [ended, openNow].filter(Boolean).join(' · ') || figures.noPerson
}

/** Number of questions suggested for teaching at a time. */
const MOST_TAUGHT = 3

function Big ({ name, value, change, children }: {
  name: string, value: string, change: Change | undefined, children: ComponentChildren
}) {
  const { figures } = texts.value
  return (
    <section class='card' aria-label={name}>
      <h2>{name}</h2>
      <p class='big'>
        <strong>{value}</strong>{' '}
        {change && (
          <span class={change.tone}>
            <span aria-hidden='true'>{change.isUp ? '↑' : '↓'} </span>
            <span class='hidden'>{change.isUp ? figures.up : figures.down} </span>
            {change.text}
          </span>
        )}
      </p>
      <p class='quiet'>{children}</p>
    </section>
  )
}

function endsOf ({ outcomes }: Figures) {
  const solved = outcomes.resolved_confirmed + outcomes.resolved_assumed
  const ended = Object.values(outcomes).reduce((sum, one) => sum + one, 0)
  return { solved, ended }
}

/** The change of a figure in per cent; `more`: what an increase means. */
function share (now: number, before: number, more: 'quiet' | 'bad'): Change | undefined {
  if (before === 0 || now === before) return undefined
  const isUp = now > before
  const good = more === 'bad' && !isUp ? 'good' : 'quiet'
  return {
    text: percent(Math.abs(now - before) / before), isUp, tone: more === 'bad' && isUp ? 'bad' : good
  }
}

function points (now: number | null, before: number | null): Change | undefined {
  const by = now === null || before === null ? 0 : Math.round((now - before) * 100)
  if (by === 0) return undefined
  return { text: fill(texts.value.figures.points, { n: shownNumber(Math.abs(by)) }), isUp: by > 0, tone: by > 0 ? 'good' : 'bad' }
}

function faster (now: number | undefined, before: number | undefined): Change | undefined {
  if (now === undefined || before === undefined || Math.abs(now - before) < 1000) return undefined
  return { text: shownSpan(Math.abs(now - before)), isUp: now > before, tone: now > before ? 'bad' : 'good' }
}

function percent (value: number | null): string {
  return value === null ? texts.value.figures.notYet : shownNumber(value, { style: 'percent', maximumFractionDigits: 0 })
}
