import { signal } from '@preact/signals'
import { me } from '../../session.ts'

/** An unsent draft. `client_id`: the id used when sending failed, so that it arrives only once. */
export interface Draft { text: string, client_id?: string }

const drafts = signal<ReadonlyMap<string, Draft>>(new Map())
const kept = (key: string) => `agenthall:draft:${me.value?.account.id}:${key}`

/** The draft stored under a name such as `reply:conv_…`; it survives navigation and reloads. */
export function draftOf (key: string): Draft {
  const known = drafts.value.get(key)
  if (known) return known
  try {
    const found = sessionStorage.getItem(kept(key))
    if (found) return JSON.parse(found) as Draft
  } catch { /* Storage is blocked: drafts last as long as the page. */ }
  return { text: '' }
}

/** Stores it. */
export function keepDraft (key: string, draft: Draft) {
  drafts.value = new Map(drafts.value).set(key, draft)
  try {
    if (draft.text) sessionStorage.setItem(kept(key), JSON.stringify(draft))
    else sessionStorage.removeItem(kept(key))
  } catch { /* As above. */ }
}

/** Clears a draft that was sent; what was typed meanwhile stays. */
export function draftSent (key: string, sent: string) {
  const { text } = draftOf(key)
  keepDraft(key, { text: text.startsWith(sent) ? text.slice(sent.length).trimStart() : text })
}

/** An id for a message; crypto.randomUUID is missing over plain http. */
export function newName (): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')
}
