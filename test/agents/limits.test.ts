import t from 'tap'
import { TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS } from '../../src/agents/limits.ts'

t.test('a request with texts has 64 MiB at most, ten minutes to arrive and one to be stored', (t) => {
  t.strictSame([TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS], [64 * 2 ** 20, 10 * 60_000, 60_000])
  t.end()
})
