import fc from 'fast-check'
import t from 'tap'
import { contrast, textOn } from '../../../src/widget/browser/colors.ts'
import { themesOf } from '../../../src/widget/theme.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

/** The minimum contrast of all texts with their background. */
function least ({ head, on_head: onHead, own, on_own: onOwn, surface, soft, text, muted, link, wrong }: ReturnType<typeof themesOf>['day']) {
  return Math.min(
    contrast(onHead, head), contrast(onOwn, own),
    ...[text, muted, link, wrong].flatMap((one) => [contrast(one, surface), contrast(one, soft)])
  )
}

// Was wrong: the text on a header or bubble was chosen for the owner's colour and kept where it was mixed for the dark:
// a contrast of 2.48 at worst.
t.test('texts can be read on whatever colours an owner chooses, by day and by night', async (t) => {
  fc.assert(fc.property(color, color, (primary, surface) => {
    const { day, night } = themesOf(primary, surface)
    return least(day) >= 4.5 && least(night) >= 4.5
  }), { numRuns: 2000, seed: 7 })
  t.strictSame([textOn('#2563eb'), textOn('#ffe066')], ['#ffffff', '#000000'])
  t.equal(themesOf('#2563eb', '#ffffff').day.link, '#2563eb')
})

t.test('5,832 primaries, each on white', async (t) => {
  const steps = Array.from({ length: 18 }, (_one, i) => Math.round(i * 255 / 17).toString(16).padStart(2, '0'))
  const primaries = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)))
  const worst = Math.min(...primaries.map((primary) => {
    const { day, night } = themesOf(primary, '#ffffff')
    return Math.min(least(day), least(night))
  }))
  t.equal(primaries.length, 5832)
  t.ok(worst >= 4.5, String(worst))
})

t.test('the owner\'s colour tints the night, and an owner\'s widget that is dark anyway stays as it is', async (t) => {
  const { day, night } = themesOf('#7c3f1d', '#ffffff')
  t.match([day.head, day.surface], ['#7c3f1d', '#ffffff'])
  t.match([night.head, night.own, night.surface], ['#532e1a', '#69371b', '#1e1b1c'])
  const dark = themesOf('#7c3f1d', '#202020')
  t.equal(dark.night, dark.day)
})
