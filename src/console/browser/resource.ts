import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, isRefused, type Answer, type Asking, type Refused } from './api.ts'
import { isAway, onceBack } from './asking/back.ts'

/** Something read from the server, as a page shows it. */
export interface Resource<T> {
  data: T | undefined
  /** Of the answer that is shown: what a change is based on. */
  etag: string | undefined
  /** What stands beside `data` in the answer, such as `pagination` or `next_cursor`. */
  rest: Record<string, unknown>
  error: Refused | undefined
  /** Reads it anew; what is shown stays until the answer is there. */
  reload: () => Promise<void>
  /** Shows what a change has answered. */
  set: (data: T, etag?: string) => void
}

interface State<T> { key: string, answer?: Answer<T>, error?: Refused }

/** Reads with `read` when it is first shown and whenever `key` changes; an answer that is late is not shown. */
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
  // What could not be read while the server was away is read once it is back, wherever it stands on the page.
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

/** Reads a route when it is first shown, and whenever route or query change. */
export function useResource<T> (route: string, query: Asking['query'] = {}): Resource<T> {
  return useResourceOf(async () => await api.get<T>(route, query), JSON.stringify([route, query]))
}

const ASKED_AT_ONCE = 100

/**
 * What is known of each of many by its id: asked for all that a page draws with one request, and of each once. `ask`
 * reads it of 100 at most.
 */
export function asked<T> (ask: (ids: string[]) => Promise<ReadonlyMap<string, T>>) {
  const known = signal<ReadonlyMap<string, T>>(new Map())
  /** Those that are to be asked for next, together. */
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
    /** Asks for one, `again` where it is known already. */
    want (id: string, again = false) {
      if ((known.peek().has(id) && !again) || wanted.has(id)) return
      wanted.add(id)
      // Those that fail are asked for again when they are drawn anew.
      if (wanted.size === 1) setTimeout(() => { askAll().catch(() => {}) })
    }
  }
}
