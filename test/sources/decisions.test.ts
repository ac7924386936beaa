import t from 'tap'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { added } from '../../src/sources/life/create.ts'
import { childKeyOf, concernsFamily, decide, originOf, standing } from '../../src/sources/life/life.ts'
import { checkNumber, checkRoom, countedAs, step, stored, weigh } from '../../src/sources/life/step.ts'
import type { Brought, Child, NewSource, SourceChange, SourceEvent } from '../../src/sources/contract.ts'

const NOW = Date.UTC(2026, 0, 1) * 1000
const HOUR_MS = 3_600_000
const folders = [1, 2].map((id) => (
  { id, agent: 1, owner: 1, name: `F${id}`, parent: id === 1 ? null : 1, review_by: null, created_at: '', updated_at: '' }
))
const around = { now: NOW, children: [] as KnowledgeSourceRecord[], folders, embeds: false }
const error = { code: 'timeout', message: 'Too slow.', retryable: true }
const file = { blob: 9, bytes: 30, name: 'f', path: 'p' }
const bornAs = (draft: NewSource, more: Partial<KnowledgeSourceRecord> = {}): KnowledgeSourceRecord =>
  ({ id: 1, plain_text: null, ...added(1, 1, draft, around).row, ...more })
const site = (more: Partial<KnowledgeSourceRecord> = {}) => bornAs({
  type: 'website',
  urls: ['https://a.test/'],
  title: 'https://a.test/',
  crawl: { depth: 1, count: 9, refresh_hours: 24, include: [], exclude: [] }
}, { status: 'Processing', ...more })
const child = (id: number, key: string) => site({ id, urls: [key], parent_knowledge_source: 1, crawl: null })
const only = (source: KnowledgeSourceRecord, event: SourceEvent, more: object = {}) => {
  const steps = decide(source, event, { ...around, ...more })!
  t.equal(steps.length, 1)
  return steps[0]!
}

t.test('what is removed goes with its pages, and is remembered where its site or feed would bring it again', (t) => {
  const [page, own] = decide(site(), { kind: 'removed' }, { ...around, children: [child(2, 'https://a.test/2')] })!
  t.match(page, { source: { id: 2 }, isRemoved: true, choice: null })
  t.match(own, { source: { id: 1 }, isRemoved: true })
  t.equal(own!.choice, null, 'of a site as a whole nothing is remembered')
  t.strictSame(only(child(2, 'k'), { kind: 'removed' }).choice, { page: 'k', choice: 'removed' })
  const fed = { feed: 4, origin_key: 'a.md' }
  t.strictSame(only(site(fed), { kind: 'removed' }).choice, { feed: 4, key: 'a.md' })
  t.equal(only(site({ feed: 4 }), { kind: 'removed' }).choice, null)
  t.equal(only(site({ origin_key: 'a.md' }), { kind: 'removed' }).choice, null)
  t.match(only(site(), { kind: 'gone' }), { isRemoved: true, choice: null })
  const select = (of: KnowledgeSourceRecord, selected: boolean) =>
    only(of, { kind: 'changed', change: { is_selected: selected } }).choice
  t.equal(select(site({ ...fed, is_selected: false }), true), null)
  t.equal(select(site({ is_selected: false }), true), 'all selected')
  t.equal(select(site(), false), 'all selected')
  const page3 = child(3, 'k')
  t.strictSame(select(page3, false), { page: 'k', choice: 'deselected' })
  t.strictSame(select({ ...page3, is_selected: false }, true), { page: 'k', choice: null })
  t.end()
})

t.test('what ends a training looks again when it is told to, and nothing else does', (t) => {
  const later = [{ later: 'train', inMs: 24 * HOUR_MS }]
  t.strictSame(only(site(), { kind: 'unchanged', fetched: {} }).jobs, later)
  t.strictSame(only(site(), { kind: 'failed', error }).jobs, later)
  t.strictSame(only(site({ crawl: null }), { kind: 'failed', error }).jobs, [])
  t.strictSame(only(site(), { kind: 'begun' }).jobs, [])
  t.strictSame(only(site(), { kind: 'postponed', error }).jobs, [])
  t.strictSame(only(site(), { kind: 'asked' }).jobs, [{ ask: 'train' }])
  t.equal(only(site({ error }), { kind: 'begun' }).next.error, null)
  t.strictSame(only(site(), { kind: 'postponed', error }).next.error, error)
  t.end()
})

t.test('a new text takes the title along where there is one, and is embedded where that is set up', (t) => {
  const trained = { text: { blob: 8, bytes: 20, chars: 20 }, training: 5, metadata: { format: 'html' } as never }
  const plain = only(site(), { kind: 'trained', trained })
  t.strictSame([plain.next.title, 'title' in plain.next, plain.fetched], [undefined, false, null])
  t.strictSame(plain.jobs, [{ later: 'train', inMs: 24 * HOUR_MS }])
  const named = only(site({ is_selected: false }), { kind: 'trained', trained: { ...trained, title: 'New', fetched: {} } }, { embeds: true })
  t.match(named, { next: { title: 'New' }, fetched: {} })
  t.strictSame(named.jobs[0], { ask: 'embed' })
  t.strictSame(named.passages, [{ publish: 5 }, { select: false }])
  t.end()
})

