import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { PERMISSIONS } from '../schema/access.ts'
import { newAgent } from '../src/agents/draft.ts'
import type { Database, SqliteDatabase } from '../src/platform/storage/sqlite/database.ts'
import type { Work } from '../src/platform/storage/work.ts'
import { sqliteConfigStore } from '../src/config-as-code/index.ts'
import { rich } from './platform/storage/rich.ts'

const SRC = path.join(import.meta.dirname, '../src')

/** The parameters of a store's method after the owner. */
interface Method { store: string, method: string, wants: Array<{ name: string, type: string }> }

/**
 * Every method of every store's contract with the account, or the user, as first parameter; read from the syntax tree.
 */
function ownedMethods (): Method[] {
  const found: Method[] = []
  for (const file of globSync('**/*.ts', { cwd: SRC }).sort()) {
    const source = readFileSync(path.join(SRC, file), 'utf8')
    if (!/interface \w+Store\b/.test(source)) continue
    for (const statement of ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true).statements) {
      if (!ts.isInterfaceDeclaration(statement) || !statement.name.text.endsWith('Store')) continue
      for (const member of statement.members.filter(ts.isMethodSignature)) {
        const [first, ...rest] = member.parameters.map((one) => ({
          name: one.name.getText(), type: one.type?.getText() ?? '', isOptional: one.questionToken !== undefined
        }))
        if (!first || !/^(owner|user)$/.test(first.name) || first.type !== 'Id') continue
        const wants = rest.filter(({ isOptional }) => !isOptional)
        found.push({ store: statement.name.text, method: member.name.getText(), wants })
      }
    }
  }
  return found
}

type Rich = Awaited<ReturnType<typeof rich>>

/** The stores by the names of their contracts. */
function storesOf ({ stores }: Rich): Record<string, any> {
  const { knowledge, conversations, tickets } = stores
  return {
    AccessStore: stores.access,
    ActionStore: stores.actions.actions,
    AgentStore: stores.agents,
    AnalyticsStore: stores.analytics,
    AttachmentStore: conversations.attachments,
    AuditStore: stores.audit,
    BusinessStore: stores.business,
    CheckStore: stores.checks.store,
    CallStore: stores.actions.calls,
    ConfigStore: sqliteConfigStore(stores),
    ConnectionStore: stores.actions.connections,
    ConversationStore: conversations.store,
    DutyStore: stores.duty,
    FeedStore: stores.feeds.store,
    FreshnessStore: stores.feeds.store,
    GrantStore: stores.assistants.grants,
    LookStore: stores.feeds.store,
    KnowledgeStore: knowledge.store,
    ImportStore: stores.imports.store,
    LearningStore: stores.learning.store,
    ModelProviderStore: stores.modelProviders,
    NoteStore: stores.notes,
    OutboxStore: stores.outbox,
    PasskeyStore: stores.passkeys,
    PushStore: stores.push,
    PrivacyStore: stores.privacy.store,
    ReplyStore: stores.replies,
    ReviewStore: stores.reviews,
    SatisfactionStore: stores.satisfaction,
    SeenStore: stores.seen,
    SignInStore: stores.signIn,
    TeamStore: stores.team,
    TicketStore: tickets.store,
    TicketingProviderStore: tickets.providers,
    TrainingStore: knowledge.store,
    VisitorStore: conversations.visitors,
    VersionStore: stores.agents,
    VocabularyStore: stores.agents,
    WebhookStore: stores.webhooks,
    WidgetStore: stores.widget
  }
}

/** The same kind of name, of nothing that exists. */
const absent = (name: unknown): unknown =>
  Array.isArray(name) ? name.map(absent) : typeof name === 'number' ? 987_654 : String(name).replace(/[^_]+$/, 'x'.repeat(22))

