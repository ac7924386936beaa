import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { AgentPatch } from '../../schema/agents.ts'
import { QuestionDraft } from '../../schema/checks.ts'
import { success } from '../../schema/envelopes.ts'
import { ExternalKey, Keyed, KeyedSource } from '../../schema/keyed.ts'
import { CRAWL_FIELDS } from '../../schema/knowledge.ts'
import { route, type Caller } from '../access/index.ts'
import { NO_AGENT, TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS } from '../agents/index.ts'
import { NOT_KEPT } from '../guards/index.ts'
import { invalid } from '../platform/errors.ts'
import type { Way } from '../platform/http/openapi.ts'
import { list, ok } from '../platform/http/resources/answer.ts'
import { textOfPairs } from '../reading/pairs.ts'
import type { Form } from './contract.ts'
import type { Config } from './open.ts'
import type { Actor, Put } from './putting.ts'

const tag = 'Account'
const MOVED: Way = ['precondition_failed', 'Something has changed meanwhile: agents/support. Nothing was applied; send it again.']
/** In the order in which they are listed. */
const KINDS: ReadonlyArray<Keyed['kind']> = ['agent', 'source', 'question']
const answer = success(Keyed, { title: 'KeyedAnswer', description: 'The object with this key' })
const done = ok(answer, 'Done')
const byKey =
  'Updates the object with this key, leaving omitted fields unchanged, or creates it. ' +
  "Repeating a request changes nothing. Keys are those in the account's files (`GET /v1/config`)."

/** Upserts agents, sources and test questions by keys that the caller chooses. */
export const keyedRoutes: FastifyPluginAsync<{
  config: Config
  actorOf: (caller: Caller) => Promise<Actor>
}> = async (app, { config, actorOf }) => {
  app.route(route({
    get: '/keys',
    id: 'listKeys',
    tag,
    summary: 'List keys',
    description: 'Returns agents, sources and test questions with their keys.',
    who: ['MANAGE_AGENTS'],
    answer: list(Keyed, {
      title: 'KeyedList',
      description: 'The objects that have keys',
      placeOf: ({ kind, id }) => `${KINDS.indexOf(kind)} ${String(id).padStart(16, '0')}`
    }, 'Keys retrieved successfully'),
    handle: ({ owner }) => config.listed(owner)
  }))

  app.route(route({
    put: '/keys/agents/:name',
    id: 'putAgent',
    tag,
    summary: 'Create or update an agent by key',
    description: byKey,
    who: ['MANAGE_AGENTS'],
    params: Type.Object({ name: ExternalKey }),
    body: AgentPatch,
    answer: done,
    refuses: [['limit_reached', 'This account has 100 agents and may have 100. Delete one that is not needed.'], MOVED, ...NOT_KEPT],
    handle: async ({ caller, owner, params: { name: key }, body }) =>
      (await config.put(owner, await actorOf(caller), { kind: 'agent', key, patch: body }))!
  }))

  app.route(route({
    put: '/keys/agents/:name/sources/:part',
    id: 'putSource',
    tag,
    summary: 'Create or update a source by key',
    description: `${byKey} The content is sent in full, and is trained again only if it has changed.`,
    who: ['MANAGE_KNOWLEDGE_BASE'],
    params: Type.Object({ name: ExternalKey, part: ExternalKey }),
    body: KeyedSource,
    limits: { bodyLimit: TEXT_BODY_LIMIT, receiveMs: UPLOAD_MS, answerMs: WRITING_MS },
    missing: NO_AGENT,
    answer: done,
    refuses: [
      ['limit_reached', 'This agent has 10000 sources and may have 10000. Remove some, or put several texts into one.'],
      MOVED
    ],
    handle: async ({ caller, owner, params: { name: agent, part: key }, body }) =>
      await config.put(owner, await actorOf(caller), { kind: 'source', agent, key, ...sourceOf(body) })
  }))

  app.route(route({
    put: '/keys/agents/:name/questions/:part',
    id: 'putQuestion',
    tag,
    summary: 'Create or update a test question by key',
    description: `${byKey} \`expect.sources\` contains source ids.`,
    who: ['MANAGE_AGENTS'],
    params: Type.Object({ name: ExternalKey, part: ExternalKey }),
    body: QuestionDraft,
    missing: NO_AGENT,
    answer: done,
    refuses: [['limit_reached', 'An agent may have 1000 test questions. Remove one that is not needed.'], MOVED],
    async handle ({ caller, owner, params: { name: agent, part: key }, body }) {
      const { expect, ...rest } = body
      const { sources, ...others } = expect
      const form: Form = { ...rest, expect: { ...others, ...(sources && { sources: [] }) } }
      return await config.put(owner, await actorOf(caller), { kind: 'question', agent, key, form, expects: sources })
    }
  }))
}

/** A source as files say it. Refuses with VALIDATION_ERROR what has not exactly one content. */
function sourceOf (
  { plain_text: plain, faq, google_drive_file_id: drive, is_selected: selected, ...rest }: KeyedSource
): Pick<Put & { kind: 'source' }, 'form' | 'content'> {
  if ([plain, faq, rest.urls, drive].filter((one) => one !== undefined).length !== 1) {
    throw invalid({ field: 'body', message: 'Give exactly one of plain_text, faq, urls and google_drive_file_id.' })
  }
  if (rest.urls === undefined && CRAWL_FIELDS.some((field) => rest[field] !== undefined)) {
    throw invalid({ field: 'body', message: 'depth, count, refresh_hours, include and exclude are for urls alone.' })
  }
  const form: Form = { ...rest, ...(drive !== undefined && { drive }), ...(selected !== undefined && { selected }) }
  if (plain !== undefined) return { form, content: { plain } }
  return faq === undefined ? { form } : { form, content: { text: textOfPairs(faq) } }
}
