import type { CheckResult, Verdict } from '../../../../../schema/checks.ts'
import { texts } from '../../texts/index.ts'
import { Badge } from '../../ui/page.tsx'

const TONES = { pass: 'good', fail: 'bad', flaky: 'accent', error: 'bad' } as const

/** A verdict in a word. */
function VerdictBadge ({ verdict }: { verdict: Verdict }) {
  return <Badge tone={TONES[verdict]}>{texts.value.checks.verdicts[verdict]}</Badge>
}

/** The results of a question in its last runs, newest last. */
export function Dots ({ recent }: { recent: Array<{ run: number, verdict: Verdict }> }) {
  const { checks } = texts.value
  if (recent.length === 0) return <span class='quiet'>{checks.neverAsked}</span>
  const all = recent.toReversed()
  return (
    <span class='dots' role='img' aria-label={all.map(({ verdict }) => checks.verdicts[verdict]).join(', ')}>
      {all.map(({ run, verdict }) => <span key={run} class={`dot ${verdict}`} />)}
    </span>
  )
}

/** Questions that did not pass, and why. */
export function Failed ({ results }: {
  results: Array<Pick<CheckResult, 'question' | 'text' | 'verdict' | 'why' | 'message'>>
}) {
  const { checks } = texts.value
  return (
    <ul class='plain changes'>
      {results.map(({ question, text, verdict, why, message }) => (
        <li key={question}>
          <p><VerdictBadge verdict={verdict} /> <strong dir='auto'>{text}</strong></p>
          {why.map((one) => <p key={one.message} class='quiet' dir='auto'>{one.message}</p>)}
          {message && (
            <details>
              <summary>{checks.answer}</summary>
              <p class='lines' dir='auto'>{message}</p>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}