/** The arguments of a method: things of the account, or of nobody, and its other parameters. `seen`: what it shows. */
function argumentsFor ({ store, method, wants }: Method, { names, kept }: Rich, theirs: boolean, seen: unknown[]) {
  const ids = { ...names.all, ...names[store] }
  // The actor is a user who exists, whoever is the subject.
  const idOf = (name: string) => theirs || /^(user|person|inviter)$/.test(name) ? ids[name] : absent(ids[name])
  const others: Record<string, (name: string) => unknown> = {
    Id: idOf,
    'readonly Id[]': idOf,
    string: (name) => name in ids ? idOf(name) : name === 'email' ? 'quagga@example.com' : 'Taken',
    number: (name) => name === 'limit' ? 100 : name === 'number' ? 1 : name === 'before' ? 1e9 : 0,
    Replacing: () => (agent: object) => ({ ...agent, description: 'Taken' }),
    'boolean | null': () => true,
    'string | null': () => 'Taken',
    'Failure | null': () => ({ error: 'Taken', error_code: 'timeout' }),
    Tier: () => 'free',
    ActionDraft: () => ({ connection: idOf('connection'), name: 'taken', title: 'x', effect: 'read', method: 'GET', path: '/x' }),
    ConnectionDraft: () => ({ name: 'Taken', base_url: 'https://taken.example' }),
    ActionRecord: () => kept.action,
    Sent: () => ({ state: 'done', status: 200, ms: 1, result: 'x', error: null }),
    Deciding: () => ({ event: 'refuse', digest: kept.call!.digest, person: null }),
    'ReadonlyMap<string, string>': () => new Map(),
    Proposed: () => ({
      action: idOf('action'),
      arguments: {},
      identity: { externalId: null, verifiedEmail: null, conversation: null },
      isVerified: false,
      conversation: idOf('conversation'),
      message: null
    }),
    FigurePart: () => 'language',
    SatisfactionFilter: () => ({ conversation: idOf('conversation') }),
    '{ agent?: Id }': () => ({ agent: idOf('agent') }),
    SatisfactionDraft: () => ({ score: 1, comment: 'Taken' }),
    Verdict: () => 'wrong',
    'readonly number[]': () => [1],
    Wanted: () => ({ from: 0, to: 1e6, agent: idOf('agent') }),
    WaitingFrom: () => ({ at: '', number: 0 }),
    'readonly Permission[]': () => PERMISSIONS,
    'Permission[]': () => PERMISSIONS,
    Remover: () => ({ user: idOf('user'), permissions: PERMISSIONS }),
    ConfigKind: () => 'agent',
    Named: () => ({ agent: theirs ? kept.agent : 'taken' }),
    NewGrant: () => ({
      user: idOf('user'), client: 'https://taken.example/c', name: 'Taken', redirect_uri: 'https://taken.example/', challenge: 'x', permissions: [], days: 1
    }),
    "ReadonlyArray<Pick<Stamped, 'kind' | 'id' | 'key'>>": () => [{ kind: 'agent', id: idOf('agent'), key: 'taken' }],
    'number | null': () => 3,
    FeedDraft: () => ({ name: 'Taken', kind: 'drive_folder', config: { folder: 'x' } }),
    'ImportKind | null': () => null,
    FeedPatch: () => ({ name: 'Taken' }),
    "'kept' | 'removed'": () => 'removed',
    'ReadonlyMap<Id, Id>': () => new Map(),
    'Match<Question>': () => () => {},
    NewQuestion: () => ({ draft: { text: 'Taken', expect: { says: ['Taken'] } } }),
    NewRun: () => ({ of: 'draft', version: null, cause: 'asked', draft: 'x', settings: {} }),
    Noted: () => ({ language: null, question: 'Taken', answer: null, words: [] }),
    'NewAgent | Refusal': () => newAgent(
      { name: 'Taken', systemPrompt: 'x' },
      { response_model: 'm', display_model: 'M' },
      { tier: 'enterprise', permissions: [], ticketing: [] }
    ),
    ConversationRecord: () => ({ ...kept.conversation, id: `conv_${'y'.repeat(22)}`, agent: idOf('agent') }),
    VisitorRecord: () => ({ ...kept.visitor, id: `vis_${'y'.repeat(22)}`, agent: idOf('agent') }),
    TicketDecision: () => ({ ticket: { ...kept.ticket, id: `tkt_${'y'.repeat(20)}`, agent: idOf('agent') } })
  }
  return wants.map(({ name, type }) => {
    if (type.includes('=>')) return (shown: unknown) => { seen.push(shown); return shown }
    const other = others[type.replace('ConversationRecord | undefined', 'ConversationRecord')]
    if (other) return other(name)
    if (type.endsWith('| undefined')) return undefined
    if (type.endsWith('[]')) return []
    if (/Filter$|^\{/.test(type)) return { name: 'Taken', agent: idOf('agent'), external_id: 'x', external_url: null }
    if (/(Patch|Draft|About|Change)$|^Pick/.test(type)) return { name: 'Taken', title: 'Taken' }
    throw new Error(`${store}.${method}: say with which ${name} of type ${type} it is asked`)
  })
}

/** Every row of every table; `secret_pages` counts the keys of all accounts. */
function rowsOf ({ raw }: SqliteDatabase): Set<string> {
  const tables = raw
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'")
    .pluck().all().filter((table) => !/^sqlite_|^secret_pages$/.test(table))
  return new Set(tables.flatMap((table) =>
    raw.prepare(`select * from ${table}`).all().map((row) => `${table} ${JSON.stringify(row)}`)))
}

/** Whether a method has done nothing yet: it is taken inside a transaction of its caller. */
const isWork = (found: unknown): found is Work<unknown> =>
  typeof found === 'object' && found !== null && 'next' in found && Symbol.iterator in found

/** The outcome, without what differs from one stranger to the next. */
async function outcome (db: Database, asked: () => unknown): Promise<string> {
  const found = await (async () => {
    const answered = await asked()
    return isWork(answered) ? await db.atomically(() => answered) : answered
  })().catch((error) => `refused: ${error.message}`)
  const text = JSON.stringify(found instanceof Map ? [...found] : found) ?? typeof found
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|[\w-]{20,}|"(?:id|owner|user|account|member)":\d+/g, '…')
}

