import type { CallState, Confirm } from '../../../schema/actions.ts'

/** What happens to a call. `lose`: it was sent, and no answer came. */
export type CallEvent =
  'ask' | 'confirm' | 'refuse' | 'expire' | 'begin' | 'drop' | 'succeed' | 'fail' | 'lose' | 'find' | 'miss'

/**
 * What becomes of a call in each state. What is not here cannot happen: nothing leads from a state in which it was sent
 * back to one in which it may be sent.
 */
export const CALL_TABLE: Record<CallState, Partial<Record<CallEvent, CallState>>> = {
  proposed: { ask: 'asked', begin: 'running', drop: 'refused' },
  asked: { confirm: 'confirmed', refuse: 'refused', expire: 'expired', drop: 'refused' },
  confirmed: { begin: 'running', drop: 'refused' },
  running: { succeed: 'done', fail: 'failed', lose: 'unknown' },
  unknown: { find: 'done', miss: 'failed' },
  refused: {},
  expired: {},
  done: {},
  failed: {}
}

/** How long a call can be confirmed. */
export const CONFIRM_MS = 15 * 60_000

/** The state after an event; undefined where it cannot happen. */
export function after (state: CallState, event: CallEvent): CallState | undefined {
  return CALL_TABLE[state][event]
}

/** What comes first: who has to be asked is asked, and nobody else. */
export function firstEvent (confirm: Confirm): 'ask' | 'begin' {
  return confirm === 'nobody' ? 'begin' : 'ask'
}

/** States in which it was sent: of a write it may have had its effect. */
export const SENT: readonly CallState[] = ['running', 'done', 'failed', 'unknown']
