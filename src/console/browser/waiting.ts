import { computed, signal } from '@preact/signals'
import type { Conversation } from '../../../schema/conversations.ts'
import { api } from './api.ts'
import { MISSED, onHappened } from './live.ts'

const ids = signal<ReadonlySet<string>>(new Set())

/** How many conversations wait for a person; 100 where there are more. */
export const waiting = computed(() => ids.value.size)

/** Keeps the count right, as long as it is shown; the answer ends it. */
export function countWaiting (): () => void {
  async function read () {
    const { data } = await api.get<Conversation[]>('/conversations', { handled_by: 'queue', limit: 100 })
    ids.value = new Set(data.map(({ id }) => id))
  }

  const again = () => { read().catch(() => { /* It is read again when events arrive. */ }) }
  again()
  return onHappened((event) => {
    if (event.type === MISSED.type) return again()
    if (event.id === undefined || event.type === 'typing') return
    const isWaiting = (event.conversation as Conversation | undefined)?.handled_by === 'queue'
    if (isWaiting === ids.value.has(event.id)) return
    const next = new Set(ids.value)
    if (isWaiting) next.add(event.id)
    else next.delete(event.id)
    ids.value = next
  })
}
