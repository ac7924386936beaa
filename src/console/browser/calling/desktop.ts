import { signal } from '@preact/signals'
import { me } from '../session.ts'

/** What the worker is to show, and where a click on it leads. */
export interface Shown { title: string, body: string, conversation: string }

/** The worker's address: fixed, because browsers check there whether it has changed. */
const WORKER = '/console/sw.js'

/** Whether the signed-in user wants to be called in this browser. */
export const isWanted = signal(false)
/** The browser's permission for notifications; `none`: it has none, as over plain http. */
export const leave = signal<NotificationPermission | 'none'>('none')

const keyOf = () => `agenthall:calls:${me.value?.user.id}`

/** Reads what was chosen in this browser earlier, and what it allows now. */
export function readWanted () {
  try {
    isWanted.value = localStorage.getItem(keyOf()) === 'on'
  } catch { /* Storage is blocked: the user has to choose each time. */ }
  leave.value = 'Notification' in window && 'serviceWorker' in navigator ? Notification.permission : 'none'
}

/** Stores whether the user wants to be called here. */
export function want (on: boolean) {
  isWanted.value = on
  try {
    if (on) localStorage.setItem(keyOf(), 'on')
    else localStorage.removeItem(keyOf())
  } catch { /* Then it holds while the page is open. */ }
}

/** Requests permission to notify: only ever after a click on the button that says so. */
export async function askLeave () {
  if (leave.value === 'default') leave.value = await Notification.requestPermission()
}

let worker: Promise<ServiceWorkerRegistration | undefined> | undefined

/** The worker that shows notifications and receives pushes; undefined if the browser has none. */
export async function workerOf (): Promise<ServiceWorkerRegistration | undefined> {
  if (leave.value !== 'granted') return undefined
  worker ??= begun().catch(() => {
    // For example in private windows. The next call tries again.
    worker = undefined
    return undefined
  })
  return await worker
}

/** The page's Trusted Types policy: the only one allowed, created once, and it permits a single script. */
interface Rule { createScriptURL (url: string): string }
let rule: Rule | undefined

async function begun (): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = window as unknown as {
    trustedTypes?: { createPolicy (name: string, rules: object): Rule }
  }
  rule ??= trustedTypes?.createPolicy('agenthall-worker', { createScriptURL: () => WORKER })
  await navigator.serviceWorker.register(rule?.createScriptURL('') ?? WORKER)
  return await navigator.serviceWorker.ready
}

/** Shows a notification; it replaces an earlier one of the same conversation. */
export async function show ({ title, body, conversation }: Shown) {
  const registration = await workerOf()
  await registration?.showNotification(title, { body, tag: conversation, data: { conversation } })
    .catch(() => { /* Permission was withdrawn meanwhile in the browser's settings. */ })
}

/** Removes the notification of a conversation once it has been seen. */
export async function clear (conversation: string) {
  if (!worker) return
  for (const shown of await (await worker)?.getNotifications({ tag: conversation }) ?? []) shown.close()
}
