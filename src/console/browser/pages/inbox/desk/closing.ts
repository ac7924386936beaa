import { signal } from '@preact/signals'
import { addressOf, api, isRefused, type Refused } from '../../../api.ts'

/** Conversations that are being closed. `name`: the visitor, if it is a single one. */
interface Closing { ids: readonly string[], name: string, error?: Refused }

/** What was just closed and can still be undone; the server is told only afterwards. */
export const closing = signal<Closing | undefined>(undefined)

const UNDO_MS = 10_000
let timer: ReturnType<typeof setTimeout> | undefined

/** Closes conversations after a delay. Earlier pending ones are closed for good. */
export function close (ids: readonly string[], name: string) {
  closeNow()
  closing.value = { ids, name }
  timer = setTimeout(() => { closeNow() }, UNDO_MS)
}

/** Undoes it: nothing was sent yet. */
export function undoClosing () {
  clearTimeout(timer)
  closing.value = undefined
}

/** Closes pending ones immediately. `resolved`: the question was answered. */
export async function closeNow (resolved = false) {
  clearTimeout(timer)
  const now = closing.value
  closing.value = undefined
  for (const [i, id] of (now?.ids ?? []).entries()) {
    try {
      await api.post(`/conversations/${id}/close`, { resolved })
    } catch (error) {
      if (!isRefused(error)) throw error
      // One that was deleted meanwhile counts as closed.
      if (error.status === 404) continue
      closing.value ??= { ids: now!.ids.slice(i), name: now!.name, error }
      return
    }
  }
}

// Leaving the page closes what is pending, without waiting for an answer.
addEventListener('pagehide', () => {
  for (const id of closing.value?.ids ?? []) {
    fetch(addressOf(`/conversations/${id}/close`), {
      method: 'POST', keepalive: true, headers: { 'content-type': 'application/json' }, body: '{}'
    }).catch(() => { /* It stays open, and will be seen in the list. */ })
  }
  undoClosing()
})
