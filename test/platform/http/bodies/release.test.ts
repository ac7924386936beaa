import t from 'tap'
import { release } from '../../../../src/platform/http/bodies/release.ts'

t.test('bytes that have their memory for themselves give it back', async (t) => {
  const bytes = new Uint8Array(1000).fill(1)
  release(bytes)
  t.equal(bytes.buffer.byteLength, 0)
})

// Was wrong without the comparison of the lengths: the other half was gone too.
t.test('bytes in a memory that holds others leave it alone', async (t) => {
  const both = new Uint8Array(1000).fill(1)
  release(both.subarray(0, 500))
  t.equal(both[999], 1)
})
