import { signal } from '@preact/signals'
import { addressOf, api, isRefused, type Refused } from '../../../api.ts'

/** Conversations that are being closed. `name`: who is in it, where it is one. */
interface Closing { ids: readonly string[], name: string, error?: Refused }

/** What was closed a moment ago and can still be taken back: until then nobody is told. */
export const closing = signal<Closing | undefined>(undefined)

const UNDO_MS = 10_000
let timer: ReturnType<typeof setTimeout> | undefined

/** Closes conversations, in a moment. What was closed before is closed for good. */
export function close (ids: readonly string[], name: string) {
  closeNow()
  closing.value = { ids, name }
  timer = setTimeout(() => { closeNow() }, UNDO_MS)
}

/** Takes it back: nothing has happened. */
export function undoClosing () {
  clearTimeout(timer)
  closing.value = undefined
}

/** Closes at once what is still to be closed. `resolved`: what was asked in them is answered. */
export async function closeNow (resolved = false) {
  clearTimeout(timer)
  const now = closing.value
  closing.value = undefined
  for (const [i, id] of (now?.ids ?? []).entries()) {
    try {
      await api.post(`/conversations/${id}/close`, { resolved })
    } catch (error) {
      if (!isRefused(error)) throw error
      // One that is gone meanwhile is closed enough.
      if (error.status === 404) continue
      closing.value ??= { ids: now!.ids.slice(i), name: now!.name, error }
      return
    }
  }
}

// A page that is left closes what it still has to, and waits for no answer.
addEventListener('pagehide', () => {
  for (const id of closing.value?.ids ?? []) {
    fetch(addressOf(`/conversations/${id}/close`), {
      method: 'POST', keepalive: true, headers: { 'content-type': 'application/json' }, body: '{}'
    }).catch(() => { /* It stays open, and somebody sees it. */ })
  }
  undoClosing()
})
