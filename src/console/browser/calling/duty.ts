import { signal } from '@preact/signals'
import type { Duty } from '../../../../schema/handoff.ts'
import { api, isRefused } from '../api.ts'
import { isLive } from '../live.ts'

/** Whether whoever is signed in is there for visitors; undefined as long as it is not known. */
export const duty = signal<Duty | undefined>()

/** What can be chosen: as long as the console is open, always, or not at all. */
export const CHOICES = { console: null, on: true, off: false } as const

/** Changes it. */
export async function setDuty (change: Partial<Pick<Duty, 'on' | 'capacity'>>) {
  duty.value = (await api.put<Duty>('/me/duty', { on: duty.value!.on, ...change })).data
}

/** How long the first reading waits for events, so that it need not be read twice. */
const FIRST_WAIT_MS = 500

/** Asks for it, and again whenever events arrive anew; the answer ends it. */
export function followDuty (): () => void {
  const first = setTimeout(() => { read() }, FIRST_WAIT_MS)
  let wasLive = false
  // Whether one is there depends on whether the console is seen to be open.
  const end = isLive.subscribe((is) => {
    if (is) clearTimeout(first)
    if (is || wasLive) read()
    wasLive = is
  })
  return () => {
    clearTimeout(first)
    end()
    duty.value = undefined
  }
}

async function read () {
  try {
    duty.value = (await api.get<Duty>('/me/duty')).data
  } catch (error) {
    if (!isRefused(error)) throw error
  }
}
