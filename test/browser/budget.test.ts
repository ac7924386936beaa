import '../bare-children.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { buildWeb } from '../../scripts/build/web.ts'
import { languagesWith } from '../../src/locales/list.ts'
import { webFiles } from '../../src/platform/http/web/files.ts'

t.test('the widget is small: 2 KB on every page, 12 KB when it opens, and 1.5 KB a language', async (t) => {
  const to = t.testdir({})
  await buildWeb({ to })
  const files = webFiles((name) => readFileSync(path.join(to, name.replace(/^build\/web\//, ''))))
  const bytes = (entry: string) => files.file(files.entry(entry))!.brotli.length
  t.ok(bytes('widget/stub') <= 2048, `stub: ${bytes('widget/stub')} bytes`)
  t.ok(bytes('widget/panel') <= 12 * 1024, `panel: ${bytes('widget/panel')} bytes`)
  t.ok(bytes('widget/form') <= 1792, `form: ${bytes('widget/form')} bytes`)
  t.ok(bytes('widget/actions') <= 1856, `buttons with forms: ${bytes('widget/actions')} bytes`)
  t.ok(bytes('widget/judge') <= 1536, `judging: ${bytes('widget/judge')} bytes`)
  t.ok(bytes('widget/talk') <= 4096, `beside a conversation, and who is there: ${bytes('widget/talk')} bytes`)
  t.ok(bytes('widget/table') <= 1024, `tables: ${bytes('widget/table')} bytes`)
  const languages = files.entries('widget/text-')
  t.strictSame(
    languages.map((name) => name.slice('widget/text-'.length)),
    languagesWith('widget').filter((language) => language !== 'en').sort(),
    'English is in the panel'
  )
  for (const name of languages) t.ok(bytes(name) <= 1536, `${name}: ${bytes(name)} bytes`)
})
