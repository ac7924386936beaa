import type { GuardPreview, GuardPreviewed, GuardRule } from '../../../../../schema/guards.ts'
import { api } from '../../api.ts'
import { linkTo } from '../../router.ts'
import { fill, region } from '../../texts/index.ts'
import { Badge } from '../../ui/page.tsx'
import { ruleTexts } from '../../texts/rules/index.ts'

/** What rules would have done in the last 30 days. */
export async function preview (agent: number, rules: readonly GuardRule[]): Promise<GuardPreview> {
  return (await api.post<GuardPreview>(`/agents/${agent}/guard_rules/preview`, { rules })).data
}

const number = (n: number) => new Intl.NumberFormat(region.value).format(n)
const percent = (share: number) =>
  new Intl.NumberFormat(region.value, { style: 'percent', maximumFractionDigits: 1 }).format(share)

/** What one of them would have done, with the newest messages. */
export function Previewed ({ of }: { of: GuardPreviewed }) {
  const { looked_at: looked, matches, acts, share, on_most: isBroad, examples } = of
  const rules = ruleTexts()
  if (looked === 0) return <p class='quiet'>{rules.nothingSaid}</p>
  return (
    <div class='stack'>
      <p>
        <Badge tone={isBroad ? 'bad' : 'plain'}>{percent(share)}</Badge>{' '}
        {fill(rules.matched, { n: number(matches), of: number(looked) })}
        {acts < matches && ` ${fill(rules.others, { n: number(matches - acts) })}`}
      </p>
      {isBroad && <p class='error'>{rules.broad}</p>}
      {examples.length > 0 && (
        <details>
          <summary>{rules.examples}</summary>
          <ul class='list'>
            {examples.map(({ conversation, message, text, shown }) => (
              <li key={message}><a href={linkTo(`/inbox/${conversation}`)} dir='auto'>{shown ?? text}</a></li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
