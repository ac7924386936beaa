/** One line of the report: what was measured, against what, and whether the target is met. */
export interface Line { what: string, measured: string, against: string, aim: string, reached: boolean }

/** How thorough a run is. */
export interface Thoroughness { rounds: number, seconds: number, others?: number, filled?: number }

/** A rate, a time or a ratio in readable form. */
export const rate = (perSecond: number) => `${Math.round(perSecond).toLocaleString('en')}/s`
export const ms = (millis: number) => `${millis.toFixed(millis < 10 ? 2 : 0)} ms`
export const times = (ratio: number) => `${ratio.toFixed(2)} ×`
export const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`
export const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`

/** The lines as a Markdown table whose columns are aligned in a terminal, too. */
export function table (lines: Line[]): string {
  const rows = [
    ['What', 'Agenthall', 'Against', 'Aim', ''],
    ...lines.map(({ what, measured, against, aim, reached }) => [
      what, measured, against, aim, reached ? 'reached' : '**not reached**'
    ])
  ]
  const widths = rows[0]!.map((_cell, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const text = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`)
  text.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  return text.join('\n')
}
