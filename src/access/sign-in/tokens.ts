import { hash, randomBytes } from 'node:crypto'
import type { Secret } from '../../platform/http/log.ts'

/** Links anywhere in a log. */
export const LINK_SECRET: Secret = { looks: /\/link\/[\w-]{20,}/g, shown: '/link/[hidden]' }

/** A new secret for a cookie or a link: 32 random bytes in base64url. */
export function newToken (): string {
  return randomBytes(32).toString('base64url')
}

/** The digest that is stored. The token cannot be guessed, so a fast hash is right. */
export function tokenDigest (token: string): string {
  return hash('sha256', `token ${token}`, 'base64url')
}

/** Where a link leads to: the token comes after #, so that no server and no log on the way ever sees it. */
export function linkTo (address: string, token: string): string {
  return `${address}/console/#/link/${token}`
}
