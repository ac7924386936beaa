import { useState } from 'preact/hooks'
import { api, type Asking } from './api.ts'
import { useResource, type Resource } from './resource.ts'
import { useAction, type Action } from './ui/action.ts'

const PART = 50

/** A list read in parts of 50. `more` is present while there are further parts. */
export interface Listing<T> {
  first: Resource<T[]>, items: T[], more: Action<[]> | undefined, reload: () => Promise<void>
}

/** Reads a route that answers with `next_cursor`, part after part. */
export function useListing<T> (route: string, query: NonNullable<Asking['query']> = {}): Listing<T> {
  const key = JSON.stringify([route, query])
  const first = useResource<T[]>(route, { ...query, limit: PART })
  const [rest, setRest] = useState<{ key: string, items: T[], cursor: string | null }>()
  const known = rest?.key === key ? rest : undefined
  const cursor = known ? known.cursor : (first.rest.next_cursor as string | null | undefined) ?? null
  const more = useAction(async () => {
    if (cursor === null) return
    const answer = await api.get<T[]>(route, { ...query, limit: PART, cursor })
    setRest({
      key,
      items: [...(known?.items ?? []), ...answer.data],
      cursor: (answer.rest.next_cursor ?? null) as string | null
    })
  })
  return {
    first,
    items: [...first.data ?? [], ...known?.items ?? []],
    more: cursor === null ? undefined : more,
    async reload () {
      await first.reload()
      setRest(undefined)
    }
  }
}
