import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Id } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { GoingLive } from '../../schema/going-live.ts'
import { route } from '../access/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { ok } from '../platform/http/resources/answer.ts'
import type { LiveFacts } from './contract.ts'
import { liveChecks } from './words.ts'

/** What stops an account from going live. */
export const goingLiveRoutes: FastifyPluginAsync<{
  clock: Clock, factsOf: (owner: Id, strangeProxy: string | null) => Promise<LiveFacts>
}> = async (app, { clock, factsOf }) => {
  app.route(route({
    get: '/going_live',
    id: 'checkGoingLive',
    tag: 'Account',
    summary: 'What stops the account from going live',
    description:
      'Looks at everything that has to be seen to before customers meet an agent: the public address, https and the proxy, mail out and in and what it comes from, models and their limits, what agents know, who answers, backups, the copy of agenthall.key, retention and notice, the version. Mail servers, mailbox, models and the own address are asked, at most once in ten seconds. Each check is true, or has the one thing to do next; `agenthall doctor --live` says the same.',
    who: ['CONFIGURE_BUSINESS'],
    limits: { answerMs: 40_000 },
    answer: ok(
      success(GoingLive, { title: 'GoingLiveAnswer', description: 'What is true, and what is left to do' }),
      'Checked'
    ),
    handle: async ({ owner, request }) => {
      const checks = liveChecks(await factsOf(owner, strangeProxy(request)))
      return { checked_at: timestamp(clock.micros()), left: checks.filter((one) => !one.ok).length, checks }
    }
  }))
}

/** A proxy that says for whom it asks and is not believed. */
function strangeProxy ({ headers, ip, socket }: FastifyRequest): string | null {
  const asker = socket.remoteAddress ?? null
  return headers['x-forwarded-for'] !== undefined && ip === asker ? asker : null
}
