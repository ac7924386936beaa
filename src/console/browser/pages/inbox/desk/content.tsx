import type { Satisfaction } from '../../../../../../schema/satisfaction.ts'
import { useResource } from '../../../resource.ts'
import { fill, texts } from '../../../texts/index.ts'
import { Badge } from '../../../ui/page.tsx'

/** The visitor's rating of a closed conversation, next to how it ended; nothing if there is none. */
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
