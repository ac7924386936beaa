import type { Id } from '../../schema/common.ts'
import {
  addressee, GRACE_MS, heldInQuietHours, notWanted, queueUnasked, quietFor, type UnaskedNeeds
} from '../follow-ups/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { Unasked } from '../tickets/index.ts'
import { mailTo } from './rules.ts'
import { textsIn } from '../locales/list.ts'

/** The outbox channel of the question, and the kind of the jobs that check whether to send it. */
const SATISFACTION_MAIL = 'satisfaction_mail'
const MAIL_LATER = 'satisfaction.mail'

interface MailingNeeds extends UnaskedNeeds, Pick<Kernel, 'db' | 'jobs' | 'worker' | 'sendBy' | 'eventBus' | 'address'> {
  /** The link of a visitor who has not answered yet; inside a transaction. */
  askedOf: (owner: Id, conversation: string) => Work<string | undefined>
}

/** Mails the question to visitors who left an address and are not present: once, and not at night. */
export function mailSatisfaction (needs: MailingNeeds) {
  const {
    db, clock, jobs, worker, sendBy, share, eventBus, conversations: { presence }, business, unasked, askedOf
  } = needs
  if (!unasked) return
  const numberOf = db.column<[string], number>('select number from conversations where id = ?')

  eventBus.on(['satisfaction.asked'], function * ({ owner, data: { satisfaction: { conversation, channel } } }) {
    const subject = channel === 'widget' ? (yield * numberOf.get(conversation)) : undefined
    if (subject === undefined) return
    const inMs = Math.max(GRACE_MS, quietFor(yield * business.of(owner), clock.micros()))
    yield * jobs.ask({ kind: MAIL_LATER, subject, owner, payload: { conversation }, inMs })
  })

  worker.handle(MAIL_LATER, {
    async run ({ owner, payload }: Job) {
      const { conversation: id } = payload as { conversation: string }
      const known = await addressee(needs, owner, id)
      const what = { owner, id, channel: SATISFACTION_MAIL }
      return await queueUnasked(needs, unasked, what, function * ({ messages: n }) {
        const link = yield * askedOf(owner, id)
        const to = mailTo({ ...known, isAsked: link !== undefined, isThere: presence.isThere(owner, id) })
        return to === undefined ? undefined : { to, key: String(link), payload: { type: MAIL_LATER, n } }
      })
    }
  })

  sendBy(SATISFACTION_MAIL, share(SATISFACTION_MAIL, sender(needs, unasked)))
}

/** Sends it, unless the visitor answered, came back or was deleted meanwhile. */
function sender (needs: MailingNeeds, unasked: Unasked): Sender {
  const { db, conversations: { presence }, askedOf, address } = needs
  return {
    heldMs: heldInQuietHours(needs),
    async send ({ owner, payload }, signal) {
      const { conversation: id, ticket, n } = payload as unknown as { conversation: string, ticket: string, n: number }
      const { conversation, ...known } = await addressee(needs, owner, id)
      const link = await db.read(() => askedOf(owner, id))
      const to = mailTo({ ...known, isAsked: link !== undefined, isThere: presence.isThere(owner, id) })
      if (to === undefined || !known.agent) throw notWanted('The visitor no longer needs to be asked.')
      const name = known.agent.appearance.chatbotName
      const language = conversation?.language ?? null
      const words = textsIn(language, 'satisfaction')
      const subject = words.subject.replace('{{name}}', () => name)
      const text = words.letter.replace('{{link}}', () => `${address()}/rate/${link}`)
      return await unasked.send({ ticket, n, to, name, language, subject, text }, signal)
    }
  }
}
