import type { Analytics } from '../../../../../schema/people/analytics.ts'
import { fill, language, shownNumber, texts } from '../../texts/index.ts'
import { Card } from '../../ui/page.tsx'
import { Plot } from './plot.tsx'

type Day = Analytics['days'][number]

/** A plot, and the same figures as a table beside it: the newest day first. */
export function PlotWithTable ({ title, days, lines }: {
  title: string, days: Day[], lines: Array<{ name: string, of: (day: Day) => number | null }>
}) {
  const { figures } = texts.value
  const shownDay = new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <Card title={title}>
      <div class='plotted'>
        <Plot
          label={title}
          days={days.map(({ day }) => day)}
          lines={lines.map(({ name, of }) => ({ name, values: days.map(of) }))}
        />
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
      </div>
    </Card>
  )
}

function shown (value: number | null): string {
  return value === null ? '–' : shownNumber(value, { maximumFractionDigits: 1 })
}
