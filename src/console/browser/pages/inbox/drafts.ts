import { signal } from '@preact/signals'
import { me } from '../../session.ts'

/**
 * What somebody types and has not sent. `client_id`: the name it was sent under when that failed, so that it arrives
 * once.
 */
export interface Draft { text: string, client_id?: string }

const drafts = signal<ReadonlyMap<string, Draft>>(new Map())
const kept = (key: string) => `agenthall:draft:${me.value?.account.id}:${key}`

/**
 * What is being typed under a name such as `reply:conv_…`; it stays when one goes elsewhere, and when the page is
 * loaded anew.
 */
export function draftOf (key: string): Draft {
  const known = drafts.value.get(key)
  if (known) return known
  try {
    const found = sessionStorage.getItem(kept(key))
    if (found) return JSON.parse(found) as Draft
  } catch { /* Storage is blocked: drafts last as long as the page. */ }
  return { text: '' }
}

/** Keeps it. */
export function keepDraft (key: string, draft: Draft) {
  drafts.value = new Map(drafts.value).set(key, draft)
  try {
    if (draft.text) sessionStorage.setItem(kept(key), JSON.stringify(draft))
    else sessionStorage.removeItem(kept(key))
  } catch { /* As above. */ }
}

/** It was sent: what was typed meanwhile stays. */
export function draftSent (key: string, sent: string) {
  const { text } = draftOf(key)
  keepDraft(key, { text: text.startsWith(sent) ? text.slice(sent.length).trimStart() : text })
}

/** A name for a message; crypto.randomUUID is missing over plain http. */
export function newName (): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')
}
