import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { joined } from '../../access/people.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

/** An agent's texts in the console of its creator. */
async function wordsOf (t: Test, terms: Array<{ term: string, means: string[] }> = []) {
  const built = await shop(t)
  const { me, id } = built
  const route = `/v1/agents/${id}/vocabulary`
  if (terms.length > 0) await me.put(route, { terms })
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, `/agents/${id}/words`)
  const kept = async () => (await me.get(route)).json().data.terms
  return { ...built, ...handsOn(page), route, page, faults, kept }
}

function handsOn (page: Page) {
  const row = (n: number) => page.locator('.term[role=group]').nth(n)
  return {
    row,
    term: (n: number) => row(n).getByLabel('Your word'),
    means: (n: number) => row(n).getByLabel('What customers say'),
    add: page.getByRole('button', { name: 'Add a word' }),
    save: page.getByRole('button', { name: 'Save' }),
    saved: async () => await page.locator('.save-bar').waitFor({ state: 'detached' }),
    focused: async () =>
      await page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')
  }
}

t.test('words are told by keyboard alone, and the focus is never lost', { skip }, async (t) => {
  const { page, faults, add, row, kept, saved, focused } = await wordsOf(t)
  await add.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Aurora ')
  await page.keyboard.press('Tab')
  await page.keyboard.type('kettle, Wasserkocher, kettle,')
  await page.keyboard.press('Enter')
  await saved()
  t.strictSame(await kept(), [{ term: 'Aurora', means: ['Wasserkocher', 'kettle'] }], 'as the server tidies them')
  t.equal(await focused(), 'What customers say', 'saving leaves the focus where it was')
  await seenByAxe(t, page, 'words')
  for (const word of ['PSU', 'Borealis']) {
    await add.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type(word)
    await page.keyboard.press('Tab')
    await page.keyboard.type('lamp')
  }
  await row(1).getByRole('button').focus()
  await page.keyboard.press('Enter')
  t.equal(await focused(), 'Remove Borealis')
  await page.keyboard.press('Enter')
  t.equal(await focused(), 'Add a word')
  await saved()
  t.strictSame(faults, [])
})

t.test('what the server refuses is said beside its row, in words, also when rows before it go', { skip }, async (t) => {
  const { page, add, row, term, means, save, saved, kept } = await wordsOf(t, [
    { term: 'PSU', means: ['power supply unit'] }, { term: 'Aurora', means: ['kettle'] }
  ])
  await add.click()
  await term(2).fill('aurora')
  await means(2).fill('lamp')
  await save.click()
  await row(2).getByRole('alert').getByText('This word is listed twice.').waitFor()
  t.equal(await term(2).getAttribute('aria-invalid'), 'true')
  await seenByAxe(t, page, 'a word that is refused')
  await page.getByRole('button', { name: 'Remove PSU' }).click()
  await row(1).getByRole('alert').waitFor()
  t.equal(await row(0).getByRole('alert').count(), 0)
  await page.getByRole('link', { name: 'Knowledge' }).click()
  await page.getByRole('button', { name: 'Stay here' }).click()

  const twice = term(1)
  for (const [word, others, sentence] of [
    ['!!', 'lamp', 'A word has 1 to 100 characters'],
    ['', 'lamp', 'A word has 1 to 100 characters'],
    ['Borealis', '', 'Give 1 to 10 other words'],
    ['Borealis', 'borealis', 'Give 1 to 10 other words'],
    ['Borealis', 'l'.repeat(101), 'Give 1 to 10 other words'],
    ['Borealis', 'abcdefghijk'.split('').join(', '), 'Give 1 to 10 other words']
  ] as const) {
    await twice.fill(word)
    await means(1).fill(others)
    await save.click()
    await row(1).getByRole('alert').getByText(sentence).waitFor()
  }
  await twice.fill('x'.repeat(120))
  t.equal((await twice.inputValue()).length, 100)
  await means(1).fill('lamp')
  await add.click()
  await save.click()
  await saved()
  t.equal((await kept()).length, 2, 'a row with nothing in it is none')
})

t.test('a meaning may hold a comma, and commas of other scripts separate too', { skip }, async (t) => {
  const mixed = { term: 'Dip', means: ['salt, pepper'] }
  const { term, means, add, save, saved, kept } = await wordsOf(t, [mixed, { term: 'أورورا', means: ['غلاية'] }])
  t.equal(await means(0).inputValue(), 'salt, pepper;')
  await term(1).fill('أورورا')
  await means(1).fill('غلاية، إبريق')
  await add.click()
  await term(2).fill('極光')
  await means(2).fill('水壺、kettle')
  await save.click()
  await saved()
  t.strictSame(
    await kept(), [mixed, { term: 'أورورا', means: ['غلاية', 'إبريق'] }, { term: '極光', means: ['水壺', 'kettle'] }]
  )
  await means(0).fill('salt, pepper; sauce')
  await save.click()
  await saved()
  t.strictSame((await kept())[0], { term: 'Dip', means: ['salt, pepper', 'sauce'] })
})

t.test('of two who save at once the second is told, keeps what was typed, and loads what is saved', { skip }, async (t) => {
  const { page, me, route, term, save, saved, kept, faults } = await wordsOf(t, [{ term: 'Aurora', means: ['kettle'] }])
  await term(0).fill('Borealis')
  await me.put(route, { terms: [{ term: 'PSU', means: ['power supply unit'] }] })
  await save.click()
  await page.getByRole('alert').getByText('Somebody else has changed these words').waitFor()
  t.strictSame(await kept(), [{ term: 'PSU', means: ['power supply unit'] }])
  t.equal(await term(0).inputValue(), 'Borealis')
  await seenByAxe(t, page, 'words that somebody else has changed')
  await page.getByRole('button', { name: 'Load what is saved' }).click()
  await page.getByRole('button', { name: 'Remove PSU' }).click()
  await save.click()
  await page.getByText('No words yet').waitFor()
  t.strictSame(await kept(), [])
  t.strictSame(faults.filter((fault) => !fault.includes('412')), [])
  await saved()
})

t.test('five hundred words are shown, changed and kept, and no more can be added', { skip }, async (t) => {
  const many = Array.from({ length: 500 }, (_, at) => ({ term: `Model ${at}`, means: [`kettle ${at}`] }))
  const { page, means, add, save, saved, kept } = await wordsOf(t, many)
  await means(499).fill('lamp')
  t.ok(await add.isDisabled())
  await page.getByText('You have 500 words').waitFor()
  await save.click()
  await saved()
  t.strictSame(await kept(), many.with(499, { term: 'Model 499', means: ['lamp'] }))
})

t.test('somebody who may not change an agent sees its words, and why they cannot be changed', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id, stores, user } = built
  await me.put(`/v1/agents/${id}/vocabulary`, { terms: [{ term: 'Aurora', means: ['kettle'] }] })
  const bob = await user({ name: 'Bob' })
  joined(stores, me.id, bob.id, ['VIEW_ANALYTICS'])
  const { page } = await consoleAt(await signedIn(t, built, bob.id), built, '/account')
  await page.locator('.own').click()
  await page.locator('.accounts select').selectOption(String(me.id))
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.locator('.item').first().click()
  await page.getByRole('link', { name: 'Words', exact: true }).click()
  const { term, means, add } = handsOn(page)
  t.equal(await term(0).inputValue(), 'Aurora')
  t.notOk(await term(0).isEditable() || await means(0).isEditable())
  await page.getByText('You may look at these settings').waitFor()
  t.equal(await page.getByRole('button', { name: 'Remove Aurora' }).count() + await add.count(), 0)
})
