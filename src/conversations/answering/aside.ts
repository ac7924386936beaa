import { randomBytes } from 'node:crypto'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { MessageRecord } from '../../../schema/conversations.ts'
import type { ModelUsage } from '../usage/ledger.ts'
import { answerTurn, type TurnNeeds } from './turn.ts'
import type { HistoryMessage } from '../contract.ts'

/** The part of an answer shown to clients without conversations. */
export type Answered = Pick<MessageRecord, 'text' | 'citations' | 'usage' | 'status' | 'error'>

/** An answer being written, stored or not. */
export interface Aside {
  /** The topic for waking its watchers when there is more of it. */
  topic: string
  /** What is visible of it now; `ended` once nothing more comes. */
  now (): { text: string, ended: Answered | undefined }
  answer: Promise<Answered>
}

/** The history, as sent by clients that keep it themselves. */
export interface Told { role: string, text: string }

/**
 * Answers a message outside of conversations: nothing of it is stored. Ended only by `signal`, not when its reader
 * leaves.
 */
export function answerAside (
  agent: AgentRecord,
  told: readonly Told[],
  message: string,
  needs: TurnNeeds & { wake: (topic: string) => void, noteRun: (owner: Id, run: ModelUsage) => void },
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

  function endWith (answer: Answered, run?: ModelUsage): Answered {
    if (run) needs.noteRun(agent.owner, run)
    ended = answer
    text = answer.text
    needs.wake(topic)
    return answer
  }

  const answer = write().catch(() => endWith({ ...cutOff(), text }))
  return { topic, answer, now: () => ({ text, ended }) }
}

/** The final state of an answer cut off: the server stops, or its context was deleted. */
export function cutOff (): Answered {
  return {
    text: '',
    status: 'failed',
    citations: [],
    usage: null,
    error: { code: 'interrupted', message: 'The answer was interrupted. Ask again.' }
  }
}

/** Only messages of visitor and agent count; nothing else a client sends is trusted. */
function remarksOf ({ role, text }: Told): HistoryMessage[] {
  if ((role !== 'user' && role !== 'assistant') || text === '') return []
  return [{ role: role === 'user' ? 'visitor' : 'agent', text, status: 'complete' }]
}
