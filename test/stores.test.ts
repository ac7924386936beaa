import t from 'tap'
import { readConfig } from '../src/config.ts'
import { stageBytes, stageText } from '../src/sources/stage.ts'
import { openStores } from '../src/stores.ts'
import { fixedClock } from './helper.ts'
import { onEveryStore } from './stores.ts'

onEveryStore(t, async (t) => {
  const limits = (bytes: number) => JSON.stringify({ free: bytes })
  const config = readConfig({ AGENTHALL_TRAINING_LIMITS: limits(100), AGENTHALL_STORAGE_LIMITS: limits(300) })
  const {
    access, agents, knowledge: { store, blobs, close }, jobs, ...stores
  } = await openStores({ config, directory: t.testdir({}), clock: fixedClock() })
  t.teardown(async () => {
    await close()
    stores.close()
  })
  return {
    access,
    agents,
    knowledge: store,
    queue: jobs,
    stageText: (text) => stageText(blobs, text),
    stageFile: (bytes) => stageBytes(blobs, Buffer.from(bytes), 'a.txt')
  }
})