t.test('of a site that is listed the title is its own only where nobody gave it another', (t) => {
  const list = (of: Partial<KnowledgeSourceRecord>, title: string | null) =>
    only(site(of), { kind: 'listed', keys: [], title: title as never, fetched: {} }).next
  t.equal(list({}, 'Shop').title, 'Shop')
  t.notOk('title' in list({ title: 'Mine' }, 'Shop'))
  t.notOk('title' in list({}, null))
  const bare = { text_blob: null, total_training_usage_bytes: 0, sub_urls: [], metadata: { no_of_pages: 0 } }
  t.match(list({}, null), bare)
  t.end()
})

t.test('bytes that were fetched are given up where they could not be read; an upload stays, and a text that will never be trained is not found', (t) => {
  const fail = (of: KnowledgeSourceRecord, more: object = {}) => only(of, { kind: 'failed', error, ...more })
  t.match(fail(site({ file_blob: 3 })), { next: { file_blob: null }, fetched: {}, passages: [] })
  const without = fail(site())
  t.strictSame([without.fetched, 'file_blob' in without.next], [null, false])
  for (const type of ['docs', 'faq'] as const) {
    const upload = fail(bornAs({ type, file }, { status: 'Processing' }))
    t.strictSame([upload.fetched, 'file_blob' in upload.next], [null, false], type)
  }
  const lost = { error: { ...error, retryable: false } }
  const text = bornAs({ type: 'text', text: { blob: 1, bytes: 1, chars: 1 } }, { status: 'Processing' })
  t.strictSame(fail(text, lost).passages, ['remove'])
  t.strictSame(fail(site(), lost).passages, [])
  t.end()
})

t.test('a page that is seen again waits where it could not be read and is to be tried again', (t) => {
  const see = (more: Partial<Child>, of: Partial<KnowledgeSourceRecord> = {}) =>
    only(site(of), { kind: 'seen', child: { key: 'k', title: null, fetched: {}, changed: true, ...more } })
  t.strictSame(see({ error }).jobs, [])
  t.strictSame(see({ error, againInMs: 0 }).jobs, [{ ask: 'train', inMs: 0 }])
  t.strictSame(see({ error, isGone: true, againInMs: 5 }).jobs, [{ drop: 'train' }, { ask: 'train', inMs: 5 }])
  t.equal(see({ error }).isQuiet, false)
  const same = see({ changed: false })
  t.strictSame([same.isQuiet, same.next, same.jobs], [true, {}, []])
  const changed = see({})
  t.strictSame([changed.isQuiet, changed.next], [false, { status: 'Pending', training_status: 'Pending', error: null }])
  t.match(see({ file }).next, { file_blob: 9, file_name: 'f', metadata: { file_size: '30B' } })
  t.strictSame(standing(undefined, undefined), { status: 'Pending', training_status: 'Pending', error: null })
  t.end()
})

t.test('what a feed found changed keeps a title that somebody gave it, and is fresh from then on', (t) => {
  const item: Brought = { key: 'a', type: 'docs', url: null, title: 'New', file, fetched: {}, changedAt: '2', titleBefore: 'Old' }
  const bring = (of: Partial<KnowledgeSourceRecord>, more: Partial<Brought> = {}) =>
    only(site(of), { kind: 'brought', item: { ...item, ...more } })
  t.match(bring({ title: 'Old' }), {
    next: {
      title: 'New',
      file_blob: 9,
      file_name: 'f',
      metadata: { file_size: '30B' },
      status: 'Pending',
      error: null,
      misses: 0,
      is_gone: false,
      stale: null,
      contradicts: null,
      origin_changed_at: '2'
    },
    fetched: {},
    jobs: [{ ask: 'train' }],
    isRemoved: false
  })
  t.strictSame(['title', 'urls'].filter((name) => name in bring({ title: 'Mine' }).next), [])
  t.strictSame(bring({}, { url: 'https://b.test/' }).next.urls, ['https://b.test/'])
  t.strictSame(originOf(item, NOW), {
    origin_changed_at: '2',
    checked_at: '2026-01-01T00:00:00.000000Z',
    changed_at: '2026-01-01T00:00:00.000000Z',
    stale: null,
    contradicts: null,
    misses: 0,
    is_gone: false
  })
  t.end()
})

