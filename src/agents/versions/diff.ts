import { isDeepStrictEqual } from 'node:util'
import type { FieldChange } from '../../../schema/versions.ts'
import { lineDiff } from '../../platform/line-diff.ts'
import { isObject, ownProperty } from '../../platform/objects.ts'

/*
 * Differences between two states of an object, as pure functions.
 */

/** Every field in which the two differ, in the order of the fields; long texts by line. */
export function diffOf (from: object, to: object): FieldChange[] {
  return changesIn('', from, to)
}

function changesIn (field: string, from: unknown, to: unknown): FieldChange[] {
  if (isDeepStrictEqual(from, to)) return []
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)])
    return [...names].flatMap((name) =>
      changesIn(field === '' ? name : `${field}.${name}`, ownProperty(from, name), ownProperty(to, name)))
  }
  const isText = typeof from === 'string' && typeof to === 'string'
  return [{
    field,
    from,
    to,
    ...(isText && (from.includes('\n') || to.includes('\n')) && { lines: lineDiff(from.split('\n'), to.split('\n')) })
  }]
}
