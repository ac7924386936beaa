import { computed, signal } from '@preact/signals'
import type { Conversation } from '../../../../schema/conversations.ts'
import { api } from '../api.ts'
import { isPassing, MISSED, onHappened, withEvents, type Happened } from '../live.ts'

const ids = signal<ReadonlySet<string>>(new Set())

/** How many conversations wait for a person; 100 where there are more. */
export const waiting = computed(() => ids.value.size)

/** Keeps the count right, as long as it is shown; the answer ends it. */
export function countWaiting (): () => void {
  let reads = 0

  async function read () {
    const mine = ++reads
    const { answer: { data }, since } = await withEvents(
      () => api.get<Conversation[]>('/conversations', { handled_by: 'queue', limit: 100 })
    )
    if (mine === reads) ids.value = since.reduce<ReadonlySet<string>>(heard, new Set(data.map(({ id }) => id)))
  }

  const again = () => { read().catch(() => { /* It is read again when events arrive. */ }) }
  again()
  const end = onHappened((event) => {
    if (event.type === MISSED.type) again()
    else ids.value = heard(ids.value, event)
  })
  return () => {
    end()
    // Who signed out is not told any more, and an answer under way comes too late.
    reads++
    ids.value = new Set()
  }
}

/** Who waits after an event. */
function heard (before: ReadonlySet<string>, { type, id, conversation }: Happened): ReadonlySet<string> {
  if (id === undefined || isPassing(type)) return before
  const isWaiting = (conversation as Conversation | undefined)?.handled_by === 'queue'
  if (isWaiting === before.has(id)) return before
  const after = new Set(before)
  if (isWaiting) after.add(id)
  else after.delete(id)
  return after
}
