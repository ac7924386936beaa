import { AGENT_DEFAULTS, type Behavior } from '../../schema/agents.ts'
import { complete, type Id } from '../../schema/common.ts'
import { inLanguage } from '../agents/index.ts'
import type { Conversations, DecisionInput } from '../conversations/index.ts'
import { HANDOFF_DUE, SILENT_MS } from '../handoff/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import type { DomainEvent } from '../platform/work/event-bus.ts'
import type { Job } from '../platform/work/jobs.ts'
import { MAIL_LATER, openMailing, type Mailing } from './mailing.ts'
import { anchorOf, decide, dueAt, type Asked, type Verdict } from './plan.ts'
import type { UnaskedFeatures } from './unasked.ts'

/** What following up needs of other features. */
interface FollowUpFeatures extends UnaskedFeatures {
  conversations: Pick<Conversations, 'talk' | 'store' | 'typing' | 'visitors' | 'presence'>
}

/** The kind of the jobs that follow up; their subject is the conversation. */
const FOLLOW_UP = 'follow-up'

/** Whether one is still pending in a conversation; runs inside a transaction. */
export function followUpsIn (db: Database): (conversation: string) => Work<boolean> {
  const pending = db.column<[string], number>(`
    select 1 from jobs where kind = '${FOLLOW_UP}' and subject = (select number from conversations where id = ?) and died is null`
  )
  return function * (conversation) { return (yield * pending.get(conversation)) === 1 }
}

type Payload = Asked & { owner: Id, conversation: string }

/** Follows up on answers from now on. The job is requested in the transaction of the answer. */
export function followUp (kernel: Kernel, features: FollowUpFeatures) {
  const needs = { ...kernel, ...features }
  const { db, clock, jobs, worker, eventBus, onFault, conversations: { typing } } = needs
  const say = sayer(needs, openMailing(needs))
  const numberOf = db.column<[string], number>('select number from conversations where id = ?')
  const settings = db.column<[Id], string>('select behavior from agents where id = ?')
  function * behaviorOf (agent: Id) {
    return complete(AGENT_DEFAULTS.behavior, JSON.parse((yield * settings.get(agent))!) as Partial<Behavior>)
  }
  const isPending = followUpsIn(db)

  function * hear (happened: DomainEvent) {
    if (!('conversation' in happened.data) || happened.type === 'conversation.deleted') return
    const { conversation } = happened.data
    const subject = yield * numberOf.get(conversation.id)
    if (subject === undefined) return
    if (happened.type !== 'message.completed') {
      return happened.type === 'feedback.given' ? undefined : (yield * cancel(subject))
    }
    const { message } = happened.data
    if (message.role === 'visitor' || message.role === 'person') return yield * cancel(subject)
    const now = clock.micros()
    const asked = anchorOf(conversation, message, now)
    const due = asked && dueAt(yield * behaviorOf(conversation.speaker ?? conversation.agent), asked)
    if (asked && due !== undefined) {
      yield * jobs.ask(jobFor({ ...asked, owner: happened.owner, conversation: conversation.id }, subject, due, now))
    }
  }

  function * cancel (subject: number) {
    yield * jobs.drop(FOLLOW_UP, subject)
    yield * jobs.drop(MAIL_LATER, subject)
  }

  worker.handle(FOLLOW_UP, {
    async run ({ payload, subject }: Job) {
      const asked = payload as Payload
      const next = await say(asked)
      if (next) {
        await jobs.queue.ask([
          jobFor(
            { ...next.asked, owner: asked.owner, conversation: asked.conversation }, subject, next.due, clock.micros()
          )
        ])
      }
      return { done: true }
    }
  })
  eventBus.on('all', hear)
  const forget = async (conversation: string) => {
    const number = await db.read(function * () {
      return (yield * isPending(conversation)) ? (yield * numberOf.get(conversation)) : undefined
    })
    if (number !== undefined) await db.atomically(() => cancel(number))
  }
  typing.on(({ role, conversation }) => {
    // Typing is signalled every few seconds.
    if (role === 'visitor') forget(conversation).catch(onFault)
  })
}

function jobFor (payload: Payload, subject: number, due: number, now: number) {
  return { kind: FOLLOW_UP, subject, owner: payload.owner, payload, inMs: waitFor(due, now) }
}

/** Milliseconds until then; 0 if overdue. */
const waitFor = (due: number, now: number) => Math.max(0, (due - now) / 1000)

/**
 * Sends one, unless something has happened since; checked again in the transaction that sends it and schedules the next
 * one. Resolves to what is still to be scheduled, if nothing was sent.
 */
function sayer ({
  db, clock, conversations: { talk, store }, agentOf
}: Pick<Kernel, 'db' | 'clock'> & Pick<FollowUpFeatures, 'conversations' | 'agentOf'>, mailing: Mailing) {
  const count = db.column<[string, number, number], number>(
    'select count(*) from follow_ups where conversation = (select number from conversations where id = ?) and episode = ? and anchor = ?'
  )
  const claim = db.objects(
    'insert into follow_ups (conversation, episode, anchor, k, said_at) select number, ?, ?, ?, ? from conversations where id = ? on conflict do nothing'
  )

  return async ({ owner, conversation: id, ...asked }: Payload): Promise<Verdict['next']> => {
    const conversation = await store.get(owner, id)
    const speaker = conversation && (await agentOf(owner, conversation.speaker ?? conversation.agent))
    const agent = speaker && inLanguage(speaker, conversation.language)
    const before = (await store.messages(owner, id, { before: asked.anchor }, 20)) ?? []
    const said = before.findLast(({ role }) => role === 'visitor')?.text ?? ''
    let next: Verdict['next'] = null
    await talk.remark(owner, id, function * ({ conversation: current, generating }: DecisionInput) {
      const now = clock.micros()
      const followed = (yield * count.get(id, asked.episode, asked.anchor))!
      const verdict = decide(
        { conversation: current, isGenerating: generating !== undefined, agent, said, followed, now }, asked
      )
      next = verdict.next
      const isFirst =
        verdict.text !== null &&
        (yield * claim.run(asked.episode, asked.anchor, asked.k, timestamp(now), id)) === 1
      if (!isFirst) return undefined
      next = null
      // Closing after silence counts its day from here.
      const silent = {
        kind: HANDOFF_DUE,
        payload: { epoch: current.epoch, what: 'silent', waits: current.course.waits },
        inMs: SILENT_MS
      }
      return {
        text: verdict.text!,
        jobs: [
          silent,
          ...yield * mailing.ask(current, current.messages + 1, now),
          ...(verdict.next
            ? [{ kind: FOLLOW_UP, payload: { owner, ...verdict.next.asked }, inMs: waitFor(verdict.next.due, now) }]
            : [])
        ]
      }
    })
    return next
  }
}
