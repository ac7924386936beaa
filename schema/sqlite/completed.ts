import { customType } from 'drizzle-orm/sqlite-core'
import { complete } from '../common.ts'

/**
 * A column of JSON that is read over its defaults: a field that came later is in every row, also in those that were
 * written before. Its type is that of the defaults, so that nobody adds a field without one.
 */
export function completed<T extends object> (defaults: T) {
  return customType<{ data: T, driverData: string }>({
    dataType: () => 'text',
    fromDriver: (json) => complete(defaults, JSON.parse(json) as Partial<T>),
    toDriver: (value) => JSON.stringify(value)
  })()
}
