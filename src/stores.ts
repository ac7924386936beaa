import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { sqliteAccessStore, type AccessStore } from './access/index.ts'
import { sqliteAgentStore, type AgentStore } from './agents/index.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './config.ts'
import { openKnowledge, type Knowledge } from './knowledge/index.ts'
import { openDatabase, type Database, type DatabaseOptions } from './platform/database.ts'
import { onceOnly } from './platform/idempotency.ts'
import { migrate } from './platform/migrate.ts'
import { revisionsOf } from './platform/revisions.ts'

/** Everything that is kept, behind contracts that name no database. */
export interface Stores {
  access: AccessStore
  agents: AgentStore
  knowledge: Knowledge
  /** For what is about the file itself: readiness, backup, doctor. */
  db: Database
  close (): void
}

/** The file in a data directory that everything is in. */
export function dataFile (directory: string): string {
  return path.join(path.resolve(directory), 'agenthall.db')
}

/** Opens the stores of a data directory, making and upgrading the file as needed. The one place that chooses the database. */
export async function openStores ({ config, clock, extractEntry, directory = config.DATA, ...options }: {
  config: Config, clock: Clock, directory?: string, extractEntry?: string
} & Omit<DatabaseOptions, 'file'>): Promise<Stores> {
  // Only its owner may read it: it holds customers' data.
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const db = openDatabase({ file: dataFile(directory), ...options })
  try {
    await migrate(db.raw)
    const revisions = revisionsOf(db)
    const parts = { db, clock, revisions, onceOnly: onceOnly(db, clock) }
    return {
      access: sqliteAccessStore(parts),
      agents: sqliteAgentStore(parts),
      knowledge: openKnowledge({ ...parts, config, entry: extractEntry }),
      db,
      close: () => db.close()
    }
  } catch (error) {
    db.raw.close()
    throw error
  }
}
