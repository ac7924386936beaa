import { signal } from '@preact/signals'
import type { Push } from '../../../../schema/notifications.ts'
import { api } from '../api.ts'
import { language } from '../texts/index.ts'
import { isWanted, workerOf } from './desktop.ts'

/** Whether this browser is called even with the console closed; undefined while unknown. */
export const isPushed = signal<boolean>()

/**
 * Subscribes this browser to pushes, if the user wants that and the browser has a push service. Repeated each time the
 * console is opened, since the session or the server's key may have changed.
 */
export async function keepPushed () {
  if (!isWanted.value) return
  isPushed.value = await subscribed().catch(() => false)
}

async function subscribed (): Promise<boolean> {
  const { pushManager } = await workerOf() ?? {}
  const { public_key: key, host } = (await api.get<Push>('/me/push')).data
  if (!pushManager || key === null) return false
  const before = await pushManager.getSubscription()
  // One that the server has dropped was called gone by the push service: that address stays dead. The same holds after
  // a new sign-in, when a new address does no harm.
  const isSame = before && host !== null && keyOf(before) === key
  if (before && !isSame) await before.unsubscribe()
  const found = isSame ? before : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys } = found.toJSON()
  await api.put<Push>('/me/push', {
    endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth }, language: language.value
  })
  return true
}

/** The sender's key of a subscription, as the server writes it. */
function keyOf ({ options: { applicationServerKey: key } }: PushSubscription): string {
  return btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer())))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Unsubscribes this browser from pushes. */
export async function endPush () {
  isPushed.value = undefined
  const subscription = await (await workerOf())?.pushManager?.getSubscription().catch(() => null)
  await Promise.all([subscription?.unsubscribe(), api.delete('/me/push')])
}
