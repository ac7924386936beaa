import type { FastifyPluginAsync } from 'fastify'
import type { Permission } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { GuardPreview, GuardPreviewDraft } from '../../../schema/guards.ts'
import { route } from '../../access/index.ts'
import { completeRule, PREVIEW_DAYS, previewed, type Said } from '../../guards/index.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import { nextTurn } from '../../platform/work/turns.ts'
import type { Prior } from '../../search/words/guess.ts'
import { NO_AGENT } from '../show.ts'
import type { AgentStore } from '../store.ts'
import { inAgent, tag } from './shapes.ts'

const GuardPreviewAnswer = success(GuardPreview, {
  title: 'GuardPreviewAnswer', description: 'What the rules would have done'
})
const DAY_MICROS = 86_400_000_000
/** Permission to read what visitors wrote. */
const READING: readonly Permission[] = ['REPLY_CONVERSATION', 'VIEW_ANALYTICS']
/** How long ten thousand messages may take, with fifty rules. */
const PREVIEW_MS = 60_000

/** Where a portion of messages ends: a conversation, and when it was last active. */
interface HistoryCursor { quiet: string, number: number }

interface Part { said: readonly Said[], next: HistoryCursor | null }

/** Reads the messages of an agent in portions. */
export interface History {
  part (owner: Id, agent: Id, since: string, after: HistoryCursor | null): Promise<Part>
  /** The number of its passages in each language. */
  spoken (agent: Id): Promise<Prior>
}

/** Trying guard rules before they are saved. */
export const guardRoutes: FastifyPluginAsync<{ agents: AgentStore, history: History, clock: Clock }> = async (
  app, { agents, history, clock }
) => {
  /** All messages since a time, the newest conversations first. */
  async function * partsSince (owner: Id, agent: Id, since: string) {
    let after: HistoryCursor | null = null
    do {
      const { said, next }: Part = await history.part(owner, agent, since, after)
      yield said
      await nextTurn()
      after = next
    } while (after !== null)
  }

  app.route(route({
    post: '/agents/:id/guard_rules/preview',
    id: 'previewGuardRules',
    audit: 'never',
    tag,
    summary: 'Test guard rules on the last 30 days',
    description:
      "Returns what the draft's rules, or the rules sent, would have done with the messages of the last 30 days, " +
      'at most 10,000; changes nothing. Disabled rules are tested too. Examples are included only for callers who ' +
      'may read conversations. What a rule has already masked can no longer be found.',
    who: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'],
    params: inAgent,
    body: GuardPreviewDraft,
    missing: NO_AGENT,
    limits: { answerMs: PREVIEW_MS },
    answer: ok(GuardPreviewAnswer, 'Guard rules tried'),
    async handle ({ caller, owner, params: { id }, body: { rules: given } }) {
      const found = await agents.get(owner, id)
      if (!found) return undefined
      const rules = given?.map(completeRule) ?? found.agent.behavior.guardRules
      const since = timestamp(clock.micros() - PREVIEW_DAYS * DAY_MICROS)
      const preview = await previewed(rules, partsSince(owner, id, since), { spoken: await history.spoken(id) })
      const mayRead = READING.some((permission) => caller.permissions.includes(permission))
      return mayRead ? preview : { ...preview, rules: preview.rules.map((rule) => ({ ...rule, examples: [] })) }
    }
  }))
}
