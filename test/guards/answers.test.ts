import '../bare-children.ts'
import crypto from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { GuardRuleDraft } from '../../schema/guards.ts'
import { NOTICE, partsIn, QUESTION, talkative } from '../conversations/helper.ts'
import { slowModel, type Asked } from '../conversations/slow-model.ts'
import { site } from '../widget/helper.ts'

const MASK = '•••'
const REFUSED = 'I cannot talk about that.'
const rule = (more: Partial<GuardRuleDraft> = {}): GuardRuleDraft => ({
  name: 'Lawsuits', when: 'asked', match: { by: 'words', of: ['lawsuit'] }, do: 'refuse', text: REFUSED, ...more
})
const secret = rule({ name: 'Secrets', do: 'mask', text: '', match: { by: 'words', of: ['zanzibar'] } })
/** An agent whose model answers everything at once and alike; `play`: how it says it. */
async function modelled (t: Test, agent: object, words = 'Fine [0].', play?: (asked: Asked) => Promise<void>) {
  const model = await slowModel(t, async (asked) => {
    await (play ?? (async (one) => await one.say(words)))(asked)
    asked.end()
  })
  const built = await talkative(t, { AGENTHALL_MODEL_URL: model.url }, agent)
  const messages = async () => (await built.me.get(`${built.at}/messages`)).json().data as Array<Record<string, any>>
  return { ...built, messages, raw: () => model.all.map(({ raw }) => raw).join('\n') }
}

const withRules = (...guardRules: GuardRuleDraft[]) => ({ behavior: { guardRules } })

t.test('what a rule refuses reaches no search, no action and no model, and is told in its words', async (t) => {
  const { say, messages, raw } = await modelled(t, withRules(rule()))
  const answer = (await say('I want a person, or there will be a lawsuit')).json().data
  t.match(answer, { text: NOTICE + REFUSED, answered_by: 'canned', citations: [], model: null, guarded: [] })
  t.equal(raw(), '')
  t.strictSame((await messages()).map(({ role, guarded }) => [role, guarded]), [
    ['visitor', [{ rule: 'Lawsuits', did: 'refuse' }]], ['agent', []]
  ])
  await say('And what did I say before?')
  t.match(raw(), /did I say before/)
  t.notMatch(raw(), /lawsuit/, 'a model does not read it later either')
})

t.test('without a model the sources are not asked either', async (t) => {
  const { say } = await talkative(t, {}, withRules(rule({ match: { by: 'questions', of: [QUESTION] } })))
  t.match((await say(QUESTION)).json().data, { text: NOTICE + REFUSED, citations: [] })
  t.match((await say('Do I need the original packaging?')).json().data.text, /original packaging/)
})

t.test('a rule calls a person, or opens a ticket', async (t) => {
  for (const [does, status, text] of [['hand_off', 'waiting', /One moment/], ['ticket', 'open', /We write to you/]] as const) {
    const built = await talkative(t, {}, {
      behavior: {
        expertHandoff: true,
        email: 'help@example.com',
        guardRules: [rule({ do: does, text: does === 'ticket' ? 'We write to you.' : '' })]
      }
    })
    await built.me.put('/v1/me/duty', { on: true })
    t.match((await built.say('This is about a lawsuit')).json().data.text, text)
    const kept = (await built.me.get(built.at)).json().data
    t.match([kept.status, kept.reason ?? 'rule'], [status, 'rule'], does)
    const said = (await built.me.get(`${built.at}/messages`)).json().data.at(-1)
    if (does === 'ticket') t.match(said.text, /^I have passed your request on as a ticket/, 'somebody is there')
  }
})

t.test('where a person answers a rule masks and decides nothing', async (t) => {
  const { say, me, at } = await talkative(t, {}, withRules(rule(), secret))
  t.equal((await say('I am here', { role: 'person' })).statusCode, 201)
  t.match((await say('zanzibar lawsuit')).json().data, {
    text: `${MASK} lawsuit`, guarded: [{ rule: 'Secrets', did: 'mask' }]
  })
  t.equal((await me.get(`${at}/messages`)).json().data.length, 3)
})

