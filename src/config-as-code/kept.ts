import type { Id } from '../../schema/common.ts'
import type { Managed } from '../../schema/config.ts'
import { GROUP_OF } from './files/format.ts'
import type { Planned } from './plan.ts'
import type { Kept, Stamped } from './store.ts'

/** What files hold from now on. Objects made by a file and no longer in any are remembered, for `prune`. */
export function keptAfter ({ owner, plan, ids, before, standing, at, manage }: {
  owner: Id,
  plan: Planned,
  ids: ReadonlyMap<string, Id>,
  before: readonly Kept[],
  standing: readonly Stamped[],
  at: string
  manage: readonly Managed[]
}): Kept[] {
  const stamps = new Map(standing.map(({ kind, id, stamp }) => [`${kind} ${id}`, stamp]))
  const known = new Map(before.map((one) => [`${one.kind} ${one.id}`, one]))
  const inFiles = plan.steps.filter(({ given }) => given !== undefined)
  const held = inFiles.map(({ kind, place, given, action, current }): Kept => {
    const id = kind === 'business' ? owner : ids.get(place)!
    const was = current && known.get(`${kind} ${current.id}`)
    return {
      kind,
      id,
      place,
      file: given!.file,
      isMade: action === 'create' || (was?.isMade ?? false),
      isLocked: given!.isLocked,
      stamp: stamps.get(`${kind} ${id}`) ?? '',
      at
    }
  })
  const names = new Set(held.map(({ kind, id }) => `${kind} ${id}`))
  const rest = before.filter(({ kind, id }) => !names.has(`${kind} ${id}`) && stamps.has(`${kind} ${id}`)).flatMap((one) => {
    if (!manage.includes(GROUP_OF[one.kind])) return [one]
    return one.isMade ? [{ ...one, file: '', isLocked: false }] : []
  })
  return [...held, ...rest]
}
