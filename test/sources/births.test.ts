import t from 'tap'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { added, brought, found } from '../../src/sources/life/create.ts'
import { domainEventsOf, step } from '../../src/sources/life/step.ts'
import type { Brought, Child } from '../../src/sources/contract.ts'

const NOW = Date.UTC(2026, 0, 1) * 1000
const AT = '2026-01-01T00:00:00.000000Z'
const error = { code: 'timeout', message: 'Too slow.', retryable: true }
const folders = [1, 2].map((id) => (
  { id, agent: 1, owner: 1, name: `F${id}`, parent: id === 1 ? null : 1, review_by: null, created_at: '', updated_at: '' }
))
const file = { blob: 3, bytes: 9, name: 'a.pdf', path: 'p' }
/** The initial state of every source. */
const BLANK = {
  status: 'Pending',
  training_status: 'Pending',
  error: null,
  sub_urls: null,
  total_training_usage_bytes: 0,
  review_by: null,
  stale: null,
  contradicts: null,
  misses: 0,
  is_gone: false,
  version: NOW,
  created_at: AT,
  updated_at: AT
}

t.test('what a person adds begins with its text or its file, used unless they say otherwise, and is trained', (t) => {
  const add = (draft: object) => added(1, 1, { type: 'text', ...draft }, { now: NOW, folders })
  const text = add({ text: { blob: 7, bytes: 5, chars: 4 } })
  t.match(text, {
    row: {
      ...BLANK,
      type: 'text',
      urls: [],
      title: '',
      file_blob: null,
      text_blob: 7,
      total_training_usage_bytes: 5,
      is_selected: true,
      metadata: { format: 'text', file_size: '5B', no_of_chars: 4 },
      google_drive_file_id: null,
      agent_knowledge_folder: 1
    },
    fetched: null,
    jobs: [{ ask: 'train' }]
  })
  t.match(add({ type: 'docs', file, title: 'A', is_selected: false, folder: 2 }).row, {
    ...BLANK,
    title: 'A',
    file_blob: 3,
    file_name: 'a.pdf',
    file_path: 'p',
    text_blob: null,
    is_selected: false,
    agent_knowledge_folder: 2,
    metadata: { format: '', file_size: '9B', no_of_chars: null }
  })
  t.match(add({ type: 'google_drive', google_drive_file_id: 'd' }).row, {
    ...BLANK, google_drive_file_id: 'd', metadata: { format: '', file_size: '0B', no_of_chars: null }
  })
  t.end()
})

t.test('a page or a file that was found is known by its address or its number, and used as its site is', (t) => {
  const parent = (type: 'website' | 'google_drive', more: object = {}) => ({
    id: 5, plain_text: null, ...added(1, 1, { type, folder: 2 }, { now: NOW, folders }).row, ...more
  }) as KnowledgeSourceRecord
  const find = (of: KnowledgeSourceRecord, more: Partial<Child> = {}, isDeselected = false) =>
    found(of, { key: 'k', title: null, fetched: { k: null } as never, changed: true, ...more }, NOW, isDeselected)
  t.match(find(parent('website')), {
    row: {
      ...BLANK,
      type: 'website',
      urls: ['k'],
      google_drive_file_id: null,
      title: 'k',
      file_name: '',
      file_blob: null,
      metadata: { file_size: '0B' },
      agent_knowledge_folder: 2,
      parent_knowledge_source: 5,
      is_selected: true
    },
    fetched: { k: null },
    jobs: [{ ask: 'train', inMs: 0 }]
  })
  const inDrive = find(parent('google_drive'), { title: 'T', file }).row
  t.match(inDrive, { google_drive_file_id: 'k', title: 'T', file_name: 'a.pdf', file_blob: 3, metadata: { file_size: '9B' } })
  t.strictSame(inDrive.urls, [])
  const selected = (of: boolean, isDeselected: boolean) => find(parent('website', { is_selected: of }), {}, isDeselected).row.is_selected
  t.strictSame([selected(true, true), selected(false, false), selected(false, true)], [false, false, false])
  const failed = find(parent('website'), { error })
  t.match(failed.row, { status: 'Failed', training_status: 'Failed', error })
  t.strictSame(failed.jobs, [], 'what has failed is not trained')
  const again = find(parent('website'), { error, againInMs: 60_000 })
  t.match(again, { row: { status: 'Pending', error }, jobs: [{ ask: 'train', inMs: 60_000 }] })
  t.end()
})

t.test('what a feed brings is used, known by its key, and a file of it lies where it can be downloaded', (t) => {
  const item: Brought = {
    key: 'a.md', type: 'docs', url: null, title: 'A', file, fetched: {}, changedAt: '1', titleBefore: null
  }
  const feed = { id: 4, owner: 1, agent: 1, folder: 2 }
  const bring = (more: Partial<Brought> = {}) => brought(feed as never, { ...item, ...more }, NOW, folders)
  const document = bring()
  t.match(document, {
    row: {
      ...BLANK,
      owner: 1,
      agent: 1,
      type: 'docs',
      title: 'A',
      file_path: 'p',
      file_name: 'a.pdf',
      file_blob: 3,
      is_selected: true,
      feed: 4,
      origin_key: 'a.md',
      origin_changed_at: '1',
      checked_at: AT,
      changed_at: AT,
      agent_knowledge_folder: 2,
      metadata: { file_size: '9B' }
    },
    fetched: {},
    jobs: [{ ask: 'train' }]
  })
  t.strictSame(document.row.urls, [])
  t.match(bring({ type: 'website', url: 'https://a.test/' }).row, { urls: ['https://a.test/'], file_path: '' })
  t.equal(brought({ ...feed, folder: null } as never, item, NOW, folders).row.agent_knowledge_folder, 1)
  t.end()
})

t.test('that a source came to an end is announced once, of pages nothing, and of a feed only what it freshened', (t) => {
  const source = {
    id: 1, plain_text: null, ...added(1, 2, { type: 'text' }, { now: NOW, folders }).row, training_status: 'Processing'
  } as KnowledgeSourceRecord
  const types = (status: 'Success' | 'Failed' | 'Pending' | 'Processing' | undefined, more: object = {}, isRemoved = false) =>
    domainEventsOf(step({ ...source, ...more }, { isRemoved, ...(status && { next: { training_status: status } }) }))
      .map(({ type }) => type)
  t.strictSame([types('Success'), types('Failed'), types('Pending'), types('Processing')], [['source.trained'], ['source.failed'], [], []])
  t.strictSame(types('Success', {}, true), [])
  t.strictSame(types('Success', { training_status: 'Success' }), [], 'what it was before is no news')
  t.strictSame(types('Success', { parent_knowledge_source: 3 }), [])
  t.strictSame([types('Success', { feed: 4 }), types('Failed', { feed: 4 })], [['source.freshened'], []])
  t.match(domainEventsOf(step(source, { next: { training_status: 'Failed', error } })), [
    { owner: 1, agent: 2, data: { source: { id: 1, training_status: 'Failed', error } } }
  ])
  t.end()
})
