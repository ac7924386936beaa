import { mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Item, LookAt } from '../../src/feeds/contract.ts'
import { folderReader } from '../../src/feeds/kinds/folder.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const fault = async (reader: ReturnType<typeof folderReader>, path: string) => {
  const at = { config: { path }, signal: new AbortController().signal } as unknown as LookAt
  return await reader.list(at).next().then(() => undefined, (error: unknown) => error)
}
const clock = { micros: () => NOW * 1000, monotonic: () => 0 }

t.test('a file that is too large, gone, swapped or written to between list and reading is never taken for another', async (t) => {
  const root = t.testdir({ docs: { 'a.md': 'Text of a.', 'b.md': 'b', 'c.md': 'c', 'd.md': 'd', sub: { 'e.md': 'e' } }, away: { 'x.md': 'x' } })
  const docs = path.join(root, 'docs')
  for (const name of ['a.md', 'b.md', 'c.md', 'd.md', 'sub/e.md']) utimesSync(path.join(docs, name), 1e9, 1e9)
  const reader = folderReader({ folders: [docs], clock, fileLimit: 1000 })
  const at = { config: { path: docs }, signal: new AbortController().signal } as unknown as LookAt
  const items = new Map<string, Item>()
  for await (const some of reader.list(at)) for (const one of some) items.set(one.key, one)
  t.strictSame([...items.keys()].sort(), ['a.md', 'b.md', 'c.md', 'd.md', 'sub/e.md'])
  const read = async (key: string) => await reader.read(items.get(key)!, at)

  t.match(await read('a.md'), { content: { bytes: Buffer.from('Text of a.'), name: 'a.md' } })
  truncateSync(path.join(docs, 'a.md'), 2000)
  utimesSync(path.join(docs, 'a.md'), 1e9, 1e9)
  t.match(await read('a.md'), { failed: { code: 'too_large', message: 'a.md is larger than the 1000 bytes that a file may have.' } })
  rmSync(path.join(docs, 'b.md'))
  t.equal(await read('b.md'), 'unsettled', 'gone')
  rmSync(path.join(docs, 'c.md'))
  symlinkSync(path.join(root, 'away/x.md'), path.join(docs, 'c.md'))
  t.equal(await read('c.md'), 'unsettled', 'a link to elsewhere')
  rmSync(path.join(docs, 'd.md'))
  mkdirSync(path.join(docs, 'd.md'))
  t.equal(await read('d.md'), 'unsettled', 'a folder')
  rmSync(path.join(docs, 'sub'), { recursive: true })
  writeFileSync(path.join(docs, 'sub'), 'a file')
  t.match(await read('sub/e.md'), { failed: { code: 'unreadable', message: /^sub\/e\.md cannot be read \(ENOTDIR\)/ } })
})

t.test('a folder that may not be watched, is not there or cannot be read is a fault, and no empty folder', async (t) => {
  const root = t.testdir({ docs: { 'a.md': 'Text.' }, other: {} })
  const docs = path.join(root, 'docs')
  const reader = folderReader({ folders: [docs, path.join(root, 'gone')], clock, fileLimit: 1000 })
  t.match(await fault(reader, path.join(root, 'other')), { code: 'not_allowed', message: /AGENTHALL_FOLDERS/ })
  t.match(await fault(reader, path.join(docs, 'nowhere')), { code: 'unavailable', message: /There is no folder .* now/ })
  t.match(await fault(reader, path.join(docs, 'a.md')), { code: 'unavailable', message: /cannot be read \(ENOTDIR\)/ })
})

t.test('a folder of many files is told in parts, each file once', async (t) => {
  const docs = t.testdir(Object.fromEntries(Array.from({ length: 401 }, (_, n) => [`${n}.md`, `File ${n}.`])))
  const later = { ...clock, micros: () => (Date.now() + 3_600_000) * 1000 }
  const reader = folderReader({ folders: [docs], clock: later, fileLimit: 1000 })
  const parts: string[][] = []
  const at = { config: { path: docs }, signal: new AbortController().signal } as unknown as LookAt
  for await (const some of reader.list(at)) parts.push(some.map(({ key }) => key))
  t.strictSame(parts.map(({ length }) => length), [200, 200, 1])
  t.equal(new Set(parts.flat()).size, 401)
})
