import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { Push, PushSubscriptionDraft } from '../../schema/notifications.ts'
import { route } from '../access/index.ts'
import { ok } from '../platform/http/resources/answer.ts'
import type { PushStore } from './store.ts'

const tag = 'People'
const who = 'a session'
const PushAnswer = success(Push, { title: 'PushAnswer', description: 'What is known of this browser' })

/** Whether a browser is told when its console is closed: of each session its own. */
export const pushRoutes: FastifyPluginAsync<{ push: PushStore }> = async (app, { push }) => {
  app.route(route({
    get: '/me/push',
    id: 'getPush',
    tag,
    summary: 'Whether this browser is pushed to',
    who,
    answer: ok(PushAnswer, 'Push retrieved successfully'),
    handle: ({ caller }) => push.get(caller.user.id, caller.by.id)
  }))

  app.route(route({
    put: '/me/push',
    id: 'setPush',
    audit: 'never',
    tag,
    summary: 'Have this browser pushed to',
    description:
      'A notification is pushed by the Web Push protocol (RFC 8030, 8291 and 8292) when a visitor waits for a person, unless you are not there, and when one writes in a conversation that you hold: at once without a console that is open, else after 10 seconds if it is not seen. It says who calls and where, and no word of what was said. It belongs to the session and ends with it.',
    who,
    body: PushSubscriptionDraft,
    answer: ok(PushAnswer, 'This browser is pushed to'),
    refuses: [['unavailable', 'Whoever runs this server has switched push notifications off (AGENTHALL_WEB_PUSH).']],
    handle: ({ caller, body }) => push.set(caller.user.id, caller.by.id, body)
  }))

  app.route(route({
    delete: '/me/push',
    id: 'endPush',
    audit: 'never',
    tag,
    summary: 'Have this browser pushed to no more',
    who,
    answer: ok(PushAnswer, 'Nothing is pushed to this browser'),
    handle: ({ caller }) => push.remove(caller.user.id, caller.by.id)
  }))
}
