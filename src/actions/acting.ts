import type { CallRecord } from '../../schema/actions.ts'
import type { Id } from '../../schema/common.ts'
import type { Acted, Acting } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import { actionsOf, makeCall, type MakingNeeds } from './calls/make.ts'
import { offeredAs, plain, wrongly } from './offering.ts'
import { rehearsal } from './rehearsal.ts'
import { askedText } from './telling.ts'

/** Executes the tool calls of agents' models; see Acting. */
export function actingWith (needs: MakingNeeds): Acting {
  return {
    async offered (agent) {
      const all = await actionsOf(needs, agent)
      return all.map(offeredAs)
    },

    rehearsed: (recorded) => rehearsal(needs, recorded),

    async act (owner, { action: id, given, place: { conversation, message, begunIn }, language }) {
      const action = await needs.actions.get(owner, id)
      const { title = '', name = '' } = action ?? {}
      try {
        const wanted = { conversation, action: id, arguments: plain(given), message, begunIn }
        const made = await makeCall(needs, owner, wanted)
        if (!made) return { type: 'told', title: name, text: GONE }
        return await whatBecame(owner, made.call, made.result, language)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return wrongly(title, error)
      }
    }
  }

  async function whatBecame (
    owner: Id, call: CallRecord, result: string | null, language: string | null
  ): Promise<Acted> {
    if (call.state === 'asked') {
      const card = await needs.calls.get(owner, call.conversation!, call.id)
      return { type: 'asked', text: askedText(call, card?.arguments ?? [], language) }
    }
    return { type: 'told', title: call.title, text: toldText(call, result) }
  }
}

const GONE = 'It was not done: the conversation is gone.'

/** The result of a call as passed to the answering model. */
function toldText ({ state, effect, error }: CallRecord, result: string | null): string {
  if (state === 'done') return `${effect === 'write' ? 'It was done. ' : ''}${result ?? ''}`.trim() || 'It was done.'
  if (state === 'failed') return `It was not done. ${error ?? ''}`.trim()
  if (state === 'unknown') return 'It is not known yet whether it was done; this is being checked. Do not say that it was.'
  return state === 'running' ? 'It is under way.' : 'It was not done.'
}
