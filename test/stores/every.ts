import { hash } from 'node:crypto'
import type { Test } from 'tap'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { newAgent } from '../../src/agents/draft.ts'
import type { NewAgent } from '../../src/agents/index.ts'
import { newVisitor } from '../../src/conversations/index.ts'
import { newId } from '../../src/conversations/storage/rows.ts'
import type { IdempotencyKey } from '../../src/platform/storage/contract.ts'
import type { StagedFile, StagedText } from '../../src/sources/contract.ts'
import type { KnowledgeStore, TrainingStore } from '../../src/sources/store.ts'
import type { Stores } from '../../src/stores.ts'

/**
 * What every database must offer, by its contracts alone. Limits: 100 bytes of text an agent, 300 stored bytes an
 * account.
 */
export interface EveryStore extends Omit<Stores, 'knowledge'> {
  knowledge: KnowledgeStore & TrainingStore
  stageText (text: string): Promise<StagedText>
  stageFile (bytes: string): Promise<StagedFile>
}

/** How a database is opened, empty. */
export type OpenStore = (t: Test) => Promise<EveryStore>

/** Stores with two users, the first of whom has an agent. */
export interface Peopled extends EveryStore { owner: Id, stranger: Id, agent: Id }

/** Opens them. */
export type OpenPeopled = (t: Test, tier?: Tier) => Promise<Peopled>

const model = { response_model: 'm', display_model: 'M' }
/** An agent with this name. */
export const agentNamed = (name: string): NewAgent =>
  newAgent({ name, systemPrompt: 'You help.' }, model, { tier: 'free', permissions: [], ticketing: [] })

/** The start time of the tests' clock. */
export const AT = '2026-01-01T00:00:00.000000Z'

/**
 * Opens stores in which a visitor has a conversation, in which a person has said something three times, told of first.
 */
export const talkingIn = (peopled: OpenPeopled) => async (t: Test) => {
  const stores = await peopled(t, 'enterprise')
  const { conversations: { talk, visitors }, owner, agent } = stores
  const visitor = (await visitors.create(owner, newVisitor(newId('vis'), owner, agent, AT)))!.answer.id
  const conversation = (await talk.begin(owner, agent, 'api', { visitor }))!.answer.id
  for (const text of ['One', 'Two', 'Three']) {
    await talk.reply(owner, conversation, owner, { text, client_id: text, isStrict: true, attachments: [] })
  }
  return { ...stores, visitor, conversation }
}

/** An idempotency key, and the request under it. */
export const once = (slot: string, fingerprint = 'same'): IdempotencyKey =>
  ({ slot, fingerprint, seal: hash('sha256', slot, 'buffer') })

/** The ids of a list. */
export const ids = (list: ReadonlyArray<{ id: unknown }> | undefined) => list?.map(({ id }) => id)

/** All items of a paged list, a page at a time. */
export async function inParts<T> (
  part: (cursor: string | undefined) => Promise<{ items: T[], next: string | null }>
): Promise<T[][]> {
  const parts: T[][] = []
  for (let cursor: string | undefined, more = true; more;) {
    const { items, next } = await part(cursor)
    parts.push(items)
    more = next !== null
    cursor = next ?? undefined
  }
  return parts
}
