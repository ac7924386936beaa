import t from 'tap'
import '../bare-children.ts'
import { FROM_SOURCE } from '../source.ts'
import { story } from './story.ts'

t.test('the main story, run from source', (t) => story(t, [process.execPath, ...FROM_SOURCE]))
