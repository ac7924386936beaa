import { signal } from '@preact/signals'
import type { Duty } from '../../../../schema/handoff.ts'
import { api, isRefused } from '../api.ts'
import { isLive } from '../live.ts'

/** Whether the signed-in user is available to visitors; undefined while unknown. */
export const duty = signal<Duty | undefined>()

/** The choices: while the console is open, always, or not at all. */
export const CHOICES = { console: null, on: true, off: false } as const

/** Changes it. */
export async function setDuty (change: Partial<Pick<Duty, 'on' | 'capacity'>>) {
  duty.value = (await api.put<Duty>('/me/duty', { on: duty.value!.on, ...change })).data
}

/** How long the first read waits for events, to avoid reading twice. */
const FIRST_WAIT_MS = 500

/** Requests it, and again whenever events arrive again; the returned function stops it. */
export function followDuty (): () => void {
  const first = setTimeout(() => { read() }, FIRST_WAIT_MS)
  let wasLive = false
  // Availability depends on whether the server sees the console as open.
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
