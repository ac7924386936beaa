import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { Push, PushSubscriptionDraft } from '../../schema/notifications.ts'
import { route } from '../access/index.ts'
import { ok } from '../platform/http/resources/answer.ts'
import type { PushStore } from './store.ts'

const tag = 'People'
const who = 'a session'
const PushAnswer = success(Push, { title: 'PushAnswer', description: 'The push state of this browser' })

/** Whether a browser is notified when its console is closed, per session. */
export const pushRoutes: FastifyPluginAsync<{ push: PushStore }> = async (app, { push }) => {
  app.route(route({
    get: '/me/push',
    id: 'getPush',
    tag,
    summary: "Get this browser's push status",
    who,
    answer: ok(PushAnswer, 'Push retrieved successfully'),
    handle: ({ caller }) => push.get(caller.user.id, caller.by.id)
  }))

  app.route(route({
    put: '/me/push',
    id: 'setPush',
    audit: 'never',
    tag,
    summary: 'Enable push for this browser',
    description:
      'Notifications are sent by Web Push (RFC 8030, 8291 and 8292) when a visitor waits for a person, unless you ' +
      'are set to unavailable, and when a visitor writes in a conversation that you hold: immediately if no ' +
      'console is open, otherwise after 10 seconds if not seen. They say who is calling and where, but nothing of ' +
      'what was said. The subscription belongs to the session and ends with it.',
    who,
    body: PushSubscriptionDraft,
    answer: ok(PushAnswer, 'This browser gets push notifications'),
    refuses: [['unavailable', 'The operator has switched push notifications off (AGENTHALL_WEB_PUSH).']],
    handle: ({ caller, body }) => push.set(caller.user.id, caller.by.id, body)
  }))

  app.route(route({
    delete: '/me/push',
    id: 'endPush',
    audit: 'never',
    tag,
    summary: 'Disable push for this browser',
    who,
    answer: ok(PushAnswer, 'This browser gets no push notifications'),
    handle: ({ caller }) => push.remove(caller.user.id, caller.by.id)
  }))
}
