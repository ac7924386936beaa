import { randomBytes } from 'node:crypto'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { MessageRecord } from '../../../schema/conversations.ts'
import type { Run } from '../usage/ledger.ts'
import { answerTurn, type TurnNeeds } from './turn.ts'
import type { Remark } from '../contract.ts'

/** What of an answer is shown to clients that know no conversations. */
export type Answered = Pick<MessageRecord, 'text' | 'citations' | 'usage' | 'status' | 'error'>

/** An answer that is being written, whether or not it is kept. */
export interface Aside {
  /** Under which its watchers are woken when there is more of it. */
  topic: string
  /** What can be seen of it now; `ended` once nothing more comes. */
  now (): { text: string, ended: Answered | undefined }
  answer: Promise<Answered>
}

/** What was said before, as clients tell it that keep the history themselves. */
export interface Told { role: string, text: string }

/**
 * Answers a message that belongs to no conversation: nothing of it is kept. Ended by `signal` alone, not by its
 * reader's going.
 */
export function answerAside (
  agent: AgentRecord,
  told: readonly Told[],
  message: string,
  needs: TurnNeeds & { wake: (topic: string) => void, noteRun: (owner: Id, run: Run) => void },
  signal: AbortSignal
): Aside {
  const topic = `asides/${randomBytes(9).toString('base64url')}`
  const history = told.flatMap(remarksOf)
  let text = ''
  let ended: Answered | undefined

  async function write (): Promise<Answered> {
    const pieces = answerTurn(
      {
        agent,
        history,
        message,
        language: null,
        isFirst: !history.some(({ role }) => role === 'agent'),
        isAside: true
      },
      needs,
      signal
    )
    for (;;) {
      const { done, value } = await pieces.next()
      if (done) return endWith(value, value.run)
      text += value
      needs.wake(topic)
    }
  }

  function endWith (answer: Answered, run?: Run): Answered {
    if (run) needs.noteRun(agent.owner, run)
    ended = answer
    text = answer.text
    needs.wake(topic)
    return answer
  }

  const answer = write().catch(() => endWith({ ...cutOff(), text }))
  return { topic, answer, now: () => ({ text, ended }) }
}

/** What an answer ends as that was cut off: the server stops, or what it belongs to is gone. */
export function cutOff (): Answered {
  return {
    text: '',
    status: 'failed',
    citations: [],
    usage: null,
    error: { code: 'interrupted', message: 'The answer was interrupted. Ask again.' }
  }
}

/** Only what visitor and agent said counts; whatever else a client tells is not believed. */
function remarksOf ({ role, text }: Told): Remark[] {
  if ((role !== 'user' && role !== 'assistant') || text === '') return []
  return [{ role: role === 'user' ? 'visitor' : 'agent', text, status: 'complete' }]
}
