import t from 'tap'
import { blobsIn, CHUNK_BYTES } from '../../../src/platform/storage/sqlite/blobs.ts'
import { build } from '../../helper.ts'

// Was wrong with a keep that checks no state, with dropped chunks still read, with a read that ends silently where they
// are gone, and with an abandonStaged that drops what is kept too.
t.test('a blob is read as it was written, is swept away when nobody keeps it, and never passes for whole when it is dropped', async (t) => {
  const { stores: { db, secrets }, clock } = await build(t)
  const blobs = blobsIn(db, clock, secrets)
  const count = () =>
    db.raw.prepare('select (select count(*) from blobs), (select count(*) from blob_chunks)').raw().get()
  const staged = await blobs.stage()
  const chunks = [Buffer.alloc(CHUNK_BYTES, 1), Buffer.from([0, 255]), Buffer.from('text \u{1F993}')]
  for (const chunk of chunks) await staged.write(chunk)
  const read = async (id: number) => {
    const chunks: unknown[] = []
    for await (const chunk of blobs.read(id)) chunks.push(chunk)
    return chunks
  }
  t.same(await read(staged.id), chunks)
  t.equal(await db.atomically(() => blobs.keep(staged.id)), true)
  t.equal(await db.atomically(() => blobs.keep(staged.id)), false, 'only once')
  const empty = await blobs.stage()
  t.same(await read(empty.id), [])
  await empty.discard()
  const abandoned = await blobs.stage()
  await abandoned.write('half')
  // As after a restart.
  const anew = blobsIn(db, clock, secrets)
  // Was wrong: an upload in progress while the server started had to be sent again.
  const arriving = await anew.stage()
  await anew.abandonStaged()
  t.equal(await db.atomically(() => anew.keep(abandoned.id)), false)
  t.equal(await db.atomically(() => anew.keep(arriving.id)), true)
  await db.atomically(() => anew.drop(arriving.id))
  t.equal(await blobs.sweep(1000), false)
  t.same(count(), [1, 3], 'what is kept stays')
  // Was wrong: it ended as if that had been all.
  const reading = blobs.read(staged.id)
  await reading.next()
  await db.atomically(() => blobs.drop(staged.id))
  await t.rejects(reading.next(), { code: 'not_found' })
  await t.rejects(read(staged.id), { code: 'not_found' })
  t.equal(await blobs.sweep(-1), true, 'a little at a time')
  t.equal(await blobs.sweep(1000), false)
  t.same(count(), [0, 0])
})
