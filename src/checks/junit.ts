import type { CheckRunWithResults } from '../../schema/checks.ts'

/** A run as JUnit XML, for CI systems: pure. */
export function junitOf ({ id, agent, created_at: at, results }: CheckRunWithResults): string {
  const count = (...verdicts: string[]) => results.filter(({ verdict }) => verdicts.includes(verdict)).length
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const all = results.reduce((sum, { ms }) => sum + ms, 0)
  const cases = results.map(({ question, text, verdict, why, message, ms }) => {
    const name = `name="${escaped(`${question} ${text}`)}" classname="agent ${agent}" time="${seconds(ms)}"`
    if (verdict === 'pass') return `    <testcase ${name}/>`
    const kind = verdict === 'error' ? 'error' : 'failure'
    const said = escaped(why.map((one) => one.message).join(' '))
    return `    <testcase ${name}>\n      <${kind} type="${verdict}" message="${said}">${escaped(message ?? '')}</${kind}>\n    </testcase>`
  })
  const counts = `tests="${results.length}" failures="${count('fail', 'flaky')}" errors="${count('error')}" time="${seconds(all)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="agent ${agent}, run ${id}" timestamp="${at}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    ''
  ].join('\n')
}

const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\t': '&#9;' }

/** Text escaped for XML, without characters that XML does not allow. */
function escaped (text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]|[\uFFFE\uFFFF]/gu, '\uFFFD').replaceAll(/[&<>"\n\t]/g, (mark) => MARKS[mark]!)
}
