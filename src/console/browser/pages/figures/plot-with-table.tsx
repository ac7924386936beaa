import type { Analytics } from '../../../../../schema/people/analytics.ts'
import { fill, region, shownNumber, texts } from '../../texts/index.ts'
import { Card } from '../../ui/page.tsx'
import { Plot } from './plot.tsx'

type Day = Analytics['days'][number]

/**
 * A plot, and the same figures as a folded table, newest day first. `isStacked`: each day is a stacked column, and the
 * sums are shown above.
 */
export function PlotWithTable ({ title, days, lines, isStacked = false }: {
  title: string, isStacked?: boolean, days: Day[], lines: Array<{ name: string, of: (day: Day) => number | null }>
}) {
  const { figures } = texts.value
  const shownDay = new Intl.DateTimeFormat(region.value, { dateStyle: 'medium', timeZone: 'UTC' })
  if (isStacked && !days.some((day) => lines.some(({ of }) => of(day)))) {
    return <Card title={title}><p class='quiet'>{figures.noneEnded}</p></Card>
  }
  return (
    <Card title={title} actions={isStacked && <Legend days={days} lines={lines} />}>
      <div class='plotted'>
        <Plot
          label={title}
          isStacked={isStacked}
          days={days.map(({ day }) => day)}
          lines={lines.map(({ name, of }) => ({ name, values: days.map(of) }))}
        />
        <details>
          <summary>{figures.asTable}</summary>
          <div class='table tall' tabIndex={0} role='region' aria-label={fill(figures.table, { title })}>
            <table>
              <thead>
                <tr>
                  <th>{figures.day}</th>
                  {lines.map(({ name }) => <th key={name} class='number'>{name}</th>)}
                </tr>
              </thead>
              <tbody>
                {days.toReversed().map((day) => (
                  <tr key={day.day}>
                    <td>{shownDay.format(Date.parse(day.day))}</td>
                    {lines.map(({ name, of }) => <td key={name} class='number'>{shown(of(day))}</td>)}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </div>
    </Card>
  )
}

/** The legend: each colour with its total. */
function Legend ({ days, lines }: { days: Day[], lines: Array<{ name: string, of: (day: Day) => number | null }> }) {
  return (
    <ul class='legend plain'>
      {lines.map(({ name, of }, i) => (
        <li key={name}>
          <span class={`swatch stack-${i}`} aria-hidden='true' />
          {name} <strong>{shownNumber(days.reduce((all, day) => all + (of(day) ?? 0), 0))}</strong>
        </li>
      ))}
    </ul>
  )
}

function shown (value: number | null): string {
  return value === null ? '–' : shownNumber(value, { maximumFractionDigits: 1 })
}