/** Everything written from now on: sealed values before they are sealed, and the contents of the files. */
function watchWrites (t: Test, directory: string): () => string {
  const sealed: string[] = []
  const make = crypto.createCipheriv
  crypto.createCipheriv = ((...args: Parameters<typeof make>) => {
    const cipher = make(...args)
    const update = cipher.update.bind(cipher) as (content: Buffer | string, ...more: never[]) => Buffer
    cipher.update = ((content: Buffer | string, ...more: never[]) => {
      sealed.push(content.toString('latin1'), content.toString())
      return update(content, ...more)
    }) as typeof cipher.update
    return cipher
  }) as typeof make
  syncBuiltinESMExports()
  t.teardown(() => {
    crypto.createCipheriv = make
    syncBuiltinESMExports()
  })
  return () => [
    ...sealed,
    ...readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
  ].join('\n')
}

t.test('nothing of what is masked is kept or told to a model; sent again it is the same message', async (t) => {
  const { say, at, me, raw, directory, settled, id } = await modelled(t, withRules(secret))
  const written = watchWrites(t, directory)
  const first = say('The word is Zanzibar-canary, keep it', { client_id: 'one' }, { 'idempotency-key': 'a-key' })
  t.equal((await first).statusCode, 201)
  t.notMatch(raw(), /zanzibar/i)
  t.match(raw(), `The word is ${MASK}-canary, keep it`)
  t.match((await me.get(`${at}/messages`)).json().data[0], {
    text: `The word is ${MASK}-canary, keep it`, guarded: [{ rule: 'Secrets', did: 'mask' }]
  })
  t.equal((await me.get(at)).json().data.subject, `The word is ${MASK}-canary, keep it`)
  const again = await say('The word is Zanzibar-canary, keep it', { client_id: 'one' }, { 'idempotency-key': 'a-key' })
  t.match([again.statusCode, again.headers['idempotency-replayed']], [201, 'true'])
  await settled()
  t.equal((await me.get('/v1/conversations?search=zanzibar')).json().data.length, 0, 'the index of words lacks it')
  t.equal((await me.get('/v1/conversations?search=keep')).json().data.length, 1)
  t.notMatch(written(), /Zanzibar-canary/)

  // That this would be seen: without the rule it is.
  await me.put(`/v1/agents/${id}`, { behavior: { guardRules: [] } })
  await say('The word is Zanzibar-canary')
  t.match(raw(), /Zanzibar-canary/)
  t.match(written(), /Zanzibar-canary/)
})

/** Everything visible while a model says its answer a letter at a time, and what is stored of it. */
async function watched (t: Test, rules: GuardRuleDraft[], words: string) {
  const seen = new Set<string>()
  const built = await modelled(t, withRules(...rules), words, async (asked) => {
    for (const letter of words) {
      await asked.say(letter)
      await new Promise(setImmediate)
      const { stores: { conversations: { talk } }, me, at, conversation } = built
      seen.add(talk.runs.of(conversation)?.text.whole() ?? '')
      seen.add((await me.get(`${at}/messages`)).body)
    }
  })
  const { body } = await built.say(QUESTION, { stream: true })
  const deltas = partsIn(body).map(({ delta }) => delta ?? '').join('')
  return { all: [...seen, body].join('\n'), deltas, answer: (await built.messages()).at(-1)! }
}

const WORDS = 'I can tell you [1]: the word is Zanzibar, of course.'
const answered = (more: Partial<GuardRuleDraft>) => rule({ when: 'answered', match: { by: 'words', of: ['zanzibar'] }, ...more })

