import type { Id } from '../../schema/common.ts'
import type { Clock } from '../platform/clock.ts'
import { lastingOnly, type Egress } from '../platform/net/egress.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { EventPayload, Refs } from './events.ts'
import type { WebhookStore } from './store.ts'
import { signature } from './webhook.ts'

/** Looks up an event's object as API responses show it; undefined when it is deleted. */
export type LookUp = {
  [Thing in 'conversation' | 'ticket' | 'source' | 'run' | 'feed' | 'import' | 'gaps' | 'version']: (
    owner: Id, refs: Refs, agent: Id | null
  ) => Promise<object | undefined>
} & {
  message: (owner: Id, refs: Refs) => Promise<object | undefined>
}

/** Maximum bytes of a receiver's response; nobody reads it. */
const MOST_BYTES = 65_536

/** An error caused by a webhook's receiver. */
function failed (code: string, message: string, retryable = true) {
  return Object.assign(new Error(message), { code, retryable })
}

/**
 * Sends events to webhooks: signed as Standard Webhooks says, to public addresses alone, without following redirects.
 */
export function webhookSender ({
  store, out, clock, lookUp
}: {
  store: WebhookStore, out: Pick<Egress, 'fetch'>, clock: Clock, lookUp: LookUp
}): Sender {
  async function bodyOf (owner: Id, { type, at, agent, refs }: EventPayload): Promise<string> {
    const data: Record<string, unknown> = { agent, ...refs }
    for (const thing of ['conversation', 'message', 'ticket', 'source', 'run', 'feed', 'import', 'gaps', 'version'] as const) {
      if (refs[thing] !== undefined) data[thing] = (await lookUp[thing](owner, refs, agent)) ?? { id: refs[thing] }
    }
    return JSON.stringify({ type, timestamp: at, data })
  }

  return {
    isRepeatable: true,
    async send ({ owner, payload }, signal) {
      const event = payload as EventPayload
      const to = await store.signed(owner, event.webhook)
      if (!to) throw failed('webhook_gone', 'The webhook was removed or switched off.', false)
      const body = await bodyOf(owner, event)
      const at = Math.floor(clock.micros() / 1_000_000)
      const { status } = await out
        .fetch(to.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...signature(event.event, at, body, to.secrets) },
          body,
          maxBytes: MOST_BYTES,
          redirect: 'manual',
          anyStatus: true,
          signal
        })
        .catch((error) => {
          throw lastingOnly(error)
        })
      if (status >= 200 && status < 300) return { externalId: null }
      if (status !== 410) throw failed('webhook_refused', `The webhook answered ${status} instead of 200 to 299.`)
      await store.change(owner, event.webhook, { is_active: false })
      throw failed('webhook_gone', 'The webhook answered 410: it wants nothing more, so it was switched off.', false)
    }
  }
}
