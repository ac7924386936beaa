import '../bare-children.ts'
import fc from 'fast-check'
import t from 'tap'
import type { GuardRule, GuardRuleDraft } from '../../schema/guards.ts'
import { MOST_TAGS, TagName } from '../../schema/common.ts'
import { tagsAs } from '../../src/platform/tags.ts'
import { guarded } from '../../src/guards/act.ts'
import { completeRule } from '../../src/guards/check.ts'
import { taggedWith } from '../../src/conversations/life/life.ts'
import { NOTICE, partsIn, QUESTION, talkative } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { site } from '../widget/helper.ts'

const rule = (more: Partial<GuardRuleDraft> = {}): GuardRuleDraft => ({
  name: 'Complaints', when: 'asked', match: { by: 'words', of: ['broken'] }, do: 'tag', tags: ['complaint'], ...more
})
const refusing: GuardRuleDraft = {
  name: 'Lawsuits', when: 'asked', match: { by: 'words', of: ['lawsuit'] }, do: 'refuse', text: 'I cannot talk about that.'
}
const masking: GuardRuleDraft = {
  name: 'Secrets', when: 'asked', match: { by: 'words', of: ['zanzibar'] }, do: 'mask'
}
const withRules = (...guardRules: GuardRuleDraft[]) => ({ behavior: { guardRules } })

/** A conversation with such an agent, its tags, and the announced changes of them. */
async function shop (t: Parameters<typeof talkative>[0], ...guardRules: GuardRuleDraft[]) {
  const built = await talkative(t, {}, withRules(...guardRules))
  const { me, at, stores } = built
  const told: string[] = []
  stores.eventBus.on('all', function * ({ type, data }) {
    if (type === 'conversation.updated') told.push(`${data.changed.join()}: ${data.conversation.tags.join()}`)
  })
  return {
    ...built,
    told,
    tags: async () => (await me.get(at)).json().data.tags as string[],
    notes: async () => ((await me.get(`${at}/messages`)).json().data as Array<{ role: string, guarded: unknown[] }>)
      .map(({ role, guarded }) => [role, guarded]),
    tagged: async (tags: string[]) => await me.patch(at, { tags })
  }
}

t.test('what is no tag by its schema is nothing once it is normalised, and nothing else', async (t) => {
  const allowed = new RegExp(TagName.pattern!, 'u')
  const odd: string[] = []
  for (let code = 0; code < 0x3000; code++) {
    const one = String.fromCharCode(code)
    if (allowed.test(one) !== (tagsAs([one]).length > 0)) odd.push(code.toString(16))
  }
  t.strictSame(odd, [])
})

const tag = fc.stringMatching(/^[a-z]{1,2}$/)
const tagsOf = (maxLength: number) => fc.uniqueArray(tag, { maxLength })

t.test('however many tags are put on, there are no more than twenty, each once, behind those that were there', async () => {
  fc.assert(fc.property(tagsOf(MOST_TAGS), fc.array(tag, { maxLength: 30 }), (kept, more) => {
    const next = taggedWith(kept, more)
    const wanted = [...new Set([...kept, ...more])].slice(0, MOST_TAGS)
    const isSame = JSON.stringify(next) === JSON.stringify(wanted)
    return isSame && taggedWith(next, more) === next && (next.length > kept.length || next === kept)
  }), { numRuns: 500 })
})

t.test('a rule that tags never decides, and acts beside whichever does', async () => {
  const one = fc.record({
    name: fc.uuid(),
    do: fc.constantFrom('refuse', 'hand_off', 'ticket', 'mask', 'tag'),
    of: fc.constantFrom('broken', 'lawsuit', 'lamp'),
    tags: fc.array(tag, { minLength: 1, maxLength: 5 })
  })
  const made = one.map(({ do: does, of, tags, name }): GuardRule => completeRule({
    name, when: 'asked', match: { by: 'words', of: [of] }, do: does, text: 'No.', ...does === 'tag' && { tags }
  }))
  const saying = fc.constantFrom('A broken lamp', 'A lawsuit', 'My lamp', 'Broken? A lawsuit!', 'Nothing')
  fc.assert(fc.property(saying, fc.uniqueArray(made, { selector: ({ name }) => name, maxLength: 6 }), (text, rules) => {
    const { verdict, notes, tags } = guarded(text, rules, 'asked')
    const others = guarded(text, rules.filter(({ do: does }) => does !== 'tag'), 'asked')
    const alone = rules.flatMap((each) => guarded(text, [each], 'asked').tags)
    return verdict === others.verdict &&
      JSON.stringify(notes.filter(({ did }) => did !== 'tag')) === JSON.stringify(others.notes) &&
      JSON.stringify(tags) === JSON.stringify([...new Set(alone)])
  }), { numRuns: 500 })
})

