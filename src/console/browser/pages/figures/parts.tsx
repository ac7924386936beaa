import { useState } from 'preact/hooks'
import { FIGURE_PARTS, type AnalyticsBy, type FigurePart, type PartFigures } from '../../../../../schema/people/analytics.ts'
import type { Channel } from '../../../../../schema/conversations.ts'
import type { Asking } from '../../api.ts'
import { useNames } from '../../people.ts'
import { useResource } from '../../resource.ts'
import { fill, languageCalled, shownNumber, texts } from '../../texts/index.ts'
import { Loaded } from '../../ui/states.tsx'

const percent = { style: 'percent', maximumFractionDigits: 0 } as const
const money = { maximumFractionDigits: 4 } as const

/** The figures broken down by properties of conversations; folded at first. */
export function Parts ({ query }: { query: NonNullable<Asking['query']> }) {
  const { figures } = texts.value
  const [isOpen, setOpen] = useState(false)
  const [by, setBy] = useState<FigurePart>('language')
  return (
    <details class='card' onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><h2>{figures.parts}</h2></summary>
      {isOpen && (
        <div class='stack'>
          <p class='quiet'>{figures.partsText}</p>
          <div class='row' role='group' aria-label={figures.parts}>
            {FIGURE_PARTS.map((one) => (
              <button
                key={one} type='button' class={one === by ? 'button pressed' : 'button'} aria-pressed={one === by}
                onClick={() => setBy(one)}
              >
                {figures.partNames[one]}
              </button>
            ))}
          </div>
          <Table key={by} by={by} query={query} />
        </div>
      )}
    </details>
  )
}

function Table ({ by, query }: { by: FigurePart, query: NonNullable<Asking['query']> }) {
  const { figures, ui } = texts.value
  const found = useResource<AnalyticsBy>('/analytics/parts', { ...query, by })
  const nameOf = useValueNames(by)
  const heads = [
    figures.ended, figures.deflection, figures.handedOff, figures.unknown, figures.overdue, figures.satisfaction,
    figures.costEach
  ]
  return (
    <Loaded from={found} lines={4}>
      {({ parts }) => parts.length === 0
        ? <p class='quiet'>{ui.none}</p>
        : (
          <div class='table' tabIndex={0} role='region' aria-label={fill(figures.table, { title: figures.partNames[by] })}>
            <table>
              <thead>
                <tr>
                  <th>{figures.partNames[by]}</th>
                  {heads.map((head) => <th key={head} class='number'>{head}</th>)}
                </tr>
              </thead>
              <tbody>
                {parts.map((one) => <Row key={one.value} name={nameOf(one.value)} part={one} />)}
              </tbody>
            </table>
          </div>
          )}
    </Loaded>
  )
}

function Row ({ name, part }: { name: string, part: PartFigures }) {
  const { satisfaction: { average, answers }, deflection, cost_per_resolved: cost } = part
  const cells = [
    shownNumber(part.episodes),
    deflection === null ? '–' : shownNumber(deflection, percent),
    shownNumber(part.handed_off + part.ticketed),
    shownNumber(part.unknown),
    shownNumber(part.overdue),
    average === null ? '–' : `${shownNumber(average, { maximumFractionDigits: 1 })} (${shownNumber(answers)})`,
    cost === null ? '–' : shownNumber(cost, money)
  ]
  return (
    <tr>
      <th scope='row' dir='auto'>{name}</th>
      {cells.map((cell, i) => <td key={i} class='number'>{cell}</td>)}
    </tr>
  )
}

/** Display names of languages, channels, versions, tags and members. */
function useValueNames (by: FigurePart): (value: string) => string {
  const { figures, inbox } = texts.value
  const personOf = useNames()
  return (value) => {
    if (value === '') return figures.noPart[by]
    if (by === 'language') return languageCalled(value)
    if (by === 'channel') return inbox.channels[value as Channel]
    return by === 'person' ? personOf(Number(value)) : value
  }
}
