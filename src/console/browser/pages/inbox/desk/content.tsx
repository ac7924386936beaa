import type { Satisfaction } from '../../../../../../schema/satisfaction.ts'
import { useResource } from '../../../resource.ts'
import { fill, texts } from '../../../texts/index.ts'
import { Badge } from '../../../ui/page.tsx'

/** How content the visitor was with a conversation that is closed, beside how it ended; nothing where nobody said. */
export function Content ({ id }: { id: string }) {
  const { desk, inbox } = texts.value
  const { data: given = [] } = useResource<Satisfaction[]>('/satisfaction', { conversation: id, limit: 5 })
  if (given.length === 0) return null
  return (
    <section class='stack'>
      <h3>{desk.content}</h3>
      <ul class='plain'>
        {given.map(({ episode, score, comment, outcome }) => (
          <li key={episode}>
            <span class='row'>
              <Badge tone={score! < 3 ? 'bad' : 'plain'}>{fill(desk.score, { score: score! })}</Badge>
              <span class='quiet'>{inbox.outcomes[outcome]}</span>
            </span>
            {comment && <p class='said-text' dir='auto'>{comment}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
