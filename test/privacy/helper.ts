import type BetterSqlite3 from 'better-sqlite3'
import type { Test } from 'tap'
import { talkative } from '../conversations/helper.ts'
import type { build } from '../helper.ts'
import { columnsOf } from '../postgres/looking.ts'

export const DAY_MS = 24 * 60 * 60_000

/** The production app with an agent that keeps its conversations for 30 days, and its visitors' actions. */
export async function keeping (
  t: Test, days: number | null = 30, options: Parameters<typeof build>[2] = {}, env: Record<string, string> = {}
) {
  const built = await talkative(t, env, { gdpr_settings: { data_retention_days: days } }, options)
  const { me, id } = built
  const visitor = async (about: object = { name: 'Ada' }): Promise<string> =>
    (await me.post('/v1/visitors', { agent: id, ...about })).json().data.id
  const begin = async (of?: string, agent = id): Promise<string> =>
    `/v1/conversations/${(await me.post(`/v1/agents/${agent}/conversations`, of ? { visitor: of } : {})).json().data.id}`
  const attach = (conversation: string, name: string, bytes: string | Buffer) => {
    const body = Buffer.concat([
      Buffer.from(
        `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n`
      ),
      Buffer.from(bytes),
      Buffer.from('\r\n--x--\r\n')
    ])
    return me.post(`${conversation}/attachments`, body, { 'content-type': 'multipart/form-data; boundary=x' })
  }
  const receipts = async () => (await me.get('/v1/privacy/receipts')).json().data
  /** Lets this many days pass, a day at a time, as the server would have lived through them. */
  const live = async (days: number) => {
    await built.settled()
    for (let i = 0; i < days; i++) {
      built.clock.advance(DAY_MS)
      await built.settled()
    }
  }
  return { ...built, visitor, begin, attach, receipts, live }
}

/** Creates this many copies of the one conversation and the one visitor that an agent has. */
export function multiply (raw: BetterSqlite3.Database, agent: number, count: number) {
  const first = raw.prepare<[number], number>('select number from conversations where agent_id = ?').pluck().get(agent)!
  const copies = `with recursive more (copy) as (select 1 union all select copy + 1 from more where copy < ${count})`
  for (const table of ['visitors', 'conversations']) {
    const same = columnsOf(raw, table, ['number', 'id', 'alias', 'subject']).join(', ')
    raw.exec(`${copies} insert into ${table} (id, ${same}) select id || copy, ${same} from ${table}, more where agent_id = ${agent}`)
  }
  for (const table of ['messages', 'conversation_events', 'conversation_words']) {
    const same = columnsOf(raw, table, ['conversation'])
    raw.exec(`insert into ${table} (conversation, ${same.join(', ')})
      select number, ${same.map((name) => `${table}.${name}`).join(', ')} from ${table}, conversations
      where conversation = ${first} and number > ${first} and conversations.agent_id = ${agent}`)
  }
  raw.prepare('update agents set conversations = ? where id = ?').run(count + 1, agent)
}
