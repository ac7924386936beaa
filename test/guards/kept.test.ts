import '../bare-children.ts'
import t from 'tap'
import type { GuardRuleDraft } from '../../schema/guards.ts'
import { guarded } from '../../src/guards/act.ts'
import { completeRule } from '../../src/guards/check.ts'
import { normal } from '../../src/config-as-code/defaults.ts'
import { taken } from '../../src/tickets/mail/taken.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { inFiles, SHOP } from '../config-as-code/helper.ts'
import { build, draft } from '../helper.ts'

const rule = (more: Partial<GuardRuleDraft> = {}): GuardRuleDraft => ({
  name: 'Lawsuits', when: 'asked', match: { by: 'words', of: ['lawsuit'] }, do: 'refuse', text: 'No.', ...more
})
const every = rule({ name: 'Everything', match: { by: 'words', of: ['how', 'where', 'what', 'is', 'my', 'the', 'i', 'you', 'two'] } })

t.test('rules are a part of an agent and of its versions: drafted, compared, published, restored', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', { ...draft, publish_on_save: false })).json().data
  const at = `/v1/agents/${id}`
  const saved = await me.put(at, { behavior: { guardRules: [rule()] } })
  t.strictSame(saved.json().data.behavior.guardRules, [completeRule(rule())], 'what was left out has a default')
  const { conversation } = await begin()
  t.notMatch((await say(conversation, 'lawsuit')).text, /No\.$/, 'visitors notice nothing')
  const { data: trial } = (await me.post(`${at}/conversations`, { draft: true })).json()
  t.match((await say(trial.id, 'lawsuit')).text, /No\.$/, 'a trial of the draft meets it')
  const { changes } = (await me.get(`${at}/versions/1/diff?to=draft`)).json().data
  t.match(changes, [{ field: 'behavior.guardRules', from: [], to: [{ name: 'Lawsuits' }] }])
  t.equal((await me.post(`${at}/publish`, {})).statusCode, 201)
  t.match((await say((await begin()).conversation, 'lawsuit')).text, /No\.$/)
  t.equal((await me.post(`${at}/versions/1/publish`, {})).statusCode, 201)
  t.notMatch((await say((await begin()).conversation, 'lawsuit')).text, /No\.$/)

  async function begin () {
    return { conversation: (await me.post(`${at}/conversations`, {})).json().data.id as string }
  }
  async function say (conversation: string, text: string) {
    return (await me.post(`/v1/conversations/${conversation}/messages`, { text })).json().data as { text: string }
  }
})

t.test('test questions meet the rules of what they are asked of', async (t) => {
  const { me, id, settled } = await talkative(t, {}, {
    publish_on_save: false, behavior: { expertHandoff: true, guardRules: [rule(), rule({ name: 'Call', match: { by: 'words', of: ['fire'] }, do: 'hand_off', text: '' })] }
  })
  const questions = [
    { text: 'I want a person for my lawsuit', expect: { says: ['No.'], hands_off: 'none' } },
    { text: 'There is a fire', expect: { hands_off: 'rule' } },
    { text: QUESTION, expect: { says: ['30 days'] } }
  ]
  for (const question of questions) t.equal((await me.post(`/v1/agents/${id}/questions`, question)).statusCode, 201)
  const { data: { id: run } } = (await me.post(`/v1/agents/${id}/runs`, { of: 'draft' })).json()
  await settled()
  t.match((await me.get(`/v1/agents/${id}/runs/${run}`)).json().data, { state: 'done', passed: 3 })
})

