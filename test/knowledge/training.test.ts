import t from 'tap'
import { build } from '../helper.ts'
import { agentOf, inProcess, leftovers, NOTHING_LEFT, serve, train, trainAll } from './parts.ts'

const words = (word: string, times: number) => Array.from({ length: times }, (_, i) => `${word} number ${i} stands here.`).join('\n\n')

/** Waits until it holds, a turn of the event loop at a time. */
async function until (holds: () => unknown) {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

t.test('a source deleted while it is trained leaves nothing, and gives nothing to the training that gets its number', async (t) => {
  // Seen red without `ifWanted`: the passages of the deleted source were written into the other user's training, or the server fell over.
  const built = await build(t)
  const [as, other] = [await built.user(), await built.user()]
  const [mine, theirs] = [await agentOf(as), await agentOf(other)]
  const doomed = await mine.add({ plain_text: words('Zebra', 9000) })
  let deleted = false
  let added: { id: number } | undefined
  const sandbox = inProcess()
  const worker = await train(t, built, {
    sandbox: {
      async * run (step) {
        for await (const said of sandbox.run(step)) {
          yield said
          if (deleted || !('passages' in (said as object))) continue
          deleted = true
          await as.delete(`${mine.sources}/${doomed.id}`)
          await until(() => built.stores.db.raw.prepare('select count(*) from trainings').pluck().get() === 0)
          added = await theirs.add({ plain_text: words('Giraffe', 500) })
          await until(() => built.stores.db.raw.prepare("select count(*) from trainings").pluck().get() === 1)
        }
      }
    }
  })
  await worker.settled()
  t.ok(deleted)
  t.match(await theirs.read(added!.id), { status: 'Success' })
  t.equal((await theirs.search('giraffe')).length, 10)
  t.same(await theirs.search('zebra'), [])
  t.equal(await mine.used(), 0)
  await worker.settled()
  t.same(leftovers(built), NOTHING_LEFT)
})
