import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { language } from '../../texts/index.ts'

/** A line of a plot: its name, and a value a day; null where there is none. */
export interface Line { name: string, values: Array<number | null> }

const HEIGHT = 220
/** How many days may lie between two that are named. */
const STEPS = [1, 2, 7, 14, 28, 56, 91]

/** Lines over days. What it shows stands in the table beside it, so that it is only a picture for others. */
export function Plot ({ days, lines, label }: { days: string[], lines: Line[], label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const key = JSON.stringify([days, lines, language.value])
  useEffect(() => {
    const place = box.current!
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = new UPlot(
        optionsFor(place, days, lines), [days.map((_, i) => i), ...lines.map(({ values }) => values)], place
      )
    }
    draw()
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    const sized = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }))
    sized.observe(place)
    return () => {
      dark.removeEventListener('change', draw)
      sized.disconnect()
      plot?.destroy()
    }
  }, [key])
  return (
    <div class='plot' role='img' aria-label={label}>
      <div ref={box} />
      <span class='plot-ink' /><span class='plot-line' />
      {lines.map(({ name }, i) => <span key={name} class={`plot-${i}`} />)}
    </div>
  )
}

/** How it is drawn: a canvas knows no style sheets, so that its colours are read from elements that do. */
function optionsFor (place: HTMLElement, days: string[], lines: Line[]): UPlot.Options {
  const colour = (name: string) => getComputedStyle(place.parentElement!.querySelector(`.${name}`)!).color
  const axis = {
    stroke: colour('plot-ink'),
    font: `12px ${getComputedStyle(place).fontFamily}`,
    grid: { stroke: colour('plot-line'), width: 1 },
    ticks: { stroke: colour('plot-line'), width: 1 }
  }
  const day = new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const dayAt = (i: number | null) => i === null || days[i] === undefined ? '' : day.format(Date.parse(days[i]))
  const number = new Intl.NumberFormat(language.value, { notation: 'compact' })
  return {
    width: place.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] } },
    axes: [
      { ...axis, incrs: STEPS, values: (_plot, ticks) => ticks.map(dayAt) },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map((tick) => number.format(tick)) }
    ],
    series: [
      { label: '', value: (_plot, tick) => dayAt(tick) },
      ...lines.map(({ name }, i) => ({
        label: name,
        stroke: colour(`plot-${i}`),
        width: 2,
        points: { show: lines[i]!.values.length < 40, size: 5 },
        value: (_plot: UPlot, value: number | null) => value === null ? '' : number.format(value)
      }))
    ]
  }
}
