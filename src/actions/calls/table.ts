import type { CallState, Confirm } from '../../../schema/actions.ts'

/** Events of a call. `lose`: it was sent, and no response came. */
export type CallEvent =
  'ask' | 'confirm' | 'refuse' | 'expire' | 'begin' | 'drop' | 'succeed' | 'fail' | 'lose' | 'find' | 'miss'

/**
 * Transitions of a call by state. Anything not listed is not allowed: nothing leads from a state in which it was sent
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

/** The state after an event; undefined if not allowed. */
export function after (state: CallState, event: CallEvent): CallState | undefined {
  return CALL_TABLE[state][event]
}

/** The first event: asks those who have to confirm, and nobody else. */
export function firstEvent (confirm: Confirm): 'ask' | 'begin' {
  return confirm === 'nobody' ? 'begin' : 'ask'
}

/** States in which it was sent: a write may have taken effect. */
export const SENT: readonly CallState[] = ['running', 'done', 'failed', 'unknown']
