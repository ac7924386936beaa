import fc from 'fast-check'
import type { Test } from 'tap'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Due, HandoffEvent } from '../../src/conversations/contract.ts'
import type { Table } from '../../src/handoff/index.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { build } from '../helper.ts'

/** A conversation in the real store, and the timers that were ever requested. */
interface World { id: string, timers: Array<{ epoch: number, waits: number }> }
type Step = fc.AsyncCommand<object, World>

/**
 * Random steps through the real store, by fast-check's commands: the first violation found, with the steps that led to
 * it; undefined if there was none. `table`: replaces the state machine, to see what it prevents.
 */
export async function stepsThroughStore (
  t: Test, steps: number, seed: number, table?: Table
): Promise<string | undefined> {
  const { user, stores, clock, settled } = await build(t, {}, { table })
  const { conversations: { talk, store }, duty } = stores
  const me = await user()
  const { id: agent } = (
    await me.post('/v1/agents', {
      name: 'Ada', systemPrompt: 'You help.', behavior: { expertHandoff: true, email: 'a@example.com' }
    })
  ).json().data
  const count = { done: 0 }

  const read = async (id: string) => (await store.get(me.id, id))!

  /** Does it; false where it was refused, which changes nothing. */
  async function isLet (work: () => Promise<unknown>): Promise<boolean> {
    return await work().then(
      () => true,
      (error) => {
        if (!(error instanceof Refusal)) throw error
        return false
      }
    )
  }

  /** The invariants after each step. */
  async function check (before: ConversationRecord, { id, timers }: World) {
    const after = await read(id)
    const kept = (await store.messages(me.id, id, { after: before.messages }, 100)) ?? []
    const notices = kept.filter(({ role }) => role === 'system').length
    if (notices < after.epoch - before.epoch) throw new Error('hands change in silence')
    if (handsOf(before) !== handsOf(after) && after.epoch === before.epoch) throw new Error('the epoch does not tell')
    if (kept.some(({ seq }, at) => seq !== before.messages + at + 1)) throw new Error('a gap')
    if (
      (after.handled_by === 'person') !== (after.person !== null) ||
      (after.handled_by === 'queue') !== (after.status === 'waiting')
    ) throw new Error('who speaks is not clear')
    const all = (await store.messages(me.id, id, { before: after.messages + 1 }, 100)) ?? []
    if (after.handled_by !== 'agent' && all.some(({ status }) => status === 'generating')) {
      throw new Error('the agent talks over somebody')
    }
    const ended = stores.db.raw
      .prepare('select count(*) from episodes where conversation = (select number from conversations where id = ?)')
      .pluck()
      .get(id)
    if (ended !== after.episode - (after.status === 'closed' ? 0 : 1)) throw new Error('an episode does not end once')
    timers.push({ epoch: after.epoch, waits: after.course.waits })
  }

  const step = (name: string, run: (world: World, before: ConversationRecord) => Promise<unknown>): Step => ({
    check: () => true,
    async run (_model, world) {
      count.done++
      const before = await read(world.id)
      await run(world, before)
      // What is due is run first, so that nothing changes while it is checked.
      await settled()
      await check(before, world)
    },
    toString: () => name
  })
  const hand = async (id: string, event: HandoffEvent) => await isLet(async () => await talk.handOver(me.id, id, event))
  const handed = (name: string, event: HandoffEvent) => step(name, async ({ id }) => await hand(id, event))

  /** A person joins where another one speaks: only the one named in `from` loses it. */
  const taking = (
    name: string, person: number, from: number | null, act: (id: string) => Promise<unknown>
  ) => step(name, async ({ id }, { person: holder }) => {
    const isTaken = await isLet(async () => await act(id))
    if (isTaken && holder !== null && holder !== person && holder !== from) throw new Error('two who speak')
  })
  const people = fc.integer({ min: 0, max: 2 }).map((n) => me.id + n)
  const saying = { client_id: null, attachments: [] }
  const replying = (person: number) => taking(`replied ${person}`, person, null, async (id) =>
    await talk.reply(me.id, id, person, { text: 'I am here.', ...saying }))

  /** Two people at once: at most one of them. */
  const both = (one: number, other: number) => step(`both ${one} ${other}`, async ({ id }, { person: holder }) => {
    const all = await Promise.all(
      [one, other].map(async (person) => await hand(id, { type: 'taken', person, from: null }))
    )
    const isOne = one === other || holder === one || holder === other
    if (!isOne && all.filter(Boolean).length > 1) throw new Error('two who speak: at once')
  })

  /** A timer requested long ago fires late. */
  const late = (n: number, what: Due) => step(`late ${what} ${n}`, async ({ id, timers }) => {
    await talk.runs.ended(id)
    const { epoch } = await read(id)
    const old = timers.filter((one) => one.epoch < epoch)
    const timer = old[n % Math.max(1, old.length)]
    if (!timer) return
    await hand(id, { type: 'due', what, ...timer })
    if ((await read(id)).epoch !== epoch) throw new Error('what was begun long ago still counts')
  })

  const commands = [
    fc.constantFrom('What now?', 'Can I talk to a human?', 'Thanks').map((text) => step(text, async ({ id }) =>
      await isLet(async () => await talk.say(me.id, id, { text, ...saying })))),
    people.map(replying),
    fc.tuple(people, fc.option(people)).map(([person, from]) => taking(
      `taken ${person} from ${from}`, person, from, async (id) =>
        await talk.handOver(me.id, id, { type: 'taken', person, from }))),
    fc.tuple(people, people).map(([one, other]) => both(one, other)),
    people.map((person) => handed(`released ${person}`, { type: 'released', person })),
    fc.constant(handed('asked', { type: 'asked', reason: 'visitor_asked' })),
    fc.constant(handed('cancelled', { type: 'cancelled' })),
    fc.boolean().map((isResolved) => handed('closed', { type: 'closed', by: 'person', isResolved })),
    fc.boolean().map((on) => step(`on duty ${on}`, async () => await duty.set(me.id, me.id, on))),
    fc.constantFrom(1000, 130_000, 1_000_000).map((ms) => step(`${ms} ms`, async () => { clock.advance(ms) })),
    fc.tuple(fc.nat(50), fc.constantFrom<Due>('overdue', 'unanswered', 'silent')).map(([n, what]) => late(n, what))
  ]

  async function play (all: Iterable<Step>) {
    await duty.set(me.id, me.id, true)
    await settled()
    const id = (await talk.begin(me.id, agent, 'api', {}))!.answer.id
    await fc.asyncModelRun(() => ({ model: {}, real: { id, timers: [] } }), all)
    // Everyone who waits is served in the end.
    await duty.set(me.id, me.id, false)
    clock.advance(20 * 60_000)
    await settled()
    await talk.runs.ended(id)
    const { handled_by: by, course: { waits } } = await read(id)
    if (by === 'queue' || (by === 'person' && waits > 0)) throw new Error(`somebody waits for ever: ${by}`)
  }

  const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: 'max' }), play)
  for (let round = 0; count.done < steps; round++) {
    const { failed, errorInstance, counterexample } =
      await fc.check(property, { numRuns: 1, seed: seed + round, endOnFailure: true })
    if (failed) return `${(errorInstance as Error).message}: ${String(counterexample)}`
  }
  return undefined
}

const handsOf = ({ status, handled_by: by, person, speaker }: ConversationRecord) =>
  `${status === 'closed' ? 'nobody' : by} ${person} ${speaker}`
