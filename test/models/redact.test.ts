import t from 'tap'
import { redacted } from '../../src/models/redact.ts'

// Planted fault: every number of thirteen digits or more counts as a card.
t.test('a card is told from another long number by its check digit', async (t) => {
  t.equal(redacted('4111 1111 1111 1111, 5500-0000-0000-0004'), '[card], [card]')
  for (const other of ['4111 1111 1111 1112', '5500000000000014', '1234567890123456']) {
    t.equal(redacted(`Parcel ${other}`), `Parcel ${other}`)
  }
})
