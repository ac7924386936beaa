import { prepareKinds } from '../../../src/search/sense/kinds.ts'
import { prepareFor } from '../../../src/search/sense/talk/asking.ts'

// A process of its own, in which nothing is made yet: in how many steps tables are made, at first and once more.
const asked = () => [...prepareFor('Kolik to stojí? Je řada volná?', [['en', 1]])].length
console.log(JSON.stringify({ first: asked(), again: asked(), kinds: [...prepareKinds()].length }))
