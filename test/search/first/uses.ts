import { setImmediate } from 'node:timers/promises'
import { languagesAskingForPerson, prepareAskingForPerson } from '../../../src/conversations/answering/small-talk/person.ts'
import {
  prepareSpokenAddresses, seemsToSayAddress, withAddressesWritten
} from '../../../src/conversations/handoff/address.ts'
import { masked, prepareMasks } from '../../../src/learning/mask.ts'
import { prepareCourtesies, withoutCourtesies } from '../../../src/search/sense/talk/courtesies.ts'
import { partsOf } from '../../../src/search/words/compounds.ts'
import { prepareFor } from '../../../src/search/sense/talk/asking.ts'
import { longestOnce } from '../../linear/turns.ts'

/*
 * A process of its own: what is made at the first use of some tables and expressions, ahead, and then the first use.
 * Says for how many milliseconds the event loop was held at one stretch.
 */
const GERMAN = 'was kostet der versand'
const DUTCH = 'wat kost de verzending'
const MIXED = 'Please, доставка в 東京?'

const held = await longestOnce(0, async () => {
  const ahead = [
    prepareMasks(), prepareCourtesies(), prepareAskingForPerson(), prepareSpokenAddresses(),
    prepareFor(GERMAN, [['de', 1]]), prepareFor(DUTCH, [['nl', 1]])
  ]
  for (const making of ahead) {
    while (making.next().done !== true) await setImmediate()
  }
  for (const text of [GERMAN, MIXED]) {
    for (const use of [
      () => masked(text, null), () => withoutCourtesies(text), () => languagesAskingForPerson(text),
      () => seemsToSayAddress(text), () => withAddressesWritten(text), () => partsOf('lieferfristen', 'de'),
      () => partsOf('openingstijden', 'nl')
    ]) {
      await setImmediate()
      use()
    }
  }
})
console.log(`held for ${held} ms`)
