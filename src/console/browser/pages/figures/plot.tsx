import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import css from '../../../../../node_modules/uplot/dist/uPlot.min.css'
import { language, region } from '../../texts/index.ts'

/** A series of a plot: its name, and one value per day; null if there is none. */
export interface Line { name: string, values: Array<number | null> }

// Its styles are loaded with it, since no other page uses them.
const sheet = new CSSStyleSheet()
sheet.replaceSync(css)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

const HEIGHT = 220
/** Intervals in days between axis labels. */
const STEPS = [1, 2, 7, 14, 28, 56, 91]
/** Distances of lines across: what is counted has no halves. */
const WHOLE = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000].flatMap((one) => [one, 2 * one, 5 * one])

/** Lines over days, or stacked columns. The table next to it has the same data, so screen readers get only an image. */
export function Plot ({ days, lines, label, isStacked = false }: {
  days: string[], lines: Line[], label: string, isStacked?: boolean
}) {
  const box = useRef<HTMLDivElement>(null)
  const key = JSON.stringify([days, lines, isStacked, language.value])
  useEffect(() => {
    const place = box.current!
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      // The highest column is drawn first, and the others in front of it.
      const drawn = isStacked ? stacked(lines).toReversed() : lines
      plot = new UPlot(
        optionsFor(place, days, drawn, isStacked), [days.map((_, i) => i), ...drawn.map(({ values }) => values)], place
      )
    }
    draw()
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    addEventListener('look', draw)
    const sized = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }))
    sized.observe(place)
    return () => {
      dark.removeEventListener('change', draw)
      removeEventListener('look', draw)
      sized.disconnect()
      plot?.destroy()
    }
  }, [key])
  return (
    <div class={isStacked ? 'plot stacked' : 'plot'} role='img' aria-label={label}>
      <div ref={box} />
      <span class='plot-ink' /><span class='plot-line' />
      {lines.map(({ name }, i) => <span key={name} class={isStacked ? `stack-${i}` : `plot-${i}`} />)}
    </div>
  )
}

/** Cumulative sums for stacking. */
function stacked (lines: Line[]): Line[] {
  let below: Line['values'] = []
  return lines.map(({ name, values }) => {
    below = values.map((value, i) => (value ?? 0) + (below[i] ?? 0))
    return { name, values: below }
  })
}

/** Options of the plot: a canvas has no style sheets, so the colours are read from styled elements. */
function optionsFor (place: HTMLElement, days: string[], lines: Line[], isStacked: boolean): UPlot.Options {
  const colour = (name: string) => getComputedStyle(place.parentElement!.querySelector(`.${name}`)!).color
  const axis = {
    stroke: colour('plot-ink'),
    font: `12px ${getComputedStyle(place).fontFamily}`,
    grid: { stroke: colour('plot-line'), width: 1 },
    ticks: { stroke: colour('plot-line'), width: 1 }
  }
  const day = new Intl.DateTimeFormat(region.value, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const dayAt = (i: number | null) => i === null || days[i] === undefined ? '' : day.format(Date.parse(days[i]))
  const number = new Intl.NumberFormat(region.value, { notation: 'compact' })
  const isCounted = lines.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
  return {
    width: place.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false }, show: !isStacked },
    legend: { show: !isStacked },
    scales: {
      // The first and the last column are drawn in full.
      x: { time: false, ...(isStacked && { range: [-0.5, days.length - 0.5] }) },
      y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] }
    },
    axes: [
      { ...axis, incrs: STEPS, values: (_plot, ticks) => ticks.map(dayAt) },
      {
        ...axis,
        size: 56,
        ...(isCounted && { incrs: WHOLE }),
        values: (_plot, ticks) => ticks.map((tick) => number.format(tick))
      }
    ],
    series: [
      { label: '', value: (_plot, tick) => dayAt(tick) },
      ...lines.map(({ name }, i) => isStacked
        ? column(name, colour(`stack-${lines.length - 1 - i}`))
        : ({
            label: name,
            stroke: colour(`plot-${i}`),
            width: 2,
            points: { show: lines[i]!.values.length < 40, size: 5 },
            value: (_plot: UPlot, value: number | null) => value === null ? '' : number.format(value)
          }))
    ]
  }
}

/** How the columns of one series are drawn. */
function column (label: string, fill: string): UPlot.Series {
  return { label, fill, width: 0, points: { show: false }, paths: UPlot.paths.bars!({ size: [0.65, 40] }) }
}
