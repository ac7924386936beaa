import type { Figures } from '../../../../../schema/people/analytics.ts'
import { shownNumber, texts } from '../../texts/index.ts'
import { spanOf } from './spans.ts'

/** The totals over the days shown. */
export function Totals ({ total }: { total: Figures }) {
  const { figures } = texts.value
  const {
    conversations, outcomes, deflection, unknown, first_answer_ms: answer, first_person_ms: person, feedback, cost,
    reopened
  } = total
  const shown: Array<[name: string, value: string]> = [
    [figures.begun, shownNumber(conversations)],
    [
      figures.deflection,
      deflection === null ? figures.notYet : shownNumber(deflection, { style: 'percent', maximumFractionDigits: 0 })
    ],
    [figures.resolved, shownNumber(outcomes.resolved_confirmed + outcomes.resolved_assumed)],
    [figures.handedOff, shownNumber(outcomes.handed_off + outcomes.ticketed)],
    [figures.unanswered, shownNumber(outcomes.unanswered)],
    [figures.abandoned, shownNumber(outcomes.abandoned)],
    [figures.reopened, shownNumber(reopened)],
    [figures.unknown, shownNumber(unknown)],
    [figures.answerTime, shownSpan(answer?.p50)],
    [figures.personTime, shownSpan(person?.p50)],
    [figures.feedback, `${shownNumber(feedback.up)} / ${shownNumber(feedback.down)}`],
    [figures.cost, cost === null ? '–' : shownNumber(cost, { maximumFractionDigits: 2 })]
  ]
  return (
    <dl class='totals'>
      {shown.map(([name, value]) => (
        <div key={name} class='card'>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** How long something took, as people say it: "42 sec", "4 min", "3 days"; "not yet" where nothing was measured. */
export function shownSpan (ms: number | undefined): string {
  if (ms === undefined) return texts.value.figures.notYet
  const { value, unit } = spanOf(ms)
  return shownNumber(value, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: value < 10 ? 1 : 0 })
}
