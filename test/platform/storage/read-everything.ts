import type { build } from '../../helper.ts'
import { routesOf } from '../../helper.ts'

type Built = Awaited<ReturnType<typeof build>>

/** Streams, which do not end, and what visitors of widgets read with their own token. */
const OTHERWISE = /\/events$|\/stream$|^\/v1\/widget\/(visitor|conversations|actions)/
/** What a source or an account may lack. */
const MAY_BE_MISSING = /\/text$|\/report$|^\/media\//

/** The source of a path's parameter values: of `/v1/agents/:id`, of `:sid` below it … */
const VALUES: Array<[parameter: RegExp, sql: string]> = [
  [/^\/v1\/agents\/:id\/knowledge_sources\/:sid/, 'select agent_id as id, id as sid from knowledge_sources'],
  [/^\/v1\/agents\/:id\/knowledge_folders\/:fid/, 'select agent_id as id, id as fid from knowledge_folders'],
  [/^\/v1\/agents\/:id\/widget_keys\/:key/, 'select agent_id as id, id as key from widget_keys'],
  [/^\/v1\/agents\/:id\/versions\/:number/, 'select agent_id as id, number from agent_versions'],
  [/^\/v1\/agents\/:id\/feeds\/:feed/, 'select agent_id as id, id as feed from feeds'],
  [/^\/v1\/agents\/:id\/questions\/:question/, 'select agent_id as id, id as question from questions'],
  [/^\/v1\/agents\/:id\/runs\/:run/, 'select agent_id as id, id as run from question_runs'],
  [/^\/v1\/agents\/:id/, 'select id from agents'],
  [
    /^\/v1\/conversations\/:id\/messages\/:message/,
    'select conversations.id, messages.id as message from messages join conversations on conversations.number = messages.conversation'
  ],
  [
    /^\/v1\/conversations\/:id\/notes\/:note/,
    'select conversations.id, notes.id as note from notes join conversations on conversations.number = notes.conversation'
  ],
  [
    /^\/v1\/conversations\/:id\/calls\/:call/,
    'select conversation as id, id as call from calls where conversation_number is not null'
  ],
  [/^\/v1\/conversations\/:id/, 'select id from conversations'],
  [/^\/v1\/visitors\/:id/, 'select id from visitors'],
  [/^\/v1\/tickets\/:id/, 'select id from tickets'],
  [/^\/v1\/ticketing_providers\/:id/, 'select id from ticketing_providers'],
  [/^\/v1\/webhooks\/:id/, 'select id from webhooks'],
  [/^\/v1\/imports\/:id/, 'select id from imports'],
  [/^\/v1\/connections\/:id/, 'select id from connections'],
  [/^\/v1\/actions\/:id/, 'select id from actions'],
  [/^\/v1\/saved_replies\/:id/, 'select id from saved_replies'],
  [/^\/rate\/:id/, 'select id from satisfactions'],
  [/^\/v1\/reviews\/:id/, 'select number as id from reviews'],
  [/^\/v1\/model_providers\/:id/, 'select id from model_providers'],
  [/^\/v1\/api_keys\/:id/, 'select id from api_keys where revoked_at is null and user_id = account_id'],
  [/^\/v1\/me\/sessions\/:id/, 'select id from sessions where user_id = 1'],
  [/^\/v1\/me\/passkeys\/:id/, 'select id from passkeys where user_id = 1'],
  [/^\/v1\/members\/:id/, 'select id from members where account_id = 1'],
  [/^\/v1\/invitations\/:id/, "select id from links where kind = 'invitation' and used_at is null"],
  [/^\/v1\/deliveries\/:id/, 'select id from outbox'],
  [/^\/v1\/models\/:model/, "select 'agent-' || id as model from agents"],
  [/^\/(chat|v1\/widget)\/:key/, 'select id as key from widget_keys'],
  [/^\/media\/:path/, "select file_path as path from knowledge_sources where file_path <> ''"],
  [/^\/(console|widget)\/:name/, "select 'nothing.js' as name"]
]

/** How many entries a list has, by the table that it shows. */
const LISTS: Array<[url: string, sql: string]> = [
  ['/v1/agents', 'select count(*) from agents'],
  ['/v1/conversations?limit=100', 'select count(*) from conversations'],
  ['/v1/visitors?limit=100', 'select count(*) from visitors'],
  ['/v1/tickets?limit=100', 'select count(*) from tickets'],
  ['/v1/deliveries?limit=100', 'select count(*) from outbox'],
  ['/v1/webhooks', 'select count(*) from webhooks'],
  ['/v1/connections', 'select count(*) from connections'],
  ['/v1/actions', 'select count(*) from actions'],
  ['/v1/calls?limit=100', 'select count(*) from calls'],
  ['/v1/model_providers', 'select count(*) from model_providers'],
  ['/v1/ticketing_providers', 'select count(*) from ticketing_providers'],
  ['/v1/satisfaction?limit=100', 'select count(*) from satisfactions where score is not null'],
  ['/v1/reviews?limit=100', 'select count(*) from reviews where verdict is null'],
  ['/v1/privacy/receipts', 'select count(*) from privacy_receipts']
]

/**
 * Reads and lists everything that an account has, by every route; everything in the file is the account's. `read`: how
 * many responses there were. `wrong`: responses with anything else, and lists in which something is missing.
 */
export async function readEverything ({ app, stores, withSession }: Built, owner: number) {
  const { get } = await withSession(owner)
  const { raw } = stores.db
  const wrong: string[] = []
  let read = 0
  for (const { method, url } of await routesOf(app)) {
    if (method !== 'GET' || OTHERWISE.test(url)) continue
    const sql = url.includes(':') ? VALUES.find(([parameter]) => parameter.test(url))?.[1] : 'select 1'
    if (sql === undefined) throw new Error(`Say in VALUES where the parameters of ${url} stand.`)
    for (const values of raw.prepare<[], Record<string, string>>(sql).all()) {
      const asked = url.replaceAll(/:(\w+)/g, (_, name) => String(values[name]))
      const { statusCode, body } = await get(asked)
      read++
      const isRight = statusCode === 200 || ((MAY_BE_MISSING.test(asked) || !url.startsWith('/v1')) && statusCode < 500)
      if (!isRight) wrong.push(`${asked} ${statusCode} ${body.slice(0, 200)}`)
    }
  }
  for (const [url, sql] of LISTS) {
    const [shown, there] = [(await get(url)).json().data, raw.prepare<[], number>(sql).pluck().get()!]
    if (shown?.length !== there) wrong.push(`${url} shows ${shown?.length} of ${there}`)
  }
  return { read, wrong }
}
