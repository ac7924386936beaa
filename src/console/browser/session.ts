import { computed, signal } from '@preact/signals'
import type { Permission } from '../../../schema/access.ts'
import type { Me } from '../../../schema/people/me.ts'
import { api, refusedWith, type Asking } from './api.ts'
import { texts } from './texts/index.ts'

/** Who is signed in: undefined as long as it is not known, null for nobody. */
export const me = signal<Me | null | undefined>(undefined)

/** Whether the sign-in stands over the page, because the session ended in the middle of work. */
export const isSignInWanted = signal(false)
let waiting: Array<(isSignedIn: boolean) => void> = []

const permissions = computed(() => new Set<Permission>(me.value?.permissions ?? []))

/** Whether who is signed in may do this in the account. */
export function may (permission: Permission): boolean {
  return permissions.value.has(permission)
}

/** Asks who is signed in. */
export async function load () {
  me.value = await read()
}

async function read (asking: Asking = {}): Promise<Me | null> {
  try {
    return (await api.get<Me>('/me', undefined, asking)).data
  } catch (error) {
    if ((error as { status?: number }).status !== 401) throw error
    return null
  }
}

/**
 * Somebody has signed in: what waited for it goes on; `arrive` is called before what they see changes. Refuses where
 * the browser has not kept the cookie that the server handed over.
 */
export async function signedIn (arrive = () => {}) {
  const before = me.value
  const found = await read({ asIs: true })
  if (!found) throw refusedWith(401, { message: texts.value.signIn.noCookie })
  arrive()
  me.value = found
  // Another person, or another account, must not go on with the first one's work.
  if (before && (before.user.id !== me.value?.user.id || before.account.id !== me.value?.account.id)) {
    return location.reload()
  }
  isSignInWanted.value = false
  for (const go of waiting.splice(0)) go(true)
}

/** Asks to sign in over the page; resolves when it is done, false where nobody was signed in before. */
export async function signInAgain (): Promise<boolean> {
  if (!me.value) return false
  isSignInWanted.value = true
  return await new Promise((resolve) => { waiting.push(resolve) })
}

/** Ends the session, here and on the server. */
export async function signOut () {
  await api.delete('/session')
  waiting = []
  me.value = null
}