// Planted faults: the look-ups of a webhook, a visitor and a widget key without their owner's clause. Was wrong: what
// is taken inside a transaction of its caller was never done, so that folders without their owner's clause went unseen.
t.test('every method of every store, asked by another account, finds and changes nothing of this one', async (t) => {
  const built = await rich(t)
  const methods = ownedMethods()
  t.ok(methods.length >= 120, `${methods.length} methods`)
  const stores = storesOf(built)
  t.strictSame([...new Set(methods.map(({ store }) => store))].filter((store) => !stores[store]), [])
  const before = rowsOf(built.stores.db)
  const wrong: string[] = []
  for (const asked of methods) {
    const name = `${asked.store}.${asked.method}`
    const seen: unknown[] = []
    const ask = async (owner: number, theirs: boolean) => await outcome(built.stores.db, () =>
      stores[asked.store][asked.method](owner, ...argumentsFor(asked, built, theirs, seen)))
    const [named, unnamed] = [true, false].map((theirs) => JSON.stringify(argumentsFor(asked, built, theirs, [])))
    // The user passed may be removed by it, so that each call gets a new one; 999 is nobody.
    for (const stranger of [async () => (await built.user()).id, async () => 999]) {
      const found = await ask(await stranger(), true)
      if (/quagga/i.test(found + JSON.stringify(seen))) wrong.push(`${name} shows ${found.slice(0, 200)}`)
      const nothing = named === unnamed ? found : await ask(await stranger(), false)
      if (found !== nothing) wrong.push(`${name} says ${found.slice(0, 100)}, of nothing ${nothing.slice(0, 100)}`)
      const after = rowsOf(built.stores.db)
      for (const row of [...before].filter((one) => !after.has(one))) {
        wrong.push(`${name} changes ${row.slice(0, 200)}`)
        before.delete(row)
      }
    }
  }
  t.strictSame(wrong, [])
})
