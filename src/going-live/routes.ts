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
    summary: 'Check whether the account can go live',
    description:
      'Checks everything to take care of before customers meet an agent: the public URL, https and the proxy, outgoing and incoming mail and its sender, models and their limits, what agents know, who answers, backups, the copy of agenthall.key, retention and privacy notice, the version. Mail servers, the mailbox, models and the public URL are contacted at most once every ten seconds. Each check either passes or names the one thing to do next; `agenthall doctor --live` reports the same.',
    who: ['CONFIGURE_BUSINESS'],
    limits: { answerMs: 40_000 },
    answer: ok(
      success(GoingLive, { title: 'GoingLiveAnswer', description: 'The checks, and what is left to do' }),
      'Checked'
    ),
    handle: async ({ owner, request }) => {
      const checks = liveChecks(await factsOf(owner, strangeProxy(request)))
      return { checked_at: timestamp(clock.micros()), left: checks.filter((one) => !one.ok).length, checks }
    }
  }))
}

/** A proxy that forwards client addresses but is not trusted. */
function strangeProxy ({ headers, ip, socket }: FastifyRequest): string | null {
  const asker = socket.remoteAddress ?? null
  return headers['x-forwarded-for'] !== undefined && ip === asker ? asker : null
}
