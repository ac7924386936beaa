import { randomBytes } from 'node:crypto'

/** A new identifier: a prefix and 128 random bits. */
export function newId (prefix: 'conv' | 'msg' | 'vis'): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`
}