t.test('what a visitor writes puts tags on the conversation, noted on the message and told as a change of tags', async (t) => {
  const { say, tags, notes, told, me, stores } = await shop(t, rule({ tags: [' Complaint', 'complaint', 'Größe'] }))
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['conversation.updated'] })
  const first = async () => await say(`${QUESTION} It is broken.`, { client_id: 'one' })
  t.match((await first()).json().data, { text: /30 days/, answered_by: 'extract' }, 'the agent answers all the same')
  t.strictSame(await tags(), ['complaint', 'größe'], 'in lower case and each once, as by hand')
  t.strictSame(await notes(), [['visitor', [{ rule: 'Complaints', did: 'tag' }]], ['agent', []]])
  t.strictSame(told, ['tags: complaint,größe'])
  await first()
  await say('It is still broken')
  t.strictSame([await tags(), told.length], [['complaint', 'größe'], 1], 'the same again is no change')
  t.match((await me.get('/v1/tags')).json().data, [{ name: 'complaint' }, { name: 'größe' }])
  // Was wrong: only the case of what was asked for was normalised.
  for (const asked of ['complaint', ' Complaint ', 'com\u202eplaint\n']) {
    t.equal((await me.get(`/v1/conversations?tag=${encodeURIComponent(asked)}`)).json().data.length, 1, JSON.stringify(asked))
  }
  const queued = stores.db.raw.prepare<[], number>("select count(*) from outbox where channel = 'webhook'").pluck()
  t.equal(queued.get(), 1)
})

// Was wrong: a rule kept them as they were written, and those that are kept so put them on conversations.
t.test('a rule puts on tags that are written as those by hand, and no more than it may', async (t) => {
  const { say, tags, me, id } = await shop(t, rule({ tags: ['Zwei\nZeilen', '\u202Ekaputt,Bruch'] }))
  t.strictSame((await me.get(`/v1/agents/${id}`)).json().data.behavior.guardRules[0].tags, ['zwei zeilen', 'kaputt', 'bruch'])
  await say('It is broken')
  t.strictSame(await tags(), ['zwei zeilen', 'kaputt', 'bruch'])
  t.strictSame(taggedWith([], ['a,\u202Eb\n']), ['a', 'b'])
  const many = await me.put(`/v1/agents/${id}`, withRules(rule({ tags: ['a,b,c,d,e,f'] })))
  t.match(many.json().error.details, [{ field: 'behavior.guardRules[0].tags', message: /comma/ }])
})

t.test('a tag that somebody takes off comes back only with a later message', async (t) => {
  const { say, tags, tagged } = await shop(t, rule())
  await say('Broken')
  await tagged(['vip'])
  await say(QUESTION)
  t.strictSame(await tags(), ['vip'])
  await say('It is broken')
  t.strictSame(await tags(), ['vip', 'complaint'])
})

t.test('what would be more than twenty tags is left out', async (t) => {
  const { say, tags, tagged } = await shop(t, rule({ tags: ['one', 'two', 'three'] }))
  const many = Array.from({ length: MOST_TAGS - 1 }, (_, n) => `tag ${n}`)
  await tagged(many)
  await say('Broken')
  t.strictSame(await tags(), [...many, 'one'])
  await say('Broken again')
  t.equal((await tags()).length, MOST_TAGS)
})

t.test('a mask and a refusal beside it act as ever', async (t) => {
  const { say, tags, notes } = await shop(
    t, refusing, rule({ tags: ['legal'], match: { by: 'words', of: ['lawsuit', 'zanzibar'] } }), masking
  )
  t.match((await say('A lawsuit about Zanzibar')).json().data, { text: NOTICE + refusing.text, answered_by: 'canned' })
  t.strictSame(await tags(), ['legal'])
  t.strictSame(await notes(), [
    ['visitor', [
      { rule: 'Lawsuits', did: 'refuse' }, { rule: 'Complaints', did: 'tag' }, { rule: 'Secrets', did: 'mask' }
    ]],
    ['agent', []]
  ])
  await say('Only Zanzibar')
  t.match(await notes(), [[], [], ['visitor', [{ did: 'tag' }, { did: 'mask' }]]])
})

