import type { CallRecord } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import type { ActionStore, ConnectionStore, Begun, CallStore } from '../store.ts'
import type { Sending, Sent } from '../contract.ts'
import { failureIn } from '../sending/failure.ts'

/** Dependencies for carrying out calls. */
interface RunNeeds {
  actions: Pick<ActionStore, 'distrust'>
  calls: CallStore
  connections: Pick<ConnectionStore, 'note'>
  sending: Sending
  onFault: (error: unknown) => void
}

/** Carries out calls that were handed out. */
export interface CallRunner {
  /**
   * Sends it, once, and writes the outcome, even if nobody waits for it any more. The result of a read is known before
   * it is `written`, which an answer need not wait for.
   */
  run (owner: Id, begun: Begun): Promise<{ call: CallRecord, sent: Sent, written: Promise<unknown> }>
  /** Looks up whether a call without a response was done; undefined if that is known by now. */
  lookUp (owner: Id, call: string): Promise<{ call: CallRecord, sent: Sent } | undefined>
  /**
   * Settles calls in flight when the process ended: a read has no answer, a write may have been done. If other
   * processes serve, only those without activity since `quietSince` (a time).
   */
  recover (quietSince?: string | null): Promise<void>
  /** Resolves when nothing is in flight. */
  idle (): Promise<void>
}

const LOST: Sent = {
  state: 'unknown',
  status: null,
  ms: 0,
  result: null,
  error: 'The server stopped before the answer came: it may have been done. It is not sent again.',
  error_code: 'stopped'
}
const UNREAD: Sent = { ...LOST, state: 'failed', error: 'The server stopped before the answer came.' }

/** See CallRunner. */
export function callRunner ({ actions, calls, connections, sending, onFault }: RunNeeds): CallRunner {
  const running = new Set<Promise<unknown>>()

  async function run (owner: Id, begun: Begun) {
    const { call, asked } = begun
    const sent = await sending.send(asked)
    const { state, status, ms, error, error_code: code } = sent
    const written = tracked(write(owner, begun, sent))
    if (call.effect === 'write') return { call: await written ?? call, sent, written }
    return { call: { ...call, state, status, ms, error, error_code: code }, sent, written: written.catch(onFault) }
  }

  /** In one commit: a turn waits for each. */
  async function write (owner: Id, { call, asked: { connection } }: Begun, sent: Sent) {
    const [settled] = await Promise.all([
      calls.settle(owner, call.id, sent),
      // A system that refuses something does respond.
      connections.note(owner, connection.id, sent.status === null ? failureIn(sent) : null),
      sent.tools && actions.distrust(owner, connection.id, sent.tools)
    ])
    return settled
  }

  function tracked<T> (work: Promise<T>): Promise<T> {
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  return {
    run: (owner, begun) => tracked(run(owner, begun)),
    async lookUp (owner, call) {
      const lost = await calls.lost(owner, call)
      if (!lost) return undefined
      const sent = await tracked(sending.lookUp(lost.asked))
      const settled = await calls.settle(owner, call, sent)
      return { call: settled ?? lost.call, sent }
    },
    async recover (quietSince = null) {
      for (const { owner, call, effect } of await calls.interrupted(quietSince)) {
        await calls.settle(owner, call, effect === 'write' ? LOST : UNREAD)
      }
    },
    async idle () {
      await Promise.allSettled(running)
    }
  }
}
