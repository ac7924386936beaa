import path from 'node:path'
import t from 'tap'
import { story } from './story.ts'

t.test('the main story, run from source', (t) => story(t, [process.execPath, path.resolve(import.meta.dirname, '../../src/main.ts')]))
