import { api } from '../api.ts'
import { load, me, signOut } from '../session.ts'
import { fill, texts } from '../texts/index.ts'
import { confirm } from './dialog.tsx'

/** Ends one's own membership in the account that is acted for, once that is confirmed. */
export async function leaveTeam () {
  const { team } = texts.value
  const { name, member } = me.value!.account
  const title = fill(team.leaveTitle, { account: name })
  if (!await confirm({ title, text: team.leaveText, verb: team.leave })) return
  await api.delete(`/members/${member}`)
  await load().catch(() => undefined)
  // Who belongs to no other account has no session any more either.
  if (me.value) location.reload()
  else await signOut().catch(() => undefined)
}
