import type { ActionRecord, Arguments } from '../../schema/actions.ts'
import type { RecordedAnswer } from '../../schema/checks.ts'
import type { Rehearsal } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import { askedOf, shownArguments, tryToBind, type Identity } from './calls/bind.ts'
import { actionsOf, type MakingNeeds } from './calls/make.ts'
import { offeredAs, plain, wrongly } from './offering.ts'
import { askedText } from './telling.ts'
import { ownProperty } from '../platform/objects.ts'

/** The visitor of a test question, for actions about the visitor. */
const TESTER: Identity = { externalId: 'test', verifiedEmail: 'test@example.com', conversation: 'test' }
const NOTHING = 'It was not done: the test question has no recorded answer for it.'

/**
 * A dry run of an agent's actions: arguments are validated as usual, confirmation is requested where needed, and
 * anything else returns the recorded result.
 */
export function rehearsal (
  needs: Pick<MakingNeeds, 'actions'>, recorded: readonly RecordedAnswer[]
): Rehearsal {
  const chosen: Array<{ name: string, arguments: Arguments }> = []
  return {
    chosen,
    offered: async (agent) => (await actionsOf(needs, agent)).map(offeredAs),
    async act (owner, { action: id, given, language }) {
      const [action] = await needs.actions.enabled(owner, [id])
      const bound = action && tryToBind(action, plain(given), TESTER)
      if (!action || !bound) return { type: 'told', title: '', text: NOTHING }
      if (bound instanceof Refusal) return wrongly(action.title, bound)
      chosen.push({ name: action.name, arguments: chosenOf(action, bound.values) })
      if (action.confirm !== 'nobody') {
        return { type: 'asked', text: askedText(action, shownArguments(action, bound.values), language) }
      }
      const answer = recorded.find(({ name }) => name === action.name)
      const text = answer && `${action.effect === 'write' ? 'It was done. ' : ''}${answer.result}`
      return { type: 'told', title: action.title, text: text ?? NOTHING }
    }
  }
}

/** The values that were chosen rather than filled in by code. */
const chosenOf = (action: ActionRecord, values: Arguments): Arguments =>
  Object.fromEntries(askedOf(action).flatMap(({ name }) => {
    const value = ownProperty(values, name)
    return value === undefined ? [] : [[name, value]]
  }))
