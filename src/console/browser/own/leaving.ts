import { api } from '../api.ts'
import { load, me, signOut } from '../session.ts'
import { fill, texts } from '../texts/index.ts'
import { confirm } from '../ui/dialog.tsx'

/** Ends the user's membership in the current account, once confirmed. */
export async function leaveTeam () {
  const { team } = texts.value
  const { name, member } = me.value!.account
  const title = fill(team.leaveTitle, { account: name })
  if (!await confirm({ title, text: team.leaveText, verb: team.leave })) return
  await api.delete(`/members/${member}`)
  await load().catch(() => undefined)
  // Without another account the user has no session any more either.
  if (me.value) location.reload()
  else await signOut().catch(() => undefined)
}