t.test('an answer that is streamed shows nothing of what is masked or refused, at no time', async (t) => {
  const isLeaking = /z\W*a?\W*n?\W*z\W*i?\W*b|the word/i
  const refused = await watched(t, [answered({})], WORDS)
  t.notMatch(refused.all.replaceAll('Lawsuits', ''), isLeaking)
  t.equal(refused.deltas, NOTICE + REFUSED)
  t.match(refused.answer, { text: NOTICE + REFUSED, answered_by: 'canned', guarded: [{ rule: 'Lawsuits', did: 'refuse' }] })

  const masked = await watched(t, [answered({ do: 'mask', text: '' })], WORDS)
  t.notMatch(masked.all, /zan/i)
  t.match(masked.deltas, `the word is ${MASK}, of course.`)
  t.match(masked.answer, { answered_by: 'model', guarded: [{ rule: 'Lawsuits', did: 'mask' }] })

  // That a leak would be seen: without a rule it is.
  const open = await watched(t, [], WORDS)
  t.match(open.all, isLeaking)
  t.match(open.all, /zan/i)
})

t.test('stopped before rules have looked at it an answer shows nothing', async (t) => {
  const half = Promise.withResolvers<void>()
  const built = await modelled(t, withRules(answered({})), '', async (asked) => {
    await asked.say('You have 30 days [1], says Zanzi')
    half.resolve()
    await asked.gone
  })
  const going = built.say(QUESTION)
  await half.promise
  const { id } = (await built.messages()).at(-1)!
  t.match((await built.me.post(`${built.at}/messages/${id}/stop`)).json().data, { text: '', status: 'stopped', citations: [] })
  await going
  t.notMatch(JSON.stringify(await built.messages()), /zanzi/i)
})

t.test('sources that are quoted are looked at too, and what is cited beside them', async (t) => {
  const { say } = await talkative(t, {}, withRules(answered({ do: 'mask', text: '', match: { by: 'words', of: ['packaging', 'returns'] } })))
  const { text, citations } = (await say('Do I need the original packaging?')).json().data
  t.match(text, `original ${MASK}`)
  t.notMatch(JSON.stringify([text, citations]), /packaging|returns/i)
})

t.test('a long message meets the rules before it is kept or answered', async (t) => {
  const { say, messages, raw } = await modelled(t, withRules(rule(), secret))
  const long = 'Where is the lamp that I have ordered? '.repeat(40)
  t.match((await say(`${long}I bring a lawsuit.`)).json().data, { text: `${NOTICE}${REFUSED}`, answered_by: 'canned' })
  await say(`${long}The word is Zanzibar.`)
  t.match((await messages()).at(-2), { text: `${long}The word is ${MASK}.` })
  t.notMatch(raw(), /lawsuit|zanzibar/i)
})

t.test('clients that keep the history themselves meet the same rules', async (t) => {
  const { me, id, raw } = await modelled(
    t, withRules(rule(), secret, answered({ name: 'Answers', text: 'Not told.' })), 'It is Zanzibar [0].'
  )
  const completion = async (content: string, before: object[] = []) =>
    (await me.post('/v1/chat/completions', { model: `agent-${id}`, messages: [...before, { role: 'user', content }] }))
      .json().choices[0].message.content
  t.equal(await completion('A lawsuit'), NOTICE + REFUSED)
  t.equal(raw(), '')
  t.equal(await completion('And now?', [
    { role: 'user', content: 'The word is zanzibar' }, { role: 'assistant', content: 'Fine.' },
    { role: 'user', content: 'A lawsuit is coming' }, { role: 'assistant', content: REFUSED }
  ]), 'Not told.')
  t.notMatch(raw(), /zanzibar|lawsuit/i)
  t.match(raw(), `The word is ${MASK}`)
})

t.test('visitors are told nothing of rules', async (t) => {
  const { me, visit, begin } = await site(t, {}, withRules(rule(), secret))
  const visitor = await visit()
  const { ask, at, conversation } = await begin(visitor)
  t.equal(await ask('zanzibar lawsuit'), REFUSED)
  const { body } = await visitor.get(`${at}/messages`)
  t.match(body, `${MASK} lawsuit`)
  t.notMatch(body, /guarded|Lawsuits|Secrets/)
  t.match((await me.get(`/v1/conversations/${conversation}/messages`)).body, /"guarded":\[\{"rule":"Lawsuits"/)
})
