import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { Question, QuestionDraft, QuestionPatch, QuestionsRead, QuestionsTable } from '../../schema/checks.ts'
import { PathId } from '../../schema/common.ts'
import { MessageId } from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { route } from '../access/index.ts'
import { NO_AGENT, noAgent } from '../agents/index.ts'
import { checkToTry, inConversation, NO_CONVERSATION, type Conversations } from '../conversations/index.ts'
import type { Way } from '../platform/http/openapi.ts'
import { created, list, ok, raw, removed } from '../platform/http/resources/answer.ts'
import { versionOf } from '../platform/http/resources/tags.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import { inTurns } from '../platform/work/slices.ts'
import { draftOfMessage } from './of-message.ts'
import { runRoutes } from './run-routes.ts'
import { draftsIn, tableOf } from './table.ts'
import type { Checks } from './open.ts'

const tag = 'Checks'
const who = ['MANAGE_AGENTS'] as const
const missing = 'No such test question.'
const inAgent = Type.Object({ id: PathId })
const inQuestion = Type.Object({ id: PathId, question: PathId })
const inMessage = Type.Object({ ...inConversation.properties, message: MessageId })
const QuestionAnswer = success(Question, { title: 'QuestionAnswer', description: 'The test question' })
const version = versionOf('The test question', ({ recent: _recent, ...set }: Question) => set)
const FULL: Way = ['limit_reached', 'An agent may have 1,000 test questions.']
const TABLE_LIMIT = 4_194_304

/** Test questions of agents, and runs of them. */
export const checkRoutes: FastifyPluginAsync<{
  checks: Checks, conversations: Pick<Conversations, 'store' | 'visitors'>, streams: EventStreams
}> = async (app, { checks, conversations, streams }) => {
  const { store } = checks
  await app.register(runRoutes, { checks, streams })

  app.route(route({
    get: '/agents/:id/questions',
    id: 'listQuestions',
    tag,
    summary: "List an agent's test questions",
    description: 'Each question includes its results in the last ten runs.',
    who: 'any user',
    params: inAgent,
    answer: list(Question, {
      title: 'QuestionList', description: 'The test questions', placeOf: ({ id }) => id
    }, 'Test questions retrieved successfully'),
    handle: async ({ owner, params: { id } }) => (await store.questions(owner, id)) ?? noAgent()
  }))

  app.route(route({
    post: '/agents/:id/questions',
    id: 'createQuestion',
    tag,
    summary: 'Create a test question',
    description:
      'A test question is what a customer would ask, with what a correct answer must satisfy. Runs ask it, and ' +
      'their answers reach nobody.',
    who,
    params: inAgent,
    body: QuestionDraft,
    idempotent: true,
    version,
    missing: NO_AGENT,
    answer: created(QuestionAnswer, 'Test question added successfully'),
    refuses: [FULL],
    handle: ({ owner, params: { id }, body, once }) => store.add(owner, id, { draft: body }, once)
  }))

  app.route(route({
    get: '/agents/:id/questions/:question',
    id: 'getQuestion',
    tag,
    summary: 'Read a test question',
    who: 'any user',
    params: inQuestion,
    version,
    missing,
    answer: ok(QuestionAnswer, 'Test question retrieved successfully'),
    handle: ({ owner, params: { id, question } }) => store.question(owner, id, question)
  }))

  app.route(route({
    patch: '/agents/:id/questions/:question',
    id: 'updateQuestion',
    tag,
    summary: 'Update a test question',
    description: 'Omitted fields are unchanged; expectations are merged field by field.',
    who,
    params: inQuestion,
    body: QuestionPatch,
    version,
    missing,
    answer: ok(QuestionAnswer, 'Test question updated successfully'),
    handle: ({ owner, params: { id, question }, body, match }) => store.change(owner, id, question, body, match)
  }))

  app.route(route({
    delete: '/agents/:id/questions/:question',
    id: 'deleteQuestion',
    tag,
    summary: 'Delete a test question',
    who,
    params: inQuestion,
    version,
    missing,
    answer: removed('Test question removed'),
    handle: ({ owner, params: { id, question }, match }) => store.remove(owner, id, question, match)
  }))

  app.route(route({
    get: '/agents/:id/questions.csv',
    id: 'exportQuestions',
    audit: 'never',
    tag,
    summary: 'Export test questions as a table',
    description: 'CSV in the format that …/questions/import accepts; omits questions that have earlier turns.',
    who: 'any user',
    params: inAgent,
    produces: 'text/csv',
    answer: raw({ 200: Type.String({ description: 'The table' }) }),
    handle: async ({ owner, params: { id }, reply }) => {
      const questions = (await store.questions(owner, id)) ?? noAgent()
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="questions-${id}.csv"`)
        .send(tableOf(questions))
    }
  }))

  app.route(route({
    post: '/agents/:id/questions/import',
    id: 'importQuestions',
    tag,
    summary: 'Import test questions from a table',
    description:
      'CSV whose first line names the columns: `text` and any of the others. A question that already exists gets ' +
      'the expectation from the table. Either all questions are added or none.',
    who,
    params: inAgent,
    body: QuestionsTable,
    limits: { bodyLimit: TABLE_LIMIT },
    missing: NO_AGENT,
    answer: ok(success(QuestionsRead, {
      title: 'QuestionsReadAnswer', description: 'The number of questions added and changed'
    }), 'Test questions read'),
    refuses: [FULL],
    handle: async ({ owner, params: { id }, body: { csv } }) => {
      const drafts = await inTurns(draftsIn(csv))
      return await store.addAll(owner, id, drafts)
    }
  }))

  app.route(route({
    post: '/conversations/:id/messages/:message/question',
    id: 'createQuestionFromMessage',
    tag,
    summary: 'Create a test question from an answer',
    description:
      "Uses the visitor's question without identifying details; expects the sources that the answer cites, or that " +
      'the agent does not know.',
    who,
    params: inMessage,
    idempotent: true,
    missing: NO_CONVERSATION,
    answer: created(QuestionAnswer, 'Test question added successfully', {
      at: ({ agent, id }) => `/v1/agents/${agent}/questions/${id}`
    }),
    refuses: [FULL, ['not_an_answer', 'Only an answer of the agent to a visitor can be made a test question.']],
    handle: async ({ caller, owner, params: { id, message }, once }) => {
      await checkToTry(conversations.store, caller, id)
      const found = await draftOfMessage(conversations, owner, id, message)
      return found && await store.add(owner, found.agent, { draft: found.draft, from: message }, once)
    }
  }))
}
