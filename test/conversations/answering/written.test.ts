import t from 'tap'
import { Written } from '../../../src/conversations/generation.ts'

t.test('what comes after any place in a text is the same, however it was added and read', async (t) => {
  const pieces = ['So it is', ' ', '[1]', '. ', '', '🎈', '\n', 'end']
  const written = new Written()
  t.equal(written.whole(), '')
  t.equal(written.after(0), '')
  let all = ''
  for (const [i, piece] of pieces.entries()) {
    written.add(piece)
    all += piece
    t.equal(written.length, all.length)
    for (let units = 0; units <= all.length; units++) t.equal(written.after(units), all.slice(units))
    // Read as a whole now and then, it continues to be appended to.
    if (i % 3 === 2) t.equal(written.whole(), all)
  }
  t.equal(written.whole(), all)
})
