import type { DiffLine } from '../../../schema/versions.ts'
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, isRefused, type Answer, type Asking, type Refused } from './api.ts'
import { isAway, onceBack } from './asking/back.ts'

/**
 * How values are said that a page has words for, loaded when they are compared. Set where the pages are listed: those
 * pages show comparisons themselves, so importing them there would be a circle.
 */
export const readers: {
  rules?: () => Promise<{ ruleLines: (from: unknown, to: unknown) => DiffLine[] }>
} = {}

/** Something read from the server, as used by a page. */
export interface Resource<T> {
  data: T | undefined
  /** The ETag of the answer shown, on which changes are based. */
  etag: string | undefined
  /** The answer's other fields beside `data`, such as `pagination` or `next_cursor`. */
  rest: Record<string, unknown>
  error: Refused | undefined
  /** Reads it again; what is shown stays until the answer arrives. */
  reload: () => Promise<void>
  /** Shows the answer to a change. */
  set: (data: T, etag?: string) => void
}

interface State<T> { key: string, answer?: Answer<T>, error?: Refused }

/** Calls `read` on mount and whenever `key` changes; outdated answers are discarded. */
export function useResourceOf<T> (read: () => Promise<Answer<T>>, key: string): Resource<T> {
  const [state, setState] = useState<State<T>>({ key })
  const current = useRef(key)
  current.current = key

  async function reload () {
    try {
      const answer = await read()
      if (current.current === key) setState({ key, answer })
    } catch (error) {
      if (!isRefused(error)) throw error
      if (current.current === key) {
        setState((before) => ({ key, error, ...(before.key === key && before.answer && { answer: before.answer }) }))
      }
    }
  }

  useEffect(() => { reload() }, [key])
  const { answer, error }: Partial<State<T>> = state.key === key ? state : {}
  // Whatever on the page could not be read while the server was away is read once it is back.
  useEffect(() => error && isAway(error) ? onceBack(() => { reload() }) : undefined, [error])
  return {
    data: answer?.data,
    etag: answer?.etag,
    rest: answer?.rest ?? {},
    error,
    reload,
    set: (data, etag) =>
      setState({ key, answer: { data, message: '', rest: answer?.rest ?? {}, etag: etag ?? answer?.etag } })
  }
}

/** Reads a route on mount, and whenever route or query change. */
export function useResource<T> (route: string, query: Asking['query'] = {}): Resource<T> {
  return useResourceOf(async () => await api.get<T>(route, query), JSON.stringify([route, query]))
}

const ASKED_AT_ONCE = 100

/** A cache by id: one request for all ids that a page renders, each requested once. `ask` reads at most 100. */
export function asked<T> (ask: (ids: string[]) => Promise<ReadonlyMap<string, T>>) {
  const known = signal<ReadonlyMap<string, T>>(new Map())
  /** The ids to request next, together. */
  let wanted = new Set<string>()

  async function askAll () {
    const ids = [...wanted]
    wanted = new Set()
    for (let at = 0; at < ids.length; at += ASKED_AT_ONCE) learn(await ask(ids.slice(at, at + ASKED_AT_ONCE)))
  }

  /** Takes over what was learnt elsewhere. */
  function learn (found: ReadonlyMap<string, T>) {
    known.value = new Map([...known.value, ...found])
  }

  return {
    known,
    learn,
    /** Requests one, `again` if it is already known. */
    want (id: string, again = false) {
      if ((known.peek().has(id) && !again) || wanted.has(id)) return
      wanted.add(id)
      // Failed ones are requested again when they are next rendered.
      if (wanted.size === 1) setTimeout(() => { askAll().catch(() => {}) })
    }
  }
}
