import { useState } from 'preact/hooks'
import { Search as SearchIcon, X } from 'lucide-preact'
import type { FoundPassage } from '../../../../../schema/knowledge.ts'
import { api } from '../../api.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { IconButton } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'

/** Score from which a passage is likely to be about the question. */
const SURE = 0.5

/** What an agent would find for a question. */
export interface Found { query: string, passages: FoundPassage[], training: number }

/** Looks up what an agent would find for a question, as customers ask it. */
export function Search ({ id, onFound }: { id: string, onFound: (found: Found | undefined) => void }) {
  const { knowledge } = texts.value
  const [query, setQuery] = useState('')
  const search = useAction(async () => {
    const { data, rest } = await api.post<FoundPassage[]>(`/agents/${id}/search`, { query, limit: 5 })
    onFound({ query, passages: data, training: Number(rest.training) })
  })
  return (
    <form
      class='search-box'
      role='search'
      onSubmit={(event) => {
        event.preventDefault()
        if (query.trim() !== '') search.run()
      }}
    >
      <input
        type='search'
        enterKeyHint='search'
        dir='auto'
        aria-label={knowledge.search}
        placeholder={knowledge.search}
        title={knowledge.searchText}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          if (event.currentTarget.value === '') onFound(undefined)
        }}
      />
      <IconButton type='submit' icon={SearchIcon} label={knowledge.searchVerb} aria-busy={search.isBusy} />
      {search.error && <p class='error' role='alert'>{sentenceOf(search.error)}</p>}
    </form>
  )
}

/** The passages that answers to a question would be made of. */
export function Findings ({ found, onClose }: { found: Found | undefined, onClose: () => void }) {
  const { knowledge, ui } = texts.value
  return (
    <>
      <div class='hidden' role='status'>{found && found.passages.length === 0 && knowledge.nothing}</div>
      {found && (
        <Card title={found.query} actions={<IconButton icon={X} label={ui.close} onClick={onClose} />}>
          {found.passages.length === 0 && <p>{knowledge.nothing}</p>}
          {found.training > 0 && <p class='hint'>{fill(knowledge.training, { n: found.training })}</p>}
          {found.passages.length > 0 && (
            <ol class='plain stack'>{found.passages.map((passage, i) => <Passage key={i} passage={passage} />)}</ol>
          )}
        </Card>
      )}
    </>
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
