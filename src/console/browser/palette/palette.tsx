import { signal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Conversation } from '../../../../schema/conversations.ts'
import { api } from '../api.ts'
import { commands } from '../keys.ts'
import { PAGES } from '../pages.ts'
import { calledIn, useVisitor } from '../people.ts'
import { go } from '../router.ts'
import { may } from '../session.ts'
import { texts } from '../texts/index.ts'
import { matches } from './matches.ts'

const SEARCH_MS = 200
const MOST_FOUND = 5

/** An entry of the palette. `conversation`: labelled with its visitor's name. */
interface Choice { group: 'found' | 'here' | 'pages', label: string, key?: string, conversation?: Conversation, act: () => void }

const isOpen = signal(false)

/** Opens it: for users without a keyboard, or who do not know the shortcut. */
export const openPalette = () => { isOpen.value = true }

/** Opens with Ctrl or ⌘ and K, on every page. */
export function Palette () {
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // An open dialog comes first.
      if (!document.querySelector('dialog[open]:not(.palette)')) isOpen.value = !isOpen.value
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
  return isOpen.value ? <Opened onClose={() => { isOpen.value = false }} /> : null
}

function Opened ({ onClose }: { onClose: () => void }) {
  const { palette } = texts.value
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [place, setPlace] = useState(0)
  const choices = [...useFound(typed), ...offered(typed)]
  useEffect(() => setPlace(0), [typed])
  useLayoutEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement as HTMLElement | null
    dialog.showModal()
    return () => {
      dialog.close()
      if (!document.querySelector('dialog[open]')) before?.focus()
    }
  }, [])

  function choose (choice: Choice | undefined) {
    if (!choice) return
    onClose()
    // Focus is restored first, and then moves on to what was chosen.
    setTimeout(choice.act)
  }

  function onKeyDown (event: KeyboardEvent) {
    const { key, isComposing } = event
    if (isComposing) return
    if (key === 'ArrowDown') setPlace((place + 1) % Math.max(1, choices.length))
    else if (key === 'ArrowUp') setPlace((place + choices.length - 1) % Math.max(1, choices.length))
    else if (key === 'Enter') choose(choices[place])
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={ref} class='palette' aria-label={palette.title} onCancel={onClose}
      onClick={({ target }) => { if (target === ref.current) onClose() }}
    >
      <input
        role='combobox' aria-label={palette.title} aria-expanded='true' aria-controls={id} autocomplete='off'
        aria-activedescendant={choices[place] && `${id}-${place}`} placeholder={palette.title} maxLength={200} dir='auto'
        value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onKeyDown={onKeyDown}
      />
      <Choices id={id} choices={choices} place={place} choose={choose} />
      {choices.length === 0 && <p class='quiet' role='status'>{palette.nothing}</p>}
    </dialog>
  )
}

/** The entries; the one that Enter selects is scrolled into view. */
function Choices ({ id, choices, place, choose }: {
  id: string, choices: readonly Choice[], place: number, choose: (choice: Choice) => void
}) {
  const { palette } = texts.value
  return (
    <ul id={id} role='listbox' aria-label={palette.title}>
      {choices.map((choice, n) => (
        <li
          key={n} id={`${id}-${n}`} role='option' aria-selected={n === place}
          ref={(row) => { if (n === place) row?.scrollIntoView({ block: 'nearest' }) }}
          onClick={() => choose(choice)}
        >
          {choice.conversation
            ? <Called conversation={choice.conversation} />
            : <span class='grow'>{choice.label}</span>}
          <span class='quiet'>{choice.key ? <kbd>{choice.key}</kbd> : palette.groups[choice.group]}</span>
        </li>
      ))}
    </ul>
  )
}

/** A conversation by its visitor and subject. */
function Called ({ conversation }: { conversation: Conversation }) {
  const { visitor, subject } = conversation
  const who = useVisitor(visitor)
  return (
    <span class='grow cut' dir='auto'>
      {calledIn(conversation, who)}{subject && <span class='quiet'> · {subject}</span>}
    </span>
  )
}

/** The commands of the page, and pages to open. */
function offered (typed: string): Choice[] {
  const { nav, palette } = texts.value
  const here = commands.value
    .filter(({ isListed }) => isListed)
    .map(({ label, key, act }): Choice => ({ group: 'here', label, key: key.toUpperCase(), act }))
  const pages = PAGES
    .filter(({ nav: entry, permissions }) => entry && (!permissions || permissions.some(may)))
    .map(({ path, nav: entry }): Choice => ({ group: 'pages', label: nav[entry!.text], act: () => go(path) }))
  return [...here, ...pages, { group: 'pages' as const, label: palette.docs, act: () => { location.href = '/docs' } }]
    .filter(({ label }) => matches(label, typed))
}

/** Conversations that contain the typed text, or whose visitor's name does. */
function useFound (typed: string): Choice[] {
  const [found, setFound] = useState<Conversation[]>([])
  const search = typed.trim()
  useEffect(() => {
    setFound([])
    if (search === '' || !may('REPLY_CONVERSATION')) return
    const cut = new AbortController()
    const timer = setTimeout(() => {
      api.get<Conversation[]>('/conversations', { search, limit: MOST_FOUND }, { signal: cut.signal })
        .then(({ data }) => setFound(data), () => { /* The other entries remain available. */ })
    }, SEARCH_MS)
    return () => {
      clearTimeout(timer)
      cut.abort()
    }
  }, [search])
  return found.map((conversation) => (
    { group: 'found', label: '', conversation, act: () => go(`/inbox/${conversation.id}`) }
  ))
}
