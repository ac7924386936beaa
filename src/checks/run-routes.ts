import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { CheckRun, CheckRunDraft, CheckRunWithResults } from '../../schema/checks.ts'
import { closed, PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { CheckWatched } from '../../schema/streams/events.ts'
import { route } from '../access/index.ts'
import { NO_AGENT, noAgent } from '../agents/index.ts'
import type { Way } from '../platform/http/openapi.ts'
import { accepted, listInParts, ok, raw, Streamed } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import { lastEventId, type EventStreams } from '../platform/http/sse.ts'
import { topicOf } from './runs.sqlite.ts'
import type { Checks } from './open.ts'

const tag = 'Checks'
const who = ['MANAGE_AGENTS'] as const
const missing = 'No such run.'
const inAgent = Type.Object({ id: PathId })
const inRun = Type.Object({ id: PathId, run: PathId })
const RunAnswer = success(CheckRun, { title: 'CheckRunAnswer', description: 'The run' })
const BUSY: Way = ['limit_reached', 'Five runs of the agent are waiting.']

/** Runs of test questions: request, list, read, watch, cancel. */
export const runRoutes: FastifyPluginAsync<{ checks: Checks, streams: EventStreams }> = async (
  app, { checks: { store, ask }, streams }
) => {
  app.route(route({
    post: '/agents/:id/runs',
    id: 'createCheckRun',
    tag,
    summary: 'Run the test questions',
    description:
      "Runs in the background against the draft, the live version, or another version. The agent's answers are " +
      'shown to nobody and not counted: no events are sent, no tickets are opened, and no people are called. If a ' +
      'model answers, each question is asked up to three times.',
    who,
    params: inAgent,
    body: CheckRunDraft,
    idempotent: true,
    missing: 'No such agent, or version.',
    answer: accepted(RunAnswer, 'The run is under way'),
    refuses: [BUSY],
    handle: ({ owner, params: { id }, body, once }) => ask(owner, id, body, { cause: 'asked', once })
  }))

  app.route(route({
    get: '/agents/:id/runs',
    id: 'listCheckRuns',
    tag,
    summary: 'List runs of test questions',
    description: 'Returns the last 50, newest first.',
    who: 'any user',
    params: inAgent,
    query: Type.Object(inParts('Runs'), closed),
    missing: NO_AGENT,
    answer: listInParts(
      CheckRun, { title: 'CheckRunList', description: 'A page of runs' }, 'Runs retrieved successfully'
    ),
    async handle ({ owner, params: { id }, part: { after, limit } }) {
      const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
      const found = await store.runs(owner, id, before, limit + 1)
      const items = found?.slice(0, limit)
      return items && { items, next: found!.length > limit ? String(items.at(-1)!.id) : null }
    }
  }))

  app.route(route({
    get: '/agents/:id/runs/:run',
    id: 'getCheckRun',
    tag,
    summary: 'Read a run',
    description: 'Includes the result of each question, with the reasons.',
    who: 'any user',
    params: inRun,
    missing,
    answer: ok(
      success(CheckRunWithResults, { title: 'CheckRunResultsAnswer', description: 'The run' }), 'Run retrieved successfully'
    ),
    handle: ({ owner, params: { id, run } }) => store.run(owner, id, run)
  }))

  app.route(route({
    post: '/agents/:id/runs/:run/cancel',
    id: 'cancelCheckRun',
    tag,
    summary: 'Cancel a run',
    description: 'Results found so far are kept.',
    who,
    params: inRun,
    missing,
    answer: ok(RunAnswer, 'The run is cancelled'),
    handle: ({ owner, params: { id, run } }) => store.cancel(owner, id, run)
  }))

  app.route(route({
    get: '/agents/:id/runs/:run/events',
    id: 'watchCheckRun',
    tag,
    summary: 'Stream a run',
    description:
      'Server-sent events: `run`, its current state after each question, and lastly `finished`, when it is done or ' +
      'cancelled.',
    who: 'any user',
    params: inRun,
    heeds: ['Last-Event-ID'],
    streams: CheckWatched,
    answer: raw({ 200: Streamed }),
    handle: async ({ caller, owner, params: { id, run }, request, reply }) => {
      const seen = lastEventId(request) ?? -1
      ;(await store.run(owner, id, run)) ?? noAgent()
      return streams.send(request, reply, {
        topics: [topicOf(run)],
        after: String(seen),
        isStillAllowed: caller.isStillAllowed,
        async read (after) {
          const found = (await store.runs(owner, id, run + 1, 1))?.find((one) => one.id === run)
          if (!found) return undefined
          const { passed, failed, flaky, errors, state } = found
          const isOver = state === 'done' || state === 'cancelled'
          // The end has a separate position, after the last question.
          const place = passed + failed + flaky + errors + (isOver ? found.total + 1 : 0)
          if (place <= Number(after)) return isOver ? undefined : []
          const type = isOver ? 'finished' : 'run'
          return [{ id: String(place), event: type, data: JSON.stringify({ type, ...found }) }]
        }
      })
    }
  }))
}
