import type BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { connect } from '../../../src/platform/storage/sqlite/connect.ts'
import { everyRead } from './reads.ts'
import { planOf, recordStatements, type Recorded } from './statements.ts'

const statements = recordStatements()
const { site } = await import('../../widget/helper.ts')

/** Columns with values shared by many rows: a look-up by these alone scans everything that somebody has. */
const WIDE = [
  'owner_id', 'owner', 'agent_id', 'agent', 'account_id', 'status', 'handled_by', 'outcome', 'state', 'kind', 'channel',
  'lane', 'form', 'day', 'name', 'role', 'type'
]

/** Tables of which an account has few rows, and that grow with the number of accounts. */
const FEW = /^(?:users|api_keys|agents|members|webhooks|\w+_providers|widget_keys|links|sessions|passkeys|duties)$/

/** The production app with what an account can have of each, and the ids of it. */
async function furnished (t: Parameters<typeof site>[0]) {
  const { visit, begin, ...built } = await site(t)
  const { me, id } = built
  const page = await visit()
  const visitor = page.session.visitor.id
  const { conversation, say } = await begin(page)
  t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  const ticket = (await me.post(`/v1/conversations/${conversation}/tickets`, {
    requester: { email: 'ada@example.com' }, subject: 'x'
  })).json().data.id
  await me.post(`/v1/conversations/${conversation}/notes`, { text: 'x' })
  const webhook = (await me.post('/v1/webhooks', {
    url: 'https://example.com/hook', events: ['message.completed']
  })).json().data.id
  await me.post(`/v1/webhooks/${webhook}/test`)
  await built.user()
  await built.settled()
  /** The file, once the app is closed. */
  const file = async () => {
    const { db } = built.stores
    await built.close()
    const raw = connect(db.file)
    t.teardown(() => raw.close())
    return raw
  }
  return { ...built, page, visit, begin, file, names: { id, visitor, conversation, ticket } }
}

/**
 * Creates this many copies of each existing row, as an account of that size has them, and updates SQLite's statistics.
 */
function grow (raw: BetterSqlite3.Database, times: number) {
  raw.pragma('foreign_keys = off')
  const triggers = raw.prepare("select name, sql from sqlite_schema where type = 'trigger'").all() as Array<
    { name: string, sql: string }
  >
  for (const { name } of triggers) raw.exec(`drop trigger "${name}"`)
  const tables = raw.prepare(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
  ).pluck().all() as string[]
  for (const table of tables) multiply(raw, table, times)
  for (const { sql } of triggers) raw.exec(sql)
  raw.pragma('foreign_keys = on')
  raw.exec('analyze')
}

function multiply (raw: BetterSqlite3.Database, table: string, times: number) {
  const columns = raw.prepare('select name, type, pk from pragma_table_info(?)').all(table) as Array<
    { name: string, type: string, pk: number }
  >
  const isAlone = columns.filter(({ pk }) => pk > 0).length === 1
  const indexed = new Set(raw.prepare(
    'select c.name from pragma_index_list(?) i, pragma_index_info(i.name) c'
  ).pluck().all(table))
  const values = columns.map(({ name, type, pk }) => {
    if (pk > 0 && isAlone && /^int/i.test(type)) return 'null'
    const isShared = WIDE.includes(name) && !FEW.test(table)
    if (isShared || !(pk > 0 || indexed.has(name))) return `"${name}"`
    return /^int/i.test(type) ? `"${name}" + 1000 * copy` : `"${name}" || '-' || copy`
  })
  raw.exec(`with recursive more (copy) as (select 1 union all select copy + 1 from more where copy < ${times})
    insert or ignore into "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')})
    select ${values.join(', ')} from (select * from "${table}" limit 3), more`)
}

