import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import type { ConversationJob } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { Unasked } from '../tickets/index.ts'
import { GRACE_MS, letterOf, mailTo, quietFor, type Mailed } from './mail.ts'
import { addressee, heldInQuietHours, notWanted, queueUnasked, type UnaskedNeeds } from './unasked.ts'

/** Dependencies of mailing. */
export interface MailingNeeds extends UnaskedNeeds, Pick<Kernel, 'db' | 'jobs' | 'worker' | 'sendBy' | 'onFault'> {}

/** The kind of the jobs that mail, about conversations, and the outbox channel. */
export const MAIL_LATER = 'follow-up.mail'
const FOLLOW_UP_MAIL = 'follow_up_mail'
type Payload = Mailed & { owner: Id, conversation: string }

/** Mails follow-ups to visitors who are not present. */
export interface Mailing {
  /** Requests a mail in the transaction of the follow-up. */
  ask (conversation: ConversationRecord, seq: number, now: number): Work<ConversationJob[]>
}

/** Builds it, before the worker starts. */
export function openMailing (needs: MailingNeeds): Mailing {
  const { db, clock, jobs, worker, sendBy, share, conversations: { presence }, business, unasked, onFault } = needs
  const numberOf = db.column<[string], number>(
      `select subject from jobs where kind = '${MAIL_LATER}' and subject = (select number from conversations where id = ?)`
  )
  if (unasked) {
    worker.handle(MAIL_LATER, { run: async ({ payload }: Job) => await mail(needs, unasked, payload as Payload) })
    sendBy(FOLLOW_UP_MAIL, share(FOLLOW_UP_MAIL, sender(needs, unasked)))
    // A visitor who comes back reads it there.
    const forget = async (conversation: string) => {
      const number = await db.read(() => numberOf.get(conversation))
      if (number !== undefined) await db.atomically(() => jobs.drop(MAIL_LATER, number))
    }
    presence.on((conversation) => { forget(conversation).catch(onFault) })
  }
  return {
    * ask ({ id, owner, channel, episode, epoch }, seq, now) {
      if (!unasked || channel !== 'widget' || presence.isThere(owner, id)) return []
      const inMs = Math.max(GRACE_MS, quietFor(yield * business.of(owner), clock.micros()))
      const payload: Payload = { owner, conversation: id, episode, epoch, seq, due: now + inMs * 1000 }
      return [{ kind: MAIL_LATER, payload, inMs }]
    }
  }
}

/** Puts one into the outbox; delayed in quiet hours. */
async function mail (needs: MailingNeeds, unasked: Unasked, { owner, conversation: id, ...asked }: Payload) {
  const { presence } = needs.conversations
  const known = await addressee(needs, owner, id)
  return await queueUnasked(needs, unasked, { owner, id, channel: FOLLOW_UP_MAIL }, function * (conversation, now) {
    const to = mailTo({ ...known, conversation, isThere: presence.isThere(owner, id), now }, asked)
    return to === undefined ? undefined : { to, key: `${id}/${asked.seq}`, payload: { type: MAIL_LATER, ...asked } }
  })
}

/** Sends them, but neither at night, even on retries, nor if the visitor has come back meanwhile. */
function sender (needs: MailingNeeds, unasked: Unasked): Sender {
  const { clock, conversations: { presence } } = needs
  return {
    heldMs: heldInQuietHours(needs),
    async send ({ owner, payload }, signal) {
      const { conversation: id, ticket, ...asked } = payload as unknown as Mailed & {
        conversation: string, ticket: string
      }
      const { conversation, ...known } = await addressee(needs, owner, id)
      const said = await saidAt(needs, owner, id, asked.seq)
      const to = conversation &&
        mailTo({ ...known, conversation, isThere: presence.isThere(owner, id), now: clock.micros() }, asked)
      if (!to || !known.agent || !said) throw notWanted('The visitor no longer needs this mail.')
      const name = known.agent.appearance.chatbotName
      const { language } = conversation
      return await unasked.send({ ticket, n: asked.seq, to, name, language, ...letterOf(said.text) }, signal)
    }
  }
}

async function saidAt (
  { conversations: { store } }: MailingNeeds, owner: Id, id: string, seq: number
): Promise<MessageRecord | undefined> {
  return (await store.messages(owner, id, { after: seq - 1 }, 1))?.[0]
}
