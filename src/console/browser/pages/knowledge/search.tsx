import { useState } from 'preact/hooks'
import { Search as SearchIcon } from 'lucide-preact'
import type { FoundPassage } from '../../../../../schema/knowledge.ts'
import { api } from '../../api.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'

/** From this on a passage is likely to be about what was asked. */
const SURE = 0.5

/** Looks up what an agent would find for a question. */
export function Search ({ id }: { id: string }) {
  const { knowledge } = texts.value
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<{ passages: FoundPassage[], training: number }>()
  const search = useAction(async () => {
    const { data, rest } = await api.post<FoundPassage[]>(`/agents/${id}/search`, { query, limit: 5 })
    setFound({ passages: data, training: Number(rest.training) })
  })
  return (
    <Card title={knowledge.search}>
      <form
        class='row nowrap'
        role='search'
        onSubmit={(event) => {
          event.preventDefault()
          if (query.trim() !== '') search.run()
        }}
      >
        <input
          class='grow'
          type='search'
          dir='auto'
          aria-label={knowledge.searchText}
          placeholder={knowledge.searchText}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <Button type='submit' icon={SearchIcon} busy={search.isBusy}>{knowledge.searchVerb}</Button>
      </form>
      {search.error && <p class='error' role='alert'>{sentenceOf(search.error)}</p>}
      <div role='status'>
        {found && found.passages.length === 0 && <p>{knowledge.nothing}</p>}
        {found && found.training > 0 && <p class='hint'>{fill(knowledge.training, { n: found.training })}</p>}
      </div>
      {found && found.passages.length > 0 && (
        <ol class='plain stack'>{found.passages.map((passage, i) => <Passage key={i} passage={passage} />)}</ol>
      )}
    </Card>
  )
}

function Passage ({ passage: { title, heading, page, highlight, confidence } }: { passage: FoundPassage }) {
  const { knowledge } = texts.value
  return (
    <li class='passage'>
      <div class='row'>
        <strong class='grow'>
          {title}
          {heading && <span class='quiet'> › {heading}</span>}
          {page !== null && <span class='quiet'> – {fill(knowledge.page, { n: page })}</span>}
        </strong>
        <Badge tone={confidence >= SURE ? 'good' : 'plain'}>
          {fill(knowledge.confidence, { percent: shownNumber(confidence, { style: 'percent' }) })}
        </Badge>
      </div>
      <p dir='auto' class='read'>
        {highlight.map(({ text, marked }, i) => (marked ? <mark key={i}>{text}</mark> : text))}
      </p>
    </li>
  )
}
