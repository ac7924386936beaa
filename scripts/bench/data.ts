import { hash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { PERMISSIONS } from '../../schema/access.ts'
import type { AgentDraft } from '../../schema/agents.ts'
import { newAgent } from '../../src/agents/draft.ts'
import { digestOf, newKey } from '../../src/access/keys.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openFileStores } from '../../src/stores.ts'

/** Seeded files are cached here between runs. On the disk of the checkout: in memory a commit would cost nothing. */
const HOME = path.join(import.meta.dirname, '../../.bench')

/** An agent of about 1.5 KB, as in a response. */
export const draft: AgentDraft = {
  name: 'Support Agent',
  description: 'Answers questions about orders, deliveries and returns',
  systemPrompt: 'You are a helpful support agent. Answer briefly and in the language of the question. '.repeat(3)
}

/** The key of the nth seeded user, from 1. */
export const keyOf = (user: number) => newKey(hash('sha256', `benchmark ${user}`, 'buffer'))

/** The headers that the nth seeded user sends. */
export const as = (user: number) => ({ authorization: `Api-Key ${keyOf(user)}` })

/** How much is seeded. `first`: how many agents the first user has, if not as many as the others. */
export interface Size { users: number, agents: number, first?: number }

/** A directory with `users` users, made once and reused. */
export async function seeded ({ users, agents, first = agents }: Size): Promise<string> {
  const directory = path.join(HOME, `${users}x${agents}-${first}`)
  if (!existsSync(directory)) {
    console.error(`Seeding ${users} users …`)
    // Renamed once complete, so that an interrupted one is not taken for one.
    renameSync(await seededAnew('unfinished', { users, agents, first }), directory)
  }
  return directory
}

/** The same, made from scratch: for measurements that write a lot. */
export async function seededAnew (name: string, size: Size): Promise<string> {
  const directory = path.join(HOME, name)
  rmSync(directory, { recursive: true, force: true })
  await seed(directory, size)
  return directory
}

async function seed (directory: string, { users, agents, first = agents }: Size) {
  const stores = await openFileStores({ directory, clock: systemClock(), synchronous: 'NORMAL' })
  const { raw } = stores.db
  const now = '2026-01-01T00:00:00.000000Z'
  const user = raw.prepare('insert into users (name, tier, revision, created_at, updated_at) values (?, ?, ?, ?, ?)')
  const key = raw.prepare(
    'insert into api_keys (user_id, account_id, name, digest, hint, permissions, created_at) values (?, ?, ?, ?, ?, ?, ?)'
  )
  const member = raw.prepare('insert into members (account_id, user_id, permissions, created_at) values (?, ?, ?, ?)')
  const agent = raw.prepare(`
    insert into agents (owner_id, name, description, status, appearance, behavior, model, agent_type, agent_category, system_prompt,
      ticketing_providers, default_ticketing_provider, is_chatapp_enabled, privacy_url, gdpr_settings, is_white_label,
      created_at, updated_at, conversations, total_training_usage_bytes, revision, search_text)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, 0, null, ?, 0, ?, ?, 0, 0, 1, ?)`)
  const made = newAgent(
    draft,
    { response_model: 'gpt-4o-mini', display_model: 'GPT 4o Mini' },
    { tier: 'enterprise', permissions: PERMISSIONS, ticketing: [] }
  )
  const values = [
    made.name,
    made.description,
    made.status,
    JSON.stringify(made.appearance),
    JSON.stringify(made.behavior),
    JSON.stringify(made.model),
    made.agentType,
    made.agent_category,
    made.systemPrompt,
    '[]',
    JSON.stringify(made.gdpr_settings),
    now,
    now,
    made.search_text
  ]
  raw.transaction(() => {
    for (let n = 1; n <= users; n++) {
      user.run(`User ${n}`, 'enterprise', 1, now, now)
      key.run(n, n, 'Benchmark', digestOf(keyOf(n)), 'agh_', JSON.stringify(PERMISSIONS), now)
      member.run(n, n, JSON.stringify(PERMISSIONS), now)
    }
  })()
  // Interleaved, as if made over time: the agents of one user are spread over the whole file.
  const oneEach = raw.transaction((i: number) => {
    for (let n = 1; n <= users; n++) if (i < (n === 1 ? first : agents)) agent.run(n, ...values)
  })
  const many = raw.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) oneEach(i)
  })
  const rounds = Math.max(agents, first)
  const step = Math.ceil(50_000 / users)
  for (let i = 0; i < rounds; i += step) many(i, Math.min(rounds, i + step))
  raw.exec(`insert into knowledge_folders (agent_id, owner_id, parent_id, name, created_at, updated_at)
    select id, owner_id, null, 'Root', created_at, created_at from agents`)
  await stores.close()
}

/** Removes what a run has added to a seeded directory, so that the next one finds the same state. */
export async function restored (directory: string, last: number) {
  const stores = await openFileStores({ directory, clock: systemClock() })
  stores.db.raw.prepare('delete from agents where id > ?').run(last)
  await stores.close()
}
