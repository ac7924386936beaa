import type { ActionRecord, Arguments, CallCard, CallRecord } from '../../schema/actions.ts'
import type { Id } from '../../schema/common.ts'
import type { Acted, Acting } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import { schemaOf } from './calls/bind.ts'
import { actionsOf, makeCall, type MakingNeeds } from './calls/make.ts'
import { wordsOf } from './words.ts'

/** Does what models choose for agents; see Acting. */
export function actingWith (needs: MakingNeeds): Acting {
  return {
    async offered (agent) {
      const all = await actionsOf(needs, agent)
      return all.map((action) => ({ ...named(action), parameters: schemaOf(action) }))
    },

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
        const text = error.details.map(({ message: fault }) => fault).join(' ') || error.message
        return error.code === 'VALIDATION_ERROR'
          ? { type: 'wrong', title, text }
          : { type: 'told', title, text: `It was not done. ${text}` }
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

const named = ({ id, name, title, when }: ActionRecord) => ({ id, name, title, when })

/** Only what arguments can be: a model may put anything in. */
function plain (given: Record<string, unknown>): Arguments {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  return Object.fromEntries(Object.entries(given).filter(([, value]) => isPlain(value))) as Arguments
}

/** What of a call is told to the model that answers. */
function toldText ({ state, effect, error }: CallRecord, result: string | null): string {
  if (state === 'done') return `${effect === 'write' ? 'It was done. ' : ''}${result ?? ''}`.trim() || 'It was done.'
  if (state === 'failed') return `It was not done. ${error ?? ''}`.trim()
  if (state === 'unknown') return 'It is not known yet whether it was done; it is being found out. Do not say that it was.'
  return state === 'running' ? 'It is under way.' : 'It was not done.'
}

/** What a visitor is asked, drawn by us: what is to be done, and with what. */
export function askedText (
  { title, confirm }: Pick<CallRecord, 'title' | 'confirm'>, given: CallCard['arguments'], language: string | null
): string {
  const words = wordsOf(language)
  const lines = given.map(({ name, description, value }) => `${description || name}: ${value}`)
  return [(confirm === 'person' ? words.approval : words.confirm).replace('{title}', title), ...lines].join('\n')
}

/** What is said once it is known what came of a call that was confirmed; undefined while it is not. */
export function settledText (
  { state, title }: Pick<CallRecord, 'state' | 'title'>, result: string | null, language: string | null
): string | undefined {
  const words = wordsOf(language)
  const said: Partial<Record<CallRecord['state'], string>> = {
    done: words.done, failed: words.failed, unknown: words.lost, expired: words.expired
  }
  const text = said[state]?.replace('{title}', title)
  return text === undefined ? undefined : [text, ...(state === 'done' ? drawn(result) : [])].join('\n')
}

const MOST_LINES = 10

/** The fields of a result, one a line: `status: on its way`. */
export function drawn (result: string | null): string[] {
  if (result === null) return []
  let value: unknown
  try {
    value = JSON.parse(result)
  } catch {
    return [result.slice(0, 500)]
  }
  if (typeof value !== 'object' || value === null) return value === null ? [] : [String(value)]
  return Object.entries(value)
    .filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one))
    .slice(0, MOST_LINES)
    .map(([name, one]) => `${name.split('/').at(-1)}: ${String(one).slice(0, 200)}`)
}