t.test('a rule that fails its tests, or acts on nearly everything, is refused with 422 and named', async (t) => {
  const { user } = await build(t)
  const me = await user()
  await me.post('/v1/agents', draft)
  const put = async (guardRules: unknown[]) => (await me.put('/v1/agents/1', { behavior: { guardRules } })).json()
  t.match(await put([rule({ tests: { match: ['A court'], no_match: [] } })]), {
    error: { code: 'rule_tests_failed', status: 422, fields: { rules: [{ field: 'behavior.guardRules[0].tests.match[0]' }] } }
  })
  t.match(await put([every]), {
    error: { code: 'rule_acts_on_most', status: 422, fields: { rules: [{ field: 'behavior.guardRules[0].acts_on_most' }] } }
  })
  t.match(await put([{ ...every, acts_on_most: true }]), { data: { behavior: { guardRules: [{ name: 'Everything' }] } } })
  t.match(await put([{ ...rule(), surprise: 1 }]), { error: { code: 'VALIDATION_ERROR' } })
  t.equal((await me.post('/v1/agents', { ...draft, behavior: { guardRules: [every] } })).statusCode, 422)
})

t.test('what is said lately tells whether a rule acts on most of it', async (t) => {
  const { me, id, say } = await talkative(t)
  for (let n = 0; n < 12; n++) await say(`Is parcel ${n} on its way?`)
  const put = async (guardRules: unknown[]) => (await me.put(`/v1/agents/${id}`, { behavior: { guardRules } })).statusCode
  t.equal(await put([rule({ match: { by: 'words', of: ['parcel'] } })]), 422)
  t.equal(await put([rule({ match: { by: 'words', of: ['refund'] } })]), 200)
  const parcels = rule({ match: { by: 'words', of: ['parcel'] } })
  t.match((await me.post(`/v1/agents/${id}/guard_rules/preview`, { rules: [parcels] })).json().data.rules, [
    { matches: 12, looked_at: 12, share: 1, on_most: true }
  ])
})

t.test('a preview tells what rules would have done in the last 30 days', async (t) => {
  const { me, id, say, clock, user, at } = await talkative(t)
  await say('An old lawsuit')
  await me.put(at, { status: 'closed' })
  clock.advance(31 * 86_400_000)
  const next = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id as string
  const ask = async (text: string) => await me.post(`/v1/conversations/${next}/messages`, { text })
  for (const text of ['A lawsuit!', 'Two lawsuits', QUESTION, 'My lawyer knows of the lawsuit']) await ask(text)
  const rules = [
    rule({ enabled: false }), rule({ name: 'Lawyers', match: { by: 'words', of: ['lawyer', 'lawsuits'] } }),
    rule({ name: 'Words', when: 'answered', match: { by: 'words', of: ['delivery'] }, do: 'mask', text: '' }), every
  ]
  const body = (await me.post(`/v1/agents/${id}/guard_rules/preview`, { rules })).json().data
  t.match(body, { days: 30, asked: 4, answered: 4, complete: true })
  const counted = body.rules.map((one: Record<string, unknown>) => [one.rule, one.matches, one.acts, one.looked_at])
  t.strictSame(counted.slice(0, 3), [['Lawsuits', 3, 3, 4], ['Lawyers', 3, 0, 4], ['Words', 1, 1, 4]])
  t.match(body.rules[3], { on_most: false, share: 0.75 }, 'of so few nothing can be told')
  t.match(body.rules[1].examples.map(({ text }: { text: string }) => text), ['My lawyer knows of the lawsuit', 'Two lawsuits', 'A lawsuit!'])
  t.match(body.rules[2].examples[0].shown, /•••/)
  t.strictSame((await me.post(`/v1/agents/${id}/guard_rules/preview`, {})).json().data.rules, [], 'those of the draft')
  t.equal((await (await user()).post(`/v1/agents/${id}/guard_rules/preview`, {})).statusCode, 404)
})

t.test('figures and webhooks tell which rules have acted', async (t) => {
  const { me, id, say } = await talkative(t, {}, {
    behavior: {
      guardRules: [
        rule(), rule({ name: 'Days', when: 'answered', match: { by: 'words', of: ['days'] }, do: 'mask', text: '' })
      ]
    }
  })
  for (const text of ['A lawsuit', 'Another lawsuit', QUESTION]) await say(text)
  const { data } = (await me.get(`/v1/agents/${id}/analytics`)).json()
  t.equal(data.total.guarded, 3)
  t.strictSame(data.rules, [{ rule: 'Lawsuits', did: 'refuse', times: 2 }, { rule: 'Days', did: 'mask', times: 1 }])
})

