import BetterSqlite3 from 'better-sqlite3'

/** A statement as it was prepared, and values that were bound to it, if it ran. */
export interface Recorded { sql: string, values: unknown[] | undefined }

const all = new Map<string, Recorded>()
const prepare = BetterSqlite3.prototype.prepare
const statement = Object.getPrototypeOf(new BetterSqlite3(':memory:').prepare('select 1')) as object
let isRecording = false

/** Statements prepared or run from now on, each text once, until the list is cleared. */
export function recordStatements (): Map<string, Recorded> {
  if (isRecording) return all
  isRecording = true
  BetterSqlite3.prototype.prepare = function (this: BetterSqlite3.Database, sql: string) {
    all.set(sql, all.get(sql) ?? { sql, values: undefined })
    return prepare.call(this, sql)
  } as typeof prepare
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const own = Reflect.get(statement, name) as (...values: unknown[]) => unknown
    Reflect.set(statement, name, function (this: BetterSqlite3.Statement, ...values: unknown[]) {
      const known = all.get(this.source) ?? { sql: this.source, values }
      known.values ??= values
      all.set(this.source, known)
      return own.apply(this, values)
    })
  }
  return all
}

/** SQLite's query plan for a statement, line by line; empty for one that is about no rows. */
export function planOf (raw: BetterSqlite3.Database, { sql, values = unbound(sql) }: Recorded): string[] {
  if (!/^\s*(?:with|select|insert|update|delete|replace)\b/i.test(sql)) return []
  const plan = prepare.call(raw, `explain query plan ${sql}`) as BetterSqlite3.Statement<unknown[], { detail: string }>
  return plan.all(...values).map(({ detail }) => detail)
}

/** Null for every parameter that a statement which has not run requires. */
function unbound (sql: string): unknown[] {
  const names = [...sql.matchAll(/[:@$]([a-z]\w*)/gi)].map(([, name]) => [name, null])
  return [...Array(sql.split('?').length - 1).fill(null), ...(names.length ? [Object.fromEntries(names)] : [])]
}
