import { Type, type Static } from '@sinclair/typebox'
import { Timestamp, closed, nullable } from './common.ts'

/** Where a browser receives pushes, as `PushSubscription.toJSON()` returns it. */
export const PushSubscriptionDraft = Type.Object(
  {
    endpoint: Type.String({
      minLength: 1, maxLength: 2048, description: "A URL of the browser's push service; kept secret"
    }),
    keys: Type.Object({
      p256dh: Type.String({
        pattern: '^[A-Za-z0-9_-]{87}$',
        description: 'Public key for encrypting pushes, so that only the browser can read them; 65 bytes in base64url'
      }),
      auth: Type.String({
        pattern: '^[A-Za-z0-9_-]{22}$', description: 'Secret used in the encryption; 16 bytes in base64url'
      })
    }, closed),
    language: Type.Optional(Type.String({
      pattern: '^[a-z]{2}$', description: 'ISO 639-1 code of the language of notifications; default: English'
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

/** Whether a browser is notified when its console is closed. */
export const Push = Type.Object({
  public_key: nullable(
    Type.String({
      description:
        'The `applicationServerKey` for `pushManager.subscribe()`, in base64url; null: this server sends no pushes'
    })
  ),
  host: nullable(Type.String({ description: 'Push service of this browser; null: it receives no pushes' })),
  since: nullable(Timestamp)
}, { title: 'Push' })
export type Push = Static<typeof Push>
