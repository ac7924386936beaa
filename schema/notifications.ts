import { Type, type Static } from '@sinclair/typebox'
import { Timestamp, closed, nullable } from './common.ts'

/** Where a browser has itself pushed to, as `PushSubscription.toJSON()` says it. */
export const PushSubscriptionDraft = Type.Object(
  {
    endpoint: Type.String({
      minLength: 1, maxLength: 2048, description: "An address of the browser's own push service, which is kept secret"
    }),
    keys: Type.Object({
      p256dh: Type.String({
        pattern: '^[A-Za-z0-9_-]{87}$',
        description: 'What is pushed is sealed for this key, which the browser alone can open; 65 bytes in base64url'
      }),
      auth: Type.String({
        pattern: '^[A-Za-z0-9_-]{22}$', description: 'A secret that is part of the seal; 16 bytes in base64url'
      })
    }, closed),
    language: Type.Optional(Type.String({
      pattern: '^[a-z]{2}$', description: 'ISO 639-1 code of the language in which it is told; English without it'
    }))
  },
  {
    ...closed,
    title: 'PushSubscriptionDraft',
    examples: [{
      endpoint: 'https://push.example.com/send/abc',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg'
      },
      language: 'en'
    }]
  }
)
export type PushSubscriptionDraft = Static<typeof PushSubscriptionDraft>

/** Whether a browser is told when its console is closed. */
export const Push = Type.Object({
  public_key: nullable(
    Type.String({
      description:
        'What `pushManager.subscribe()` takes as its `applicationServerKey`, in base64url; null: this server pushes nothing'
    })
  ),
  host: nullable(Type.String({ description: 'The push service of this browser; null: nothing is pushed to it' })),
  since: nullable(Timestamp)
}, { title: 'Push' })
export type Push = Static<typeof Push>
