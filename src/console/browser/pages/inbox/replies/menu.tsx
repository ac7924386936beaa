import { useEffect, useId, useState } from 'preact/hooks'
import type { SavedReply } from '../../../../../../schema/replies.ts'
import { useResource } from '../../../resource.ts'
import { language, texts } from '../../../texts/index.ts'
import { filled, matching, typedKey, wordsFor, type Values } from './words.ts'

/** Maximum number offered; typing more narrows them. */
const OFFERED = 8

/** What a box gets from the menu that `/` opens above it. */
interface Menu {
  /** Rendered before the box. */
  list: preact.JSX.Element | null
  /** ARIA attributes of the box. */
  attributes: Record<string, string | undefined>
  /** Whether the menu handled a key. */
  takes: (event: KeyboardEvent) => boolean
  reload: () => void
}

/**
 * Offers saved replies while the box holds a single word starting with `/`, so that inserting one never discards typed
 * text. `spoken`: the visitor's language.
 */
export function useReplyMenu (
  { text, spoken, values, put }: { text: string, spoken: string | null, values: Values, put: (text: string) => void }
): Menu {
  const id = useId()
  const { data = [], reload } = useResource<SavedReply[]>('/saved_replies')
  const [place, setPlace] = useState(0)
  const [closed, setClosed] = useState<string>()
  const typed = typedKey(text)
  const offered = typed === undefined || closed === text ? [] : matching(data, typed, spoken).slice(0, OFFERED)
  useEffect(() => setPlace(0), [text])

  // As it will be in the box: nobody reads placeholders.
  const words = (reply: SavedReply) => filled(wordsFor(reply, [spoken, language.value, 'en']), values)
  const choose = (reply: SavedReply) => put(words(reply))

  function takes ({ key, isComposing }: KeyboardEvent): boolean {
    if (offered.length === 0 || isComposing) return false
    if (key === 'Escape') setClosed(text)
    else if (key === 'ArrowDown') setPlace((place + 1) % offered.length)
    else if (key === 'ArrowUp') setPlace((place + offered.length - 1) % offered.length)
    else if (key === 'Enter' || key === 'Tab') choose(offered[place] ?? offered[0]!)
    else return false
    return true
  }

  const isOpen = offered.length > 0
  return {
    list: isOpen ? <Offered {...{ id, offered, place, choose, words, spoken }} /> : null,
    attributes: isOpen
      ? { 'aria-controls': id, 'aria-activedescendant': `${id}-${place}`, 'aria-autocomplete': 'list' }
      : { 'aria-haspopup': 'listbox' },
    takes,
    reload: () => { reload() }
  }
}

/** The suggestions above the box: key, text, languages. */
function Offered ({ id, offered, place, choose, words, spoken }: {
  id: string
  offered: readonly SavedReply[]
  place: number
  choose: (reply: SavedReply) => void
  words: (reply: SavedReply) => string
  spoken: string | null
}) {
  return (
    <ul class='replies' id={id} role='listbox' aria-label={texts.value.replies.title}>
      {offered.map((reply, n) => (
        <li
          key={reply.id}
          id={`${id}-${n}`}
          role='option'
          aria-selected={n === place}
          onMouseDown={(event) => {
            // The cursor stays in the box.
            event.preventDefault()
            choose(reply)
          }}
        >
          <strong dir='auto'>{reply.key}</strong>
          <span class='quiet grow cut' dir='auto'>{words(reply)}</span>
          <span class='quiet'>
            {Object.keys(reply.texts).toSorted((a, b) => Number(b === spoken) - Number(a === spoken)).join(' ')}
          </span>
        </li>
      ))}
    </ul>
  )
}
