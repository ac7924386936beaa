import path from 'node:path'
import t from 'tap'
import '../bare-children.ts'
import { story } from './story.ts'

// Each of its processes reads the whole source anew.
t.setTimeout(120_000)

t.test('the main story, run from source', (t) =>
  story(t, [process.execPath, path.resolve(import.meta.dirname, '../../src/main.ts')])
)
