import type { Test } from 'tap'
import type { QuestionDraft } from '../../schema/checks.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { ids, once, type OpenPeopled } from './every.ts'

const NOT_THIS = () => { throw new Refusal('precondition_failed', 'It is another one.') }

/** Defines the contract of what belongs to agents. */
export function onAgents (t: Test, peopled: OpenPeopled) {
  t.test('versions: numbered from 1, newest first, published once for one key, and restored', async (t) => {
    const { agents, owner, stranger, agent } = await peopled(t)
    const rename = async (name: string) =>
      await agents.update(owner, agent, (kept) => ({ ...kept, name, publish_on_save: false }))
    await rename('Second')
    const made = (await agents.publish(owner, agent, { note: 'n' }, once('p')))!
    t.equal((await agents.publish(owner, agent, {}, once('p')))?.replayed, true)
    await t.rejects(agents.publish(owner, agent, {}), { code: 'nothing_to_publish' })
    await rename('Third')
    const third = (await agents.publish(owner, agent, {}))!.answer.number
    const { number } = made.answer
    t.equal(third, number + 1)
    t.same((await agents.versions(owner, agent, 999, 2))?.map((one) => one.number), [third, number])
    t.same((await agents.versions(owner, agent, third, 1))?.map((one) => one.number), [number])
    t.match(await agents.version(owner, agent, number), { number, note: 'n' })
    t.equal((await agents.restore(owner, agent, number, (current) => ({ ...current, name: 'Back' })))?.number, number)
    t.same(
      [
        await agents.version(stranger, agent, number),
        await agents.versions(stranger, agent, 999, 9),
        await agents.publish(stranger, agent, {}),
        await agents.restore(stranger, agent, number, (current) => current)
      ],
      Array(4).fill(undefined)
    )
  })

  t.test('a vocabulary: replaced as a whole, and of its agent alone', async (t) => {
    const { agents, owner, stranger, agent } = await peopled(t)
    t.match(await agents.vocabulary(owner, agent), { terms: [] })
    const terms = [{ term: 'Kuli', means: ['ballpoint'] }]
    const kept = await agents.replaceVocabulary(owner, agent, terms, () => {})
    t.match(kept, { terms })
    t.same(await agents.vocabulary(owner, agent), kept)
    await t.rejects(agents.replaceVocabulary(owner, agent, [], NOT_THIS), { code: 'precondition_failed' })
    t.match(await agents.vocabulary(owner, agent), { terms }, 'what is refused changes nothing')
    t.equal(await agents.vocabulary(stranger, agent), undefined)
    t.equal(await agents.replaceVocabulary(stranger, agent, [], () => {}), undefined)
  })

  t.test('test questions: in the order in which they were asked for, read again as they were, of their agent alone', async (t) => {
    const { checks: { store }, owner, stranger, agent } = await peopled(t)
    const draft = (text: string): QuestionDraft => ({ text, expect: { says: ['30 days'] } })
    const one = (await store.add(owner, agent, { draft: draft('One?') }, once('q')))!.answer
    t.equal((await store.add(owner, agent, { draft: draft('One?') }, once('q')))?.replayed, true)
    t.match(await store.addAll(owner, agent, [draft('One?'), draft('Two?')]), { added: 1 })
    const all = (await store.questions(owner, agent))!
    t.same(all.map(({ text }) => text), ['One?', 'Two?'])
    t.same(await store.question(owner, agent, one.id), all[0])
    t.match(await store.change(owner, agent, one.id, { text: 'Uno?' }, () => {}), { text: 'Uno?' })
    await t.rejects(store.change(owner, agent, one.id, { text: 'x' }, NOT_THIS), { code: 'precondition_failed' })
    t.same(
      [
        await store.questions(stranger, agent),
        await store.question(stranger, agent, one.id),
        await store.add(stranger, agent, { draft: draft('x') }),
        await store.change(stranger, agent, one.id, { text: 'x' }, () => {}),
        await store.runs(stranger, agent, 999, 9)
      ],
      Array(5).fill(undefined)
    )
    t.equal(await store.remove(stranger, agent, one.id, () => {}), false)
    t.equal(await store.remove(owner, agent, one.id, () => {}), true)
    t.same((await store.questions(owner, agent))?.map(({ text }) => text), ['Two?'])
    t.same(await store.runs(owner, agent, 999, 9), [])
  })

  t.test('keys of widgets: found by pages until they are deleted, and secrets shown once', async (t) => {
    const { widget, owner, stranger, agent } = await peopled(t)
    const draft = { name: 'Shop', origins: ['https://shop.example'] }
    const first = (await widget.create(owner, agent, draft, once('k')))!.answer
    t.match(await widget.create(owner, agent, draft, once('k')), { replayed: true, answer: { id: first.id } })
    const second = (await widget.create(owner, agent, { name: 'Other' }))!.answer
    t.same(ids(await widget.list(owner, agent)), [first.id, second.id], 'oldest first')
    t.match(await widget.find(first.id), { owner, agent })
    t.same([await widget.isKnownOrigin('https://shop.example'), await widget.isKnownOrigin('https://a.test')], [true, false])
    t.match(await widget.update(owner, agent, first.id, { origins: ['https://a.test'] }), { origins: ['https://a.test'] })
    t.same([await widget.isKnownOrigin('https://shop.example'), await widget.isKnownOrigin('https://a.test')], [false, true])
    const secret = (await widget.addSecret(owner, agent, first.id))!.answer
    t.notMatch(JSON.stringify(await widget.list(owner, agent)), secret.secret)
    t.same(
      [
        await widget.list(stranger, agent),
        await widget.create(stranger, agent, draft),
        await widget.update(stranger, agent, first.id, {}),
        await widget.addSecret(stranger, agent, first.id),
        await widget.face(stranger, agent)
      ],
      Array(5).fill(undefined)
    )
    t.equal(await widget.removeSecret(stranger, agent, first.id, secret.id), false)
    t.equal(await widget.removeSecret(owner, agent, first.id, secret.id), true)
    t.same([await widget.remove(stranger, agent, first.id), await widget.remove(owner, agent, first.id)], [false, true])
    t.equal(await widget.find(first.id), undefined)
  })

  t.test('feeds: made once for one key, changed, and gone with their agent\'s owner alone', async (t) => {
    const { feeds: { store }, owner, stranger, agent } = await peopled(t, 'enterprise')
    const draft = { name: 'Help', kind: 'sitemap' as const, config: { url: 'https://shop.example/sitemap.xml' }, every: '6h' as const }
    const first = (await store.add(owner, agent, draft, once('f')))!.answer
    t.match(await store.add(owner, agent, draft, once('f')), { replayed: true, answer: { id: first.id } })
    const second = (await store.add(owner, agent, { ...draft, name: 'More' }))!.answer
    t.same(ids(await store.list(owner, agent)), [first.id, second.id])
    t.match(await store.change(owner, agent, first.id, { name: 'Renamed' }), { name: 'Renamed' })
    t.match(await store.get(owner, agent, first.id), { name: 'Renamed', kind: 'sitemap', every: '6h' })
    t.same(
      [
        await store.list(stranger, agent),
        await store.get(stranger, agent, first.id),
        await store.add(stranger, agent, draft),
        await store.change(stranger, agent, first.id, { name: 'x' }),
        await store.look(stranger, agent, first.id)
      ],
      Array(5).fill(undefined)
    )
    t.equal(await store.remove(stranger, agent, first.id, 'kept'), false)
    t.equal(await store.remove(owner, agent, first.id, 'kept'), true)
    t.same(ids(await store.list(owner, agent)), [second.id])
  })
}