const tagging = rule({ name: 'Complaints', match: { by: 'words', of: ['broken'] }, do: 'tag', tags: ['Complaint'], text: '' })

t.test('rules that tag need tags, one to five, which others may not have', async (t) => {
  const { user } = await build(t)
  const me = await user()
  await me.post('/v1/agents', draft)
  const put = async (more: object) =>
    (await me.put('/v1/agents/1', { behavior: { guardRules: [{ ...tagging, ...more }] } })).json()
  const refused = async (more: object, field: string) =>
    t.match(await put(more), { error: { code: 'VALIDATION_ERROR', details: [{ field }] } }, JSON.stringify(more))
  const { tags: _tags, ...bare } = tagging
  t.match((await me.put('/v1/agents/1', { behavior: { guardRules: [bare] } })).json(), {
    error: { code: 'VALIDATION_ERROR', details: [{ field: 'behavior.guardRules[0].tags' }] }
  })
  await refused({ tags: [] }, 'behavior.guardRules[0].tags')
  await refused({ tags: ['1', '2', '3', '4', '5', '6'] }, 'behavior.guardRules[0].tags')
  await refused({ tags: [' '] }, 'behavior.guardRules[0].tags[0]')
  await refused({ tags: ['x'.repeat(51)] }, 'behavior.guardRules[0].tags[0]')
  await refused({ do: 'refuse', text: 'No.' }, 'behavior.guardRules[0].tags')
  t.match((await put({})).data.behavior.guardRules, [{ do: 'tag', tags: ['complaint'] }], 'as tags of conversations are kept')
})

t.test('a preview and the figures count what rules that tag do beside one that decides', async (t) => {
  const rules = [rule(), tagging]
  const { me, id, say } = await talkative(t, {}, { behavior: { guardRules: rules } })
  for (const text of ['A lawsuit over a broken lamp', 'Broken', QUESTION]) await say(text)
  const preview = (await me.post(`/v1/agents/${id}/guard_rules/preview`, {})).json().data.rules
  t.match(preview, [{ matches: 1, acts: 1 }, { rule: 'Complaints', matches: 2, acts: 2, examples: [{ shown: null }, {}] }])
  const { data } = (await me.get(`/v1/agents/${id}/analytics`)).json()
  t.equal(data.total.guarded, 2)
  t.strictSame(data.rules, [{ rule: 'Complaints', did: 'tag', times: 2 }, { rule: 'Lawsuits', did: 'refuse', times: 1 }])
})

t.test('tags of rules are a part of versions, and of files, where saying them again changes nothing', async (t) => {
  const { me, apply, planned, exported } = await inFiles(t)
  const rules = (tags: string) => `
  guardRules:
    - name: Complaints
      when: asked
      match: { by: words, of: [broken] }
      do: tag
      tags: ${tags}
`
  const files = (tags: string) => ({ ...SHOP, 'agents/support/agent.yaml': `${SHOP['agents/support/agent.yaml']!.split('vocabulary')[0]!.trimEnd()}${rules(tags)}` })
  await apply(files('[Complaint, vip]'))
  t.match(await planned(files('[Complaint, vip]')), { changes: [] })
  t.match(await planned(files('[complaint]')), { changes: [{ changes: [{ field: 'behavior.guardRules' }] }] })
  const out = await exported()
  t.match(out['agents/support/agent.yaml'], /do: tag\s+tags:\s+\[?(- )?complaint/)
  t.match(await planned(out, {}), { changes: [] })
  const [{ id, behavior: { guardRules: [kept] } }] = (await me.get('/v1/agents')).json().data
  const at = `/v1/agents/${id}`
  await me.put(at, { publish_on_save: false })
  await me.put(at, { behavior: { guardRules: [{ ...kept, tags: ['late'] }] } })
  const [{ number }] = (await me.get(`${at}/versions`)).json().data
  const { changes } = (await me.get(`${at}/versions/${number}/diff?to=draft`)).json().data
  t.match(changes.filter(({ field }: { field: string }) => field === 'behavior.guardRules'), [
    { from: [{ tags: ['complaint', 'vip'] }], to: [{ tags: ['late'] }] }
  ])
})

t.test('files of an account hold rules, and saying them again changes nothing', async (t) => {
  const { me, id } = await talkative(t, {}, { behavior: { guardRules: [rule()] } })
  const file = await me.get('/v1/config?format=json')
  t.match(file.body, /guardRules/, file.body.slice(0, 300))
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.behavior.guardRules.length, 1)
  const said = { kind: 'agent' as const, form: { behavior: { guardRules: [rule()], email: null } } }
  t.strictSame(normal(said), { behavior: { guardRules: [completeRule(rule())], email: null } })
  t.strictSame(normal({ ...said, form: { behavior: { email: null } } }), { behavior: { email: null } })
})