t.test('what only got a tag is still remembered, and answered', async (t) => {
  const model = await slowModel(t, async (asked) => {
    await asked.say('Fine [0].')
    asked.end()
  })
  const { say } = await talkative(t, { AGENTHALL_MODEL_URL: model.url }, withRules(rule()))
  await say('My lamp is broken')
  await say('What did I say before?')
  t.match(model.all.at(-1)?.raw, /lamp is broken/)
})

t.test('where a person answers rules tag too', async (t) => {
  const { say, tags, notes } = await shop(t, refusing, rule())
  await say('I am here', { role: 'person' })
  await say('Broken, there will be a lawsuit')
  t.strictSame(await tags(), ['complaint'])
  t.match((await notes()).at(-1), ['visitor', [{ rule: 'Complaints', did: 'tag' }]])
})

t.test('through the widget it is the same, and the visitor is told nothing of it', async (t) => {
  const answering = rule({ name: 'Returned', when: 'answered', match: { by: 'words', of: ['30 days'] }, tags: ['deadline'] })
  const { me, visit, begin } = await site(t, {}, withRules(rule({ match: { by: 'words', of: ['lawsuit'] } }), refusing, answering))
  const visitor = await visit()
  const { ask, at, conversation } = await begin(visitor)
  t.equal(await ask('A lawsuit'), refusing.text)
  const kept = async () => (await me.get(`/v1/conversations/${conversation}`)).json().data.tags
  t.strictSame(await kept(), ['complaint'])
  t.match(await ask(QUESTION), /30 days/)
  t.strictSame(await kept(), ['complaint', 'deadline'])
  const seen = [await visitor.get(at), await visitor.get(`${at}/messages`)].map(({ body }) => body).join('\n')
  t.notMatch(seen, /complaint|deadline|Returned|guarded|"tags"/)
})

const WORDS = 'You have 30 days, says Zanzibar, of course.'
const answered = rule({ when: 'answered', match: { by: 'words', of: ['zanzibar'] }, tags: ['told'] })

/** What a visitor has been shown before a model ended its answer, what was streamed, and the result. */
async function streamed (t: Parameters<typeof talkative>[0], ...rules: GuardRuleDraft[]) {
  let shown = ''
  const model = await slowModel(t, async (asked) => {
    await asked.say(`[1] ${WORDS}`)
    const { stores: { conversations: { talk } }, conversation } = built
    for (let turns = 0; turns < 50 && shown === ''; turns++) {
      await new Promise(setImmediate)
      shown = talk.runs.of(conversation)?.text.whole() ?? ''
    }
    asked.end()
  })
  const built = await talkative(t, { AGENTHALL_MODEL_URL: model.url }, withRules(...rules))
  const { me, at, say } = built
  const { body } = await say(QUESTION, { stream: true })
  return {
    shown,
    deltas: partsIn(body).map(({ delta }) => delta ?? '').join(''),
    tags: (await me.get(at)).json().data.tags,
    answer: (await me.get(`${at}/messages`)).json().data.at(-1)
  }
}

t.test('an answer that is streamed tags its conversation when it ends, and is shown as it is written', async (t) => {
  const { shown, deltas, tags, answer } = await streamed(t, answered)
  t.match(shown, /30 days/, 'a rule that only tags holds nothing back')
  t.match(deltas, WORDS)
  t.strictSame(tags, ['told'])
  t.match(answer, { answered_by: 'model', status: 'complete', guarded: [{ rule: 'Complaints', did: 'tag' }] })
  t.match(answer.text, WORDS)
})

t.test('beside a mask or a refusal of answers it tags, and nothing is seen before all have looked', async (t) => {
  const others = { when: 'answered' as const, match: answered.match }
  const masked = await streamed(t, answered, { ...masking, ...others })
  t.notMatch(masked.shown + masked.deltas, /zanzi/i)
  t.match(masked, { tags: ['told'], answer: { guarded: [{ did: 'tag' }, { did: 'mask' }] } })
  const refused = await streamed(t, { ...refusing, ...others }, answered)
  t.equal(refused.deltas, NOTICE + refusing.text)
  t.match(refused, { tags: ['told'], answer: { guarded: [{ did: 'refuse' }, { did: 'tag' }] } })
})
