import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import { knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { listedSources, wholeSources } from '../agents/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { folderStore } from './folders.sqlite.ts'
import { rowsOf, type Needs } from './rows.ts'
import type { KnowledgeEvent, KnowledgeStore, NewSource, SourceFilter, StagedText, TrainingStore } from './store.ts'
import { trainingStore } from './training.sqlite.ts'

/** What agents know, in SQLite. */
export function sqliteKnowledgeStore (needs: Needs): KnowledgeStore & TrainingStore {
  const { db, clock, onceOnly, jobs, blobs, accounting, index } = needs
  const { orm, raw } = db
  const rows = rowsOf(needs)
  const eventsAfter = raw.prepare<[Id, number], { id: number, data: string }>('select id, data from knowledge_events where agent_id = ? and id > ? order by id limit 100')
  const newestEvent = raw.prepare<[Id], number>('select coalesce(max(id), 0) from knowledge_events where agent_id = ?').pluck()

  const byFile = raw.prepare<[string], unknown[]>(`select ${wholeSources.columns} from knowledge_sources where file_path = ?`).raw()

  /** An event with its source's title. */
  function titled ({ id, data }: KnowledgeEvent): KnowledgeEvent {
    const { type, id: source, ...rest } = JSON.parse(data) as { type: string, id: Id }
    return type === 'source' ? { id, data: JSON.stringify({ type, id: source, title: rows.source(source)!.title, ...rest }) } : { id, data }
  }

  /** Keeps what was staged; gone means that the server was started again while it was being sent. */
  function keep (blob: Id) {
    if (!blobs.keep(blob)) throw new Refusal('unavailable', 'The server was restarted while this was being sent. Send it again.', { headers: { 'retry-after': '1' } })
  }

  function insert (owner: Id, agent: Id, { type, title, urls = [], google_drive_file_id: drive, text, file, crawl, folder, is_selected: selected = true }: NewSource) {
    const now = timestamp(clock.micros())
    for (const staged of [text, file]) if (staged) keep(staged.blob)
    if (text && selected) accounting.add(agent, text.bytes)
    const { id } = orm.insert(knowledgeSources).values({
      agent,
      owner,
      urls,
      // Random, so that the address of one file says nothing about another's; never anything a client sent.
      file_path: file ? randomBytes(24).toString('base64url') : '',
      file_name: file?.name ?? '',
      file_blob: file?.blob ?? null,
      text_blob: text?.blob ?? null,
      google_drive_file_id: drive ?? null,
      // The first line of a text stands for its title, and goes with it.
      title: title ?? '',
      status: 'Pending',
      training_status: 'Pending',
      type,
      agent_knowledge_folder: rows.folder(agent, folder),
      parent_knowledge_source: null,
      metadata: {
        format: text ? 'text' : '',
        file_size: `${file?.bytes ?? text?.bytes ?? 0}B`,
        no_of_rows: null,
        no_of_chars: text?.chars ?? null,
        no_of_pages: null,
        upload_date: now.replace('Z', '+00:00')
      },
      is_selected: selected,
      ...(crawl && { crawl }),
      total_training_usage_bytes: text?.bytes ?? 0,
      created_at: now,
      updated_at: now
    }).returning({ id: knowledgeSources.id }).get()
    const kept = rows.source(id)!
    jobs.add('train', id, owner)
    rows.announce(kept)
    return kept
  }

  function addInside (owner: Id, agent: Id, sources: NewSource[]) {
    const kept = sources.map((one) => insert(owner, agent, one))
    if (kept.length) rows.moved(owner, agent)
    return kept
  }

  function select (kept: KnowledgeSourceRecord, selected: boolean) {
    if (kept.is_selected !== selected) {
      accounting.add(kept.agent, selected ? kept.total_training_usage_bytes : -kept.total_training_usage_bytes)
      index.select(kept.id, selected)
      rows.write(kept.id, { is_selected: selected })
    }
    // A page of a website follows its site, and can be chosen by itself afterwards.
    for (const child of rows.children(kept.id)) select(child, selected)
  }

  function newText (kept: KnowledgeSourceRecord, text: StagedText) {
    keep(text.blob)
    return {
      ...rows.swapText(kept, text),
      metadata: { ...kept.metadata, file_size: `${text.bytes}B`, no_of_chars: text.chars }
    }
  }

  function askAgain (kept: KnowledgeSourceRecord) {
    jobs.add('train', kept.id, kept.owner)
    return rows.write(kept.id, { status: 'Pending', training_status: 'Pending', error: null })
  }

  return {
    ...folderStore(needs, rows),
    ...trainingStore(needs, rows),
    addInside,

    add: (owner, agent, sources, once) => db.atomically(() => {
      if (!rows.owns(owner, agent)) return undefined
      return onceOnly.run(owner, once, () => addInside(owner, agent, sources))
    }),

    get: async (owner, agent, id) => db.read(() => rows.find(owner, agent, id)),

    list: async (owner, agent, filter, offset, limit) => db.read(() => {
      if (!rows.owns(owner, agent)) return undefined
      const { where, values } = scope(agent, filter)
      const page = raw.prepare<unknown[], unknown[]>(`select ${listedSources.columns} from knowledge_sources where ${where} order by id limit ? offset ?`).raw()
      const total = raw.prepare<unknown[], number>(`select count(*) from knowledge_sources where ${where}`).pluck()
      return { items: page.all(...values, limit, offset).map(listedSources.record), total: total.get(...values)! }
    }),

    update: (owner, agent, id, { title, folder, is_selected: selected, text, crawl }) => db.atomically(() => {
      const kept = rows.find(owner, agent, id)
      if (!kept) return undefined
      if (text && kept.type !== 'text') throw new Refusal('conflict', 'Only a text source can be given a new text; add a new source, or train this one again.')
      if (crawl && kept.type !== 'website') throw new Refusal('conflict', 'Only a website source can be crawled.')
      // What the agent no longer uses is not in the way of what it is to be given.
      if (selected === false) select(kept, false)
      const changes = {
        ...(title !== undefined && { title }),
        ...(folder !== undefined && { agent_knowledge_folder: rows.folder(agent, folder) }),
        ...(crawl && { crawl: { ...kept.crawl!, ...crawl } }),
        ...(text && newText(rows.source(id)!, text))
      }
      if (Object.keys(changes).length) rows.write(id, changes)
      if (changes.agent_knowledge_folder !== undefined) for (const child of rows.children(id)) rows.write(child.id, { agent_knowledge_folder: changes.agent_knowledge_folder })
      if (selected) select(rows.source(id)!, true)
      return text || crawl ? askAgain(rows.source(id)!) : rows.source(id)
    }),

    remove: (owner, agent, id) => db.atomically(() => {
      const kept = rows.find(owner, agent, id)
      if (!kept) return false
      for (const child of rows.children(id)) rows.removeSource(child)
      rows.removeSource(kept)
      rows.moved(owner, agent)
      return true
    }, { frees: true }),

    progress: async (owner, agent, id) => db.read(() => rows.find(owner, agent, id) ? index.written(id) : 0),

    retrain: (owner, agent, id) => db.atomically(() => {
      const kept = rows.find(owner, agent, id)
      return kept && askAgain(kept)
    }),

    room: async (owner, agent) => db.read(() => rows.owns(owner, agent) ? accounting.room(agent) : undefined),
    byFile: async (path) => db.read(() => {
      const row = byFile.get(path)
      return row && wholeSources.record(row)
    }),
    events: async (owner, agent, after) => db.read(() => rows.owns(owner, agent) ? eventsAfter.all(agent, after).map(titled) : undefined),
    lastEvent: async (_owner, agent) => db.read(() => newestEvent.get(agent)!)
  }
}

/** Which sources a filter lets through: a condition made of fixed texts alone, and the values for its question marks. */
function scope (agent: Id, { status, training_status: training, folder, parent }: SourceFilter) {
  const columns = { agent_id: agent, status, training_status: training, folder_id: folder, parent_id: parent }
  const asked = Object.entries(columns).filter(([, value]) => value !== undefined)
  return { where: asked.map(([column]) => `${column} = ?`).join(' and '), values: asked.map(([, value]) => value) }
}