t.test('what a person changes is changed, and nothing beside it', (t) => {
  const text = { blob: 7, bytes: 3, chars: 2 }
  const change = (of: KnowledgeSourceRecord, said: SourceChange) => decide(of, { kind: 'changed', change: said }, around)!
  const own = bornAs({ type: 'text', text }, { status: 'Success' })
  for (const [said, fields] of [
    [{ title: 'B' }, ['title']],
    [{ is_selected: false }, ['is_selected']],
    [{ folder: 2 }, ['agent_knowledge_folder']],
    [{ review_by: '2027-01-01' }, ['review_by']],
    [{ text: { ...text, blob: 8 } }, ['text_blob', 'total_training_usage_bytes', 'metadata', 'status', 'training_status', 'error']]
  ] as Array<[SourceChange, string[]]>) t.strictSame(Object.keys(change(own, said)[0]!.next), [...fields, 'version'], fields.join(', '))
  t.match(change(own, { text: { blob: 8, bytes: 4, chars: 5 } })[0]!.next.metadata, { file_size: '4B', no_of_chars: 5 })
  t.equal(change({ ...own, stale: 'old' }, { review_by: '2027-01-01' })[0]!.next.stale, null)
  t.notOk('stale' in change({ ...own, stale: 'contradicts' }, { review_by: '2027-01-01' })[0]!.next)
  t.strictSame(change(own, { title: 'B' })[0]!.passages, [])
  t.equal(change(own, { title: 'B' })[0]!.choice, null)
  const faq = bornAs({ type: 'faq', text })
  t.doesNotThrow(() => change(faq, { text }))
  t.throws(() => change(bornAs({ type: 'docs', file }), { text }), { code: 'conflict', message: /a text source/ })
  t.throws(() => change(bornAs({ type: 'google_drive', google_drive_file_id: 'd' }), { crawl: { depth: 1 } }), { code: 'conflict', message: /website/ })
  t.notOk('crawl' in change(site({ crawl: null }), { crawl: { depth: 1 } })[0]!.next, 'a page has no reach of its own')
  const trained = site({ status: 'Success' })
  t.match(change(trained, { crawl: { depth: 2 } })[0], { next: { crawl: { depth: 2, count: 9, refresh_hours: 24 }, status: 'Pending' }, jobs: [{ ask: 'train' }] })
  const jobs = (status: KnowledgeSourceRecord['status'], hours: number | null) =>
    change(site({ status }), { crawl: { refresh_hours: hours } })[0]!.jobs
  t.strictSame(jobs('Failed', 2), [{ ask: 'train', inMs: 2 * HOUR_MS }])
  t.strictSame(jobs('Success', null), [{ drop: 'train' }])
  t.strictSame([jobs('Pending', 2), jobs('Processing', 2)], [[], []])
  t.end()
})

t.test('a change of folder or use, a removal, a training and a list concern the pages too', (t) => {
  const concerns = (change: SourceChange) => concernsFamily({ kind: 'changed', change })
  t.strictSame([concerns({ folder: 1 }), concerns({ is_selected: true }), concerns({ title: 'x' })], [true, true, false])
  t.strictSame((['removed', 'trained', 'listed', 'begun', 'asked', 'failed', 'gone'] as const).map((kind) => concernsFamily({ kind } as never)), [
    true, true, true, false, false, false, false
  ])
  t.strictSame([
    childKeyOf({ urls: ['a'], google_drive_file_id: 'd' }), childKeyOf({ urls: ['a'], google_drive_file_id: null }), childKeyOf({ urls: [], google_drive_file_id: null })
  ], ['d', 'a', ''])
  t.end()
})

t.test('what is counted and kept is what is used, and what is there', (t) => {
  const of = { is_selected: true, total_training_usage_bytes: 5, file_blob: 1, text_blob: 2, metadata: { file_size: '30B' } as never }
  t.strictSame([countedAs(of), countedAs({ ...of, is_selected: false })], [5, 0])
  t.strictSame([stored(of), stored({ ...of, file_blob: null }), stored({ ...of, text_blob: null })], [35, 5, 30])
  const source = { ...site(), ...of }
  t.strictSame(weigh([step(source, { isRemoved: true })]), { counted: -5, stored: -35 })
  t.strictSame(weigh([step(source, { next: { total_training_usage_bytes: 7 } })], [of]), { counted: 7, stored: 37 })
  const blank = step(source, {})
  t.strictSame([blank.isRemoved, blank.isQuiet], [false, false])
  const room = (training: number, kept: number) =>
    ({ training: { used: training, allowed: 10 }, storage: { used: kept, allowed: 10 } })
  t.doesNotThrow(() => checkRoom({ counted: 1, stored: 1 }, room(9, 9)))
  t.throws(() => checkRoom({ counted: 1, stored: 0 }, room(10, 0)), { code: 'training_limit_exceeded' })
  t.throws(() => checkRoom({ counted: 0, stored: 1 }, room(0, 10)), { code: 'storage_limit_exceeded' })
  t.doesNotThrow(() => checkRoom({ counted: 0, stored: 0 }, room(99, 99)), 'what takes nothing more')
  t.throws(() => checkNumber(10_000, 1), { code: 'limit_reached' })
  t.doesNotThrow(() => checkNumber(9_999, 1))
  t.end()
})
