import type { Test } from 'tap'
import type { HandsEvent } from '../../src/conversations/hands/hands.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { build } from '../helper.ts'
import { seeded } from './steps.ts'

/** Random steps through the real store, over several conversations at a time; what must never be. */
export async function stepsThroughStore (t: Test, steps: number, seed: number) {
  const { user, stores, clock, settled } = await build(t)
  const { conversations: { talk, store }, db } = stores
  const me = await user()
  const { id: agent } = (
    await me.post('/v1/agents', {
      name: 'Ada', systemPrompt: 'You help.', behavior: { expertHandoff: true, email: 'a@example.com' }
    })
  ).json().data
  const random = seeded(seed)
  const begin = async () => (await talk.begin(me.id, agent, 'api', {}))!.answer.id
  const all = await Promise.all(Array.from({ length: 8 }, begin))
  const people = [me.id, me.id + 1, me.id + 2]
  const faults: string[] = []

  /** Does it; what is refused changes nothing. */
  async function tried (work: () => Promise<unknown>) {
    await work().catch((error) => { if (!(error instanceof Refusal)) throw error })
  }
  const hand = async (id: string, event: HandsEvent) => {
    await tried(async () => await talk.handOver(me.id, id, event))
  }
  const anybody = () => people[random(people.length)]!
  const does: Array<(id: string) => Promise<void>> = [
    async (id) => {
      await tried(
        async () =>
          await talk.say(me.id, id, {
            text: ['What now?', 'Can I talk to a human?', 'Thanks'][random(3)]!, client_id: null, attachments: []
          })
      )
    },
    async (id) => {
      await tried(
        async () => await talk.reply(me.id, id, anybody(), { text: 'I am here.', client_id: null, attachments: [] })
      )
    },
    async (id) => await hand(id, { type: 'taken', person: anybody(), from: random(2) ? null : anybody() }),
    async (id) => await hand(id, { type: 'released', person: anybody() }),
    async (id) => await hand(id, { type: 'asked', reason: 'visitor_asked' }),
    async (id) => await hand(id, { type: 'cancelled' }),
    async (id) => {
      if (random(3) === 0) await hand(id, { type: 'closed', by: 'person', isResolved: random(2) === 0 })
    },
    async () => {
      await stores.duty.set(me.id, me.id, random(2) === 0)
    },
    async () => {
      clock.advance([1000, 130_000, 1_000_000][random(3)]!)
    },
    async () => {
      if (random(20) === 0) await settled()
    }
  ]

  async function check (id: string) {
    const found = (await store.get(me.id, id))!
    const kept = await store.messages(me.id, id, { before: found.messages + 1 }, 100) ?? []
    if (kept.some(({ seq }, at) => at > 0 && seq !== kept[at - 1]!.seq + 1)) faults.push('a gap')
    if (
      (found.handled_by === 'person') !== (found.person !== null) ||
      (found.handled_by === 'queue') !== (found.status === 'waiting')
    ) { faults.push('who speaks is not clear') }
    if (found.handled_by !== 'agent' && kept.some(({ status }) => status === 'generating')) {
      faults.push('the agent talks over somebody')
    }
    const notices = db.raw
      .prepare<[string], number>(
        "select count(*) from messages m join conversations c on c.number = m.conversation where c.id = ? and role = 'system'"
      )
      .pluck()
      .get(id)!
    if (notices < found.epoch) faults.push(`silent: ${found.epoch} epochs and ${notices} notices`)
    const ended = db.raw
      .prepare<[string], number>(
        'select count(*) from episodes e join conversations c on c.number = e.conversation where c.id = ?'
      )
      .pluck()
      .get(id)!
    if (ended !== found.episode - (found.status === 'closed' ? 0 : 1)) {
      faults.push(`${ended} ends of ${found.episode} episodes`)
    }
  }

  for (let done = 0; done < steps && faults.length === 0; done++) {
    const at = random(all.length)
    // Two at once every now and then: they meet in one commit.
    const doing = Array.from({ length: 1 + random(2) }, async () => await does[random(does.length)]!(all[at]!))
    await Promise.all(doing)
    if (done % 10 === 0) await check(all[at]!)
    if (random(60) === 0) all[at] = await begin()
  }
  await stores.duty.set(me.id, me.id, false)
  await settled()
  clock.advance(20 * 60_000)
  await settled()
  for (const id of all) {
    await talk.runs.ended(id)
    await check(id)
    const { handled_by: by, course: { waits } } = (await store.get(me.id, id))!
    if (by === 'queue' || (by === 'person' && waits > 0)) faults.push(`somebody waits for ever: ${by}`)
  }
  return faults
}