t.test('a mail is kept without what is masked', async (t) => {
  const behavior = { email: null, autoTicketReply: false, guardRules: [completeRule(rule({ do: 'mask', text: '' }))] }
  const ticket = { id: 'tkt_1', owner: 1, agent: 1, requester: { name: null, email: 'ada@example.com' }, status: 'open' }
  const mail = (side: 'requester' | 'business', from: string) => taken(
    { ticket, messages: [] } as never, { kind: 'message', side, from, text: 'My lawsuit begins' } as never,
    { agent: { behavior } as never, isMember: true, origin: 'x', at: '2026-01-01T00:00:00.000000Z' }
  ).said?.text
  t.equal(mail('requester', 'ada@example.com'), 'My ••• begins')
  t.equal(mail('requester', 'eve@example.com'), 'My ••• begins')
  t.equal(mail('business', 'help@example.com'), 'My lawsuit begins')
})

t.test('whatever is written, looking at it takes no more than its length', async (t) => {
  const phrases = [
    'a a a a b', 'lawsuit', 'law law law', '密码密', 'anwalt', `${'密'.repeat(99)}码`, ...Array.from({ length: 40 }, (_, n) => 'a '.repeat(n + 1).trim()),
    ...Array.from({ length: 50 }, (_, n) => `law${n}`)
  ]
  const rules = [
    completeRule(rule({ match: { by: 'words', of: phrases }, do: 'mask' })),
    completeRule(rule({ name: 'Questions', match: { by: 'questions', of: [QUESTION] } })),
    completeRule(rule({ name: 'Other', match: { by: 'other_language', of: ['en'] } }))
  ]
  const texts: Array<[string, (units: number) => string]> = [
    ['one letter', (units) => 'a '.repeat(units / 2)],
    ['words that begin as a phrase', (units) => Array.from({ length: units / 10 }, (_, n) => `law${n.toString(36)}x`).join(' ')],
    ['no spaces', (units) => '密码'.repeat(units / 2)],
    ['letters one by one', (units) => 'l-a '.repeat(units / 4)],
    ['letters of two scripts', (units) => 'l\u0430w '.repeat(units / 4)],
    ['signs that stand for many', (units) => '\ufdfa'.repeat(units)],
    ['the beginning of a phrase', (units) => '密'.repeat(units)],
    ['masks', (units) => '•••'.repeat(units / 3)],
    ['marks', (units) => '.'.repeat(units)]
  ]
  /** What checking a text ten times takes, in milliseconds of CPU time; one-off work is done before. */
  const cost = (text: string) => {
    guarded(text, rules, 'asked')
    const began = process.threadCpuUsage()
    for (let go = 0; go < 10; go++) guarded(text, rules, 'asked')
    const { user, system } = process.threadCpuUsage(began)
    return (user + system) / 1000
  }
  for (const [name, text] of texts) {
    const [short, long] = [cost(text(2000)), cost(text(8000))]
    // Four times the text; quadratic work takes sixteen times as long.
    t.ok(long <= 9 * short + 40, `${name}: ${short.toFixed()} and ${long.toFixed()} ms`)
  }
})
