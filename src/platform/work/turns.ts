import { AsyncResource } from 'node:async_hooks'

/** Milliseconds of one turn of the event loop for requests, and for slices: what else is there waits for the next. */
const ROOM_MS = 5

/** What turns are measured by; tests pass their own. */
interface Loop {
  now (): number
  /** Calls this once in the next turn, by itself. */
  soon (call: () => void): void
}

/**
 * Shares out the turns of the event loop. Without it all that is ready runs in one turn, however much that is: twenty
 * requests that arrive together, or a slice of each of ten long works; and whoever comes meanwhile waits for all of it.
 */
interface Turns {
  /**
   * Begins a request at once while the present turn has room, else in a later one: in the order of arrival for each
   * name, and of different names in rotation, so that nobody waits behind all that somebody else has sent.
   */
  begin (nameOf: () => string, request: () => void): void
  /** Waits for a turn with room: called between the slices of long work. */
  next (): Promise<void>
}

/** Whether the present turn has room: always until something has been done in it. */
function roomIn ({ now, soon }: Loop): () => boolean {
  let began: number | undefined
  return () => {
    if (began !== undefined) return now() - began < ROOM_MS
    began = now()
    soon(() => { began = undefined })
    return true
  }
}

/** See Turns. */
export function turnsOf ({ now, soon }: Loop): Turns {
  const slices: Array<() => void> = []
  const requests = new Map<string, Array<() => void>>()
  const roomFor = { requests: roomIn({ now, soon }), slices: roomIn({ now, soon }) }

  /** In rotation. */
  function takeRequest (): () => void {
    const [name, queue] = requests.entries().next().value!
    requests.delete(name)
    const first = queue.shift()!
    if (queue.length > 0) requests.set(name, queue)
    return first
  }

  /**
   * There is one call for each that waits, as what is begun goes on only once the call is over. Requests and slices
   * have room of their own in each turn: neither may keep the other waiting.
   */
  function go () {
    if (requests.size > 0 && roomFor.requests()) takeRequest()()
    else if (slices.length > 0 && roomFor.slices()) slices.shift()!()
    else soon(go)
  }

  return {
    begin (nameOf, request) {
      if (requests.size === 0 && roomFor.requests()) return request()
      const name = nameOf()
      const waiting = requests.get(name) ?? []
      requests.set(name, waiting)
      // The turn is another's: what the request itself has in its context goes with it.
      waiting.push(AsyncResource.bind(request))
      soon(go)
    },
    next: () => new Promise((resolve) => {
      slices.push(resolve)
      soon(go)
    })
  }
}

const turns = turnsOf({ now: () => performance.now(), soon: (call) => { setImmediate(call) } })

/** Begins a request in a turn of this process's loop, see Turns. */
export const beginInTurn: Turns['begin'] = turns.begin

/** Others get a turn of this process's loop, see Turns. */
export const nextTurn: Turns['next'] = turns.next