/** The steps of a plan that scan what grows; of an index, by columns with values shared by many rows. */
function walksIn (plan: readonly string[]): string[] {
  return plan.filter((step) => {
    if (/^SCAN /.test(step)) return !/VIRTUAL TABLE|CONSTANT ROW|^SCAN \(|^SCAN sqlite_/.test(step)
    const [, table = '', terms] = /^SEARCH (\w+) .*\((.*?)\)(?: LEFT-JOIN)?$/.exec(step) ?? []
    return terms !== undefined && !terms.split(' AND ').some((term) => {
      const [, column] = /^(\S+)=\?$/.exec(term) ?? []
      return column !== undefined && (!WIDE.includes(column) || FEW.test(table))
    })
  })
}

const inLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').replace(/^(select) (?:(?! from ).){80,} (from )/i, '$1 … $2').trim()

/** The statements about these tables that scan, and the steps in which they do. */
const walking = (raw: BetterSqlite3.Database, tables: RegExp) => Object.fromEntries([...statements.values()]
  // Those about the index of an older file have nothing left to read.
  .filter(({ sql }) => tables.test(sql) && !/passage_(?:index|terms)/.test(sql))
  .map((statement) => [inLine(statement.sql), walksIn(planOf(raw, statement))] as const)
  .filter(([, steps]) => steps.length > 0))

const TALKS = /\bfrom (?:conversations|messages|tickets|visitors)\b/

t.test('a visitor\'s conversations and a conversation\'s tickets are not looked for among all there are', async (t) => {
  const { me, page, visit, names, file } = await furnished(t)
  statements.clear()
  await visit({ before: page.token })
  await me.get(`/v1/conversations?visitor=${names.visitor}`)
  await me.get(`/v1/agents/${names.id}/conversations?visitor=${names.visitor}&status=open&handled_by=agent`)
  await me.get(`/v1/tickets?conversation=${names.conversation}&agent=${names.id}&status=open`)
  await me.delete(`/v1/visitors/${names.visitor}`)
  const raw = await file()
  t.strictSame(walking(raw, TALKS), {}, 'as SQLite plans without statistics')
  grow(raw, 2000)
  t.strictSame(walking(raw, TALKS), {}, 'and with those of a large account')
})

/** Which index serves which list. */
const MEANT: Record<string, string> = {
  '/v1/conversations': 'conversations_by_owner',
  '/v1/conversations?agent=:id': 'conversations_by_agent',
  '/v1/conversations?handled_by=person': 'conversations_by_owner_handled_by',
  '/v1/conversations?handled_by=person&status=open': 'conversations_by_owner_handled_by',
  '/v1/conversations?outcome=handed_off': 'conversations_by_owner_outcome',
  '/v1/conversations?status=waiting': 'conversations_by_owner_status',
  '/v1/conversations?since=2026-01-01T00:00:00.000Z': 'conversations_by_owner_silence',
  '/v1/agents/:id/conversations?handled_by=person': 'conversations_by_agent_handled_by',
  '/v1/agents/:id/conversations?outcome=handed_off&cursor=9': 'conversations_by_agent_outcome',
  '/v1/agents/:id/conversations?status=waiting': 'conversations_by_agent_status',
  '/v1/agents/:id/conversations?since=2026-01-01T00:00:00.000Z': 'conversations_by_agent_silence',
  '/v1/conversations?visitor=:visitor&agent=:id': 'conversations_by_visitor',
  '/v1/tickets?conversation=:conversation&agent=:id': 'tickets_by_epoch',
  '/v1/tickets?channel=zendesk': 'tickets_by_channel',
  '/v1/tickets?status=failed': 'tickets_by_status',
  '/v1/tickets?agent=:id': 'tickets_by_agent',
  '/v1/deliveries?about=tickets/tkt_4hk2m7q5w3ztbn6yadcf&channel=mail&state=sent': 'outbox_by_about',
  '/v1/deliveries?channel=mail&state=sent': 'outbox_by_channel',
  '/v1/deliveries?state=dead': 'outbox_by_owner',
  '/v1/calls': 'calls_by_owner',
  '/v1/calls?state=failed': 'calls_by_owner_and_state',
  '/v1/calls?state=asked&confirm=person': 'calls_by_owner_and_state',
  '/v1/calls?action=1': 'calls_by_owner_and_action',
  '/v1/calls?action=1&state=failed': 'calls_by_owner_and_action',
  '/v1/calls?conversation=:conversation': 'calls_by_conversation',
  '/v1/visitors': 'visitors_by_owner',
  '/v1/visitors?agent=:id': 'visitors_by_agent'
}

t.test('a list whose filter matches little is read in an index of what matches', async (t) => {
  const { me, names, file } = await furnished(t)
  const found: Array<{ url: string, index: string, lists: Recorded[] }> = []
  for (const [url, index] of Object.entries(MEANT)) {
    statements.clear()
    const { statusCode } = await me.get(url.replaceAll(/:(id|visitor|conversation)\b/g, (_all, name: keyof typeof names) => names[name]))
    t.equal(statusCode, 200, url)
    found.push({ url, index, lists: [...statements.values()].filter(({ sql }) => /order by \S+ desc limit/.test(sql)) })
  }
  const raw = await file()
  const plans = () => found.map(({ lists }) => lists.map((list) => planOf(raw, list)[0]))
  const meant = found.map(({ index }) => [new RegExp(`^SEARCH \\w+ USING INDEX ${index} \\(`)])
  t.match(plans(), meant)
  t.equal(found.filter(({ lists }) => lists.length !== 1).length, 0)
  grow(raw, 2000)
  t.match(plans(), meant, 'also where there are many')
})

/** Which index serves which list of an account with few open conversations among many that are closed. */
const FEWEST: Record<string, string> = {
  '/v1/conversations?handled_by=agent&status=open': 'conversations_by_owner_status',
  '/v1/conversations?outcome=resolved_assumed&status=waiting': 'conversations_by_owner_status',
  '/v1/conversations?status=closed&handled_by=queue': 'conversations_by_owner_handled_by',
  '/v1/conversations?person=1&status=open': 'conversations_by_owner_status',
  '/v1/conversations?priority=low&since=2026-06-01T00:00:00.000Z': 'conversations_by_owner_silence',
  '/v1/conversations?tag=vip&status=open': 'conversations_by_owner_status',
  '/v1/agents/:id/conversations?handled_by=agent&status=open': 'conversations_by_agent_status',
  '/v1/agents/:id/conversations?person=1&status=open': 'conversations_by_agent_status'
}

t.test('Was wrong: with two filters that match much the one was walked that holds everything, though the other holds little', async (t) => {
  const { me, stores: { db: { raw } }, names } = await furnished(t)
  multiply(raw, 'conversations', 1100)
  raw.exec("update conversations set status = 'closed', handled_by = 'agent', outcome = 'resolved_assumed', person = 1, priority = 'low'")
  raw.exec("update conversations set status = 'open' where number = (select min(number) from conversations)")
  for (const [url, index] of Object.entries(FEWEST)) {
    statements.clear()
    t.equal((await me.get(url.replace(':id', String(names.id)))).statusCode, 200, url)
    const lists = [...statements.values()].filter(({ sql }) => /order by \S+ desc limit/.test(sql))
    t.match(lists.map((list) => planOf(raw, list)[0]), [new RegExp(`^SEARCH \\w+ USING INDEX ${index} \\(`)], url)
  }
})

/** Statements that may scan, by the reason why they may. */
const REVIEWED: Array<[string, RegExp]> = [
  ['of the installation there is one row', /vault_keys/],
  ['it names the index that is meant, in which what it looks for stands in order', / indexed by /],
  ['those with one tag, in order, and from one tag to the next', /from conversation_tags /],
  ['of an agent alone, which has so many sources at most', /\b(?:trainings|passage_groups|passage_vectors|knowledge_\w+|blob_pieces)\b/i],
  ['the first, the last or a page of the versions of one agent', /from agent_versions where agent_id = \?/],
  ['of an agent alone, of which the segments are put together', /segments (?:set state = 'live' |indexed by \w+ )?where agent = \?/i],
  ['segments that are not live: a few', /segments .*where state <> 'live'/i],
  ['once after something was added to the index', /^select agent, level from segments/i],
  ['of an agent alone, which has so many test questions and runs at most',
    /from question(?:s|_runs|_sources join questions on \S+ = question) where agent_id = \?/],
  ['of an agent alone, which has so many sources and days at most', /from figures where agent_id = (?:\?|:agent) and (?:day >= \? and )?name (?:=|in)/],
  ['when the server starts or a feed changes: which folders are watched', /^select [^()]* from "feeds"$/],
  ['once a day, so many at a time', /^select id, owner_id as owner from agents where id > \? and owner_id is not null order by id limit \?$/],
  ['of an agent alone, which has so many feeds at most', /from "?feeds"? where "?(?:feeds"?\.")?agent_id/],
  ['of an account alone, which has so many connections, actions and saved replies at most',
    /from "?(?:connections|actions|saved_replies)"? where (?:"?\w+"?\.)?"?owner_id/],
  ['of an account alone, which has so many imports at most', /from "?imports"? where (?:"?imports"?\.)?"?owner_id/],
  ['of an account alone, which has so many agents at most', /from "?agents"? where "?(?:agents"?\.")?owner_id/],
  ['work that waits: what is done is not kept', /\b(?:from|update) (?:jobs|json_each\(:kinds\))/],
  ['so many at most, the next in order', /^delete from (?:outbox|idempotency_records) where id in \(select .* limit \d+(?: \/\* for update skip locked \*\/)?\)$/],
  ['a few, the next in order, of what is not kept once it is done', /from (?:doomed_secrets|blobs where state = 'dropped') .*limit/],
  ['those of it that are done', /^delete from doomed_secrets where secret <= \?$/],
  ['once, when the server starts', /^update blobs set state = 'dropped' where state = 'staged'|status = 'generating'$/],
  ['once, when the server starts: what was being done when it stopped', /^select .* from calls where state = 'running' and updated_at < coalesce\(\?, '9999'\) order by number$/],
  ['the first or last of an index', /^select (?:id, used from secret_pages|"id" from "users" where \(?exists .* limit)|max\(seq\).* from account_events/],
  ['one at a time, the next of what an older program wrote', / where not indexed .*limit 1$/],
  ['of one agent, which keeps so many candidates at most', /from candidates .*agent_id = (?::agent|\?) and/],
  ['one row', /from vault_keys$/],
  ['of one day of one account, from where it was read last', /from model_runs where owner_id = \? and day = \?/],
  ['sums of days of one account or agent', /from (?:model_days|figures|figure_parts) where (?:owner_id = :owner|agent_id = :agent) and day/],
  ['a page in the order of its index', /^select .* from (?:account_events|privacy_receipts) .*order by (?:seq|id desc) limit/],
  ['who waits at one time', /^select id from conversations where owner_id = \? and handled_by = 'queue' and agent_id not in/],
  ['the oldest of an index, which are removed', /^delete from (?:automatic_mails|account_events|candidates) where/],
  ['what retention would remove or removes, in the order of its index', /where agent_id = (?:\?|:agent) and (?:case|last_seen_at)/],
  ['what is being removed of one account', /from privacy_receipts where .* and finished_at is null$/],
  ['once a day', /from agents where json_extract\(gdpr_settings, .* is not null/],
  ['the next of what goes with an agent or a user that was deleted', /^select rowid, \w+ from \w+ where \w+ = \? .*limit 100$/],
  ['when nothing of it is left but a few rows', /^delete from (?:agents|users) where id = \?$/],
  ['kept in memory from then on', /from "(?:model_providers"$|widget_keys" where agent_id not in)/],
  ['the rows that would go with a user or an agent who is replaced, which no new one is', /^insert into "?(?:users|agents)\b/],
  ['of an account alone, whose agents have so many test questions at most', /from agents join questions q/],
  ['of an account alone, which is kept in so many files at most', /from "?config_(?:objects|applies)\b/],
  ['what was sent of one ticket: its keys begin alike', /^select outbox\.settled_at from conversations join tickets/]
]

t.test('no statement walks through what grows, but for those that are known to', async (t) => {
  const { me, names, file } = await furnished(t)
  for (const url of everyRead(names)) await me.get(url)
  const raw = await file()
  const found = [walking(raw, /./)]
  grow(raw, 2000)
  found.push(walking(raw, /./))
  const planted = { sql: "select id from conversations where language = 'de'", values: [] }
  t.strictSame(walksIn(planOf(raw, planted)), ['SCAN conversations'], 'what walks is seen')
  const walks = Object.entries({ ...found[0], ...found[1] }).map(([sql, steps]) => ({ sql, steps }))
  t.strictSame(walks.filter(({ sql }) => !REVIEWED.some(([, known]) => known.test(sql))), [], 'each is known')
  const idle = REVIEWED.filter(([, known]) => !walks.some(({ sql }) => known.test(sql)))
  t.strictSame(idle, [], 'and each that is known is still there')
})

/** Tables of what belongs to an agent, each with an `agent_id`. */
const OF_AGENTS = /\b(?:from|join) "?(?:conversations|visitors|tickets|attachments|candidates|figures|knowledge_sources|knowledge_folders|widget_keys|stored_bytes|episodes|site_pages)\b/i
const KEPT_ONLY = /agent_id"? not in \(select id from agents where owner_id is null\)/

/** Statements that may read what belongs to a deleted agent, by the reason why they may. */
const FOUND_BEFORE: Array<[string, RegExp]> = [
  ['of a feed', / where feed_id = \?/],
  ['a list, of which partOf leaves them out', /from (?:conversation_tags cross join conversations on number = conversation|(?:conversations|visitors|tickets|calls) indexed by \w+) where .*order by (?:number|conversation) desc limit (?:\?|:asked)$/],
  ['of one agent, which was found', /\bagent_id"? = (?:\?|:agent|agents\.id|subject\b)/],
  ['of a conversation that was found', /where (?:(?:id|episode) = \? and )?(?:conversation|conversation_number|number) (?:= |in \(\?)/],
  ['the number of a conversation that was found', /select number from conversations where id = \?/],
  ['of a visitor that was found', /where visitor = \?(?: and|$)|and words is null/],
  ['of the visitor of a ticket that was found', /^select outbox\.settled_at from conversations join tickets/],
  ['of a source that was found', /source\.id = :site|"?parent_knowledge_source|"?parent_id"? = /],
  ['of agents that the account owns', /agent_id in \(select id from agents where owner_id = :owner|agent_id = \(select id from agents where id = \? and owner_id = \?\)/],
  ['how far a search goes, and by which index a list', /^select number from .* offset \d+$|^select count\(\*\) from \(select 1 from/],
  ['words of what an older program wrote', /from conversations where not indexed/]
]

t.test('every statement that reads what belongs to an agent leaves out agents that were deleted, but for those that are known to', async (t) => {
  const { me, names } = await furnished(t)
  for (const url of everyRead(names)) await me.get(url)
  const open = [...statements.values()].map(({ sql }) => inLine(sql))
    .filter((sql) => /^(?:select|with|update)/i.test(sql) && OF_AGENTS.test(sql) && !KEPT_ONLY.test(sql))
  t.strictSame(open.filter((sql) => !FOUND_BEFORE.some(([, known]) => known.test(sql))), [], 'each is known')
  const idle = FOUND_BEFORE.filter(([, known]) => !open.some((sql) => known.test(sql)))
  t.strictSame(idle, [], 'and each that is known is still there')
})
