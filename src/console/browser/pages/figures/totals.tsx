import type { Figures } from '../../../../../schema/people/analytics.ts'
import { shownNumber, texts } from '../../texts/index.ts'

/** The sums of the days that are shown. */
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
      deflection === null ? '–' : shownNumber(deflection, { style: 'percent', maximumFractionDigits: 0 })
    ],
    [figures.resolved, shownNumber(outcomes.resolved_confirmed + outcomes.resolved_assumed)],
    [figures.handedOff, shownNumber(outcomes.handed_off + outcomes.ticketed)],
    [figures.unanswered, shownNumber(outcomes.unanswered)],
    [figures.abandoned, shownNumber(outcomes.abandoned)],
    [figures.reopened, shownNumber(reopened)],
    [figures.unknown, shownNumber(unknown)],
    [figures.answerTime, seconds(answer?.p50)],
    [figures.personTime, seconds(person?.p50)],
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

function seconds (ms: number | undefined): string {
  return ms === undefined
    ? '–'
    : shownNumber(ms / 1000, { style: 'unit', unit: 'second', unitDisplay: 'short', maximumFractionDigits: 1 })
}
