import type { ActionRecord, Arguments, CallRecord, OfferedForm } from '../../../schema/actions.ts'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { VisitorRecord } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import { inWords } from '../../platform/in-words.ts'
import type { ActionStore, CallStore } from '../store.ts'
import { askedOf } from './bind.ts'
import type { CallRunner } from './run.ts'

/**
 * Who takes part in a conversation: the agent that speaks, the visitor as far as one is known, and whether the business
 * now vouches for the author of the last message.
 */
interface Party { agent: AgentRecord, visitor: VisitorRecord | undefined, isVouchedFor: boolean }

/** Dependencies for making calls. */
export interface MakingNeeds {
  actions: ActionStore
  calls: CallStore
  runner: CallRunner
  partyOf: (owner: Id, conversation: string) => Promise<Party | undefined>
}

/** A call requested in a conversation. */
export interface Wanted {
  conversation: string
  action: Id
  arguments: Arguments
  /** The answer that it is for, and who spoke when that was begun; none for a form. */
  message?: string
  /** Only actions offered to visitors as a form. */
  isForm?: boolean
  /** Whether the business vouches for the requester; if omitted, for the author of the last message. */
  isVouchedFor?: boolean
  begunIn?: number
}

/** Its current outcome. `result`: the part of the response that may be shown. */
export interface Made { call: CallRecord, result: string | null }

/**
 * Executes an action of a conversation's agent, or asks for confirmation: the visitor is the one vouched for by the
 * business, whatever was said. Refuses with `action_off` one that it does not have, and as `bind` and `decideCall` do.
 * Undefined where there is no such conversation.
 */
export async function makeCall (
  { actions, calls, runner, partyOf }: MakingNeeds, owner: Id, wanted: Wanted
): Promise<Made | undefined> {
  const party = await partyOf(owner, wanted.conversation)
  if (!party) return undefined
  const [action] = party.agent.behavior.actionIds.includes(wanted.action)
    ? await actions.enabled(owner, [wanted.action])
    : []
  if (!action || (wanted.isForm && !action.as_form)) throw new Refusal('action_off', OFF)
  const proposal = await calls.propose(owner, {
    action: action.id,
    arguments: wanted.arguments,
    ...vouchedFor(party, wanted),
    conversation: wanted.conversation,
    message: wanted.message ?? null,
    begunIn: wanted.begunIn
  })
  if (!proposal) return undefined
  if (proposal.type === 'refused') throw proposal.refusal
  if (proposal.type === 'asked') return { call: proposal.call, result: null }
  if (proposal.type === 'repeated') return { call: proposal.call, result: proposal.result }
  const { call, sent, written } = await runner.run(owner, proposal)
  // Calls requested by a form are read back at once.
  if (wanted.message === undefined) await written
  return { call, result: sent.result }
}

const OFF = 'The agent of this conversation has no such action, or it is switched off.'

/** The visitor's identity, only if vouched for by the business. */
function vouchedFor ({ visitor, ...party }: Party, { conversation, isVouchedFor = party.isVouchedFor }: Wanted) {
  const isVerified = visitor?.verified === true && isVouchedFor
  return {
    isVerified,
    identity: {
      externalId: isVerified ? visitor.external_id : null,
      verifiedEmail: isVerified ? visitor.email : null,
      conversation
    }
  }
}

/** The agent fields that say which actions it has. */
type Acts = Pick<AgentRecord, 'owner' | 'behavior'>

/** The actions of an agent that are on, in its order. */
export async function actionsOf (
  { actions }: Pick<MakingNeeds, 'actions'>, { owner, behavior: { actionIds } }: Acts
): Promise<ActionRecord[]> {
  return await actions.enabled(owner, actionIds)
}

/** The actions of an agent offered to visitors as a form; without the parameters that code fills in. */
export async function formsOf (
  needs: Pick<MakingNeeds, 'actions'>, agent: Acts, isVerified: boolean
): Promise<OfferedForm[]> {
  const all = await actionsOf(needs, agent)
  return offered(all, isVerified)
}

/** Those offered to anybody; null if none are offered, not even to those whom the business vouches for. */
export async function publicForms (
  needs: Pick<MakingNeeds, 'actions'>, agent: Acts
): Promise<OfferedForm[] | null> {
  const all = await actionsOf(needs, agent)
  return all.some((action) => action.as_form) ? offered(all, false) : null
}

function offered (all: readonly ActionRecord[], isVerified: boolean): OfferedForm[] {
  return all
    .filter((action) => action.as_form && (isVerified || !(action.needs_verified || isAboutVisitor(action))))
    .map((action) => ({
      id: action.id,
      title: action.button || action.title,
      parameters: askedOf(action).map(({ name, type, description, required, enum: values, max }) =>
        ({ name, type, description: description || inWords(name), required, enum: values, max }))
    }))
}

const isAboutVisitor = ({ parameters }: ActionRecord) =>
  parameters.some(({ from, required }) => required && from.startsWith('visitor.'))
